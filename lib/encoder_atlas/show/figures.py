"""Figures that stand beside the widget, and in its place where a page cannot hold one."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from jaxtyping import Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy import ndarray

from encoder_atlas.show.frames import MapFrame, check_frames
from encoder_atlas.show.style import INK, background, class_colours, class_markers, plain, styled

LISTED_CLASSES = 12  # a longer legend would leave the map no room; the widget names every point's class


def plot_decision_map(
    frame: MapFrame,
    labels: Int[ndarray, " points"],
    class_names: Sequence[str],
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw one decision map: what the classifier decides where, and how the points lie in it.

    The background is the class decided there and fades to white with uncertainty. A point's colour and shape
    are its true label. A ring, in the colour of the point's predicted label, says that the background at the
    point is another class: there the picture, not the classifier, is wrong.

    Raises ``DataError`` as ``check_frames`` does.
    """
    check_frames([frame], labels, class_names)
    colours = class_colours(len(class_names))
    with styled():
        ax = ax or plt.subplots(figsize=(7.0, 4.6), layout="constrained")[1]
        _draw_background(ax, frame, colours)
        _draw_rings(ax, frame, colours)
        _draw_points(ax, frame, labels, colours)
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="", title=f"λ = {frame.lambda_:g}")
        ax.set_box_aspect(1)
        sns.despine(ax=ax, left=True, bottom=True)
        if legend:
            handles = _map_legend(class_names, colours)
            ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=9)
    return ax


def draw_side_by_side(
    figure: Figure,
    maps: Mapping[str, MapFrame],
    labels: Int[ndarray, " points"],
    class_names: Sequence[str],
    title: str = "",
) -> Figure:
    """Draw named maps of the same points into ``figure``, left to right, with one legend for all.

    Raises ``DataError`` as ``check_frames`` does.
    """
    axes = figure.subplots(1, len(maps), squeeze=False)[0]
    for ax, (name, frame) in zip(axes, maps.items(), strict=True):
        plot_decision_map(frame, labels, class_names, ax, legend=ax is axes[-1])
        ax.set_title(plain(name))
    if title:
        figure.suptitle(plain(title))
    return figure


def _draw_background(ax: Axes, frame: MapFrame, colours: list[str]) -> None:
    left, right, bottom, top = frame.extent
    rows, cols = frame.grid_class.shape
    # The outer nodes lie on the extent, so that their pixels reach half a cell beyond it.
    dx, dy = (right - left) / max(cols - 1, 1) / 2, (top - bottom) / max(rows - 1, 1) / 2
    ax.imshow(
        background(colours, frame.grid_class, frame.grid_certainty),
        extent=(left - dx, right + dx, bottom - dy, top + dy),
        origin="lower",
        aspect="auto",
        interpolation="bilinear",
    )
    ax.set(xlim=(left, right), ylim=(bottom, top))


def _draw_rings(ax: Axes, frame: MapFrame, colours: list[str]) -> None:
    ringed = np.flatnonzero(frame.predicted != frame.background)
    x, y = frame.embedding[ringed].T
    rim = [colours[label] for label in frame.predicted[ringed]]
    ax.scatter(x, y, s=130, facecolors="none", edgecolors=INK, linewidths=3.4, zorder=2)
    ax.scatter(x, y, s=130, facecolors="none", edgecolors=rim, linewidths=2, zorder=2)


def _draw_points(ax: Axes, frame: MapFrame, labels: Int[ndarray, " points"], colours: list[str]) -> None:
    classes = range(len(colours))
    sns.scatterplot(
        x=frame.embedding[:, 0],
        y=frame.embedding[:, 1],
        hue=labels,
        style=labels,
        hue_order=classes,
        style_order=classes,
        palette=dict(zip(classes, colours, strict=True)),
        markers=dict(zip(classes, class_markers(len(colours)), strict=True)),
        s=34,
        linewidth=0.7,
        edgecolor="white",
        legend=False,
        zorder=3,
        ax=ax,
    )


def _map_legend(class_names: Sequence[str], colours: list[str]) -> list[Line2D | Patch]:
    points = [
        Line2D(
            [], [], ls="", marker=marker, ms=7, color=colour, mec="white", label=f"true label: {plain(name)}"
        )
        for name, colour, marker in zip(class_names, colours, class_markers(len(colours)), strict=True)
    ]
    if len(points) > LISTED_CLASSES:
        more = len(points) - LISTED_CLASSES
        points = [*points[:LISTED_CLASSES], Line2D([], [], ls="", label=f"and {more} more classes")]
    ring = Line2D([], [], ls="", marker="o", ms=10, mfc="none", mec=INK, mew=2)
    ring.set_label("ring: prediction ≠ background\n(ring's colour: prediction)")
    shade = Patch(facecolor="#B8CDE0", label="background: class decided there")
    white = Patch(facecolor="white", edgecolor="#8B949E", label="white: the classifier is unsure")
    return [*points, ring, shade, white]
