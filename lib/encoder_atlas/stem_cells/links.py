"""The link probe: whether a head looks along dependencies and along semantic roles (He and Choi 2021, § 5.1).

Parameter-free: a head looks from each word to the one to which it attends most (`Looks`), and a gold link is
found if it looks along it, in either direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int16, Int64

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.estimates import Counts
from encoder_atlas.stem_cells.attention import NOWHERE, Looks
from encoder_atlas.stem_cells.head_hits import HeadHits, make_hits
from encoder_atlas.text.layers import ROOT, Sentence

Cls = Literal["in", "out"]
Direction = Literal["either", "forward"]
LinkLayer = Literal["dep", "srl"]


class Link(NamedTuple):
    """An item of the probe: from the words ``start`` to ``end`` (from 1, end inclusive) of a sentence to the
    word ``head``, or to [CLS] (0) for the root."""

    sentence: int
    label: str
    start: int
    end: int
    head: int


def gold_links(sentences: Sequence[Sentence], layer: str, subtypes: bool = False) -> list[Link]:
    """The links that annotators see: each word to its head, or each argument to its predicate.

    Args:
        layer: "dep" or "srl"; sentences without it give none.
        subtypes: keep what stands behind the colon of a relation (``nmod:poss``).

    Raises:
        SettingsError: a layer without links.
    """
    if layer not in ("dep", "srl"):
        raise SettingsError(f"layer {layer!r} has no links: 'dep' or 'srl'")
    found = _dependencies(sentences, subtypes) if layer == "dep" else _roles(sentences)
    return list(found)


def link_hits(looks: Looks, links: Sequence[Link], *, cls: str = "in", direction: str = "either") -> HeadHits:
    """Which links each head finds.

    A link is found if one of its words looks at its head or, in either direction, its head at one of them.

    Args:
        cls: whether [CLS] may be looked at. "in" is the authors' rule for dependencies; "out" is their rule
            for roles, and ours where a head that rests on [CLS] shall show where it would look else. A link
            to the root is read with [CLS] in all the same.
        direction: "forward" counts looks from the words to the head only.

    Raises:
        DataError: no links.
        SettingsError: unknown options.
    """
    for name, value, known in (("cls", cls, get_args(Cls)), ("direction", direction, get_args(Direction))):
        if value not in known:
            raise SettingsError(f"{name}={value!r}: {known[0]!r} or {known[1]!r}")
    if not links:
        raise DataError("there are no links to find: no sentence has this layer")
    sizes = np.array([link.end - link.start + 1 for link in links])
    owner = np.repeat(np.arange(len(links)), sizes)
    begins = np.concatenate([[0], sizes.cumsum()[:-1]])
    starts = np.array([link.start for link in links])
    word = np.arange(len(owner)) - begins[owner] + starts[owner]
    head = np.array([link.head for link in links])[owner]
    first = looks.first[[link.sentence for link in links]][owner]
    if cls == "in":
        found = _along(looks.with_cls, first, word, head, direction)
    else:
        found = _along(looks.words_only, first, word, head, direction)
        root = head == ROOT
        found[:, :, root] = _along(looks.with_cls, first[root], word[root], head[root], direction)
    hits = np.logical_or.reduceat(found, begins, axis=2)
    labels, sentence = [link.label for link in links], [link.sentence for link in links]
    return make_hits(hits, labels, sentence, len(looks.first) - 1)


def offset_looks(sentences: Sequence[Sequence[str]], furthest: int = 10) -> Looks:
    """The baseline of fixed offsets: one "layer" of "heads", each of which always looks as many words on.

    Heads are the offsets −``furthest`` to −1 and 1 to ``furthest`` in this order; none looks at [CLS].

    Raises:
        SettingsError: no offset.
    """
    if furthest < 1:
        raise SettingsError(f"furthest={furthest}: at least 1 word away")
    offsets = np.array([*range(-furthest, 0), *range(1, furthest + 1)])
    counts = np.array([len(words) for words in sentences])
    first = np.concatenate([[0], (counts + 1).cumsum()]).astype(np.int64)
    place = np.concatenate([np.arange(count + 1) for count in counts])
    to = place + offsets[:, None]
    inside = (to >= 1) & (to <= np.repeat(counts, counts + 1)) & (place >= 1)
    looks = np.where(inside, to, NOWHERE).astype(np.int16)[None]
    return Looks(looks, looks, first)


def offset_of(head: int, furthest: int = 10) -> int:
    """The offset, in words, of a "head" of `offset_looks`, which counts from 1 as in `best_heads`."""
    return head - 1 - furthest + (head > furthest)


@dataclass(frozen=True, eq=False)
class RootControl:
    """Whether heads that find roots do so by linking every word with [CLS].

    Attributes:
        root: whether a head (layers and heads from 0) links the root of a sentence with [CLS], by the rule by
            which `link_hits` finds roots.
        others: how many other words of the sentence it links with [CLS] by that rule.
        words: words of each sentence.
    """

    root: Bool[np.ndarray, "layers heads sentences"]
    others: Int64[np.ndarray, "layers heads sentences"]
    words: Int64[np.ndarray, " sentences"]

    def to_frame(self) -> pd.DataFrame:
        """A row a head: layer and head (from 1), and the percent of roots, and of others, that it links with
        [CLS]."""
        layers, heads = self.root.shape[:2]
        return pd.DataFrame(
            {
                "layer": np.repeat(np.arange(1, layers + 1), heads),
                "head": np.tile(np.arange(1, heads + 1), layers),
                "root": 100 * self.root.mean(axis=2).ravel(),
                "others": 100 * self.others.sum(axis=2).ravel() / max(1, int((self.words - 1).sum())),
            }
        )

    def counts(self, layer: int, head: int) -> tuple[Counts, Counts]:
        """Of a head, counted from 0, links of [CLS] with the root and with the other words, by sentence."""
        right = [self.root[layer, head].astype(np.int64), self.others[layer, head]]
        total = [np.ones_like(self.words), self.words - 1]
        root, others = (pd.DataFrame({"right": r, "total": t}) for r, t in zip(right, total, strict=True))
        return root, others


def root_control(looks: Looks, sentences: Sequence[Sentence], direction: Direction = "either") -> RootControl:
    """How often each head links [CLS] with roots, and with all other words.

    A head that looks at [CLS] from every word finds every root and tells nothing about roots; one in which
    [CLS] looks at the root alone knows it. Sentences without dependencies do not count.

    Args:
        sentences: those of the looks, in their order.
        direction: as in `link_hits`: "either" counts looks from [CLS] to a word as well.

    Raises:
        DataError: no sentence has dependencies.
    """
    roots = [(number, s.heads.index(ROOT) + 1) for number, s in enumerate(sentences) if s.heads is not None]
    if not roots:
        raise DataError("no sentence has dependencies: there are no roots to look from")
    numbers, place = (np.array(column) for column in zip(*roots, strict=True))
    first, last = looks.first[numbers], looks.first[numbers + 1]
    linked = looks.with_cls == 0
    if direction == "either":
        begins = looks.first[:-1]
        seen = begins + np.maximum(looks.with_cls[:, :, begins], 0)  # where [CLS] of each sentence looks
        np.put_along_axis(linked, seen, True, axis=2)
    linked[:, :, looks.first[:-1]] = False  # [CLS] itself is no word
    sums = np.concatenate([np.zeros((*linked.shape[:2], 1), np.int64), linked.cumsum(axis=2)], axis=2)
    root = linked[:, :, first + place]
    others = sums[:, :, last] - sums[:, :, first] - root
    words = (last - first - 1).astype(np.int64)
    return RootControl(root, others, words)


def _along(
    looks: Int16[np.ndarray, "layers heads positions"],
    first: Int64[np.ndarray, " pairs"],
    word: Int64[np.ndarray, " pairs"],
    head: Int64[np.ndarray, " pairs"],
    direction: str,
) -> Bool[np.ndarray, "layers heads pairs"]:
    found = looks[:, :, first + word] == head
    return found if direction == "forward" else found | (looks[:, :, first + head] == word)


def _dependencies(sentences: Sequence[Sentence], subtypes: bool) -> Iterator[Link]:
    for number, sentence in enumerate(sentences):
        pairs = zip(sentence.heads or (), sentence.deprels or (), strict=True)
        for word, (head, relation) in enumerate(pairs, start=1):
            label = relation if subtypes else relation.partition(":")[0]
            yield Link(number, label, word, word, head)


def _roles(sentences: Sequence[Sentence]) -> Iterator[Link]:
    for number, sentence in enumerate(sentences):
        for frame in sentence.frames or ():
            for role in frame.arguments:
                yield Link(number, role.label, role.start + 1, role.end, frame.predicate + 1)
