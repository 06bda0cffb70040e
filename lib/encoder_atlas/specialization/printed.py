"""The tables that the paper prints, as data, and what follows from them."""

from functools import cache
from importlib import resources
from typing import Any

import pandas as pd
import yaml

from encoder_atlas.specialization.dissociation import Dissociation


def printed_dissociation() -> Dissociation:
    """Table 3 as relative performances: BERT-base, five tasks at once; what Eq. (7) makes of it is ours."""
    scores = _square(_read()["multi_task"]["scores"])
    return Dissociation(tuple(scores.columns), (scores / _read()["multi_task"]["base"]).to_numpy())


def printed_scores() -> pd.DataFrame:
    """Table 3, accuracy or F1 in percent: one row for whose heads are pruned ("random", "none"), one column a
    task."""
    printed = _read()["multi_task"]
    rows = {**printed["scores"], "random": printed["random"], "none": printed["base"]}
    return pd.DataFrame.from_dict(rows, orient="index", columns=_read()["tasks"])


def printed_task_scores() -> pd.Series:
    """The row D_i(α) of Table 3 in points, as printed: those of QNLI and AG are swapped.

    Eq. (7) on the table's own numbers gives 9.83 for QNLI and 11.08 for AG, and Table 10 agrees.
    """
    return pd.Series(_read()["multi_task"]["dissociation"], index=_read()["tasks"], dtype=float)


def printed_paradigms() -> pd.DataFrame:
    """Table 4: a, b, base_a, a_on_a (score of A without A's heads), b_on_a, base_b, a_on_b, b_on_b (percent),
    d_a, d_b, d (points)."""
    rows = [(row["a"], row["b"], *row["on_a"], *row["on_b"], *row["d"]) for row in _read()["paradigms"]]
    scores = ["base_a", "a_on_a", "b_on_a", "base_b", "a_on_b", "b_on_b"]
    return pd.DataFrame(rows, columns=["a", "b", *scores, "d_a", "d_b", "d"])


def printed_pairs() -> pd.DataFrame:
    """Table 9: model, a, b, d_a, d_b, d (their mean; points)."""
    rows = [
        (model, *pair, d_a, d_b, (d_a + d_b) / 2)
        for model, values in _read()["dual_task"].items()
        for pair, d_a, d_b in zip(_read()["pairs"], values[::2], values[1::2], strict=True)
    ]
    return pd.DataFrame(rows, columns=["model", "a", "b", "d_a", "d_b", "d"])


def printed_pair_scores() -> pd.DataFrame:
    """Table 10 in points: D_A of the column's task against the row's, 0 on the diagonal."""
    return _square(_read()["pair_scores"])


def printed_overlaps() -> pd.DataFrame:
    """Table 11 in percent: heads that both tasks prune; 100 on the diagonal."""
    return _square(_read()["overlaps"])


def _square(rows: dict[str, list[Any]]) -> pd.DataFrame:
    return pd.DataFrame.from_dict(rows, orient="index", columns=_read()["tasks"]).astype(float)


@cache
def _read() -> dict[str, Any]:
    text = resources.files(__package__ or "").joinpath("printed_tables.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
