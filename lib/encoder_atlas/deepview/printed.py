"""The tables that the paper prints, as data."""

from functools import cache
from importlib import resources
from typing import Any

import pandas as pd
import yaml


def printed_scores() -> pd.DataFrame:
    """Table 1 of the paper, one row a number: setting, dataset, measure (accuracy, mcc or f1), value."""
    rows = [
        (setting, dataset, measure, value)
        for setting, measures in _read()["scores"].items()
        for measure, values in measures.items()
        for dataset, value in values.items()
    ]
    return pd.DataFrame(rows, columns=["setting", "dataset", "measure", "value"])


def printed_errors() -> pd.DataFrame:
    """Tables 4-9 of the paper, one row a number: table, setting, measure, dataset, lambda_, error in [0, 1].

    Settings are PT (encoder frozen), FT (fine-tuned) and MT (several tasks at once); measures q_knn and
    q_data.
    """
    printed = _read()
    rows = [
        (entry["table"], entry["setting"], entry["measure"], dataset, lambda_, float(error))
        for entry in printed["errors"]
        for dataset, errors in entry["rows"].items()
        for lambda_, error in zip(printed["lambdas"], errors, strict=True)
    ]
    return pd.DataFrame(rows, columns=["table", "setting", "measure", "dataset", "lambda_", "error"])


def printed_summary() -> pd.DataFrame:
    """Table 2 of the paper, one row a cell: setting, measure, lambda_, mean and sd in percent."""
    printed = _read()
    rows = [
        (entry["setting"], entry["measure"], lambda_, float(mean), float(sd))
        for entry in printed["summary"]
        for lambda_, mean, sd in zip(printed["lambdas"], entry["mean"], entry["sd"], strict=True)
    ]
    return pd.DataFrame(rows, columns=["setting", "measure", "lambda_", "mean", "sd"])


def printed_sweep() -> pd.DataFrame:
    """Tables 4-9 in the form of a sweep: setting, task, seed, sample, lambda_, q_knn, q_data.

    The paper has one sample of each task; it is called sample 0 of seed 0.
    """
    index = ["setting", "dataset", "lambda_"]
    wide = printed_errors().pivot_table(index=index, columns="measure", values="error", sort=False)
    wide = wide.rename_axis(columns=None).reset_index().rename(columns={"dataset": "task"})
    columns = ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]
    return wide.assign(seed=0, sample=0).reindex(columns=columns)


def dataset_of(task_name: str) -> str | None:
    """What the paper's tables call a task, or None: letter case and hyphens do not count.

    >>> dataset_of("SST-2"), dataset_of("CoLA"), dataset_of("movie-reviews")
    ('SST2', 'COLA', None)
    """
    name = "".join(letter for letter in task_name.upper() if letter.isalnum())
    return name if name in _read()["scores"]["PT"]["accuracy"] else None


def better_than_random() -> list[str]:
    """The datasets behind the PT rows of Table 2; the paper does not name them, the numbers do."""
    return list(_read()["pre_trained_datasets"])


@cache
def _read() -> dict[str, Any]:
    text = resources.files(__package__ or "").joinpath("printed_tables.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
