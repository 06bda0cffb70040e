"""Dissociation as more heads are taken out, over several models (training seeds)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from encoder_atlas.errors import SettingsError
from encoder_atlas.progress import track
from encoder_atlas.specialization.controls import random_names
from encoder_atlas.specialization.iap import (
    MEAN,
    HeadPruning,
    dissociation_interval,
    find_importance,
    head_sets,
)
from encoder_atlas.specialization.pruning import prune
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel


@dataclass(frozen=True, eq=False)
class AlphaSweep:
    """IAP at several α in several models of the same tasks."""

    runs: dict[float, tuple[HeadPruning, ...]]
    """For each α one entry a model."""

    def to_frame(self) -> pd.DataFrame:
        """One row a model, α and task (the row "mean" is D): seed, alpha, heads, task, dissociation, own and
        others (relative performance without the task's own and without another's heads), null_sd and
        null_largest (of random sets, where there are enough; points)."""
        rows = [
            table.assign(alpha=alpha, seed=run.pruned.seed, heads=heads)
            for alpha, runs in self.runs.items()
            for run in runs
            for table, heads in [(_with_mean(run), int(next(iter(run.sets.values())).sum()))]
        ]
        columns = ["seed", "alpha", "heads", "task", "dissociation", "own", "others"]
        return pd.concat(rows, ignore_index=True).reindex(columns=[*columns, "null_sd", "null_largest"])

    def scores(self) -> pd.DataFrame:
        """One row a model, α, set and task: seed, alpha, pruned_for, heads, task, metric, score."""
        tables = [
            run.pruned.to_frame().assign(alpha=alpha) for alpha, runs in self.runs.items() for run in runs
        ]
        return pd.concat(tables, ignore_index=True)

    def intervals(self) -> pd.DataFrame:
        """D_i and D at each α with intervals over dev texts: alpha, and the columns of
        `dissociation_interval`; averaged over the models."""
        tables = [
            dissociation_interval([run.pruned for run in runs], runs[0].settings).assign(alpha=alpha)
            for alpha, runs in self.runs.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def save(self, folder: Path) -> None:
        """Write it into ``folder``: a folder for each α and model."""
        for alpha, runs in self.runs.items():
            for number, run in enumerate(runs):
                run.save(folder / f"{alpha!r}" / str(number))

    @classmethod
    def load(cls, folder: Path) -> "AlphaSweep":
        """Read what ``save`` wrote. Raises DataError where a file is missing or damaged."""
        runs: dict[float, tuple[HeadPruning, ...]] = {}
        # Others may keep files of their own in the folder.
        folders = [path for path in folder.iterdir() if path.is_dir()]
        for of_alpha in sorted(folders, key=lambda path: float(path.name)):
            models = sorted(of_alpha.iterdir(), key=lambda path: int(path.name))
            runs[float(of_alpha.name)] = tuple(HeadPruning.load(path) for path in models)
        return cls(runs)


def sweep_alpha(
    models: Sequence[FittedModel], tasks: Sequence[Task], settings: SpecializationSettings | None = None
) -> AlphaSweep:
    """IAP at every α of ``settings.alphas`` in every model; importance is measured once a model.

    Sets that are equal at several α are run once; the least important heads are taken out at
    ``settings.alpha`` only.

    Raises:
        SettingsError: no model, two models of one seed, and as `run_iap`.
    """
    settings = settings or SpecializationSettings()
    seeds = [model.seed for model in models]
    if not seeds or len(set(seeds)) < len(seeds):
        raise SettingsError(f"a sweep needs at least one model, and no two of one seed (got seeds {seeds})")
    runs: dict[float, list[HeadPruning]] = {alpha: [] for alpha in sorted(set(settings.alphas))}
    for model in track(models, "Sweep over α", unit="model"):
        for alpha, run in _sweep_model(model, tasks, settings).items():
            runs[alpha].append(run)
    return AlphaSweep({alpha: tuple(of_alpha) for alpha, of_alpha in runs.items()})


def _sweep_model(
    model: FittedModel, tasks: Sequence[Task], settings: SpecializationSettings
) -> dict[float, HeadPruning]:
    """All α of one model, in one pass over the texts."""
    importance = find_importance(model, tasks, settings)
    how = {
        alpha: settings.model_copy(update={"least": settings.least and alpha == settings.alpha})
        for alpha in settings.alphas
    }
    sets = {alpha: head_sets(importance, alpha, how[alpha]) for alpha in settings.alphas}
    every = {f"{name} @ {alpha}": heads for alpha, own in sets.items() for name, heads in own.items()}
    pruned = prune(model, tasks, every, batch_size=settings.batch_size)
    runs = {}
    for alpha, own in sets.items():
        part = pruned.only({name: f"{name} @ {alpha}" for name in own})
        runs[alpha] = HeadPruning(importance, part, how[alpha].model_copy(update={"alpha": alpha}))
    return runs


def _with_mean(run: HeadPruning) -> pd.DataFrame:
    """The tasks of one run and their mean, with the spread of random sets where enough were taken out."""
    found = run.dissociation
    table = found.to_frame()
    mean = table.drop(columns="task").mean().to_dict()
    table = pd.concat([table, pd.DataFrame([{"task": MEAN, **mean}])], ignore_index=True)
    if len(random_names(run.pruned)) < max(len(found.tasks), 2):
        return table
    null = run.null
    return table.assign(null_sd=null.sd, null_largest=null.largest)
