"""The classifiers that the chapter compares: how far an encoder was taught, and a head that knows nothing."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Int

from encoder_atlas.deepview.cases import Case
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel, shuffled

CONTROL = "PT, labels shuffled"
CONTROL_EPOCHS = 30

Fit = Callable[..., FittedModel]
"""Called as ``fit(task or tasks, mode, seed, **changes)``, like ``Chapter.fit``."""


def fit_models(fit: Fit, tasks: Sequence[Task], seeds: Sequence[int]) -> dict[str, list[FittedModel]]:
    """PT, FT and MT on all tasks, and on the first a frozen encoder whose head learned labels by heart.

    PT and FT have a model a seed and task, MT one a seed for all tasks. The control is taught labels that
    were dealt out at random, for 30 epochs, until it has them by heart; the paper does not have it.
    """
    control = shuffled(tasks[0], seed=0)
    return {
        "PT": [fit(task, "PT", seed) for seed in seeds for task in tasks],
        "FT": [fit(task, "FT", seed) for seed in seeds for task in tasks],
        "MT": [fit(tasks, "FT", seed) for seed in seeds],
        CONTROL: [fit(control, "PT", seed, frozen_epochs=CONTROL_EPOCHS) for seed in seeds],
    }


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
    """Rows of two texts of opposite label: of classes 0 and 1 the first that the model gets right, or else
    the first."""
    right = case.predicted == case.labels
    return np.array([max(np.flatnonzero(case.labels == kind), key=lambda row: right[row]) for kind in (0, 1)])
