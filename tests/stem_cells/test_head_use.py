"""Agreement of head use, against enumeration, scipy and worked examples."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from tests.stem_cells.made import kept

from encoder_atlas.errors import DataError
from encoder_atlas.stem_cells import (
    agreement,
    agreement_frame,
    claimed,
    layer_use,
    run_consistency,
    stem_cells,
)
from encoder_atlas.stem_cells.head_use import chance_correlations, correlation, shuffled


def random_grids(n: int, shape: tuple[int, int] = (2, 4), seed: int = 0) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).uniform(size=(n, *shape)).astype(np.float32))


def pearson(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


def test_a_worked_agreement() -> None:
    """Of four heads two are kept by each, one by both: by chance 2·2/4 = 1 is shared."""
    a, b = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])
    found = agreement(a, b, permutations=100)
    assert (found.kept_a, found.kept_b, found.shared, found.expected) == (2, 2, 1, 1.0)
    assert found.jaccard == pytest.approx(1 / 3) and found.r == pytest.approx(0)
    assert found.p_shared == pytest.approx(5 / 6)  # only one of six sets shares none


def test_chance_of_shared_heads_is_that_of_all_sets() -> None:
    a, b = random_grids(2, (2, 4))
    found = agreement(a, b, 0.5, permutations=50)
    mine = set(np.flatnonzero(a > 0.5))
    shares = [len(mine & set(other)) for other in combinations(range(8), found.kept_b)]
    assert found.expected == pytest.approx(np.mean(shares))
    assert found.p_shared == pytest.approx(np.mean(np.array(shares) >= found.shared))
    assert len(shares) == comb(8, found.kept_b)


def test_r_is_numpys_and_nan_without_spread() -> None:
    a, b = random_grids(2)
    assert correlation(a, b) == pytest.approx(pearson(a, b), abs=1e-6)
    drawn = shuffled(b, 5, seed=2)
    wanted = [pearson(a, one) for one in drawn]
    np.testing.assert_allclose(chance_correlations(a, b, 5, seed=2), wanted, atol=1e-6)
    flat = np.full((2, 4), 0.1, dtype=np.float32)
    assert np.isnan(correlation(a, flat)) and np.isnan(agreement(a, flat, permutations=10).p_r)


def test_shuffles_keep_what_they_must() -> None:
    grid = random_grids(1, (3, 5))[0]
    for drawn in shuffled(grid, 4, within=True):
        np.testing.assert_array_equal(np.sort(drawn, axis=1), np.sort(grid, axis=1))
    everywhere = shuffled(grid, 4)
    np.testing.assert_array_equal(np.sort(everywhere.reshape(4, -1), axis=1)[0], np.sort(grid, axis=None))
    assert any((drawn.sum(axis=1) != grid.sum(axis=1)).any() for drawn in everywhere)


def test_what_layers_explain_is_not_surprising_within_them() -> None:
    """Both keep all heads of layer 1: shuffled over all heads that is rare, within layers it is certain."""
    grid = kept([(0, head) for head in range(12)])
    found = agreement(grid, grid, permutations=200)
    assert found.p_r < 0.01 and found.p_r_within == 1.0


def test_claims_by_chance_are_those_of_all_sets() -> None:
    grids = [
        np.array([[1.0, 1.0], [0.0, 0.0]]),
        np.array([[1.0, 0.0], [1.0, 0.0]]),
        np.eye(2)[:1].repeat(2, 0),
    ]
    table = claimed(grids)
    choices = product(list(combinations(range(4), 2)), repeat=3)
    claims = [np.bincount(np.concatenate(choice), minlength=4) for choice in choices]
    counts = [np.bincount(own, minlength=4) for own in claims]
    np.testing.assert_allclose(table["expected"], np.mean(counts, axis=0))
    assert table["heads"].tolist() == [1, 1, 1, 1] and table["p"].iloc[0] == 1.0


def test_stem_cells_are_kept_by_all() -> None:
    grids = [kept([(0, 1), (3, 2), (5, 5)]), 0.5 * kept([(3, 2), (5, 5)]), kept([(3, 2), (1, 1)])]
    table = stem_cells(grids)
    assert table.to_numpy().tolist() == [[4, 3, 0.5]]
    assert claimed(grids)["p"].iloc[3] < 0.05


def test_layers_used() -> None:
    table = layer_use({"pos": [kept([(0, 0), (1, 0), (1, 1)], (2, 2)), np.zeros((2, 2), dtype=np.float32)]})
    first, second = (table.loc[table["run"].eq(run)] for run in (0, 1))
    assert first["heads"].tolist() == [1, 2] and first["share"].tolist() == pytest.approx([100 / 3, 200 / 3])
    assert first["gate"].tolist() == [0.5, 1.0] and second["share"].isna().all()


def test_consistency_of_runs() -> None:
    a, b = random_grids(2, (6, 12))
    assert run_consistency([a, b, 0.2 * a + 0.3 * b + 0.1]) == pytest.approx(1)
    r2 = pearson(a, b) ** 2
    assert run_consistency([a, b]) == pytest.approx(max(0, 1 - (1 - r2) * 71 / 70) ** 0.5, abs=1e-5)
    with pytest.raises(DataError, match="at least two runs"):
        run_consistency([a])


def test_frames_of_agreements() -> None:
    a, b, c, d = random_grids(4)
    one = agreement_frame({"pos": [a, b], "dep": [c]}, permutations=20)
    assert list(zip(one["a"], one["b"], strict=True)) == [("pos", "pos"), ("pos", "dep"), ("pos", "dep")]
    both = agreement_frame({"pos": [a, b], "dep": [c]}, {"all": [d]}, permutations=20)
    assert both["b"].tolist() == ["all"] * 3
    assert both["r"].iloc[2] == pytest.approx(correlation(c, d))


def test_grids_of_different_encoders_are_refused() -> None:
    small, large = np.ones((2, 2)), np.ones((2, 3))
    for refused in (lambda: agreement(small, large), lambda: claimed([small, large])):
        with pytest.raises(DataError, match="different encoders"):
            refused()
    with pytest.raises(DataError, match="at least two tasks"):
        stem_cells([small])
