"""Predictions under pruning against models whose heads are really gone, and what is refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from encoder_atlas.encoders import remove_heads
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.pruning import BASE, Pruned, predict_pruned, prune, relative_performance
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

MakePruned = Callable[..., Pruned]


def sets_of(*members: tuple[int, int]) -> np.ndarray:
    heads = np.zeros((2, 2), dtype=bool)
    for place in members:
        heads[place] = True
    return heads


SETS = {"tone": sets_of((0, 1), (1, 0)), "place": sets_of((0, 0)), "again": sets_of((0, 0))}


def test_predictions_are_those_of_a_model_whose_heads_are_gone(model: FittedModel, tasks: list[Task]) -> None:
    found = predict_pruned(model, tasks[1], np.stack(list(SETS.values())))
    for row, heads in zip(found, SETS.values(), strict=True):
        shrunk = remove_heads(model.encoder, torch.from_numpy(~heads))
        without = replace(model, encoder=replace(model.encoder, model=shrunk))
        assert np.array_equal(row, without.logits("place", tasks[1].texts("dev")).argmax(axis=1))
    assert len(np.unique(found, axis=0)) > 1


def test_the_empty_set_is_the_model_itself(model: FittedModel, tasks: list[Task]) -> None:
    pruned = prune(model, tasks, SETS)
    assert list(pruned.sets) == [BASE, "tone", "place", "again"]
    assert pruned.scores.shape == (4, 2)
    for column, task in enumerate(tasks):
        assert pruned.scores[0, column] == pytest.approx(model.score(task))
        assert np.array_equal(pruned.predicted[task.name][2], pruned.predicted[task.name][3])
        for row, heads in enumerate(pruned.sets.values()):
            alone = predict_pruned(model, task, heads[None], batch_size=5)[0]
            assert np.array_equal(pruned.predicted[task.name][row], alone)


def test_the_model_is_left_as_it_was(model: FittedModel, tasks: list[Task]) -> None:
    model.encoder.model.train()
    before = model.encoder.model.training
    prune(model, tasks, SETS)
    assert model.encoder.model.training is before
    model.encoder.model.eval()


def test_the_frame_has_a_row_a_set_and_task(model: FittedModel, tasks: list[Task]) -> None:
    table = prune(model, tasks, SETS).to_frame()
    assert list(table.columns) == ["seed", "pruned_for", "heads", "task", "metric", "score"]
    assert len(table) == 8
    assert table["heads"].tolist() == [0, 0, 2, 2, 1, 1, 1, 1]


def test_pruned_predictions_know_their_chance(model: FittedModel, tasks: list[Task]) -> None:
    chance = prune(model, tasks, {}).chance
    assert chance["tone"] == 0.5 and chance["place"] == pytest.approx(1 / 3)


def test_scores_are_kept_as_the_shrunken_model_gives_them(
    mixed_model: FittedModel, mixed: list[Task]
) -> None:
    pruned = prune(mixed_model, mixed, SETS)
    found, texts = pruned.predicted["likeness"], mixed[1].texts("dev")
    assert found.dtype == np.float64 and pruned.predicted["tone"].dtype == np.int64
    np.testing.assert_allclose(found[0], mixed_model.predict_scores("likeness", texts), atol=1e-5)
    for row, heads in zip(found[1:], SETS.values(), strict=True):
        shrunk = remove_heads(mixed_model.encoder, torch.from_numpy(~heads))
        without = replace(mixed_model, encoder=replace(mixed_model.encoder, model=shrunk))
        np.testing.assert_allclose(row, without.predict_scores("likeness", texts), atol=1e-5)
    correlations = [np.corrcoef(row, mixed[1].labels("dev"))[0, 1] for row in found]
    np.testing.assert_allclose(pruned.scores[:, 1], correlations)
    assert pruned.scores[0, 1] == pytest.approx(mixed_model.score(mixed[1]), abs=1e-6)


def test_a_score_that_never_changes_is_correlated_with_nothing(
    mixed_model: FittedModel, mixed: list[Task]
) -> None:
    chance = prune(mixed_model, mixed, {}).chance
    assert chance == {"tone": 0.5, "likeness": 0.0}


def test_relative_performance_by_hand(make_pruned: MakePruned) -> None:
    pruned = make_pruned({"none": {"a": 80, "b": 50}, "a": {"a": 60, "b": 50}, "b": {"a": 72, "b": 40}})
    np.testing.assert_allclose(pruned.relative(), [[0.75, 1.0], [0.9, 0.8]])
    np.testing.assert_allclose(pruned.only({"x": "b"}).relative(["x"]), [[0.9, 0.8]])
    assert list(pruned.only({"x": "b"}).sets) == [BASE, "x"]


def test_nothing_is_relative_to_a_base_of_zero() -> None:
    with pytest.raises(DataError, match="a base score is 0, and relative performance divides by it"):
        relative_performance(np.ones((1, 2)), np.array([0.5, 0.0]))
    with pytest.raises(DataError, match=r"a base score of 'likeness' is -0\.2, and .* leave it out"):
        relative_performance(np.ones((1, 2)), np.array([0.5, -0.2]), ("tone", "likeness"))


def test_a_set_that_was_not_taken_out_names_the_near_one(make_pruned: MakePruned) -> None:
    pruned = make_pruned({"none": {"tone": 80}, "tones": {"tone": 60}})
    with pytest.raises(DataError, match="heads of 'tone' were not taken out; did you mean 'tones'"):
        pruned.relative()


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({"tone": np.zeros((2, 3), dtype=bool)}, r"'tone' has shape \(2, 3\): this encoder has \(2, 2\)"),
        ({"none": sets_of((0, 0))}, "'none' is the model with all its heads"),
    ],
)
def test_sets_that_cannot_be_taken_out(
    model: FittedModel, tasks: list[Task], sets: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        prune(model, tasks, sets)


def test_tasks_that_cannot_be_scored(model: FittedModel, tasks: list[Task]) -> None:
    with pytest.raises(SettingsError, match=r"no two of one name \(got \['tone', 'tone'\]\)"):
        prune(model, [tasks[0], tasks[0]], SETS)
    with pytest.raises(SettingsError, match=r"at least one task"):
        prune(model, [], SETS)
    with pytest.raises(SettingsError, match="no head for task 'other'"):
        prune(model, [replace(tasks[0], name="other")], SETS)
    with pytest.raises(
        SettingsError, match=r"'tone' has the classes \['x', 'y'\], and the model was fitted to the"
    ):
        prune(model, [replace(tasks[0], label_names=("x", "y"))], SETS)
