"""What the draws of an adversarial search say together: averages, savings and the curve of finds."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from jaxtyping import Float64, Int
from matplotlib.figure import Figure
from scipy.stats import binomtest, bootstrap

from encoder_atlas.deepview.search import ORDERS
from encoder_atlas.errors import DataError
from encoder_atlas.show import class_colours, styled

EARLY = (5, 10, 20)
_NAMES = {
    "map": "by the map's uncertain regions",
    "entropy": "by softmax entropy",
    "random": "in random order",
}
_DASHES = {"map": "-", "entropy": "--", "random": ":"}


def search_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Sentences read until the hidden one was found, one row an order of reading.

    ``table`` is `AdversarialSearch.to_frame`. Columns: mean with its 95 % bootstrap interval over draws
    (low, high), median, and the share of draws (in [0, 1]) that found it within 5, 10 and 20 sentences. The
    random order's values are exact, so that its interval is a point.

    Raises:
        DataError: the table lacks an order or holds none.
    """
    reads, points = _reads(table)
    rows = {}
    for order, read in reads.items():
        mean, low, high = _interval(read)
        early = {f"within {k}": _share_found(order, read, points, np.array([k]))[0] for k in EARLY}
        rows[order] = {"mean": mean, "low": low, "high": high, "median": float(np.median(read)), **early}
    return pd.DataFrame(rows).T.rename_axis("order")


def search_savings(table: pd.DataFrame) -> pd.DataFrame:
    """How many sentences fewer the map's order reads than each other order, paired by draw.

    One row a baseline: mean with its 95 % bootstrap interval over draws (low, high). Below zero the map is
    the slower way.

    Raises:
        DataError: the table lacks an order or holds none.
    """
    reads, _ = _reads(table)
    rows = {order: _interval(reads[order] - reads["map"]) for order in ORDERS if order != "map"}
    return pd.DataFrame(rows, index=["mean", "low", "high"]).T.rename_axis("against")


def search_effect(attacked: pd.DataFrame, unchanged: pd.DataFrame) -> pd.DataFrame:
    """How many sentences sooner a sentence is found for being attacked, paired by draw.

    ``unchanged`` is the table of the same search for the same sentences as they were (see
    `adversarial_search`). Uncertain sentences are found soon with or without an attack; this is what the
    attack itself gives away. One row an order: mean with its 95 % bootstrap interval over draws (low, high).

    Raises:
        DataError: a table lacks an order, or the two differ in draws or points.
    """
    (reads, points), (before, among) = _reads(attacked), _reads(unchanged)
    if points != among or len(reads["map"]) != len(before["map"]):
        raise DataError("both searches must have the same number of draws among the same number of points")
    rows = {order: _interval(before[order] - reads[order]) for order in ORDERS if order != "random"}
    return pd.DataFrame(rows, index=["mean", "low", "high"]).T.rename_axis("order")


def search_curve(table: pd.DataFrame) -> pd.DataFrame:
    """Share of the hidden sentences found (in [0, 1]) after every number of sentences read.

    One row an order and number: order, read, share, low, high; the band is Wilson's 95 % interval, at
    each number by itself, which has a width even where none or all of the draws have found theirs.

    Raises:
        DataError: the table lacks an order or holds none.
    """
    reads, points = _reads(table)
    read_so_far = np.arange(1, points + 1)
    parts = []
    for order, read in reads.items():
        share = _share_found(order, read, points, read_so_far)
        low, high = (share, share) if order == "random" else _band(share, len(read))
        parts.append(
            pd.DataFrame({"order": order, "read": read_so_far, "share": share, "low": low, "high": high})
        )
    return pd.concat(parts, ignore_index=True)


def plot_search(table: pd.DataFrame, hidden: str = "sentence") -> Figure:
    """Draw the share of hidden sentences found against the sentences read: three lines, two with bands.

    ``hidden`` names what was hidden. The horizontal axis is logarithmic, for what counts is how soon; above
    the dotted line is better than reading without a plan.

    Raises:
        DataError: the table lacks an order or holds none.
    """
    curve = search_curve(table)
    colours = dict(zip(ORDERS, (*class_colours(2), "#57606A"), strict=True))
    with styled():
        figure, ax = plt.subplots(figsize=(7.0, 3.8), layout="constrained")
        for order, part in curve.groupby("order", sort=False):
            order, percent = str(order), 100 * part[["share", "low", "high"]]
            ax.step(
                part["read"], percent["share"], where="post", color=colours[order], ls=_DASHES[order], lw=2
            )
            ax.lines[-1].set_label(_NAMES[order])
            if order != "random":
                ax.fill_between(
                    part["read"],
                    percent["low"],
                    percent["high"],
                    step="post",
                    color=colours[order],
                    alpha=0.18,
                )
        ax.set(xscale="log", xlim=(1, curve["read"].max()), ylim=(0, 100))
        title = f"One hidden {hidden} among {curve['read'].max():,}, {table['draw'].nunique()} draws"
        ax.set(xlabel="sentences read", ylabel="hidden sentence found (%)", title=title)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.legend(loc="upper left", fontsize=9)
    return figure


def _reads(table: pd.DataFrame) -> tuple[dict[str, Float64[np.ndarray, "draws"]], int]:
    """The numbers of sentences read by each order, draw by draw, and how many sentences there were."""
    missing = [name for name in ("draw", "order", "read", "points") if name not in table]
    if missing or table.empty:
        raise DataError(f"no table of an adversarial search: it lacks {missing[0] if missing else 'rows'}")
    wide = table.pivot(index="draw", columns="order", values="read")
    complete = set(ORDERS) <= set(wide.columns) and wide.notna().to_numpy().all()
    if not complete or len(set(table["points"])) > 1:
        raise DataError(
            f"every draw needs a number for each of {', '.join(ORDERS)}, among equally many points"
        )
    return {order: wide[order].to_numpy(np.float64) for order in ORDERS}, int(table["points"].iloc[0])


def _share_found(
    order: str, read: Float64[np.ndarray, "draws"], points: int, within: Int[np.ndarray, "numbers"]
) -> Float64[np.ndarray, "numbers"]:
    if order == "random":  # the table holds expectations; the law behind them is uniform
        return np.minimum(within / points, 1)
    return (read <= within[:, None]).mean(axis=1)


def _interval(read: Float64[np.ndarray, "draws"]) -> tuple[float, float, float]:
    """Mean and its 95 % bootstrap interval."""
    resampled = bootstrap((read,), np.mean, method="percentile", rng=np.random.default_rng(0))
    low, high = resampled.confidence_interval
    return float(read.mean()), float(low), float(high)


def _band(
    share: Float64[np.ndarray, "numbers"], draws: int
) -> tuple[Float64[np.ndarray, "numbers"], Float64[np.ndarray, "numbers"]]:
    counts, place = np.unique(np.rint(share * draws).astype(np.int64), return_inverse=True)
    ends = [binomtest(int(count), draws).proportion_ci(method="wilson") for count in counts]
    low, high = np.array([(end.low, end.high) for end in ends]).T
    return low[place], high[place]
