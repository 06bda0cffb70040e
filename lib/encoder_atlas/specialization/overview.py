"""What a chapter shows of its tasks and controls, and the parts of tasks that it measures on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from encoder_atlas.specialization.chance import chance_score
from encoder_atlas.specialization.iap import HeadPruning
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel
from encoder_atlas.training.mixing import sampling_exponent, task_probabilities


def with_dev(task: Task, n: int) -> Task:
    """The task with at most ``n`` texts in dev; a smaller part is the beginning of a larger one."""
    return _at_most(task, "dev", n)


def with_train(task: Task, n: int | None) -> Task:
    """The task with at most ``n`` texts in train; None takes all."""
    return task if n is None else _at_most(task, "train", n)


def _at_most(task: Task, split: str, n: int) -> Task:
    if n >= len(task.split(split)):
        return task
    return replace(task, splits=task.splits | {split: task.sample(split, n, seed=0)})


def learned_table(tasks: Sequence[Task], models: Mapping[str, Sequence[FittedModel]]) -> pd.DataFrame:
    """One row a task: its form, its text, what can be had by chance (`chance_score`) and what every kind of
    model scores on dev, in percent (mean over seeds), in the task's own metric."""
    rows = []
    for task in tasks:
        scores = {
            name: f"{100 * np.mean([model.score(task) for model in kind]):.1f}"
            for name, kind in models.items()
        }
        about = {"task": task.name, "form": task.kind, "train": len(task.split("train"))}
        rows.append(about | {"metric": task.metric, "chance": f"{100 * chance_score(task):.1f}"} | scores)
        rows[-1]["text"] = task.source_note
    return pd.DataFrame(rows)


def control_table(kinds: Mapping[str, Sequence[HeadPruning]], digits: int = 1) -> pd.DataFrame:
    """One row a model: D, and D of its controls, all in points; the rank of the true owners among all.

    Columns: D; "least important" (each task's least important heads); "random, sd" and "random, largest"
    (sets drawn by lot); "rank of owners" (1 of n! is the best).
    """
    rows = {}
    for name, runs in kinds.items():
        for run in runs:
            null, owners = run.null, run.assignments
            numbers = {
                "D": run.dissociation.mean,
                "least important": run.least.mean,
                "random, sd": null.sd,
                "random, largest": null.largest,
            }
            row = {column: f"{value:.{digits}f}" for column, value in numbers.items()}
            row["rank of owners"] = f"{owners.rank} of {len(owners.dissociation)}"
            rows[name, run.pruned.seed] = row
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.rename_axis(["encoder", "seed"])


def sampling_table(sizes: Mapping[str, int], epochs: int, digits: int = 1) -> pd.DataFrame:
    """Eq. (8): how often each task is drawn, in percent, proportionally and in every epoch of annealing."""
    counts = list(sizes.values())
    columns = {"proportional": task_probabilities(counts, 1.0)}
    for epoch in range(1, epochs + 1):
        exponent = sampling_exponent("annealed", epoch, epochs)
        columns[f"annealed, epoch {epoch}"] = task_probabilities(counts, exponent)
    return (100 * pd.DataFrame(columns, index=list(sizes))).round(digits)
