"""IAP in one call, and its sweep over α, on a tiny model."""

import numpy as np
import pytest

from encoder_atlas.errors import SettingsError
from encoder_atlas.specialization.claims import iap_claims
from encoder_atlas.specialization.controls import floor_check
from encoder_atlas.specialization.heads import overlap, top_heads
from encoder_atlas.specialization.iap import run_iap
from encoder_atlas.specialization.pruning import prune
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.sweep import sweep_alpha
from encoder_atlas.specialization.tables import prune_table
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


def test_classes_and_scores_beside_each_other(mixed_model: FittedModel, mixed: list[Task]) -> None:
    found = run_iap(mixed_model, mixed, SETTINGS)
    base = found.pruned.scores[0]
    assert (base > 0.9).all(), "the model has learnt both"
    own = {task: prune(mixed_model, mixed, {task: heads}).scores[1] for task, heads in found.sets.items()}
    relative = np.stack([own["tone"], own["likeness"]]) / base
    np.testing.assert_allclose(found.dissociation.relative, relative)
    d = [100 * (relative[1, 0] - relative[0, 0]), 100 * (relative[0, 1] - relative[1, 1])]
    np.testing.assert_allclose(found.dissociation.scores, d)
    table = found.to_frame()
    np.testing.assert_allclose(table["dissociation"], [*d, np.mean(d)], atol=1e-9)
    low, value, high = table[["low", "dissociation", "high"]].to_numpy().T
    assert (low <= value).all() and (value <= high).all()
    floor = floor_check(found.pruned).set_index("task")
    assert floor.loc["likeness", "left_own"] == pytest.approx(100 * relative[1, 1])
    claims = iap_claims([found.pruned], SETTINGS)
    assert claims["iap-dissociation"].value == pytest.approx(np.mean(d))
    assert np.isfinite([[claim.low, claim.high] for claim in claims.values()]).all()
    assert "iap-pairs-need-attention" not in claims, "a correlation has more to lose"
    assert "likeness†" in prune_table([found.pruned]).index


def test_a_sweep_over_classes_and_scores(mixed_model: FittedModel, mixed: list[Task]) -> None:
    sweep = sweep_alpha([mixed_model], mixed, SETTINGS)
    alone = run_iap(mixed_model, mixed, SETTINGS)
    np.testing.assert_array_equal(sweep.runs[0.5][0].pruned.scores, alone.pruned.scores)
    scores = sweep.scores()
    assert set(scores.query("task == 'likeness'")["metric"]) == {"pearson"}
    assert np.isfinite(sweep.intervals()[["dissociation", "low", "high"]].to_numpy()).all()


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
