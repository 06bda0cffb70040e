"""Charts over layers as a figure: beside the widget, and in its place where a page cannot hold one."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator

from encoder_atlas.errors import DataError, near
from encoder_atlas.show.layers import LayerPanel, LayerStory, LayerTimeline
from encoder_atlas.show.style import INK, class_colours, class_markers, plain, ramp, styled

_ACROSS = 2  # charts side by side


def plot_layer_strip(
    story: LayerStory,
    layer: int | None = None,
    model: str | None = None,
    text: str | None = None,
    *,
    title: str = "",
    figure: Figure | SubFigure | None = None,
) -> list[Axes]:
    """Draw every chart of ``story`` for one model and text, with a line at ``layer``.

    By default the last layer, and the first model and text. Bands go from low to high. Returns the axes, one
    a chart; the timeline, where there is one, comes last, its lines from light (early) to dark (late).

    Raises ``DataError`` for a layer, model or text that is not there.
    """
    layer = story.layers if layer is None else layer
    if not 0 <= layer <= story.layers:
        raise DataError(f"layer {layer} is not one of 0 … {story.layers}")
    model = _one(model, story.models, "model")
    text = _one(text, story.texts, "text")
    with styled():
        figure = figure or plt.figure(figsize=strip_size(story), layout="constrained")
        return draw_layer_strip(figure, story, layer, model, text, title)


def strip_size(story: LayerStory) -> tuple[float, float]:
    """Width and height in inches that the charts need."""
    charts = len(story.panels) + (story.timeline is not None)
    return 8.2, 0.7 + 2.5 * -(-charts // _ACROSS)


def draw_layer_strip(
    figure: Figure | SubFigure, story: LayerStory, layer: int, model: str, text: str, title: str
) -> list[Axes]:
    """Draw what ``plot_layer_strip`` does from what was checked, inside the style of the caller."""
    charts: list[LayerPanel | LayerTimeline] = [*story.panels]
    if story.timeline is not None:
        charts.append(story.timeline)
    axes: list[Axes] = list(figure.subplots(-(-len(charts) // _ACROSS), _ACROSS, squeeze=False).ravel())
    for spare in axes[len(charts) :]:
        spare.remove()
    for ax, chart in zip(axes, charts, strict=False):
        rows = chosen(chart.curves, model, text)
        if isinstance(chart, LayerTimeline):
            _draw_timeline(ax, rows)
        else:
            _draw_lines(ax, rows, story.series, (model, text))
        ax.axvline(layer, color=INK, alpha=0.25, lw=5, zorder=0)
        ax.set_title(plain(chart.title), fontsize=10)
        ax.set_xlabel("layer", fontsize=8)
        ax.set_ylabel(plain(chart.axis), fontsize=8)
        ax.set_xlim(-0.3, story.layers + 0.3)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.tick_params(labelsize=8)
    what = ", ".join(part for part in (title, model, text, f"layer {layer}") if part)
    figure.suptitle(plain(what), x=0.01, ha="left", weight="bold")
    return axes[: len(charts)]


def chosen(curves: pd.DataFrame, model: str, text: str) -> pd.DataFrame:
    """The rows of a chart that are measured and belong to the chosen model and text."""
    rows = curves.loc[curves["value"].notna()]
    for column, name in (("model", model), ("text", text)):
        if column in rows:
            rows = rows.loc[rows[column] == name]
    return rows.sort_values("layer")


def _one(name: str | None, known: list[str], what: str) -> str:
    if name is None:
        return known[0] if known else ""
    if name not in known:
        raise DataError(f"no {what} is called {name!r}; {near(name, known)}")
    return name


def _draw_lines(ax: Axes, rows: pd.DataFrame, series: list[str], bold: tuple[str, str]) -> None:
    looks = dict(
        zip(series, zip(class_colours(len(series)), class_markers(len(series)), strict=True), strict=True)
    )
    groups = rows.groupby("series", sort=False) if "series" in rows else [("", rows)]
    for name, own in groups:
        colour, marker = looks.get(str(name), (INK, "o"))
        if "low" in own:
            ax.fill_between(own["layer"], own["low"], own["high"], color=colour, alpha=0.18, lw=0)
        width = 2.4 if name in bold else 1.3
        ax.plot(
            own["layer"],
            own["value"],
            color=colour,
            marker=marker,
            ms=4,
            mec="white",
            lw=width,
            label=plain(str(name)),
        )
    if "series" in rows and len(rows):
        ax.legend(fontsize=7)


def _draw_timeline(ax: Axes, rows: pd.DataFrame) -> None:
    shares = sorted(set(rows["share"]))
    colours = LinearSegmentedColormap.from_list("ramp", ramp())(np.linspace(0.3, 1, len(shares)))
    for share, colour in zip(shares, colours, strict=True):
        own = rows.loc[rows["share"] == share]
        ax.plot(own["layer"], own["value"], color=colour, lw=1.5, label=f"{share:.0%}")
    if len(shares):
        ax.legend(fontsize=7, title="of training", title_fontsize=7, ncols=2)
