"""Means with bands over samples and seeds, the check that a frame has what a figure needs."""

from collections.abc import Sequence

import pandas as pd

from encoder_atlas.errors import DataError, near


def summary(frame: pd.DataFrame, value: str, by: Sequence[str]) -> pd.DataFrame:
    """The mean of ``value`` and its band, ± 1 standard deviation, over all rows that share ``by``.

    The deviation is the sample's (n − 1), over whatever else tells rows apart, samples of tokens or seeds; of
    a single row there is none, and the band has no width. It says how much a repetition would differ, and is
    no confidence interval.

    Returns:
        Columns ``by`` (in the order in which its values come), value, low, high and n.

    Raises:
        DataError: a column is missing, or no row has a value.
    """
    needs(frame, (*by, value), f"a summary of {value}")
    rows = frame.loc[frame[value].notna()]
    if rows.empty:
        raise DataError(f"there is no {value} to show: every row is empty")
    found = rows.groupby(list(by), sort=False)[value].agg(["mean", "std", "size"]).reset_index()
    spread = found["std"].fillna(0.0)
    return found[list(by)].assign(
        value=found["mean"], low=found["mean"] - spread, high=found["mean"] + spread, n=found["size"]
    )


def needs(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raise ``DataError`` naming the first of ``columns`` that ``frame`` lacks."""
    for column in columns:
        if column not in frame:
            raise DataError(f"{what} needs a column {column!r}; {near(column, map(str, frame.columns))}")


def pieces(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of an RSA frame that are of word pieces, not of [CLS] or [SEP]."""
    return frame.loc[frame["tokens"] == "pieces"] if "tokens" in frame else frame
