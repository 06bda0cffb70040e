"""Trees from distances, and how near they are to the annotated ones: UUAS, Root and rank correlations.

The rules are those of the released reporter of Hewitt and Manning (2019); where they break (a constant row, a
sentence of punctuation) ours are stated below.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Float64, Int64, Shaped
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from scipy.stats import rankdata

from encoder_atlas.errors import DataError
from encoder_atlas.text.layers import Sentence

PUNCTUATION_TAGS = ("''", ",", ".", ":", "``", "-LRB-", "-RRB-")


def tree_distances(heads: Sequence[int]) -> Int64[np.ndarray, "words words"]:
    """Edges on the way from each word to each other in a dependency tree.

    Args:
        heads: of each word the number of its head from 1, 0 for the root, as in `Sentence.heads`.
    """
    links = np.zeros((len(heads), len(heads)))
    for word, head in enumerate(heads):
        if head:
            links[word, head - 1] = 1
    return shortest_path(links, directed=False, unweighted=True).astype(np.int64)


def tree_depths(heads: Sequence[int]) -> Int64[np.ndarray, " words"]:
    """Edges from each word up to the root, which has 0."""
    return tree_distances(heads)[list(heads).index(0)]


def spanning_tree(
    distances: Shaped[np.ndarray, "words words"], kept: Bool[np.ndarray, " words"]
) -> Int64[np.ndarray, "edges 2"]:
    """The edges (smaller word first, sorted) of the minimum spanning tree over the kept words.

    Of equal distances the pair that stands first in the sentence is taken first, as a stable sort has it. The
    ranks of the pairs decide alone: that makes the tree unique, and keeps a distance of 0 an edge.
    """
    words = np.flatnonzero(kept)
    first, second = np.triu_indices(len(words), k=1)
    order = np.argsort(distances[words[first], words[second]], kind="stable")
    ranks = np.zeros((len(words), len(words)))
    ranks[first[order], second[order]] = np.arange(1, len(order) + 1)
    rows, columns = minimum_spanning_tree(ranks).nonzero()
    edges = np.sort(np.stack([words[rows], words[columns]], axis=1), axis=1)
    return edges[np.lexsort(edges.T[::-1])].astype(np.int64)


def shared_edges(a: Int64[np.ndarray, "edges 2"], b: Int64[np.ndarray, "others 2"]) -> int:
    """How many edges two trees have in common."""
    return len(set(map(tuple, a.tolist())) & set(map(tuple, b.tolist())))


def rank_correlations(
    found: Float[np.ndarray, "*rows words"], gold: Shaped[np.ndarray, "*rows words"]
) -> Float64[np.ndarray, "*rows"]:
    """Spearman's correlation of each row; 0 where a row is constant, for it puts nothing in order."""
    ours, theirs = (rankdata(rows, axis=-1) for rows in (found, gold))
    ours = ours - ours.mean(axis=-1, keepdims=True)
    theirs = theirs - theirs.mean(axis=-1, keepdims=True)
    size = np.sqrt((ours**2).sum(axis=-1) * (theirs**2).sum(axis=-1))
    return np.asarray((ours * theirs).sum(axis=-1) / np.where(size > 0, size, 1))


def mean_by_length(
    values: Float64[np.ndarray, " sentences"],
    lengths: Int64[np.ndarray, " sentences"],
    shortest: int,
    longest: int,
) -> float:
    """The mean over lengths of the mean over the sentences of each length; NaN where there are none."""
    used = np.unique(lengths[(lengths >= shortest) & (lengths <= longest)])
    return float(np.mean([values[lengths == length].mean() for length in used])) if len(used) else np.nan


def kept_words(sentence: Sentence, by: str) -> Bool[np.ndarray, " words"]:
    """The words that are no punctuation, by their universal tag ("upos") or by Penn Treebank "tags".

    Raises:
        DataError: the sentence has no such tags.
    """
    tags = sentence.upos if by == "upos" else sentence.tags
    if tags is None:
        other = "tags" if by == "upos" else "upos"
        raise DataError(
            f"sentence {sentence.id!r} has no {by} to tell punctuation by: set punctuation={other!r}"
        )
    marks = ("PUNCT",) if by == "upos" else PUNCTUATION_TAGS
    return np.array([tag not in marks for tag in tags])
