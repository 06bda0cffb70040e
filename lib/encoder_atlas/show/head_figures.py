"""The grids of heads as a figure: beside the widget, and in its place where a page cannot hold one."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from jaxtyping import Bool, Float, Int
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle
from numpy import ndarray

from encoder_atlas.show.heads import HeadScores, HeadWords, all_scores, check_runs, check_scale
from encoder_atlas.show.style import SELECTED, plain, ramp, styled

_ACROSS = 3  # panels side by side


def plot_head_grid(
    scores: HeadScores,
    step: int = 0,
    *,
    words: HeadWords | None = None,
    scale: str = "share",
    title: str = "",
    figure: Figure | SubFigure | None = None,
) -> list[Axes]:
    """Draw a grid of layers × heads for each task, and how many tasks single each head out.

    Colours are shares of the task's largest score, or with ``scale="value"`` scores in [0, 1]. Heads singled
    out at the step number ``step`` (in order of value) are framed; without steps none are, and the panel of
    the overlap is left out. Layer 1 lies at the bottom. Returns the axes, one a task and that of the overlap.

    Raises ``DataError`` as ``check_runs`` does.
    """
    (run,) = check_runs([scores])
    check_scale([run], scale)
    with styled():
        figure = figure or plt.figure(figsize=grid_size(run), layout="constrained")
        return draw_head_grid(figure, run, step, words or HeadWords(), scale, title)


def grid_size(run: HeadScores) -> tuple[float, float]:
    """Width and height in inches that the panels of ``run`` need."""
    panels = len(run.tasks) + bool(run.steps)
    layers, heads = run.values.shape[1:]
    return 7.6, 0.5 + -(-panels // _ACROSS) * (0.75 + min(2.0 * layers / heads, 4.0))


def draw_head_grid(
    figure: Figure | SubFigure, run: HeadScores, step: int, words: HeadWords, scale: str, title: str
) -> list[Axes]:
    """Draw what ``plot_head_grid`` does from a run that was checked, inside the style of the caller."""
    values = all_scores(run)[step]
    selected = run.steps[step].selected if run.steps else np.zeros(values.shape, dtype=bool)
    panels = len(run.tasks) + bool(run.steps)
    rows = -(-panels // _ACROSS)
    axes: list[Axes] = list(figure.subplots(rows, _ACROSS, squeeze=False).ravel())
    for spare in axes[panels:]:
        spare.remove()
    axes = axes[:panels]
    for ax, task, heads, chosen in zip(axes, run.tasks, values, selected, strict=False):
        count = f" · {chosen.sum()} {words.selected}" if run.steps else ""
        _draw_heads(ax, _shade(heads, scale), chosen, f"{plain(task)}{plain(count)}")
    if run.steps:
        _draw_overlap(axes[len(run.tasks)], selected.sum(axis=0), len(run.tasks))
        now = f"{words.step} = {run.steps[step].value:g}; framed: {words.selected}"
        title = f"{title}  ({now})" if title else now
    figure.suptitle(plain(title), x=0.01, ha="left", weight="bold")
    _draw_scale(figure, axes, words, scale)
    return axes


def _shade(heads: Float[ndarray, "layers heads"], scale: str) -> Float[ndarray, "layers heads"]:
    return heads if scale == "value" else heads / (heads.max() or 1.0)


def _draw_heads(
    ax: Axes, shades: Float[ndarray, "layers heads"], chosen: Bool[ndarray, "layers heads"], title: str
) -> None:
    _heatmap(ax, shades, vmax=1)
    for layer, head in np.argwhere(chosen):
        frame = Rectangle((head + 0.1, layer + 0.1), 0.8, 0.8, fill=False, edgecolor=SELECTED, linewidth=1.4)
        ax.add_patch(frame)
    ax.set_title(title, fontsize=10)


def _draw_overlap(ax: Axes, counts: Int[ndarray, "layers heads"], tasks: int) -> None:
    written = np.where(counts > 0, counts.astype(str), "")
    _heatmap(ax, counts / tasks, vmax=1, annot=written, fmt="", annot_kws={"fontsize": 6})
    ax.set_title("overlap: number of tasks", fontsize=10)


def _heatmap(ax: Axes, shades: Float[ndarray, "layers heads"], **settings: Any) -> None:
    layers, heads = shades.shape
    colours = LinearSegmentedColormap.from_list("ramp", ramp())
    sns.heatmap(
        shades,
        ax=ax,
        cmap=colours,
        vmin=0,
        square=True,
        cbar=False,
        linewidths=0.5,
        linecolor="white",
        **settings,
    )
    ax.set_xticks(_ticks(heads) - 0.5, [str(head) for head in _ticks(heads)], fontsize=7, rotation=0)
    ax.set_yticks(_ticks(layers) - 0.5, [str(layer) for layer in _ticks(layers)], fontsize=7, rotation=0)
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.set_xlabel("head", fontsize=8)
    ax.set_ylabel("layer", fontsize=8)


def _ticks(count: int) -> Int[ndarray, " ticks"]:
    return np.arange(1, count + 1, 1 if count <= 8 else 3 if count <= 16 else 4)


def _draw_scale(figure: Figure | SubFigure, axes: Sequence[Axes], words: HeadWords, scale: str) -> None:
    colours = plt.cm.ScalarMappable(cmap=LinearSegmentedColormap.from_list("ramp", ramp()))
    bar = figure.colorbar(colours, ax=axes, shrink=0.6, aspect=30, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(
        words.score if scale == "value" else f"{words.score}, share of the task's largest", fontsize=8
    )
    bar.ax.tick_params(labelsize=7, length=0)
