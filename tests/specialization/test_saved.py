"""What was measured comes back from disk as it was, and damage is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.affinity import TransferLosses
from encoder_atlas.specialization.iap import HeadPruning, run_iap
from encoder_atlas.specialization.iat_arms import IAT, PLAIN, Arms
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.pruning import BASE, Pruned
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.sweep import AlphaSweep, sweep_alpha
from encoder_atlas.specialization.transfer import FewShot
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

QUICK = SpecializationSettings(
    alpha=0.5, alphas=(0.25, 0.5), importance_examples=16, random_sets=2, resamples=20
)


def same(one: Pruned, other: Pruned) -> None:
    assert list(one.sets) == list(other.sets)
    for name in one.sets:
        np.testing.assert_array_equal(one.sets[name], other.sets[name])
    for task in one.tasks:
        np.testing.assert_array_equal(one.predicted[task], other.predicted[task])
        np.testing.assert_array_equal(one.labels[task], other.labels[task])
    for name in ("seed", "split", "metrics", "kinds", "label_names", "chance", "tasks"):
        assert getattr(one, name) == getattr(other, name), name


def test_a_sweep_comes_back(model: FittedModel, tasks: list[Task], tmp_path: Path) -> None:
    sweep = sweep_alpha([model], tasks, QUICK)
    sweep.save(tmp_path)
    found = AlphaSweep.load(tmp_path)
    pd.testing.assert_frame_equal(found.to_frame(), sweep.to_frame())
    assert list(found.runs) == [0.25, 0.5]
    for alpha, (run,) in found.runs.items():
        same(run.pruned, sweep.runs[alpha][0].pruned)
        assert run.settings == sweep.runs[alpha][0].settings


def test_predicted_scores_come_back_to_the_last_bit(
    mixed_model: FittedModel, mixed: list[Task], tmp_path: Path
) -> None:
    run = run_iap(mixed_model, mixed, QUICK)
    run.save(tmp_path)
    found = HeadPruning.load(tmp_path)
    same(found.pruned, run.pruned)
    assert found.pruned.predicted["likeness"].dtype == np.float64
    np.testing.assert_array_equal(found.pruned.scores, run.pruned.scores)


def test_importance_comes_back(model: FittedModel, tasks: list[Task], tmp_path: Path) -> None:
    run = run_iap(model, tasks, QUICK)
    run.save(tmp_path / "new" / "folder")
    found = HeadPruning.load(tmp_path / "new" / "folder")
    for task, importance in run.importance.items():
        np.testing.assert_array_equal(found.importance[task].scores, importance.scores)
        assert found.importance[task].examples == importance.examples


def test_arms_come_back_in_their_order(tmp_path: Path, make_pruned: Callable[..., Pruned]) -> None:
    right = {BASE: {"a": 90, "b": 80}, "a": {"a": 60, "b": 75}, "b": {"a": 85, "b": 55}}
    plain = [make_pruned(right, seed=seed) for seed in (10, 2)]
    arms = Arms(
        {PLAIN: IATSettings(delta=0), IAT: IATSettings()}, {PLAIN: plain, IAT: plain, "no training": plain}
    )
    arms.save(tmp_path)
    found = Arms.load(tmp_path)
    assert list(found.pruned) == [PLAIN, IAT, "no training"]
    assert dict(found.settings) == dict(arms.settings)
    assert [part.seed for part in found.of(IAT)] == [10, 2]
    same(found.of(IAT)[0], plain[0])
    pd.testing.assert_frame_equal(found.to_frame(), arms.to_frame())


def test_losses_keep_the_order_of_sources(tmp_path: Path) -> None:
    rows = np.arange(6, dtype=float).reshape(2, 3)
    made = TransferLosses(("z", "a/b"), {"z": rows, "a/b": rows[:, :2] + 1})
    made.save(tmp_path)
    found = TransferLosses.load(tmp_path)
    assert found.sources == ("z", "a/b")
    assert list(found.losses) == ["z", "a/b"]
    pd.testing.assert_frame_equal(found.to_frame(), made.to_frame())


def test_few_shot_scores_come_back(tmp_path: Path) -> None:
    scores = pd.DataFrame(
        {"arm": ["plain", "IAT"], "size": [4, 4], "seed": [0, 0], "score": [0.5, 0.1 + 0.2]}
    )
    FewShot("films", 7, scores).save(tmp_path)
    pd.testing.assert_frame_equal(FewShot.load(tmp_path).to_frame(), FewShot("films", 7, scores).to_frame())


@pytest.mark.parametrize("kind", [HeadPruning, TransferLosses, FewShot])
def test_an_empty_folder_is_named(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"{tmp_path.name} holds no .* measure .* again"):
        kind.load(tmp_path)


def test_a_damaged_file_is_named(model: FittedModel, tasks: list[Task], tmp_path: Path) -> None:
    run_iap(model, tasks, QUICK).save(tmp_path)
    (tmp_path / "heads.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(DataError, match="holds no pruned predictions"):
        HeadPruning.load(tmp_path)
