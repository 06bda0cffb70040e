"""Tables of the paper's form, from predictions made by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.iap import HeadPruning
from encoder_atlas.specialization.pruning import Pruned
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.tables import (
    case_table,
    dual_table,
    overlap_table,
    pair_score_table,
    pair_table,
    prune_table,
)

MakePruned = Callable[..., Pruned]
RIGHT = {
    "none": {"a": 80, "b": 50},
    "a": {"a": 60, "b": 50},
    "b": {"a": 72, "b": 40},
    "random 1": {"a": 78, "b": 45},
    "random 2": {"a": 76, "b": 48},
}


def test_table_3_by_hand(make_pruned: MakePruned) -> None:
    table = prune_table([make_pruned(RIGHT)])
    assert table.index.tolist() == ["a†", "b†", "random†", "base", "D_i(α)"]
    assert table["a"].tolist() == ["60.0", "72.0", "77.0", "80.0", "15.0"]
    assert table["b"].tolist() == ["50.0", "40.0", "46.5", "50.0", "20.0"]


def test_table_3_over_seeds(make_pruned: MakePruned) -> None:
    other = {**RIGHT, "a": {"a": 64, "b": 50}}
    table = prune_table([make_pruned(RIGHT), make_pruned(other, seed=1)])
    assert table.loc["a†", "a"] == "62.0 ± 2.8"
    assert table.loc["base", "a"] == "80.0 ± 0.0"


def test_without_random_sets_their_row_is_missing(make_pruned: MakePruned) -> None:
    table = prune_table([make_pruned({name: RIGHT[name] for name in ("none", "a", "b")})])
    assert "random†" not in table.index


def test_table_4_by_hand(make_pruned: MakePruned) -> None:
    table = dual_table([make_pruned(RIGHT)], digits=1)
    assert table["task"].to_numpy().tolist() == [["a", "b"]]
    assert table["on A"].to_numpy().tolist() == [["80.0", "60.0", "72.0"]]
    assert table["on B"].to_numpy().tolist() == [["50.0", "50.0", "40.0"]]
    assert table["points"].to_numpy().tolist() == [["15.0", "20.0", "17.5"]]
    three = {name: {**row, "c": 50} for name, row in RIGHT.items()} | {"c": {"a": 70, "b": 45, "c": 40}}
    with pytest.raises(DataError, match="a dual-task row has two tasks"):
        dual_table([make_pruned(three)])


def test_tables_9_and_10_by_hand(make_pruned: MakePruned) -> None:
    pruned = make_pruned(RIGHT)
    table = pair_table({"ours": [pruned]}, digits=1)
    assert table.loc["ours", ("a – b", "D A")] == "15.0"
    assert table.loc["ours", ("a – b", "D B")] == "20.0"
    scores = pair_score_table([pruned])
    assert scores.to_numpy().tolist() == [["–", "20.0"], ["15.0", "–"]]
    cases = case_table([pruned])
    assert cases.to_numpy().tolist() == [["a", "b", "15.0", "20.0", "17.5", "double dissociation, distinct"]]


def test_table_11_by_hand(make_pruned: MakePruned) -> None:
    pruned = make_pruned(RIGHT)
    heads = {
        "a": np.array([[True, True], [False, False]]),
        "b": np.array([[True, False], [True, False]]),
    }
    sets = {**pruned.sets, **heads}
    run = HeadPruning({}, type(pruned)(**{**vars(pruned), "sets": sets}), SpecializationSettings())
    assert overlap_table([run]).to_numpy().tolist() == [["–", "50.0"], ["50.0", "–"], ["50.0", "50.0"]]


def test_models_of_other_tasks_share_no_table(make_pruned: MakePruned) -> None:
    other = make_pruned({"none": {"a": 80, "c": 50}, "a": {"a": 60, "c": 50}, "c": {"a": 72, "c": 40}})
    with pytest.raises(DataError, match=r"tasks \['a', 'b'\] and \['a', 'c'\] share no table"):
        prune_table([make_pruned(RIGHT), other])
    with pytest.raises(DataError, match="no pruned model"):
        prune_table([])
