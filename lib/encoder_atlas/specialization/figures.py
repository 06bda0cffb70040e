"""Figures of IAP: dissociation of pairs (Figure 2) and over α, heads by layer (Figure 4), overlaps."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError, near
from encoder_atlas.show import HeadScores, HeadStep, class_colours, class_markers, plain, styled
from encoder_atlas.specialization.dissociation import DISTINCT
from encoder_atlas.specialization.heads import layer_frame
from encoder_atlas.specialization.iap import MEAN, HeadPruning
from encoder_atlas.specialization.sweep import AlphaSweep

GREY = "#8B949E"
BAND = 0.15
"""How opaque a band is."""


def plot_pairs(pairs: pd.DataFrame, title: str = "") -> Figure:
    """Draw Figure 2: average dissociation of every model (row) and pair of tasks (column), in points.

    Args:
        pairs: columns model, a, b, d, as `printed_pairs` and `Dissociation.pairs` (with a model's name) have.

    Raises:
        DataError: a column is missing, or there are no rows.
    """
    _check(pairs, ["model", "a", "b", "d"])
    labels = [f"{plain(str(a))} – {plain(str(b))}" for a, b in zip(pairs["a"], pairs["b"], strict=True)]
    wide = pairs.assign(pair=labels).pivot_table(index="model", columns="pair", values="d", sort=False)
    with styled():
        size = (2.6 + 0.75 * wide.shape[1], 1.9 + 0.42 * len(wide))
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        limit = max(DISTINCT, float(np.nanmax(np.abs(wide.to_numpy()))))
        _heatmap(ax, wide, vmin=-limit, vmax=limit, cmap="vlag", label="D (points)")
        ax.set(xlabel="", ylabel="", title=title)
        ax.tick_params(axis="x", rotation=40)
    return figure


def plot_alpha(sweep: AlphaSweep) -> Figure:
    """Draw D_i and D against α: lines are means over models (seeds).

    Bands say in the legend what they are: of several models one standard deviation between them to either
    side, with each model as a dot; of one model, which has no spread, the interval over dev texts. (That of
    several models is in `dissociation_interval`.) The hatched band is two standard deviations of random
    head sets to either side, where enough were taken out. The dotted line is what the paper calls distinct.
    """
    table, intervals = sweep.to_frame(), sweep.intervals()
    tasks = [task for task in intervals["task"].unique() if task != MEAN]
    with styled():
        figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharey=True, layout="constrained")
        colours = dict(zip(tasks, class_colours(len(tasks)), strict=True))
        markers = dict(zip(tasks, class_markers(len(tasks)), strict=True))
        _draw_alpha(axes[0], table, intervals, MEAN, "#1F2328", "o")
        _draw_null(axes[0], table)
        for task in tasks:
            _draw_alpha(axes[1], table, intervals, task, colours[task], markers[task])
        for ax, title in zip(axes, ("Mean over tasks: D(α)", "Each task: $D_i$(α)"), strict=True):
            ax.axhline(0, color=GREY, lw=0.8)
            ax.axhline(DISTINCT, color=GREY, lw=1, ls=":")
            ax.set(title=title, xlabel="α, share of heads taken out")
            ax.set_xticks(sorted(set(intervals["alpha"])))
        models = next(iter(sweep.runs.values()))
        _draw_band_key(axes[0], len(models), models[0].settings.level)
        for ax in axes:
            ax.legend(fontsize=9)
        axes[0].set_ylabel("dissociation (points)")
    return figure


def plot_layers(runs: Sequence[HeadPruning]) -> Figure:
    """Draw Figure 4: how many of each task's most important heads lie in each layer, mean over models.

    The dotted line is an even spread.
    """
    frames = [layer_frame(run.sets) for run in runs]
    table = (
        pd.concat(frames).groupby(["set", "layer"], sort=False, as_index=False).agg(heads=("heads", "mean"))
    )
    tasks = list(table["set"].unique())
    with styled():
        figure, ax = plt.subplots(figsize=(7.4, 3.6), layout="constrained")
        for task, colour, marker in zip(
            tasks, class_colours(len(tasks)), class_markers(len(tasks)), strict=True
        ):
            own = table.loc[table["set"].eq(task)]
            ax.plot(own["layer"], own["heads"], color=colour, marker=marker, mec="white", label=plain(task))
        ax.axhline(table["heads"].to_numpy().mean(), color=GREY, lw=1, ls=":", label="even spread")
        ax.set(xlabel="layer", ylabel="heads taken out", title="Where each task's most important heads lie")
        ax.set_xticks(sorted(set(table["layer"])))
        ax.set_ylim(bottom=0)
        ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure


def plot_overlaps(runs: Sequence[HeadPruning]) -> Figure:
    """Draw Table 11: heads that two tasks share, in percent of a set, mean over models."""
    mean = np.mean([run.overlaps.to_numpy() for run in runs], axis=0)
    tasks = [plain(task) for task in runs[0].overlaps.columns]
    table = pd.DataFrame(mean, index=tasks, columns=tasks).where(~np.eye(len(tasks), dtype=bool))
    chance = 100 * float(np.mean([heads.mean() for run in runs for heads in run.sets.values()]))
    with styled():
        figure, ax = plt.subplots(
            figsize=(2.6 + 0.8 * len(tasks), 1.7 + 0.55 * len(tasks)), layout="constrained"
        )
        _heatmap(ax, table, vmin=0.0, vmax=100.0, cmap="Blues", label="shared heads (%)", digits=0)
        ax.set(title=f"Heads two tasks share\n(by chance: {chance:.0f} %)", xlabel="", ylabel="")
    return figure


def plot_readings(readings: pd.DataFrame) -> Figure:
    """Draw how far each reading of importance moves the ranking of Eq. (4).

    Left the rank correlation with Eq. (4) over all heads, right how many heads of the last layer are among
    the top α; a dot a task, a bar their mean.

    Args:
        readings: what `compare_readings` gives, of one task or several.

    Raises:
        DataError: a column is missing, or there are no rows.
    """
    _check(readings, ["task", "reading", "spearman", "shared", "last_layer"])
    panels = {
        "spearman": "Rank correlation with Eq. (4)",
        "shared": "Top α that Eq. (4) has too (%)",
        "last_layer": "Top α in the last layer (heads)",
    }
    with styled():
        figure, axes = plt.subplots(1, 3, figsize=(11.5, 3.4), sharey=True, layout="constrained")
        for ax, (column, title) in zip(axes, panels.items(), strict=True):
            sns.barplot(readings, x=column, y="reading", color="#B8CDE0", errorbar=None, ax=ax)
            sns.stripplot(readings, x=column, y="reading", color="#0072B2", size=5, jitter=False, ax=ax)
            ax.set_title(title, fontsize=11)
            ax.set(xlabel="", ylabel="")
    return figure


def head_scores(sweep: AlphaSweep, model: int = 0) -> HeadScores:
    """What the grid of heads shows of one model of a sweep: importance, and a step for every α.

    Raises:
        DataError: no such model.
    """
    runs = {alpha: of_alpha[model] for alpha, of_alpha in sweep.runs.items() if model < len(of_alpha)}
    if not runs:
        raise DataError(f"the sweep has no model number {model}")
    first = next(iter(runs.values()))
    tasks = list(first.pruned.tasks)
    steps = [
        HeadStep(
            value=alpha,
            selected=np.stack([run.sets[task] for task in tasks]),
            performance=100 * run.pruned.relative(),
            dissociation=run.dissociation.scores,
        )
        for alpha, run in runs.items()
    ]
    values = np.stack([first.importance[task].scores for task in tasks])
    return HeadScores(tasks=tasks, values=values, steps=steps)


def _draw_alpha(
    ax: Axes, table: pd.DataFrame, intervals: pd.DataFrame, task: str, colour: str, marker: str
) -> None:
    line = intervals.loc[intervals["task"].eq(task)].sort_values("alpha")
    names = ("alpha", "dissociation", "sd", "low", "high")
    alpha, mean, sd, low, high = (line[name].to_numpy(dtype=float) for name in names)
    several = len(set(table["seed"])) > 1
    if several:
        low, high = mean - sd, mean + sd
    ax.fill_between(alpha, low, high, color=colour, alpha=BAND, lw=0)
    label = "D" if task == MEAN else plain(task)
    ax.plot(alpha, mean, color=colour, marker=marker, mec="white", label=label)
    if several:
        points = table.loc[table["task"].eq(task)]
        ax.scatter(points["alpha"], points["dissociation"], color=colour, marker=marker, s=14, alpha=0.6)


def _draw_band_key(ax: Axes, seeds: int, level: float) -> None:
    """An entry of the legend for what coloured bands are."""
    what = f"± 1 sd over {seeds} seeds" if seeds > 1 else f"{100 * level:g} % over held-out texts"
    ax.fill_between([], [], color="#1F2328", alpha=BAND, lw=0, label=what)


def _draw_null(ax: Axes, table: pd.DataFrame) -> None:
    """Two standard deviations of the null, the widest of the models."""
    null = table.loc[table["task"].eq(MEAN)].dropna(subset=["null_sd"])
    if null.empty:
        return
    widest = null.groupby("alpha")["null_sd"].max()
    alpha, sd = widest.index.to_numpy(dtype=float), widest.to_numpy(dtype=float)
    # Hatched, so that it is told from the band of D, which is grey as well.
    look = {"facecolor": "none", "edgecolor": GREY, "alpha": 0.6, "lw": 0, "hatch": "///"}
    ax.fill_between(alpha, -2 * sd, 2 * sd, label="random heads, ± 2 sd", **look)


def _heatmap(
    ax: Axes, table: pd.DataFrame, *, vmin: float, vmax: float, cmap: str, label: str, digits: int = 1
) -> None:
    sns.heatmap(
        table,
        ax=ax,
        annot=True,
        fmt=f".{digits}f",
        vmin=vmin,
        vmax=vmax,
        cmap=cmap,
        linewidths=0.5,
        cbar_kws={"label": label},
        annot_kws={"fontsize": 9},
    )
    ax.tick_params(axis="y", rotation=0)


def _check(table: pd.DataFrame, columns: Sequence[str]) -> None:
    for column in columns:
        if column not in table:
            raise DataError(f"the table has no column {column!r}; {near(column, map(str, table.columns))}")
    if table.empty:
        raise DataError("the table has no rows: there is nothing to draw")
