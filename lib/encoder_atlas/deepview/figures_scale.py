"""The figure of what a map costs as the number of points grows."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from encoder_atlas.deepview.cost import STAGES
from encoder_atlas.errors import DataError
from encoder_atlas.show import styled

_NEEDED = {"points", "route", "stage", "cpu_seconds"}
_TITLES = {"full": "All distances", "nearest": "Nearest neighbours only"}
_LOOKS = {"distances": ("#0072B2", "o"), "UMAP": ("#E69F00", "s"), "background": ("#882255", "^")}
_LOOKS |= {"quality": ("#8C510A", "D"), "all": ("#1F2328", "")}


def plot_cost(cost: pd.DataFrame) -> Figure:
    """Draw CPU seconds of every stage against the number of points, one panel a route, on logarithmic axes.

    ``cost`` is the table of `cost_over_points`, measured now or read from a file. Straight lines are powers
    of the number of points; a dotted one shows the slope of N².

    Raises:
        DataError: the table has no rows or lacks a column (it is named).
    """
    missing = sorted(_NEEDED - set(cost.columns))
    if missing or cost.empty:
        raise DataError(f"a table of costs needs rows, and a column {', '.join(missing or sorted(_NEEDED))}")
    routes = [route for route in _TITLES if route in set(cost["route"])]
    with styled():
        figure, axes = plt.subplots(
            1, len(routes), figsize=(4.4 * len(routes), 3.6), sharey=True, squeeze=False, layout="constrained"
        )
        for ax, route in zip(axes[0], routes, strict=True):
            seconds = cost[cost["route"] == route].pivot_table("cpu_seconds", "points", "stage")[list(STAGES)]
            _draw_route(ax, seconds.assign(all=seconds.sum(axis=1)))
            ax.set_title(_TITLES[route])
        axes[0, 0].set_ylabel("CPU seconds")
        axes[0, -1].legend(loc="upper left", bbox_to_anchor=(1, 1), title="stage")
    return figure


def _draw_route(ax: Axes, seconds: pd.DataFrame) -> None:
    sizes = seconds.index.to_numpy(dtype=float)
    for stage, (colour, marker) in _LOOKS.items():
        ax.plot(
            sizes, seconds[stage], color=colour, marker=marker, lw=2 if stage == "all" else 1, label=stage
        )
    if len(sizes) > 1:
        total = seconds["all"].iloc[0] * np.square(sizes / sizes[0])
        ax.plot(sizes, total, color="#8B949E", ls=":", label="slope of $N^2$")
    ax.set(xscale="log", yscale="log", xlabel="points N")
    ax.set_xticks(sizes, [f"{int(size):,}" for size in sizes], rotation=45)
    ax.minorticks_off()
