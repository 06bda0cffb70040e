"""The classifiers that the chapter compares: how far an encoder was taught, and a head that knows nothing."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Int

from encoder_atlas.deepview.cases import Case, Represent, cases_of, represent_now
from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel, shuffled

CONTROL = "PT, labels shuffled"
CONTROL_EPOCHS = 30

Fit = Callable[..., FittedModel]
"""Called as ``fit(task or tasks, mode, seed, **changes)``, like ``Chapter.fit``."""


def fit_models(fit: Fit, tasks: Sequence[Task], seeds: Sequence[int]) -> dict[str, list[FittedModel]]:
    """PT, FT and MT on all tasks, and on the first a frozen encoder whose head learned shuffled labels.

    PT and FT have a model a seed and task, MT one a seed for all tasks. The control is taught labels that
    were dealt out at random, for 30 epochs (`control_note` says what it has of them by heart); the paper does
    not have it.
    """
    control = _dealt(tasks[0])
    return {
        "PT": [fit(task, "PT", seed) for seed in seeds for task in tasks],
        "FT": [fit(task, "FT", seed) for seed in seeds for task in tasks],
        "MT": [fit(tasks, "FT", seed) for seed in seeds],
        CONTROL: [fit(control, "PT", seed, frozen_epochs=CONTROL_EPOCHS) for seed in seeds],
    }


def _dealt(task: Task) -> Task:
    return shuffled(task, seed=0)


def control_note(models: Sequence[FittedModel], task: Task, represent: Represent = represent_now) -> str:
    """How many of the labels that it was dealt the control has by heart, a mean over its ``models``."""
    cases = cases_of({CONTROL: models}, [_dealt(task)], represent, split="train")
    share = np.mean([np.mean(case.predicted == case.labels) for case in cases])
    return f"Of the labels that it was dealt the control has {100 * share:.0f} % by heart."


def models_of(models: Sequence[FittedModel], task: Task) -> dict[int, FittedModel]:
    """Those that know the task, by seed."""
    return {model.seed: model for model in models if task.name in model.label_names}


def task_table(tasks: Sequence[Task]) -> pd.DataFrame:
    """What a reader should know of each task: its classes, its sizes, and where its text is from."""
    rows = {
        task.name: {
            "classes": ", ".join(task.label_names),
            "train": len(task.split("train")),
            "dev": len(task.split("dev")),
            "text": task.source_note,
        }
        for task in tasks
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")


def opposite_ends(case: Case) -> Int[np.ndarray, "2"]:
    """Rows of two texts of opposite label: of the first two classes that the split has, the first that the
    model gets right, or else the first.

    Raises:
        DataError: all texts of the split are of one class.
    """
    right = case.predicted == case.labels
    present = np.unique(case.labels)
    if len(present) < 2:
        raise DataError(
            f"task {case.task.name!r} has texts of {len(present)} class in {case.split!r}, and a walk leads "
            "from one class to another: give more text, or both classes a place in that split"
        )
    return np.array(
        [max(np.flatnonzero(case.labels == kind), key=lambda row: right[row]) for kind in present[:2]]
    )
