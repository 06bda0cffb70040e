"""Important Attention-head Pruning (IAP) in one call: importance, head sets, pruning, controls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from encoder_atlas.errors import SettingsError
from encoder_atlas.specialization.controls import (
    RANDOM,
    AssignmentControl,
    NullDistribution,
    assignment_control,
    null_distribution,
)
from encoder_atlas.specialization.dissociation import Dissociation, dissociation, dissociation_scores
from encoder_atlas.specialization.heads import least_heads, overlaps, random_heads, top_heads
from encoder_atlas.specialization.importance import head_importance
from encoder_atlas.specialization.pruning import BASE, HeadSet, Pruned, prune
from encoder_atlas.specialization.readings import HeadImportance
from encoder_atlas.specialization.resampling import resample
from encoder_atlas.specialization.saved import read_pruned, write_pruned
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

LEAST = "least"
MEAN = "mean"


@dataclass(frozen=True, eq=False)
class HeadPruning:
    """What IAP finds in one model of several tasks.

    Attributes:
        pruned: predictions without the most important heads of each task, without the least important ones
            ("least: …") and without random ones ("random 1", …), as far as the settings have those controls.
    """

    importance: Mapping[str, HeadImportance]
    pruned: Pruned
    settings: SpecializationSettings

    @property
    def sets(self) -> dict[str, HeadSet]:
        """The most important heads of each task."""
        return {task: self.pruned.sets[task] for task in self.pruned.tasks}

    @property
    def dissociation(self) -> Dissociation:
        """Eq. (5)-(7)."""
        return dissociation(self.pruned)

    @property
    def least(self) -> Dissociation:
        """The same with the least important heads of each task: a control.

        Raises:
            DataError: they were not taken out (``settings.least``).
        """
        names = [f"{LEAST}: {task}" for task in self.pruned.tasks]
        return Dissociation(self.pruned.tasks, self.pruned.relative(names))

    @property
    def assignments(self) -> AssignmentControl:
        """D when the real sets change owners."""
        return assignment_control(self.dissociation)

    @property
    def null(self) -> NullDistribution:
        """D of random sets."""
        return null_distribution(self.pruned, self.settings.seed)

    @property
    def overlaps(self) -> pd.DataFrame:
        """Heads that two tasks share, in percent (Table 11)."""
        return overlaps(self.sets)

    def to_frame(self) -> pd.DataFrame:
        """One row a task, the mean last: task, dissociation, low, high (points; bootstrap over dev texts)."""
        return dissociation_interval([self.pruned], self.settings)

    def save(self, folder: Path) -> None:
        """Write it into ``folder``: safetensors and JSON."""
        scores = {f"importance.{task}": found.scores for task, found in self.importance.items()}
        examples = {task: found.examples for task, found in self.importance.items()}
        write_pruned(self.pruned, folder, scores, examples=examples, settings=self.settings.model_dump_json())

    @classmethod
    def load(cls, folder: Path) -> "HeadPruning":
        """Read what ``save`` wrote. Raises DataError where a file is missing or damaged."""
        pruned, arrays, rest = read_pruned(folder)
        importance = {
            task: HeadImportance(task, arrays[f"importance.{task}"], examples)
            for task, examples in rest["examples"].items()
        }
        return cls(importance, pruned, SpecializationSettings.model_validate_json(rest["settings"]))


def run_iap(
    model: FittedModel, tasks: Sequence[Task], settings: SpecializationSettings | None = None
) -> HeadPruning:
    """Find each task's most important heads on train, take them out, and score all tasks on dev.

    Raises:
        SettingsError: fewer than two tasks, two of one name, a task that the model has no head for, or an α
            that selects no head.
        DataError: see `task_gradients`.
    """
    settings = settings or SpecializationSettings()
    importance = find_importance(model, tasks, settings)
    sets = head_sets(importance, settings.alpha, settings)
    pruned = prune(model, tasks, sets, batch_size=settings.batch_size)
    return HeadPruning(importance, pruned, settings)


def find_importance(
    model: FittedModel, tasks: Sequence[Task], settings: SpecializationSettings
) -> dict[str, HeadImportance]:
    """The importance of every head for every task, under the settings' reading.

    Raises:
        SettingsError: fewer than two tasks, or two of one name.
    """
    names = [task.name for task in tasks]
    if len(names) < 2 or len(set(names)) < len(names):
        raise SettingsError(
            f"IAP holds tasks against each other: give two or more of different names, not {names}"
        )
    return {task.name: head_importance(model, task, settings) for task in tasks}


def head_sets(
    importance: Mapping[str, HeadImportance], alpha: float, settings: SpecializationSettings
) -> dict[str, HeadSet]:
    """The sets that IAP takes out at one α: each task's top heads, and what the settings say of its least
    important ones and of random ones."""
    top = {task: top_heads(found.scores, alpha) for task, found in importance.items()}
    least = {
        f"{LEAST}: {task}": least_heads(found.scores, alpha)
        for task, found in importance.items()
        if settings.least
    }
    layers, heads = next(iter(top.values())).shape
    drawn = random_heads(settings.random_sets, layers, heads, alpha, settings.seed, settings.random_reading)
    return {
        **top,
        **least,
        **{f"{RANDOM} {number}": drawn_heads for number, drawn_heads in enumerate(drawn, start=1)},
    }


def dissociation_interval(
    pruned: Sequence[Pruned], settings: SpecializationSettings | None = None
) -> pd.DataFrame:
    """D_i and D with bootstrap intervals over dev texts, averaged over the models: task, dissociation, low,
    high, sd (between models, n - 1), all in points; the row "mean" is D.

    Raises:
        SettingsError: one task only.
        DataError: see `resample`.
    """
    settings = settings or SpecializationSettings()
    tasks = pruned[0].tasks
    rows, base = pruned[0].rows(tasks), pruned[0].rows([BASE])[0]

    def statistic(scores: np.ndarray) -> np.ndarray:
        relative = scores[..., rows, :] / scores[..., [base], :]
        own = dissociation_scores(relative)
        return np.concatenate([own, own.mean(axis=-1, keepdims=True)], axis=-1).mean(axis=-2)

    draws = resample(pruned, statistic, settings.resamples, settings.seed)
    low, high = draws.interval(settings.level)
    each = np.array([np.append(found.scores, found.mean) for found in map(dissociation, pruned)])
    sd = each.std(axis=0, ddof=1) if len(each) > 1 else np.full(len(tasks) + 1, np.nan)
    return pd.DataFrame(
        {"task": [*tasks, MEAN], "dissociation": draws.value, "low": low, "high": high, "sd": sd}
    )
