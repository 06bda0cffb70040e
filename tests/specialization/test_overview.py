"""Tables that a chapter shows, and the parts of tasks it measures on."""

import pytest

from encoder_atlas.specialization.iap import run_iap
from encoder_atlas.specialization.overview import (
    control_table,
    learned_table,
    sampling_table,
    with_dev,
    with_train,
)
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel


def test_a_part_of_dev_is_the_beginning_of_a_larger_part(tasks: list[Task]) -> None:
    four, eight = (with_dev(tasks[0], n).texts("dev") for n in (4, 8))
    assert eight[:4] == four
    assert with_dev(tasks[0], 4).fingerprint("train") == tasks[0].fingerprint("train")


def test_all_texts_are_left_as_they_are(tasks: list[Task]) -> None:
    assert with_dev(tasks[0], 10_000) is tasks[0]
    assert with_train(tasks[0], None) is tasks[0]
    assert len(with_train(tasks[0], 10).split("train")) == 10


def test_learned_table_has_chance_beside_the_scores(tasks: list[Task], model: FittedModel) -> None:
    table = learned_table(tasks, {"fine-tuned": [model], "twice": [model, model]})
    assert table["task"].tolist() == ["tone", "place"]
    assert table["form"].tolist() == ["single", "pair"]
    assert table["chance"].tolist() == ["50.0", "33.3"]
    assert table["fine-tuned"].iloc[0] == f"{100 * model.score(tasks[0]):.1f}"
    assert table["fine-tuned"].tolist() == table["twice"].tolist()


def test_learned_table_has_tasks_with_scores(mixed: list[Task], mixed_model: FittedModel) -> None:
    row = learned_table(mixed, {"fine-tuned": [mixed_model]}).iloc[1]
    assert row["task"] == "likeness" and row["metric"] == "pearson" and row["chance"] == "0.0"
    assert row["fine-tuned"] == f"{100 * mixed_model.score(mixed[1]):.1f}"


def test_control_table_has_a_row_a_model(tasks: list[Task], model: FittedModel) -> None:
    how = SpecializationSettings(alpha=0.5, importance_examples=8, random_sets=3, resamples=10)
    run = run_iap(model, tasks, how)
    table = control_table({"fine-tuned": [run], "frozen": [run]})
    assert table.index.tolist() == [("fine-tuned", model.seed), ("frozen", model.seed)]
    row = table.iloc[0]
    assert row["D"] == f"{run.dissociation.mean:.1f}"
    assert row["rank of owners"] == f"{run.assignments.rank} of 2"


def test_annealed_sampling_by_hand() -> None:
    table = sampling_table({"large": 400_000, "small": 2_500}, epochs=5)
    assert table.loc["small", "proportional"] == table.loc["small", "annealed, epoch 1"] == 0.6
    # 160 to the power of 0.2 is 2.76: one in 3.76.
    assert table.loc["small", "annealed, epoch 5"] == pytest.approx(26.6)
    assert table.sum().tolist() == pytest.approx([100] * 6, abs=0.11)
