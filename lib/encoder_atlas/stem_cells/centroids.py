"""The centroid probe: whether what a head carries tells tags, entities and phrases apart (He and Choi 5.1).

Parameter-free: each label has the mean of its items' attended values as centroid, and an item is given the
label whose centroid is nearest by cosine.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float32, Int64

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.stem_cells.attention import WordValues
from encoder_atlas.stem_cells.head_hits import HeadHits, make_hits
from encoder_atlas.text.layers import Sentence, Tree

SpanLayer = Literal["pos", "ner", "con"]
Centroids = Literal["leave one out", "same items"]


class Item(NamedTuple):
    """Words ``start`` to ``end`` (from 0, end exclusive) of a sentence under a label."""

    sentence: int
    label: str
    start: int
    end: int


def span_items(sentences: Sequence[Sentence], layer: str) -> list[Item]:
    """What the probe labels: each word's tag, each entity, each phrase that has words only (NLTK's height 3).

    Sentences without the layer give none.

    Raises:
        SettingsError: a layer that is no labelling of words or spans.
    """
    if layer not in get_args(SpanLayer):
        raise SettingsError(f"layer {layer!r} has no spans to label: 'pos', 'ner' or 'con'")
    return [
        Item(number, label, start, end)
        for number, sentence in enumerate(sentences)
        for start, end, label in _spans(sentence, layer)
    ]


def centroid_hits(
    values: WordValues,
    items: Sequence[Item],
    *,
    centroids: str = "leave one out",
    of: str = "heads",
) -> HeadHits:
    """Which items each head's values put nearest to the centroid of their own label.

    A span's vector is the mean over its words. With "leave one out" an item has no part in the centroid of
    its own label, so that the only item of a label is never right; with "same items", the paper's way, it
    has, and the only item of a label always is.

    Args:
        of: "embeddings" is the lexical baseline, one "head" of the encoder's whole width; "slices" the same
            in slices as wide as a head, as many as a layer has, for like to be held against like.

    Raises:
        DataError: no items, or a vector of only zeros, which has no direction.
        SettingsError: unknown options.
    """
    if centroids not in get_args(Centroids):
        raise SettingsError(f"centroids={centroids!r}: 'leave one out' or 'same items'")
    if of not in ("heads", "embeddings", "slices"):
        raise SettingsError(f"of={of!r}: 'heads', 'embeddings' or 'slices'")
    if not items:
        raise DataError("there is nothing to label: no sentence has an item of this layer")
    names, label = np.unique([item.label for item in items], return_inverse=True)
    words = values.values if of == "heads" else _embeddings(values, whole=of == "embeddings")
    first = values.first[[item.sentence for item in items]]
    starts, ends = (
        first + np.array(column) for column in zip(*((i.start, i.end) for i in items), strict=True)
    )
    hits = np.empty((len(words), words.shape[2], len(items)), dtype=np.bool_)
    for layer, own in enumerate(words):
        vectors = _means(own, starts, ends)
        for head in range(words.shape[2]):
            nearest = _nearest(vectors[:, head], label, len(names), centroids)
            hits[layer, head] = nearest == label
    return make_hits(
        hits, [item.label for item in items], [item.sentence for item in items], len(values.first) - 1
    )


def majority_hits(items: Sequence[Item], sentences: int) -> HeadHits:
    """The baseline that gives every item the most frequent label.

    Args:
        sentences: how many there are, with and without items.

    Raises:
        DataError: no items.
    """
    labels = [item.label for item in items]
    if not labels:
        raise DataError("there is nothing to label: no sentence has an item of this layer")
    answer = max(sorted(set(labels)), key=labels.count)
    hits = np.array([label == answer for label in labels])[None, None]
    return make_hits(hits, labels, [item.sentence for item in items], sentences)


def _embeddings(values: WordValues, whole: bool) -> Float32[np.ndarray, "1 words heads d"]:
    d = values.embeddings.shape[1] if whole else values.values.shape[3]
    used = values.embeddings[:, : values.embeddings.shape[1] // d * d]
    return used.reshape(1, len(used), -1, d)


def _nearest(
    vectors: Float32[np.ndarray, "items d"],
    label: Int64[np.ndarray, " items"],
    labels: int,
    centroids: str,
) -> Int64[np.ndarray, " items"]:
    """The label of the nearest centroid, −1 where there is none; sums stand for means, as a cosine does not
    know the length.

    Without itself, an item x of a label with sum S has the centroid S − x, whose cosine with x follows from
    x·S, x·x and S·S.
    """
    x = vectors.astype(np.float64)
    order = np.argsort(label, kind="stable")
    sums = np.add.reduceat(x[order], np.searchsorted(label[order], np.arange(labels)), axis=0)
    dots = x @ sums.T
    squares = (sums**2).sum(axis=1)
    own = np.arange(len(x)), label
    x_square = (x**2).sum(axis=1)
    if not (x_square > 0).all():
        raise DataError("a vector has only zeros and no direction: this head was cut off; probe it ungated")
    norms = np.broadcast_to(squares, dots.shape).copy()
    if centroids == "leave one out":
        norms[own] = squares[label] - 2 * dots[own] + x_square
        dots[own] -= x_square
        alone = np.bincount(label, minlength=labels)[label] == 1
        dots[own[0][alone], label[alone]] = -np.inf
    # A centroid of length 0, up to rounding, has no direction and is never the nearest.
    cosine = np.where(norms > 1e-12 * x_square[:, None], dots / np.sqrt(np.maximum(norms, 1e-300)), -np.inf)
    return np.where(cosine.max(axis=1) > -np.inf, cosine.argmax(axis=1), -1)


def _means(
    words: Float32[np.ndarray, "words heads d"],
    starts: Int64[np.ndarray, " items"],
    ends: Int64[np.ndarray, " items"],
) -> Float32[np.ndarray, "items heads d"]:
    """The mean of each item's words; items may lie in one another."""
    sizes = ends - starts
    if (sizes == 1).all():
        return words[starts]
    begins = np.concatenate([[0], sizes.cumsum()[:-1]])
    place = np.arange(int(sizes.sum())) - np.repeat(begins - starts, sizes)
    sums = np.add.reduceat(words[place], begins, axis=0)
    return (sums / sizes[:, None, None]).astype(np.float32)


def _spans(sentence: Sentence, layer: str) -> Iterator[tuple[int, int, str]]:
    if layer == "pos":
        yield from ((word, word + 1, tag) for word, tag in enumerate(sentence.tags or ()))
    elif layer == "ner":
        yield from sentence.entities or ()
    elif sentence.tree is not None:
        yield from _lowest(sentence.tree)


def _lowest(tree: Tree) -> Iterator[tuple[int, int, str]]:
    """Phrases without a phrase below. In pre-order the phrases below one follow it at once."""
    for span, after in zip(tree.spans, [*tree.spans[1:], None], strict=True):
        if after is None or after.start >= span.end:
            yield span
