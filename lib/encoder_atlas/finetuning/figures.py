"""Figures of what moved: similarity by layer, in time, and the words behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from encoder_atlas.errors import DataError
from encoder_atlas.finetuning.bands import needs, pieces, summary
from encoder_atlas.finetuning.shift import WordShift
from encoder_atlas.show import class_colours, class_markers, plain, styled
from encoder_atlas.show.style import ramp

MEASURES = {"similarity": "RSA (Pearson)", "cka": "CKA (debiased)"}


def draw_bands(
    ax: Axes, table: pd.DataFrame, x: str, line: str, names: Sequence[str], thick: str = ""
) -> None:
    """A line with its band for each of ``names`` in column ``line`` of a ``summary``; one can be thick."""
    for name, colour, marker in zip(names, class_colours(len(names)), class_markers(len(names)), strict=True):
        own = table.loc[table[line] == name].sort_values(x)
        at = own[x].to_numpy(dtype=float)
        ax.fill_between(at, own["low"], own["high"], color=colour, alpha=0.18, lw=0)
        look: dict[str, Any] = {"lw": 3.2, "zorder": 3} if name == thick else {}
        ax.plot(at, own["value"], color=colour, marker=marker, mec="white", label=plain(str(name)), **look)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def plot_similarity(
    frame: pd.DataFrame, measures: Sequence[str] = ("similarity", "cka"), tokens: str = "pieces"
) -> Figure:
    """Draw what `rsa_by_text` gives: a column a model, a row a measure, a line a text, thick where the text
    has the model's name.

    Bands are ± 1 standard deviation over samples of tokens (and over seeds, where rows of several are given):
    they show what another draw of tokens would change, not what another training would.

    Args:
        tokens: "pieces", "[CLS]" or "[SEP]".

    Raises:
        DataError: a column is missing, or there are no rows of these tokens.
    """
    needs(frame, ("model", "text", "tokens", "layer", *measures), "a figure of similarity")
    rows = frame.loc[frame["tokens"] == tokens]
    if rows.empty:
        raise DataError(f"no rows are of tokens {tokens!r}: there are {sorted(set(frame['tokens']))}")
    models, texts = list(dict.fromkeys(rows["model"])), list(dict.fromkeys(rows["text"]))
    with styled():
        figure, axes = panels_of(len(measures), len(models), (2.9, 2.7))
        for row, measure in enumerate(measures):
            table = summary(rows, measure, ("model", "text", "layer"))
            for ax, model in zip(axes[row], models, strict=True):
                draw_bands(ax, table.loc[table["model"] == model], "layer", "text", texts, str(model))
                ax.set_title(plain(str(model)) if row == 0 else "", fontsize=10)
            axes[row, 0].set_ylabel(MEASURES.get(measure, measure))
        for ax in axes[-1]:
            ax.set_xlabel("layer (0: embeddings)")
        legend_above(figure, axes[0, 0], len(texts))
    return figure


def plot_timeline(frame: pd.DataFrame, measure: str = "similarity", panel: str = "text") -> Figure:
    """Draw what `timeline_rsa` gives as heat maps: layers over the share of training done.

    Args:
        panel: the column that has a map for each of its values, "text" or, where frames of several models
            were joined, "model". All maps share one scale.

    Raises:
        DataError: a column is missing.
    """
    table = summary(pieces(frame), measure, (panel, "share", "layer"))
    panels = list(dict.fromkeys(table[panel]))
    with styled():
        across = min(2, len(panels))
        figure, axes = panels_of(-(-len(panels) // across), across, (4.4, 2.6))
        for spare in axes.ravel()[len(panels) :]:
            spare.remove()
        colours = LinearSegmentedColormap.from_list("ramp", ramp()[::-1])
        scale = {"cmap": colours, "vmin": min(table["value"]), "vmax": max(table["value"])}
        for ax, name in zip(axes.ravel(), panels, strict=False):
            wide = table.loc[table[panel] == name].pivot(index="layer", columns="share", values="value")
            sns.heatmap(wide, ax=ax, cbar=False, annot=True, fmt=".2f", annot_kws={"fontsize": 7}, **scale)
            ax.invert_yaxis()
            ax.set_xticklabels([f"{share:.0%}" for share in wide.columns], fontsize=8, rotation=0)
            ax.tick_params(length=0, labelsize=8)
            ax.set(xlabel="share of training", ylabel="layer")
            ax.set_title(plain(str(name)), fontsize=10)
        drawn = list(axes.ravel()[: len(panels)])
        bar = figure.colorbar(drawn[0].collections[0], ax=drawn, shrink=0.8, aspect=25, pad=0.02)
        bar.set_label(MEASURES.get(measure, measure), fontsize=8)
        bar.ax.tick_params(labelsize=7)
    return figure


def plot_shift(shifts: Mapping[str, WordShift]) -> Figure:
    """Draw how far words moved by layer: the median over words, with a band from the first to the third
    quartile. A line for each of ``shifts``, such as models or texts.

    Raises ``DataError`` where there are none.
    """
    if not shifts:
        raise DataError("there is no shift of words to draw")
    parts = []
    for name, found in shifts.items():
        low, middle, high = np.quantile(found.shift, (0.25, 0.5, 0.75), axis=1)
        layers = np.arange(len(middle))
        parts.append(pd.DataFrame({"name": name, "layer": layers, "value": middle, "low": low, "high": high}))
    with styled():
        figure, ax = plt.subplots(figsize=(5.6, 3.4), layout="constrained")
        draw_bands(ax, pd.concat(parts), "layer", "name", list(shifts))
        ax.set(xlabel="layer (0: embeddings)", ylabel="shift of words (1 − cosine)")
        ax.legend(fontsize=9)
    return figure


def plot_moved(shift: WordShift, layer: int, n: int = 15, *, least: int = 3) -> Figure:
    """Draw the words that moved most at a layer, with the intervals of `WordShift.most_moved`."""
    table = shift.most_moved(layer, n, least=least)
    with styled():
        figure, ax = plt.subplots(figsize=(5.6, 1.3 + 0.26 * len(table)), layout="constrained")
        rows = np.arange(len(table))
        ax.hlines(rows, table["low"], table["high"], color="#0072B2", lw=2, alpha=0.5)
        ax.plot(table["shift"], rows, ls="", marker="o", color="#0072B2", mec="white")
        names = [f"{word} ({count}×)" for word, count in zip(table["word"], table["count"], strict=True)]
        ax.set_yticks(rows, [plain(name) for name in names], fontsize=9)
        ax.invert_yaxis()
        ax.set(xlabel="mean shift (1 − cosine)", title=f"Words that moved most, layer {layer}")
    return figure


def panels_of(rows: int, columns: int, panel: tuple[float, float]) -> tuple[Figure, np.ndarray]:
    size = (max(4.2, panel[0] * columns) + 0.6, panel[1] * rows + 0.5)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, sharey="row", layout="constrained")


def legend_above(figure: Figure, ax: Axes, columns: int) -> None:
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=min(columns, 4), fontsize=9)
