"""Models and tasks become cases, and what does not belong together is refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from encoder_atlas.deepview.cases import cases_of
from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

MakeTask = Callable[..., Task]


@pytest.fixture(scope="module")
def model(made_task: MakeTask) -> FittedModel:
    """One encoder with a head for a task of sentences and one for a task of pairs in three classes."""
    tasks = [made_task("mood"), made_task("link", classes=3, pairs=True)]
    settings = FitSettings(epochs=1, max_length=24)
    return fit(load_encoder("tiny:bert"), tasks, settings, mode="FT", seed=4, device="cpu")


def test_a_model_of_several_tasks_is_a_case_of_each(model: FittedModel, made_task: MakeTask) -> None:
    tasks = [made_task("mood"), made_task("link", classes=3, pairs=True)]
    mood, link = cases_of({"MT": model}, tasks)
    assert (mood.setting, mood.task.name, mood.seed) == ("MT", "mood", 4)
    assert link.points.shape == (len(link.labels), model.encoder.hidden)
    np.testing.assert_array_equal(
        link.predicted, model.predict_proba("link", tasks[1].texts("dev")).argmax(axis=1)
    )
    with torch.no_grad():
        own = link.head(torch.from_numpy(link.points)).argmax(dim=1).numpy()
    np.testing.assert_array_equal(link.predicted, own)


def test_another_split_and_representations_that_are_remembered(
    model: FittedModel, made_task: MakeTask
) -> None:
    asked = []

    def remembered(fitted: FittedModel, task: Task, split: str) -> np.ndarray:
        asked.append((fitted, task.name, split))
        return np.zeros((len(task.labels(split)), fitted.encoder.hidden), dtype=np.float32)

    (case,) = cases_of({"MT": [model]}, [made_task("mood")], remembered, split="train")
    assert asked == [(model, "mood", "train")]
    np.testing.assert_array_equal(case.labels, made_task("mood").labels("train"))


def test_what_does_not_belong_together(model: FittedModel, made_task: MakeTask) -> None:
    mood = made_task("mood")
    with pytest.raises(SettingsError, match="none of the tasks; did you mean 'moods'"):
        cases_of({"MT": model}, [replace(mood, name="moods")])
    with pytest.raises(SettingsError, match=r"calls the classes of 'mood' \['class 0', 'class 1'\]"):
        cases_of({"MT": model}, [replace(mood, label_names=("no", "yes"))])
    with pytest.raises(SettingsError, match="two models stand under 'MT' for task 'mood' and seed 4"):
        cases_of({"MT": [model, model]}, [mood])
