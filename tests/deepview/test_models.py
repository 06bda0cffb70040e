import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from encoder_atlas.deepview import (
    CONTROL,
    Case,
    control_note,
    fit_models,
    models_of,
    opposite_ends,
    task_table,
)
from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

MakeTask = Callable[..., Task]


def test_every_setting_has_its_models(made_task: MakeTask) -> None:
    tasks = [made_task("mood"), made_task("link", pairs=True)]
    asked: list[tuple[Any, ...]] = []

    def remember(given: Task | Sequence[Task], mode: str, seed: int, **changes: Any) -> FittedModel:
        given = [given] if isinstance(given, Task) else given
        asked.append(([task.name for task in given], mode, seed, changes))
        settings = FitSettings(epochs=1, frozen_epochs=1, max_length=16, pooling="mean", keep="last")
        return fit(load_encoder("tiny:bert"), given, settings, mode=mode, seed=seed, device="cpu")

    models = fit_models(remember, tasks, seeds=(0, 7))
    assert {name: len(found) for name, found in models.items()} == {"PT": 4, "FT": 4, "MT": 2, CONTROL: 2}
    assert (["mood", "link"], "FT", 7, {}) in asked
    assert asked[-1] == (["mood"], "PT", 7, {"frozen_epochs": 30})
    assert re.fullmatch(r"Of the labels .* has \d+ % by heart\.", control_note(models[CONTROL], tasks[0]))
    by_seed = models_of(models["FT"], tasks[1])
    assert list(by_seed) == [0, 7]
    assert all("link" in model.label_names for model in by_seed.values())


def test_the_table_says_where_text_is_from(made_task: MakeTask) -> None:
    table = task_table([made_task("mood"), made_task("link", classes=3, pairs=True)])
    assert table.loc["link", "classes"] == "class 0, class 1, class 2"
    assert table.loc["mood", ["train", "dev", "text"]].tolist() == [40, 40, "Generated for a test."]


def test_a_walk_leads_from_class_to_class(make_case: Callable[..., Case]) -> None:
    labels = np.array([0, 0, 1, 1, 1])
    case = make_case(labels=labels, predicted=np.array([1, 0, 0, 0, 1]))
    assert opposite_ends(case).tolist() == [1, 4]
    never_right = make_case(labels=labels, predicted=1 - labels)
    assert opposite_ends(never_right).tolist() == [0, 2]


def test_a_walk_needs_two_classes_and_takes_those_that_dev_has(made_task: MakeTask) -> None:
    task = made_task("mood", classes=3)

    def ends(labels: list[int], predicted: list[int]) -> list[int]:
        dev = task.split("dev").iloc[: len(labels)].assign(label=labels)
        answers = nn.Linear(3, 3, bias=False)
        answers.weight.data = torch.eye(3)
        points = np.eye(3, dtype=np.float32)[predicted]
        return opposite_ends(
            Case("PT", replace(task, splits=task.splits | {"dev": dev}), 0, answers, points)
        ).tolist()

    assert ends([2, 2, 1, 1], predicted=[1, 2, 1, 1]) == [2, 1]
    assert ends([2, 0, 1], predicted=[0, 1, 2]) == [1, 2]
    with pytest.raises(DataError, match=r"texts of 1 class in 'dev', and a walk leads from one class to"):
        ends([1, 1, 1], predicted=[0, 1, 1])
