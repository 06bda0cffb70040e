"""Eq. (5)-(7) by hand, against a literal twin, and the paper's names for what comes out."""

from collections.abc import Callable

import numpy as np
import pytest

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.dissociation import (
    Case,
    Dissociation,
    dissociation,
    dissociation_scores,
    name_case,
    pair_scores,
)
from encoder_atlas.specialization.pruning import Pruned

MakePruned = Callable[..., Pruned]


def literal(relative: np.ndarray) -> list[float]:
    """Eq. (7), summed as it is written."""
    n = len(relative)
    scores = []
    for i in range(n):
        total = 0.0
        for j in range(n):
            if j != i:
                total += relative[j][i]
        scores.append(100 * (total / (n - 1) - relative[i][i]))
    return scores


def test_two_tasks_by_hand(make_pruned: MakePruned) -> None:
    pruned = make_pruned({"none": {"a": 80, "b": 50}, "a": {"a": 60, "b": 50}, "b": {"a": 72, "b": 40}})
    found = dissociation(pruned)
    # RP_a without b's heads 0.9, without its own 0.75; RP_b without a's heads 1, without its own 0.8.
    np.testing.assert_allclose(found.scores, [15, 20])
    assert found.mean == pytest.approx(17.5)
    pairs = found.pairs()
    assert pairs[["a", "b"]].to_numpy().tolist() == [["a", "b"]]
    np.testing.assert_allclose(pairs[["d_a", "d_b", "d"]].to_numpy(dtype=float), [[15, 20, 17.5]])
    assert pairs["case"].item() == Case.DISTINCT
    np.testing.assert_allclose(found.to_frame()[["own", "others"]], [[0.75, 0.9], [0.8, 1.0]])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_against_the_formula_as_written(n: int) -> None:
    relative = np.random.default_rng(n).uniform(0.3, 1.1, size=(4, n, n))
    found = dissociation_scores(relative)
    for row, expected in zip(found, relative, strict=True):
        np.testing.assert_allclose(row, literal(expected))


def test_d_is_the_mean_of_the_pairs() -> None:
    relative = np.random.default_rng(0).uniform(0.3, 1.1, size=(4, 4))
    table = pair_scores(relative)
    assert np.diag(table).tolist() == [0, 0, 0, 0]
    np.testing.assert_allclose(table.sum(axis=0) / 3, dissociation_scores(relative))
    pairs = Dissociation(("a", "b", "c", "d"), relative).pairs()
    assert len(pairs) == 6
    assert pairs["d"].to_numpy().mean() == pytest.approx(dissociation_scores(relative).mean())


@pytest.mark.parametrize(
    ("d_a", "d_b", "case"),
    [
        (0.1, 0.2, Case.DOUBLE),
        (10.0, 10.0, Case.DISTINCT),
        (19.0, 0.9, Case.DOUBLE),
        (12.0, -0.1, Case.SINGLE),
        (-5.0, 10.1, Case.SINGLE),
        (10.0, -1.0, Case.NONE),
        (4.0, -1.0, Case.NONE),
        (12.0, 0.0, Case.NONE),
        (0.0, 0.0, Case.NONE),
        (-3.0, -0.1, Case.NEGATIVE),
    ],
)
def test_the_papers_names(d_a: float, d_b: float, case: Case) -> None:
    assert name_case(d_a, d_b) is case
    assert name_case(d_b, d_a) is case


def test_what_is_no_number_has_no_name() -> None:
    with pytest.raises(DataError, match="not a number has no case"):
        name_case(np.nan, 3.0)


def test_one_task_cannot_be_dissociated(make_pruned: MakePruned) -> None:
    with pytest.raises(SettingsError, match="one task against another"):
        dissociation(make_pruned({"none": {"a": 80}, "a": {"a": 60}}))
    with pytest.raises(SettingsError, match="two tasks or more"):
        dissociation_scores(np.ones((1, 1)))
