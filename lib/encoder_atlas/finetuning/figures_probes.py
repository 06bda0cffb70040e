"""Figures of what is left: probes, where they read, and how much freezing and truncation cost."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import contrast
from encoder_atlas.finetuning.bands import needs, summary
from encoder_atlas.finetuning.figures import draw_bands, legend_above, panels_of
from encoder_atlas.finetuning.structural_result import StructuralResult
from encoder_atlas.show import class_colours, plain, styled
from encoder_atlas.show.style import ramp

NAME_WIDTH = 10  # letters under a group of bars
ABLATIONS = {
    "frozen": ("Freezing: embeddings and the first k layers fixed", "k layers frozen"),
    "truncated": ("Truncation: the head on layer k", "k layers kept"),
}
TREE_MEASURES = {
    "uuas": "UUAS: edges found (share)",
    "root": "Root found (share of sentences)",
    "dspr": "DSpr: order of distances (correlation)",
    "nspr": "NSpr: order of depths (correlation)",
}


def plot_ablations(
    frame: pd.DataFrame, whole: Mapping[str, float] | None = None, unit: str = "score (%)"
) -> Figure:
    """Draw freezing and truncation curves: a panel each, a line a task, bands ± 1 sd over seeds.

    Args:
        frame: columns kind ("frozen" or "truncated"), task, layers, seed and score.
        whole: each task's score where all layers are there and learn: a dotted line.

    Raises:
        DataError: a column is missing, or a kind is unknown.
    """
    needs(frame, ("kind", "task", "layers", "seed", "score"), "a figure of ablations")
    kinds, tasks = list(dict.fromkeys(frame["kind"])), list(dict.fromkeys(frame["task"]))
    unknown = set(kinds) - set(ABLATIONS)
    if unknown:
        raise DataError(f"kind {sorted(unknown)[0]!r} is neither 'frozen' nor 'truncated'")
    table = summary(frame, "score", ("kind", "task", "layers"))
    with styled():
        figure, axes = panels_of(1, len(kinds), (4.0, 3.3))
        for ax, kind in zip(axes[0], kinds, strict=True):
            draw_bands(ax, table.loc[table["kind"] == kind], "layers", "task", tasks)
            for task, colour in zip(tasks, class_colours(len(tasks)), strict=True):
                if whole and task in whole:
                    ax.axhline(whole[task], color=colour, ls=":", lw=1)
            ax.set_title(ABLATIONS[kind][0], fontsize=10)
            ax.set_xlabel(ABLATIONS[kind][1])
        axes[0, 0].set_ylabel(unit)
        legend_above(figure, axes[0, 0], len(tasks))
    return figure


def plot_mix(frame: pd.DataFrame) -> Figure:
    """Draw the shares of layers that scalar mixes learned: a row a task, a map a model, dots where the centre
    of gravity Σ l·w_l lies. Shares are means over seeds.

    Args:
        frame: columns task, layer and weight, and model where there are several; as `layer_weights` of an
            edge probe's result gives them.

    Raises:
        DataError: a column is missing.
    """
    rows = frame if "model" in frame else frame.assign(model="")
    table = summary(rows, "weight", ("model", "task", "layer"))
    models, tasks = list(dict.fromkeys(table["model"])), list(dict.fromkeys(table["task"]))
    with styled():
        figure, axes = panels_of(1, len(models), (3.0, 1.1 + 0.34 * len(tasks)))
        colours = LinearSegmentedColormap.from_list("ramp", ramp())
        for ax, model in zip(axes[0], models, strict=True):
            own = table.loc[table["model"] == model]
            wide = own.pivot(index="task", columns="layer", values="value").reindex(tasks)
            sns.heatmap(wide, ax=ax, cmap=colours, vmin=0, vmax=max(table["value"]), cbar=False)
            centres = wide.to_numpy() @ wide.columns.to_numpy(dtype=float)
            ax.plot(
                centres + 0.5, np.arange(len(tasks)) + 0.5, ls="", marker="o", color="#D55E00", mec="white"
            )
            ax.set_yticks(
                np.arange(len(tasks)) + 0.5, [plain(str(task)) for task in tasks], rotation=0, fontsize=9
            )
            ax.tick_params(length=0)
            ax.set(xlabel="layer", ylabel="")
            ax.set_title(plain(str(model)), fontsize=10)
        bar = figure.colorbar(axes[0, 0].collections[0], ax=list(axes[0]), aspect=20, pad=0.02)
        bar.set_label("share in the mix (dot: centre)", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    return figure


def plot_structural(results: Mapping[str, StructuralResult], baseline: StructuralResult) -> Figure:
    """Draw what structural probes find in each layer: a panel a measure, a line an encoder.

    UUAS and Root are shares of edges and of sentences, with bands of 95 % from a bootstrap over sentences;
    DSpr and NSpr are means of rank correlations. The dotted line is ``baseline``, which has one layer.
    """
    names = list(results)
    with styled():
        figure, axes = panels_of(2, len(TREE_MEASURES) // 2, (4.0, 2.7))
        for ax, (measure, title) in zip(axes.ravel(), TREE_MEASURES.items(), strict=True):
            table = pd.concat(_by_layer(one, measure).assign(name=name) for name, one in results.items())
            draw_bands(ax, table, "layer", "name", names)
            constant = baseline.to_frame()[measure].iloc[0]
            ax.axhline(constant, color="#57606a", ls=":", lw=1.2, label=baseline.name)
            ax.set_title(title, fontsize=10)
            ax.set_xlabel("layer")
        legend_above(figure, axes[0, 0], len(names) + 1)
    return figure


def _by_layer(result: StructuralResult, measure: str) -> pd.DataFrame:
    """A row a layer: value, low and high; the band has no width where none is known."""
    table = result.to_frame().rename(columns={measure: "value"})[["layer", "value"]]
    if measure not in ("uuas", "root"):
        return table.assign(low=table["value"], high=table["value"])
    found = [
        contrast([[result.by_sentence(measure, layer)]], lambda scores: scores[0]) for layer in table["layer"]
    ]
    return table.assign(low=[one.low / 100 for one in found], high=[one.high / 100 for one in found])


def plot_probes(frame: pd.DataFrame, views: Sequence[str] = ("mix", "top", "lexical")) -> Figure:
    """Draw micro F1 of edge probes: a panel a task, a group of bars a model, a bar a view.

    Bars are means over seeds, whiskers ± 1 standard deviation; of a single seed what a bootstrap over
    sentences gives, where the frame has ``low`` and ``high``. The dotted line is the constant answer that
    scores best, where the frame has ``constant_f1``. An encoder with random weights is one model more.

    Args:
        frame: rows of an edge probe's ``to_frame`` with a column model: model, task, view, f1.
        views: which to draw, in this order.

    Raises:
        DataError: a column is missing, or no row has one of the views.
    """
    rows = frame.loc[frame["view"].isin(views)] if "view" in frame else frame
    table = summary(rows, "f1", ("task", "model", "view"))
    if set(table["n"]) == {1} and {"low", "high"} <= set(rows):
        # Each row with a score is its own group, in the order of rows.
        table[["low", "high"]] = rows.loc[rows["f1"].notna(), ["low", "high"]].to_numpy()
    tasks, models = list(dict.fromkeys(table["task"])), list(dict.fromkeys(table["model"]))
    with styled():
        across = min(3, len(tasks))
        figure, axes = panels_of(-(-len(tasks) // across), across, (3.2, 2.7))
        for spare in axes.ravel()[len(tasks) :]:
            spare.remove()
        for ax, task in zip(axes.ravel(), tasks, strict=False):
            own = table.loc[table["task"] == task].set_index(["model", "view"])
            for at, (view, colour) in enumerate(zip(views, class_colours(len(views)), strict=True)):
                found = own.reindex([(model, view) for model in models])
                x = np.arange(len(models)) + (at - (len(views) - 1) / 2) * 0.8 / len(views)
                spread = np.stack([found["value"] - found["low"], found["high"] - found["value"]])
                ax.bar(
                    x,
                    found["value"],
                    0.74 / len(views),
                    yerr=spread,
                    color=colour,
                    label=view,
                    ecolor="#57606a",
                )
            if "constant_f1" in rows:
                constant = rows.loc[rows["task"] == task, "constant_f1"].mean()
                ax.axhline(float(constant), color="#57606a", ls=":", lw=1, label="constant answer")
            names = [plain(fill(str(model), NAME_WIDTH)) for model in models]
            ax.set_xticks(range(len(models)), names, fontsize=8)
            ax.set_title(plain(str(task)), fontsize=10)
            ax.set_ylim(0, 1)
        for row in axes:
            row[0].set_ylabel("micro F1")
        legend_above(figure, axes[0, 0], len(views) + 1)
    return figure
