"""Controls by hand: assignments counted one by one, a null of two random sets, the floor."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.controls import (
    assigned,
    assignment_control,
    floor_check,
    null_distribution,
    random_names,
)
from encoder_atlas.specialization.dissociation import Dissociation, dissociation_scores
from encoder_atlas.specialization.pruning import Pruned

MakePruned = Callable[..., Pruned]

SCORES = {
    "none": {"a": 80, "b": 50, "c": 60},
    "a": {"a": 40, "b": 45, "c": 57},
    "b": {"a": 72, "b": 35, "c": 54},
    "c": {"a": 76, "b": 45, "c": 30},
}


def test_the_true_owners_of_clearly_separate_heads_rank_first(make_pruned: MakePruned) -> None:
    pruned = make_pruned(SCORES)
    control = assignment_control(Dissociation(pruned.tasks, pruned.relative()))
    assert control.assignments.shape == (6, 3)
    assert control.assignments[0].tolist() == [0, 1, 2]
    assert control.rank == 1 and control.p == pytest.approx(1 / 6)
    table = control.to_frame()
    assert table["true"].tolist() == [True] + [False] * 5
    assert table.loc[0, ["a", "b", "c"]].tolist() == ["a", "b", "c"]


def test_every_assignment_against_eq_7_on_reordered_rows() -> None:
    relative = np.random.default_rng(1).uniform(size=(4, 4))
    control = assignment_control(Dissociation(("a", "b", "c", "d"), relative))
    expected = [dissociation_scores(relative[list(way)]).mean() for way in permutations(range(4))]
    np.testing.assert_allclose(control.dissociation, expected)
    better = sum(value >= expected[0] - 1e-9 for value in expected)
    assert control.rank == better and control.p == better / 24


def test_heads_that_matter_to_all_alike_rank_last() -> None:
    control = assignment_control(Dissociation(("a", "b"), np.array([[0.5, 0.5], [0.8, 0.8]])))
    assert (control.rank, control.p) == (2, 1.0)


def test_ten_tasks_have_too_many_assignments() -> None:
    with pytest.raises(SettingsError, match="10 tasks have 3628800 assignments: take 9 tasks at most"):
        assignment_control(Dissociation(tuple("abcdefghij"), np.ones((10, 10))))


def test_many_draws_at_once() -> None:
    relative = np.random.default_rng(2).uniform(size=(5, 3, 3))
    ways = np.array(list(permutations(range(3))))
    found = assigned(relative, ways)
    assert found.shape == (5, 6)
    np.testing.assert_allclose(found[3], assigned(relative[3], ways))


def test_the_null_of_two_random_sets_by_hand(make_pruned: MakePruned) -> None:
    pruned = make_pruned(
        {"none": {"a": 50, "b": 50}, "random 1": {"a": 40, "b": 30}, "random 2": {"a": 35, "b": 45}}
    )
    null = null_distribution(pruned)
    # RP: (0.8, 0.6) and (0.7, 0.9). Set 1 is a's: D_a = -10, D_b = -30. Set 1 is b's: 10 and 30.
    np.testing.assert_allclose(sorted(null.dissociation), [-20, 20])
    assert (null.sets, null.largest) == (2, pytest.approx(20))
    assert null.sd == pytest.approx(20 * np.sqrt(2))
    assert (null.share_above(20.0), null.share_above(20.1)) == (0.5, 0)
    assert random_names(pruned) == ["random 1", "random 2"]


def test_over_all_ways_the_null_has_mean_zero(make_pruned: MakePruned) -> None:
    random = np.random.default_rng(0)
    rows = {
        f"random {i}": dict(zip("abc", random.integers(30, 60, 3).tolist(), strict=True)) for i in range(5)
    }
    null = null_distribution(make_pruned({"none": dict.fromkeys("abc", 60), **rows}))
    assert len(null.dissociation) == 60
    assert null.dissociation.mean() == pytest.approx(0, abs=1e-9)


def test_of_very_many_ways_some_are_drawn(make_pruned: MakePruned) -> None:
    rows = {f"random {i}": dict.fromkeys("abcd", 40 + i % 7) for i in range(14)}
    pruned = make_pruned({"none": dict.fromkeys("abcd", 60), **rows})
    null = null_distribution(pruned, seed=1)
    assert len(null.dissociation) == 20_000
    assert np.array_equal(null.dissociation, null_distribution(pruned, seed=1).dissociation)


def test_a_null_needs_as_many_random_sets_as_tasks(make_pruned: MakePruned) -> None:
    with pytest.raises(DataError, match="0 random head sets for 3 tasks: take out at least 3"):
        null_distribution(make_pruned(SCORES))


def test_the_floor_by_hand(make_pruned: MakePruned) -> None:
    table = floor_check(make_pruned({**SCORES, "none": {"a": 80, "b": 50, "c": 60}})).set_index("task")
    # a: 30 points above chance; 40 without its own heads is below chance, 74 without others' is 80 % of it.
    np.testing.assert_allclose(
        table.loc["a"].to_numpy(dtype=float),
        [0.8, 0.5, 0.4, 0.74, 100 * (0.4 - 0.5) / 0.3, 80],
    )
    assert table.loc["b", ["left_own", "left_others"]].isna().all()
