"""What the paper prints on important attention-head training: Tables 5, 6, 7, 8, 12 and 13."""

from functools import cache
from importlib import resources
from typing import Any

import pandas as pd
import yaml

GLUE_TABLES = {
    "test": ("5", "annealed"),
    "test_proportional": ("12", "proportional"),
    "dev_proportional": ("13", "proportional"),
    "dev_annealed": ("13", "annealed"),
}
"""By their names in the file: number of the table, and sampling. The paper does not name that of Table 5;
Appendix F calls annealed sampling the better one and gives proportional sampling a table of its own."""


def printed_glue(name: str) -> pd.DataFrame:
    """One of `GLUE_TABLES`: model, arm ("plain", "IAT", "Ticket-Share"), a column a task, Avg, sd (of the
    average over seeds; Table 13 only). Percent.
    """
    columns = ["model", "arm", *_read()["tasks"], "Avg", "sd"]
    rows = [row + [None] * (len(columns) - len(row)) for row in _read()[name]]
    return pd.DataFrame(rows, columns=columns)


def printed_gains(name: str) -> pd.DataFrame:
    """IAT minus plain for every model of one of `GLUE_TABLES`: a row a model, points."""
    table = printed_glue(name).drop(columns="sd").set_index(["arm", "model"])
    return table.loc["IAT"] - table.loc["plain"]


def printed_ablation() -> pd.DataFrame:
    """Table 7: arm, Avg and sd over seeds (percent), improved (tasks of nine)."""
    return pd.DataFrame(_read()["ablation"], columns=["arm", "Avg", "sd", "improved"])


def printed_few_shot() -> pd.DataFrame:
    """Tables 6 and 8 together: target, arm, size, mean and sd over 30 seeds (percent)."""
    sizes, rows = _read()["few_shot_sizes"], []
    for target, arms in _read()["few_shot"].items():
        for arm, *values in arms:
            rows += [
                (target, arm, size, mean, sd)
                for size, mean, sd in zip(sizes, values[::2], values[1::2], strict=True)
            ]
    rows += [
        (target, "random heads", sizes[0], mean, sd)
        for target, (mean, sd) in _read()["few_shot_random_heads"].items()
    ]
    return pd.DataFrame(rows, columns=["target", "arm", "size", "mean", "sd"])


@cache
def _read() -> dict[str, Any]:
    text = resources.files(__package__ or "").joinpath("printed_iat.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
