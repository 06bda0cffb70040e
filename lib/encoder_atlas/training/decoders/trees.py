"""The best tree over the words of one sentence: any tree, or one without crossing arcs; always one root.

Scores stand in a square table, ``scores[dependent, head]``; 0 is ROOT, words count from 1. Row 0 and the
diagonal mean nothing.
"""

import numpy as np
from jaxtyping import Float, Float64, Int64

from encoder_atlas.errors import DataError


def maximum_tree(scores: Float[np.ndarray, "nodes nodes"]) -> Int64[np.ndarray, " words"]:
    """The heads of the tree with the highest sum of scores in which one word only hangs on ROOT.

    Chu and Liu (1965) and Edmonds (1967): every word takes its best head, and while that makes a circle it is
    drawn together to one node. Each arc from ROOT costs more than any tree can gain, so that no tree with two
    is best.

    Raises:
        DataError: a score that counts is not finite.
    """
    table = _checked(scores)
    n = len(table)
    off = ~np.eye(n, dtype=bool)
    spread = np.ptp(table[1:][off[1:]]) if n > 1 else 0.0
    table[1:, 0] -= 1 + 2 * n * spread
    table[~off] = -np.inf
    table[0] = -np.inf
    return _contract(table)[1:]


def _contract(table: Float64[np.ndarray, "nodes nodes"]) -> Int64[np.ndarray, " nodes"]:
    """Heads of the best tree from node 0; entry 0 is −1."""
    heads = table.argmax(axis=1)
    heads[0] = -1
    circle = _circle(heads)
    if circle is None:
        return heads
    inside = np.zeros(len(table), dtype=bool)
    inside[circle] = True
    outside = np.flatnonzero(~inside)
    # What breaking the circle at each of its nodes costs.
    given_up = table[circle] - table[circle, heads[circle]][:, None]
    entry = given_up[:, outside].argmax(axis=0)
    leave = table[np.ix_(outside, circle)].argmax(axis=1)
    m = len(outside)
    smaller = np.full((m + 1, m + 1), -np.inf)
    smaller[:m, :m] = table[np.ix_(outside, outside)]
    smaller[m, :m] = given_up[entry, outside]
    smaller[:m, m] = table[outside, circle[leave]]
    smaller[0] = -np.inf
    below = _contract(smaller)
    for place, node in enumerate(outside[1:], start=1):
        heads[node] = circle[leave[place]] if below[place] == m else outside[below[place]]
    heads[circle[entry[below[m]]]] = outside[below[m]]
    return heads


def _circle(heads: Int64[np.ndarray, " nodes"]) -> Int64[np.ndarray, " circle"] | None:
    """The nodes of one circle, if there is any."""
    state = np.zeros(len(heads), dtype=np.int64)  # 0 new, k on the k-th path
    state[0] = -1
    for start in range(1, len(heads)):
        node = start
        while state[node] == 0:
            state[node] = start
            node = heads[node]
        if state[node] == start:
            found = [node]
            while heads[found[-1]] != node:
                found.append(heads[found[-1]])
            return np.array(found)
    return None


def projective_tree(scores: Float[np.ndarray, "nodes nodes"]) -> Int64[np.ndarray, " words"]:
    """The heads of the best tree in which no two arcs cross and one word only hangs on ROOT (Eisner, 1996).

    Raises:
        DataError: a score that counts is not finite.
    """
    table = _checked(scores)
    if len(table) == 1:
        return np.empty(0, dtype=np.int64)
    chart = _Chart(table[1:, 1:])
    # ROOT takes the word that is best as head of all others, its arc counted.
    n = len(table) - 1
    top = int((table[1:, 0] + chart.left[0] + chart.right[:, n - 1]).argmax())
    heads = np.zeros(n, dtype=np.int64)
    chart.read_left(heads, 0, top)
    chart.read_right(heads, top, n - 1)
    return heads


class _Chart:
    """Eisner's table of spans of words, all of one width at once.

    ``right[i, j]``: the best tree over words i … j whose head is i, ``left[i, j]``: whose head is j; both
    complete. ``arc_right`` and ``arc_left``: with the arc i → j or j → i and nothing beyond it yet.
    """

    def __init__(self, table: Float64[np.ndarray, "words words"]) -> None:
        n = len(table)
        self.left, self.right = np.zeros((n, n)), np.zeros((n, n))
        self.arc_left, self.arc_right = np.zeros((n, n)), np.zeros((n, n))
        self.met = np.zeros((n, n), dtype=np.int64)
        self.split_left, self.split_right = np.zeros((2, n, n), dtype=np.int64)
        for width in range(1, n):
            self._fill(table, width)

    def _fill(self, table: Float64[np.ndarray, "words words"], width: int) -> None:
        i = np.arange(len(table) - width)
        j = i + width
        k = i[:, None] + np.arange(width)  # the last word of the left part
        met = self.right[i[:, None], k] + self.left[k + 1, j[:, None]]
        best = met.argmax(axis=1)
        self.met[i, j] = i + best
        between = met[np.arange(len(i)), best]
        self.arc_right[i, j] = between + table[j, i]
        self.arc_left[i, j] = between + table[i, j]
        right = self.arc_right[i[:, None], k + 1] + self.right[k + 1, j[:, None]]
        left = self.left[i[:, None], k] + self.arc_left[k, j[:, None]]
        self.split_right[i, j] = i + right.argmax(axis=1) + 1
        self.split_left[i, j] = i + left.argmax(axis=1)
        self.right[i, j], self.left[i, j] = right.max(axis=1), left.max(axis=1)

    def read_right(self, heads: Int64[np.ndarray, " words"], i: int, j: int) -> None:
        """Write the heads (counted from 1) of the words of ``right[i, j]`` but i."""
        while i < j:
            split = int(self.split_right[i, j])
            heads[split] = i + 1
            self._read_between(heads, i, split)
            i = split

    def read_left(self, heads: Int64[np.ndarray, " words"], i: int, j: int) -> None:
        """Write the heads of the words of ``left[i, j]`` but j."""
        while i < j:
            split = int(self.split_left[i, j])
            heads[split] = j + 1
            self._read_between(heads, split, j)
            j = split

    def _read_between(self, heads: Int64[np.ndarray, " words"], i: int, j: int) -> None:
        met = int(self.met[i, j])
        self.read_right(heads, i, met)
        self.read_left(heads, met + 1, j)


def _checked(scores: Float[np.ndarray, "nodes nodes"]) -> Float64[np.ndarray, "nodes nodes"]:
    table = scores.astype(np.float64)
    off = ~np.eye(len(table), dtype=bool)
    if not np.isfinite(table[1:][off[1:]]).all():
        raise DataError("a score of an arc is not a finite number: no best tree can be found")
    return table
