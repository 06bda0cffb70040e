"""How well the classifiers behind the maps classify: what the paper's Table 1 shows, with its noise."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int, Int64

from encoder_atlas.deepview.cases import Case
from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.training.scores import measure, measure_counts

MAJORITY = "majority"
COLUMNS = ["setting", "task", "seed", "measure", "value", "low", "high", "commonest", "n"]


def score_cases(cases: Sequence[Case], resamples: int = 2000, level: float = 0.95) -> pd.DataFrame:
    """Accuracy of every case, and the task's own measure where that is another (MCC, F1); majority rows last.

    Columns: setting, task, seed, measure, value, low, high, commonest, n. ``low`` and ``high`` are the
    percentile bootstrap interval over the ``n`` texts; it says nothing about another seed. ``commonest`` is
    the share of the answer given most often: at 1 the classifier has no border, and a map of it no errors.
    The rows called "majority", one a task and without a seed, always give the commonest label of train.

    Raises:
        DataError: no cases.
    """
    if not cases:
        raise DataError("there are no cases to score: give at least one fitted model and its task")
    rows = []
    for case in cases:
        for name, *values in _measured(case.task, case.labels, case.predicted, resamples, level):
            rows.append((case.setting, case.task.name, case.seed, name, *values))
    for case in {case.task.name: case for case in cases}.values():
        always = np.full(len(case.labels), case.task.split("train")["label"].mode().iloc[0])
        for name, *values in _measured(case.task, case.labels, always, resamples, level):
            rows.append((MAJORITY, case.task.name, None, name, *values))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"seed": "Int64"})


def _measured(
    task: Task,
    labels: Int[np.ndarray, " points"],
    predicted: Int[np.ndarray, " points"],
    resamples: int,
    level: float,
) -> list[tuple[str, float, float, float, float, int]]:
    """Measure, value, interval, share of the commonest answer and number of texts, a tuple a measure."""
    counts = confusion(labels, predicted, len(task.label_names))
    draws = resampled(counts, resamples)
    commonest = float(counts.sum(axis=0).max() / counts.sum())
    tail = (1 - level) / 2
    rows = []
    for name in dict.fromkeys(["accuracy", task.metric]):
        low, high = np.quantile(measure_counts(name, draws), [tail, 1 - tail])
        value = measure(name, labels, predicted)
        rows.append((name, value, float(low), float(high), commonest, len(labels)))
    return rows


def confusion(
    labels: Int[np.ndarray, " points"], predicted: Int[np.ndarray, " points"], classes: int
) -> Int64[np.ndarray, "classes classes"]:
    """How many texts of class i (row) are given class j (column)."""
    counts = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(counts, (labels, predicted), 1)
    return counts


def resampled(
    counts: Int64[np.ndarray, "classes classes"], resamples: int, seed: int = 0
) -> Float64[np.ndarray, "resamples classes classes"]:
    """Bootstrap of a confusion matrix: as if its texts had been drawn again with replacement.

    A measure that depends on the counts only needs no texts drawn: their counts are multinomial.
    """
    draws = np.random.default_rng(seed).multinomial(counts.sum(), counts.ravel() / counts.sum(), resamples)
    return draws.reshape(resamples, *counts.shape).astype(np.float64)


def better_than_majority(table: pd.DataFrame, setting: str) -> list[str]:
    """The tasks on which ``setting`` is more accurate than the majority answer by more than its noise.

    That is, the lower ends of its intervals, averaged over seeds, lie above the majority's accuracy. The
    paper averages its PT row over tasks where the classifier is "better than random", without a rule. This
    one would add CoLA to its four: Table 1 prints 0.74 where the majority answer has 0.69 on 1,043 sentences.

    Args:
        table: what `score_cases` gives.

    Raises:
        DataError: the table knows no such setting.
    """
    accuracy = table.loc[table["measure"].eq("accuracy")]
    own = accuracy.loc[accuracy["setting"].eq(setting)]
    if own.empty:
        raise DataError(f"no scores of setting {setting!r}: there are {sorted(table['setting'].unique())}")
    majority = accuracy.loc[accuracy["setting"].eq(MAJORITY)].set_index("task")["value"].to_dict()
    low = own.groupby("task", sort=False)["low"].mean().to_dict()
    return [str(task) for task, value in low.items() if value > majority[task]]
