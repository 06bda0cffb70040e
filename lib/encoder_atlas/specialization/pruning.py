"""What every task scores when sets of heads are taken out: gates at zero, nothing removed, nothing retrained.

The predictions are kept, text by text: all tables, scores and intervals follow from them without another run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float64, Int64
from torch import nn

from encoder_atlas.encoders import HeadGates
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.progress import bar
from encoder_atlas.specialization.chance import chance_score
from encoder_atlas.text import Task
from encoder_atlas.text.task import Metric
from encoder_atlas.training import FittedModel
from encoder_atlas.training.examples import subset, token_lengths
from encoder_atlas.training.scores import measure, predictions

BASE = "none"
"""What the empty set of heads is called: the model as it is."""

HeadSet = Bool[np.ndarray, "layers heads"]
Labels = Int64[np.ndarray, "points"] | Float64[np.ndarray, "points"]
Predicted = Int64[np.ndarray, "sets points"] | Float64[np.ndarray, "sets points"]


@dataclass(frozen=True, eq=False)
class Pruned:
    """Predictions of one model on several tasks, under several sets of heads that are taken out.

    Attributes:
        sets: by name; the first is `BASE`, the empty set. A set that is called like a task holds the heads
            that matter most for it.
        label_names: of each task; () where it has scores.
        predicted: for each task the class, or the score, of every text (column) under every set (row, in the
            order of ``sets``).
        chance: for each task what can be had on these texts without reading them (`chance_score`).
    """

    seed: int
    split: str
    sets: Mapping[str, HeadSet]
    metrics: Mapping[str, Metric]
    kinds: Mapping[str, str]
    label_names: Mapping[str, tuple[str, ...]]
    chance: Mapping[str, float]
    labels: Mapping[str, Labels]
    predicted: Mapping[str, Predicted]

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(self.labels)

    @cached_property
    def scores(self) -> Float64[np.ndarray, "sets tasks"]:
        """Each task's own metric (at most 1) under each set."""
        columns = [
            [measure(self.metrics[task], self.labels[task], row) for row in self.predicted[task]]
            for task in self.tasks
        ]
        return np.array(columns).T

    def rows(self, names: Sequence[str]) -> list[int]:
        """The rows of `scores` of some sets.

        Raises:
            DataError: no such set was taken out.
        """
        known = list(self.sets)
        for name in names:
            if name not in known:
                raise DataError(f"heads of {name!r} were not taken out; {near(name, known)}")
        return [known.index(name) for name in names]

    def only(self, names: Mapping[str, str]) -> "Pruned":
        """The same with fewer sets, under other names: ``names`` gives new → old; `BASE` stays.

        Raises:
            DataError: no such set was taken out.
        """
        rows = self.rows([BASE, *names.values()])
        heads = list(self.sets.values())
        return replace(
            self,
            sets={name: heads[row] for name, row in zip([BASE, *names], rows, strict=True)},
            predicted={task: found[rows] for task, found in self.predicted.items()},
        )

    def relative(self, names: Sequence[str] | None = None) -> Float64[np.ndarray, "sets tasks"]:
        """Eq. (5), RP_i(H_j): score with set j taken out, divided by the score of the whole model.

        Args:
            names: of the sets; by default those that are called like the tasks, in their order.

        Raises:
            DataError: no such set was taken out, or a base score that is not above 0.
        """
        chosen = self.rows(self.tasks if names is None else names)
        return relative_performance(self.scores[chosen], self.scores[self.rows([BASE])[0]], self.tasks)

    def to_frame(self) -> pd.DataFrame:
        """One row a set and task: seed, pruned_for, heads, task, metric, score."""
        rows = [
            (self.seed, name, int(heads.sum()), task, self.metrics[task], self.scores[row, column])
            for row, (name, heads) in enumerate(self.sets.items())
            for column, task in enumerate(self.tasks)
        ]
        return pd.DataFrame(rows, columns=["seed", "pruned_for", "heads", "task", "metric", "score"])


def relative_performance(
    scores: Float64[np.ndarray, "*draws sets tasks"],
    base: Float64[np.ndarray, "*draws tasks"],
    tasks: Sequence[str] = (),
) -> Float64[np.ndarray, "*draws sets tasks"]:
    """Eq. (5) for many sets and tasks.

    A correlation can fall to 0 and below, an accuracy hardly below chance: what is left of the one is not
    what is left of the other (`floor_check` counts from chance).

    Args:
        tasks: their names, for the message.

    Raises:
        DataError: a base score that is not above 0: nothing can be said relative to it.
    """
    low = ~(base > 0)
    if low.any():
        place = np.argwhere(low)[0]
        of = f" of {tasks[place[-1]]!r}" if len(tasks) else ""
        raise DataError(
            f"a base score{of} is {base[tuple(place)]:.3g}, and relative performance divides by it: the "
            "model has not learned that task; train longer, or leave it out"
        )
    return scores / base[..., None, :]


def prune(
    model: FittedModel,
    tasks: Sequence[Task],
    sets: Mapping[str, HeadSet],
    *,
    split: str = "dev",
    batch_size: int = 64,
) -> Pruned:
    """Score every task with every set of heads taken out, and with none (`BASE`).

    Raises:
        SettingsError: two tasks of one name, one that the model has no head for or one for other classes, a
            set of the wrong shape, or a set that is called "none".
    """
    _check(model, tasks, sets)
    empty = np.zeros((model.encoder.n_layers, model.encoder.n_heads), dtype=bool)
    named = {BASE: empty, **sets}
    masks = np.stack(list(named.values()))
    return Pruned(
        seed=model.seed,
        split=split,
        sets=named,
        metrics={task.name: task.metric for task in tasks},
        kinds={task.name: task.kind for task in tasks},
        label_names={task.name: task.label_names for task in tasks},
        chance={task.name: chance_score(task, split) for task in tasks},
        labels={task.name: task.labels(split) for task in tasks},
        predicted={task.name: predict_pruned(model, task, masks, split, batch_size) for task in tasks},
    )


@torch.no_grad()
def predict_pruned(
    model: FittedModel,
    task: Task,
    sets: Bool[np.ndarray, "sets layers heads"],
    split: str = "dev",
    batch_size: int = 64,
) -> Predicted:
    """The class, or the score, that the model gives every text under every set of heads that is taken out.

    A text is tokenized once for all sets, and equal sets are run once.
    """
    head, texts, encoder = head_for(model, task), task.texts(split), model.encoder
    different, place = np.unique(sets, axis=0, return_inverse=True)
    gates = torch.from_numpy(~different).to(encoder.device, encoder.model.dtype)
    dtype = np.float64 if task.target == "score" else np.int64
    found = np.empty((len(different), len(texts)), dtype)
    order = np.argsort(token_lengths(encoder, texts, model.settings.max_length), kind="stable")
    was_training = encoder.model.training
    encoder.model.eval()
    stage = f"Pruned: {task.name}"
    try:
        with HeadGates(encoder) as hooks, bar(stage, len(texts) * len(different), "text") as shown:
            for start in range(0, len(order), batch_size):
                index = order[start : start + batch_size]
                batch = encoder.tokenize(subset(texts, index.tolist()), model.settings.max_length)
                for row, open_heads in enumerate(gates):
                    hooks.set(open_heads)
                    points = encoder.represent(batch, model.settings.pooling).cpu()
                    found[row, index] = predictions(head(points).numpy())
                    shown.update(len(index))
    finally:
        encoder.model.train(was_training)
    return found[place.ravel()]


def head_for(model: FittedModel, task: Task) -> nn.Module:
    """The model's head for a task.

    Raises:
        SettingsError: there is none, or one for other classes, or for classes where the task has scores.
    """
    head = model.head(task.name)
    names = tuple(model.label_names[task.name])
    if names != task.label_names:
        both = (task.label_names, names)
        has, fitted = (f"the classes {list(known)}" if known else "scores" for known in both)
        raise SettingsError(
            f"task {task.name!r} has {has}, and the model was fitted to {fitted} under that name: fit it to "
            "this task"
        )
    return head


def _check(model: FittedModel, tasks: Sequence[Task], sets: Mapping[str, HeadSet]) -> None:
    names = [task.name for task in tasks]
    if not names or len(set(names)) < len(names):
        raise SettingsError(f"pruning needs at least one task, and no two of one name (got {names})")
    for task in tasks:
        head_for(model, task)
    if BASE in sets or BASE in names:
        raise SettingsError(f"{BASE!r} is the model with all its heads: give the set or task another name")
    shape = (model.encoder.n_layers, model.encoder.n_heads)
    for name, heads in sets.items():
        if heads.shape != shape:
            raise SettingsError(
                f"the head set {name!r} has shape {heads.shape}: this encoder has {shape}, layers by heads"
            )
