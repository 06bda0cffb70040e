"""UUAS, Root and rank correlations: worked trees, slow twins and independent libraries."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import networkx as nx
import numpy as np
import pytest
from scipy.stats import spearmanr

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.estimates import percent
from encoder_atlas.finetuning import StructuralResult, linear_chain, measure_trees
from encoder_atlas.finetuning.structural_measures import (
    kept_words,
    mean_by_length,
    rank_correlations,
    shared_edges,
    spanning_tree,
    tree_depths,
    tree_distances,
)
from encoder_atlas.text.layers import Sentence

# "the" -> "dog", "dog" -> "saw" (root), "a" -> "cat", "cat" -> "saw", "." -> "saw".
WORKED = Sentence(
    id="worked",
    words=("the", "dog", "saw", "a", "cat", "."),
    tags=("DT", "NN", "VBD", "DT", "NN", "."),
    upos=("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"),
    heads=(2, 3, 0, 5, 3, 3),
    deprels=("det", "nsubj", "root", "det", "obj", "punct"),
)
ONE = Sentence(id="one", words=("yes",), upos=("INTJ",), heads=(0,), deprels=("root",))
MARKS = Sentence(
    id="marks", words=("!", "!"), upos=("PUNCT", "PUNCT"), heads=(0, 1), deprels=("root", "punct")
)


def drawn_heads(words: int, random: np.random.Generator) -> list[int]:
    """A random tree: each word, in random order, hangs on one that already hangs."""
    order = random.permutation(words)
    heads = [0] * words
    for place in range(1, words):
        heads[order[place]] = int(order[random.integers(place)]) + 1
    return heads


def kruskal(distances: np.ndarray, kept: np.ndarray) -> set[tuple[int, int]]:
    """The released reporter's way: pairs sorted by distance, each taken that joins two parts."""
    words = np.flatnonzero(kept).tolist()
    part = {word: {word} for word in words}
    pairs = sorted(((a, b) for a in words for b in words if a < b), key=lambda pair: distances[pair])
    edges = set()
    for a, b in pairs:
        if part[a] is not part[b]:
            edges.add((a, b))
            part[a] |= part[b]
            for word in part[b]:
                part[word] = part[a]
    return edges


def test_distances_and_depths_of_a_worked_tree() -> None:
    expected = [
        [0, 1, 2, 4, 3, 3],
        [1, 0, 1, 3, 2, 2],
        [2, 1, 0, 2, 1, 1],
        [4, 3, 2, 0, 1, 3],
        [3, 2, 1, 1, 0, 2],
        [3, 2, 1, 3, 2, 0],
    ]
    assert WORKED.heads is not None
    np.testing.assert_array_equal(tree_distances(WORKED.heads), expected)
    np.testing.assert_array_equal(tree_depths(WORKED.heads), [2, 1, 0, 2, 1, 1])
    np.testing.assert_array_equal(tree_distances([0]), [[0]])


def test_distances_are_those_of_networkx() -> None:
    random = np.random.default_rng(0)
    for words in (2, 3, 9, 17):
        heads = drawn_heads(words, random)
        graph = nx.Graph((word, head - 1) for word, head in enumerate(heads) if head)
        expected = dict(nx.all_pairs_shortest_path_length(graph))
        found = tree_distances(heads)
        assert all(found[a, b] == expected[a][b] for a in range(words) for b in range(words))
        np.testing.assert_array_equal(tree_depths(heads), found[heads.index(0)])


def test_spanning_trees_are_those_of_kruskal_with_ties_and_of_networkx() -> None:
    random = np.random.default_rng(1)
    for words in (2, 5, 12):
        kept = random.random(words) < 0.8
        kept[:2] = True
        for values in (random.random((words, words)), random.integers(0, 3, (words, words))):
            distances = np.triu(values, 1) + np.triu(values, 1).T
            found = set(map(tuple, spanning_tree(distances, kept).tolist()))
            assert found == kruskal(distances, kept)
            nodes = np.flatnonzero(kept).tolist()
            graph: Any = nx.Graph()
            graph.add_nodes_from(nodes)
            graph.add_weighted_edges_from(
                (a, b, float(distances[a, b])) for a in nodes for b in nodes if a < b
            )
            least = nx.minimum_spanning_tree(graph).size(weight="weight")
            assert sum(distances[edge] for edge in found) == pytest.approx(least)


def test_a_gold_tree_is_found_again_in_its_own_distances() -> None:
    random = np.random.default_rng(2)
    for words in (1, 2, 10):
        heads = drawn_heads(words, random)
        edges = {tuple(sorted((word, head - 1))) for word, head in enumerate(heads) if head}
        found = spanning_tree(tree_distances(heads), np.ones(words, dtype=bool))
        assert set(map(tuple, found.tolist())) == edges


def test_words_that_are_left_out_leave_no_edge() -> None:
    distances = np.ones((3, 3))
    assert spanning_tree(distances, np.array([False, True, False])).shape == (0, 2)
    assert spanning_tree(distances, np.zeros(3, dtype=bool)).shape == (0, 2)
    # Word 1 hangs on mark 0 and word 2 on it too: without the mark the two are joined.
    np.testing.assert_array_equal(
        spanning_tree(tree_distances([0, 1, 1]), np.array([False, True, True])), [[1, 2]]
    )


def test_correlations_are_those_of_scipy_and_constant_rows_count_nothing() -> None:
    random = np.random.default_rng(3)
    found, gold = random.random((4, 9)), random.integers(0, 4, (4, 9))
    for row, value in enumerate(rank_correlations(found, gold)):
        assert value == pytest.approx(cast(Any, spearmanr(found[row], gold[row])).statistic)
    found[1] = 0.5
    assert rank_correlations(found, gold)[1] == 0
    assert rank_correlations(np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64)) == [0]


def test_a_worked_mean_over_lengths() -> None:
    # Length 5: (.2 + .4) / 2 = .3; length 7: .9; the sentence of 2 words does not count.
    values, lengths = np.array([0.2, 0.4, 0.9, 1.0]), np.array([5, 5, 7, 2])
    assert mean_by_length(values, lengths, 5, 50) == pytest.approx(0.6)
    assert np.isnan(mean_by_length(values, lengths, 20, 50))


def test_a_worked_sentence() -> None:
    """Gold edges without the full stop: the-dog, dog-saw, a-cat, saw-cat. Of them the chain has the first
    three; its first word is not the root; its depths are 0 to 5 against 2 1 0 2 1 1."""
    found = linear_chain([WORKED])
    row = found.to_frame().iloc[0]
    assert row["uuas"] == 3 / 4 and row["root"] == 0
    assert found.tree(0, 0) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    depths = cast(Any, spearmanr(range(6), [2, 1, 0, 2, 1, 1])).statistic
    assert row["nspr"] == pytest.approx(depths)
    gold = tree_distances(cast(tuple[int, ...], WORKED.heads))
    rows = [cast(Any, spearmanr(np.abs(np.arange(6) - word), gold[word])).statistic for word in range(6)]
    assert row["dspr"] == pytest.approx(np.mean(rows))


def test_the_gold_tree_itself_is_perfect_at_every_layer() -> None:
    random = np.random.default_rng(4)
    sentences = [
        replace(WORKED, words=("w",) * n, tags=None, upos=("X",) * n, heads=tuple(heads), deprels=("x",) * n)
        for n in (5, 8, 8, 12)
        for heads in [drawn_heads(n, random)]
    ]
    gold = [cast(tuple[int, ...], sentence.heads) for sentence in sentences]
    distances = [np.stack([tree_distances(heads)] * 2) * 0.1 for heads in gold]
    depths = [np.stack([tree_depths(heads)] * 2) + 3.0 for heads in gold]
    table = measure_trees(sentences, distances, depths, name="gold").to_frame()
    np.testing.assert_allclose(table[["uuas", "root", "dspr", "nspr"]], np.ones((2, 4)))


def test_one_word_and_only_punctuation(tmp_path: Path) -> None:
    found = linear_chain([ONE, MARKS, WORKED])
    np.testing.assert_array_equal(found.edges, [0, 0, 4])
    np.testing.assert_array_equal(found.rooted, [True, False, True])
    np.testing.assert_array_equal(found.root_right, [[True, False, False]])
    assert found.to_frame()["root"].item() == 1 / 2 and found.tree(1, 0) == []
    assert percent(found.by_sentence("root", 0)) == 50 and percent(found.by_sentence("uuas", 0)) == 75
    assert not np.isnan(linear_chain([ONE]).to_frame()["uuas"].item())
    found.save(tmp_path)
    assert StructuralResult.load(tmp_path).to_frame().equals(found.to_frame())
    (tmp_path / "structural.json").write_text("{")
    with pytest.raises(DataError, match="holds no structural probes"):
        StructuralResult.load(tmp_path)


def test_punctuation_is_told_by_either_kind_of_tag() -> None:
    np.testing.assert_array_equal(kept_words(WORKED, "tags"), [1, 1, 1, 1, 1, 0])
    hyphen = replace(WORKED, tags=("DT", "NN", "VBD", "DT", "HYPH", "."))
    np.testing.assert_array_equal(kept_words(hyphen, "tags"), [1, 1, 1, 1, 1, 0])
    with pytest.raises(DataError, match=r"'one' has no tags .* set punctuation='upos'"):
        kept_words(ONE, "tags")


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(DataError, match="no sentences"):
        linear_chain([])
    with pytest.raises(DataError, match="'one' has no dependency tree"):
        linear_chain([replace(ONE, heads=None, deprels=None)])
    with pytest.raises(SettingsError, match="no layer 1"):
        linear_chain([WORKED]).tree(0, 1)
    assert shared_edges(np.array([[0, 1], [1, 2]]), np.array([[1, 2], [0, 2]])) == 1
