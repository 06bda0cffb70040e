"""One fitted model on one task: what the tables and sweeps of this wing have a row for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from torch import nn

from encoder_atlas.deepview.classifier import as_classifier
from encoder_atlas.deepview.points import check_points
from encoder_atlas.errors import SettingsError, near
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

Represent = Callable[[FittedModel, Task, str], Float[np.ndarray, "points hidden"]]


@dataclass(frozen=True, eq=False)
class Case:
    """The head and the representations of one task under one fitted model.

    Attributes:
        setting: PT, FT, MT, or what a control is called.
        task: its labels are those of ``split``, in the order of ``points``.
        seed: the seed that the model was fitted with.
        head: representations to logits.
        points: one row a text of the split.
    """

    setting: str
    task: Task
    seed: int
    head: nn.Module
    points: Float[np.ndarray, "points hidden"]
    split: str = "dev"

    @property
    def labels(self) -> Int[np.ndarray, " points"]:
        """The true labels."""
        return self.task.labels(self.split)

    @cached_property
    def predicted(self) -> Int[np.ndarray, " points"]:
        """The class that the head gives each text."""
        return as_classifier(self.head).probabilities(check_points(self.points)).argmax(axis=1)


def shown_texts(task: Task, split: str = "dev") -> list[str]:
    """The texts of a split as a page shows them; the two of a pair stand with a slash between."""
    columns = task.split(split)[list(task.text_columns)]
    return [" / ".join(row) for row in columns.itertuples(index=False)]


def represent_now(model: FittedModel, task: Task, split: str) -> Float[np.ndarray, "points hidden"]:
    """Representations of a split, computed on the spot."""
    return model.represent(task.texts(split))


def cases_of(
    models: Mapping[str, FittedModel | Sequence[FittedModel]],
    tasks: Iterable[Task],
    represent: Represent = represent_now,
    split: str = "dev",
) -> list[Case]:
    """Every model on every task that it has a head for, in the order of the models.

    Args:
        models: by setting, one or several. A model knows its tasks and its seed: under PT and FT stands one a
            task and seed, under MT one a seed.
        tasks: with their true labels; a model taught shuffled labels is measured on them too.
        represent: a function like ``represent_now`` that may remember what it computed.

    Raises:
        SettingsError: a model that knows none of the tasks, or one of them under other labels; two models
            of one setting with the same task and seed.
    """
    tasks = list(tasks)
    found: dict[tuple[str, str, int], Case] = {}
    for setting, given in models.items():
        for model in [given] if isinstance(given, FittedModel) else given:
            for task in _known_tasks(setting, model, tasks):
                key = (setting, task.name, model.seed)
                if key in found:
                    raise SettingsError(
                        f"two models stand under {setting!r} for task {task.name!r} and seed {model.seed}: "
                        "keep one, or give them settings of their own"
                    )
                head, points = model.head(task.name), represent(model, task, split)
                found[key] = Case(setting, task, model.seed, head, points, split)
    return list(found.values())


def _known_tasks(setting: str, model: FittedModel, tasks: Sequence[Task]) -> list[Task]:
    """The tasks among ``tasks`` that the model has heads for."""
    known = [task for task in tasks if task.name in model.label_names]
    if not known:
        heads = ", ".join(map(repr, model.label_names))
        raise SettingsError(
            f"a model under {setting!r} has a head for {heads} and for none of the tasks; "
            f"{near(next(iter(model.label_names)), [task.name for task in tasks])}"
        )
    for task in known:
        if task.target != "class":
            raise SettingsError(f"task {task.name!r} has scores, and a map shows classes: leave it out")
        if tuple(model.label_names[task.name]) != task.label_names:
            raise SettingsError(
                f"a model under {setting!r} calls the classes of {task.name!r} "
                f"{list(model.label_names[task.name])}, the task calls them {list(task.label_names)}"
            )
    return known
