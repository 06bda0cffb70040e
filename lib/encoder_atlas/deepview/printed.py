"""The quality tables that the paper prints, as data."""

from importlib import resources
from typing import Any

import pandas as pd
import yaml


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


def better_than_random() -> list[str]:
    """The datasets behind the PT rows of Table 2; the paper does not name them, the numbers do."""
    return list(_read()["pre_trained_datasets"])


def _read() -> dict[str, Any]:
    text = resources.files(__package__ or "").joinpath("printed_tables.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
