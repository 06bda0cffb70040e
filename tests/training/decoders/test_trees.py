"""Best trees against enumeration of all trees and against networkx."""

from collections.abc import Iterator
from itertools import product

import networkx
import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.training.decoders import maximum_tree, projective_tree


def trees(n: int) -> Iterator[tuple[int, ...]]:
    """All heads of n words with one root and no circle."""
    for heads in product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and all(reaches_root(heads, word) for word in range(1, n + 1)):
            yield heads


def reaches_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1]
        if word == 0:
            return True
    return False


def crossing(heads: tuple[int, ...]) -> bool:
    arcs = [(min(i, head), max(i, head)) for i, head in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def best(scores: np.ndarray, projective: bool) -> float:
    found = [heads for heads in trees(len(scores) - 1) if not (projective and crossing(heads))]
    return max(total(scores, heads) for heads in found)


def total(scores: np.ndarray, heads: tuple[int, ...] | np.ndarray) -> float:
    return float(sum(scores[word, head] for word, head in enumerate(heads, start=1)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(12))
def test_best_of_all_trees(n: int, seed: int) -> None:
    scores = np.random.default_rng([n, seed]).normal(size=(n + 1, n + 1))
    if seed % 3 == 0:
        scores[1:, 0] += 5  # all words would like to be roots
    any_tree, flat = maximum_tree(scores), projective_tree(scores)
    assert tuple(any_tree.tolist()) in set(trees(n))
    assert tuple(flat.tolist()) in set(trees(n)) and not crossing(tuple(flat.tolist()))
    assert total(scores, any_tree) == pytest.approx(best(scores, projective=False), abs=1e-12)
    assert total(scores, flat) == pytest.approx(best(scores, projective=True), abs=1e-12)


@pytest.mark.parametrize("n", [12, 30])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_as_networkx(n: int, seed: int) -> None:
    """networkx knows no single root: each word is tried as the only one, the best of these trees counts."""
    scores = np.random.default_rng([n, seed]).normal(size=(n + 1, n + 1))
    found = maximum_tree(scores)
    assert (found == 0).sum() == 1
    graph = networkx.DiGraph()
    for word in range(1, n + 1):
        graph.add_weighted_edges_from(
            (head, word, scores[word, head]) for head in range(1, n + 1) if head != word
        )
    root = int(np.flatnonzero(found == 0)[0]) + 1
    totals = []
    for top in {root, *(np.argsort(-scores[1:, 0])[:4] + 1).tolist()}:
        tree = graph.copy()
        tree.add_edge(0, int(top), weight=scores[top, 0])
        arborescence = networkx.maximum_spanning_arborescence(tree, attr="weight")
        totals.append(sum(weight for _, _, weight in arborescence.edges(data="weight")))
    assert total(scores, found) == pytest.approx(max(totals), abs=1e-9)


def test_a_circle_worked_by_hand() -> None:
    """Words 1 and 2 like each other most (5 each); the circle is broken where it costs least, at word 2."""
    scores = np.zeros((4, 4))
    scores[1] = [1, 0, 5, 0]
    scores[2] = [3, 5, 0, 0]
    scores[3] = [0, 2, 4, 0]
    assert maximum_tree(scores).tolist() == [2, 0, 2]
    assert projective_tree(scores).tolist() == [2, 0, 2]


def test_arcs_that_cross() -> None:
    """The best tree crosses (3 → 1 and 4 → 2): without crossing, word 1 must hang elsewhere."""
    scores = np.full((5, 5), -9.0)
    scores[3, 0] = scores[4, 3] = scores[2, 4] = 0
    scores[1, 3], scores[1, 4] = 0, -1
    assert maximum_tree(scores).tolist() == [3, 4, 0, 3]
    scores[2, 3] = scores[2, 1] = -2
    assert projective_tree(scores).tolist() == [3, 3, 0, 3]


def test_of_equal_scores_some_tree() -> None:
    for find in (maximum_tree, projective_tree):
        heads = find(np.zeros((6, 6)))
        assert tuple(heads.tolist()) in set(trees(5))


def test_long_sentences_and_large_scores() -> None:
    scores = np.random.default_rng(0).normal(size=(151, 151)) * 1e4
    for find in (maximum_tree, projective_tree):
        heads = tuple(find(scores).tolist())
        assert heads.count(0) == 1 and all(reaches_root(heads, word) for word in range(1, 151))


def test_bad_scores_are_refused() -> None:
    for find in (maximum_tree, projective_tree):
        with pytest.raises(DataError, match="not a finite number"):
            find(np.array([[0.0, 0.0], [np.nan, 0.0]]))
        assert find(np.zeros((1, 1))).tolist() == []
