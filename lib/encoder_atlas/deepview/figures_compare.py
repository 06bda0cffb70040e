"""Figures of Sections 5.3 and 5.4: curves of neighbourhoods, confusions of tasks, transfer of heads."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError, near
from encoder_atlas.show import class_colours, styled

GREY = "#8B949E"
BASELINE_DASHES = (":", "--", "-.")
SPACE_NAMES = {"map": "On the map", "original": "In the original space"}
CURVES = {"q_nn": "$Q_{NN}(k)$", "lcmc": "LCMC(k)"}


def plot_neighbourhoods(curves: pd.DataFrame, measure: str = "q_nn") -> Figure:
    """Draw Figure 5: one curve a pair of models, on the map and in the original space.

    ``curves`` is `ModelComparison.to_frame`. A band spans all samples; the dotted line is the random
    baseline. Thin dashed lines are the same points after they changed places within classes: a pair that
    lies on its dashed line shares its classes and no more. AUCs (means of Q_NN) stand in the legend.

    Raises:
        DataError: a column is missing, the table is empty, or ``measure`` is neither q_nn nor lcmc.
    """
    if measure not in CURVES:
        raise DataError(f"no curve is called {measure!r}; {near(measure, CURVES)}")
    _check(curves, ["pair", "space", "sample", "k", "baseline", "classes_alone", *CURVES])
    pairs = list(dict.fromkeys(curves["pair"]))
    colours = dict(zip(pairs, class_colours(len(pairs)), strict=True))
    spaces = [space for space in SPACE_NAMES if space in set(curves["space"])]
    with styled():
        figure, axes = plt.subplots(
            1, len(spaces), figsize=(5.4 * len(spaces), 4.6), sharey=True, layout="constrained", squeeze=False
        )
        for ax, space in zip(axes[0], spaces, strict=True):
            _draw_curves(ax, curves.loc[curves["space"].eq(space)], measure, colours)
            ax.set(title=SPACE_NAMES[space], xlabel="k neighbours", ylabel=CURVES[measure])
    return figure


def _draw_curves(ax: Axes, curves: pd.DataFrame, measure: str, colours: dict[str, str]) -> None:
    ks = np.unique(curves["k"])
    random = _over_samples(curves, "baseline").mean(axis=0)
    for pair, rows in curves.groupby("pair", sort=False):
        colour, found = colours[str(pair)], _over_samples(rows, measure)
        auc = rows["q_nn"].to_numpy().mean()
        ax.plot(ks, found.mean(axis=0), color=colour, label=f"{pair}, AUC {auc:.2f}")
        ax.fill_between(ks, found.min(axis=0), found.max(axis=0), color=colour, alpha=0.2, lw=0)
        alone = _over_samples(rows, "classes_alone").mean(axis=0)
        ax.plot(ks, alone - random if measure == "lcmc" else alone, color=colour, lw=0.9, ls="--")
    ax.plot(ks, random if measure == "q_nn" else 0 * random, color=GREY, ls=":", label="random")
    ax.plot([], [], color=GREY, lw=0.9, ls="--", label="classes alone")
    ax.set_xlim(1, ks[-1])
    ax.legend(fontsize=8, loc="lower right" if measure == "q_nn" else "upper right")


def _over_samples(curves: pd.DataFrame, column: str) -> Float64[np.ndarray, "samples ks"]:
    return curves.pivot_table(index="sample", columns="k", values=column).to_numpy()


def plot_confusions(confusions: pd.DataFrame) -> Figure:
    """Draw the right half of Figure 4: which task's texts are taken for which, one heat map an encoder.

    ``confusions`` is `confusion_frame`. A cell holds the percentage of its row, and the count beneath.

    Raises:
        DataError: a column is missing or the table is empty.
    """
    _check(confusions, ["model", "true", "predicted", "count", "share"])
    models, tasks = (list(dict.fromkeys(confusions[column])) for column in ("model", "true"))
    side = 1.6 + 0.75 * len(tasks)
    with styled():
        figure, axes = plt.subplots(
            1,
            len(models),
            figsize=(side * len(models), side),
            sharey=True,
            layout="constrained",
            squeeze=False,
        )
        for ax, model in zip(axes[0], models, strict=True):
            _draw_confusions(ax, confusions.loc[confusions["model"].eq(model)], tasks)
            ax.set(title=model, xlabel="taken for", ylabel="task" if ax is axes[0, 0] else "")
    return figure


def _draw_confusions(ax: Axes, rows: pd.DataFrame, tasks: Sequence[str]) -> None:
    share, count = (
        rows.pivot(index="true", columns="predicted", values=column).loc[tasks, tasks].to_numpy()
        for column in ("share", "count")
    )
    texts = np.array(
        [
            [f"{100 * s:.0f} %\n{int(c)}" for s, c in zip(*pair, strict=True)]
            for pair in zip(share, count, strict=True)
        ]
    )
    sns.heatmap(
        share, vmin=0, vmax=1, cmap="Blues", annot=texts, fmt="", annot_kws={"size": 9}, cbar=False,
        xticklabels=tasks, yticklabels=tasks, square=True, linewidths=0.5, ax=ax,
    )  # fmt: skip
    ax.tick_params(axis="x", rotation=30)
    ax.tick_params(axis="y", rotation=0)


def plot_transfer(transfer: pd.DataFrame, baselines: Mapping[str, float]) -> Figure:
    """Draw accuracies on the target with their intervals, one row an encoder; lines need no encoder.

    ``transfer`` is `Transfer.to_frame`, ``baselines`` those of the same `Transfer`.

    Raises:
        DataError: a column is missing or the table is empty.
    """
    _check(transfer, ["encoder", "accuracy", "low", "high", "target"])
    accuracy, low, high = (100 * transfer[column].to_numpy() for column in ("accuracy", "low", "high"))
    places = np.arange(len(transfer))
    with styled():
        figure, ax = plt.subplots(figsize=(7.4, 1.2 + 0.5 * len(transfer)), layout="constrained")
        error = np.stack([accuracy - low, high - accuracy]).clip(0)
        ax.errorbar(accuracy, places, xerr=error, fmt="o", color=class_colours(1)[0], capsize=3)
        for (name, value), dashes in zip(baselines.items(), BASELINE_DASHES, strict=False):
            ax.axvline(100 * value, color=GREY, ls=dashes, label=name)
        ax.set(yticks=places, yticklabels=transfer["encoder"], xlabel="accuracy on dev (%)")
        ax.set(title=f"Ways to {transfer['target'].iloc[0]}", ylim=(len(transfer) - 0.5, -0.5))
        ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1), title="without an encoder")
    return figure


def _check(table: pd.DataFrame, columns: Sequence[str]) -> None:
    for column in columns:
        if column not in table:
            raise DataError(f"the table has no column {column!r}; {near(column, map(str, table.columns))}")
    if table.empty:
        raise DataError("the table holds no measurement")
