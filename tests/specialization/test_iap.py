"""IAP in one call, and its sweep over α, on a tiny model."""

import numpy as np
import pytest

from encoder_atlas.errors import SettingsError
from encoder_atlas.specialization.heads import overlap, top_heads
from encoder_atlas.specialization.iap import run_iap
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.sweep import sweep_alpha
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

SETTINGS = SpecializationSettings(
    alpha=0.5, alphas=(0.25, 0.5), importance_examples=20, random_sets=3, resamples=40
)


def test_one_call_gives_everything(model: FittedModel, tasks: list[Task]) -> None:
    found = run_iap(model, tasks, SETTINGS)
    assert list(found.sets) == ["tone", "place"]
    for task, heads in found.sets.items():
        assert np.array_equal(heads, top_heads(found.importance[task].scores, 0.5))
        assert not (heads & found.pruned.sets[f"least: {task}"]).any()
    assert list(found.pruned.sets)[-3:] == ["random 1", "random 2", "random 3"]
    assert found.assignments.rank in (1, 2)
    assert found.null.sets == 3 and len(found.null.dissociation) == 6
    assert found.overlaps.loc["tone", "place"] == 100 * overlap(*found.sets.values())
    assert found.least.tasks == found.dissociation.tasks == ("tone", "place")
    table = found.to_frame()
    assert table["task"].tolist() == ["tone", "place", "mean"]
    np.testing.assert_allclose(
        table["dissociation"], [*found.dissociation.scores, found.dissociation.mean], atol=1e-9
    )


def test_a_sweep_is_one_call_a_time(model: FittedModel, tasks: list[Task]) -> None:
    sweep = sweep_alpha([model], tasks, SETTINGS)
    alone = run_iap(model, tasks, SETTINGS)
    assert list(sweep.runs) == [0.25, 0.5]
    np.testing.assert_array_equal(sweep.runs[0.5][0].pruned.scores, alone.pruned.scores)
    table = sweep.to_frame()
    assert list(table.columns) == [
        "seed", "alpha", "heads", "task", "dissociation", "own", "others", "null_sd", "null_largest",
    ]  # fmt: skip
    assert table["task"].tolist() == ["tone", "place", "mean"] * 2
    assert table["heads"].tolist() == [1] * 3 + [2] * 3
    means = table.query("task == 'mean' and alpha == 0.5")
    assert means["dissociation"].item() == pytest.approx(alone.dissociation.mean)
    assert means["null_largest"].item() == pytest.approx(alone.null.largest)
    assert len(sweep.intervals()) == 6
    assert len(set(sweep.scores()["pruned_for"])) == 1 + 2 + 2 + 3


def test_without_enough_random_sets_a_sweep_has_no_null(model: FittedModel, tasks: list[Task]) -> None:
    settings = SETTINGS.model_copy(update={"random_sets": 1})
    assert sweep_alpha([model], tasks, settings).to_frame()["null_sd"].isna().to_numpy().all()


def test_what_iap_refuses(model: FittedModel, tasks: list[Task]) -> None:
    with pytest.raises(SettingsError, match=r"two or more of different names, not \['tone'\]"):
        run_iap(model, tasks[:1], SETTINGS)
    with pytest.raises(SettingsError, match=r"not \['tone', 'tone'\]"):
        run_iap(model, [tasks[0], tasks[0]], SETTINGS)
    with pytest.raises(SettingsError, match="selects no head of 4"):
        run_iap(model, tasks, SpecializationSettings(alpha=0.2, importance_examples=4))
    with pytest.raises(SettingsError, match=r"no two of one seed \(got seeds \[0, 0\]\)"):
        sweep_alpha([model, model], tasks, SETTINGS)
    with pytest.raises(SettingsError, match="at least one model"):
        sweep_alpha([], tasks, SETTINGS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0},
        {"alpha": 1.1},
        {"alphas": (0.1, 2.0)},
        {"reading": "tokens"},
        {"alhpa": 0.1},
        {"alphas": ()},
    ],
)
def test_settings_refuse_what_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SpecializationSettings.model_validate(wrong)
