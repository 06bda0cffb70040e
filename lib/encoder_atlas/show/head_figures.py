"""The grids of heads as a figure: beside the widget, and in its place where a page cannot hold one."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from jaxtyping import Bool, Float, Int
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Patch, Rectangle
from numpy import ndarray

from encoder_atlas.show.heads import HeadScores, HeadWords, all_scores, as_runs, check_scale, step_index
from encoder_atlas.show.style import INK, SELECTED, plain, ramp, styled

TITLE_WIDTH = 24  # letters above one grid
_ACROSS = 3  # panels side by side
_CHANNELS = ("#FF0000", "#00FF00", "#0000FF")


def plot_head_grid(
    scores: HeadScores | Sequence[HeadScores],
    at: float | None = None,
    *,
    words: HeadWords | None = None,
    scale: str = "share",
    title: str = "",
    figure: Figure | SubFigure | None = None,
) -> list[Axes]:
    """Draw a grid of layers × heads for each task, and how many tasks single each head out.

    Colours are shares of the task's largest score, or with ``scale="value"`` scores in [0, 1]. Two or three
    runs become the red, green and blue of one colour. Heads singled out, in every run, at the step of value
    ``at`` (by default the first) are framed; without steps none are, and no panel shows an overlap. Layer 1
    lies at the bottom. Returns the axes: one a task, and that of the overlap.

    Raises ``DataError`` for what cannot be drawn: see ``check_runs``; more than three runs; an unknown step.
    """
    runs = as_runs(scores)
    check_scale(runs, scale)
    words = words or HeadWords()
    step = step_index(at, runs[0], words.step)
    with styled():
        figure = figure or plt.figure(figsize=grid_size(runs[0]), layout="constrained")
        return draw_head_grid(figure, runs, step, words, scale, title)


def grid_size(run: HeadScores) -> tuple[float, float]:
    """Width and height in inches that the panels of ``run`` need."""
    layers, heads = run.values.shape[1:]
    return 7.6, 0.6 + _rows(run) * (0.75 + min(2.0 * layers / heads, 4.0))


def draw_head_grid(
    figure: Figure | SubFigure, runs: list[HeadScores], step: int, words: HeadWords, scale: str, title: str
) -> list[Axes]:
    """Draw what ``plot_head_grid`` does from runs that were checked, inside the style of the caller."""
    first = runs[0]
    shades = [[_shade(heads, scale) for heads in all_scores(run)[step]] for run in runs]
    axes: list[Axes] = list(figure.subplots(_rows(first), _ACROSS, squeeze=False).ravel())
    for spare in axes[_panels(first) :]:
        spare.remove()
    axes = axes[: _panels(first)]
    for task, name in enumerate(first.tasks):
        _heatmap(axes[task], _mixed([run[task] for run in shades]))
        axes[task].set_title(plain(name), fontsize=10)
    if first.steps:
        chosen = np.all([run.steps[step].selected for run in runs], axis=0)
        _draw_chosen(axes, chosen, first, words)
        state = words.selected if len(runs) == 1 else f"{words.selected} in every run"
        now = f"{words.step} = {first.steps[step].value:g}; framed: {state}"
        title = f"{title}  ({now})" if title else now
    figure.suptitle(plain(title), x=0.01, ha="left", weight="bold")
    if len(runs) == 1:
        _draw_scale(figure, axes, words, scale)
    else:
        _draw_channels(figure, runs)
    return axes


def _panels(run: HeadScores) -> int:
    overlap = bool(run.steps) and run.sharing > 1
    return len(run.tasks) + overlap


def _rows(run: HeadScores) -> int:
    return -(-_panels(run) // _ACROSS)


def _shade(heads: Float[ndarray, "layers heads"], scale: str) -> Float[ndarray, "layers heads"]:
    return heads if scale == "value" else heads / (heads.max() or 1.0)


def _mixed(shades: list[Float[ndarray, "layers heads"]]) -> Float[ndarray, "layers heads *rgb"]:
    if len(shades) == 1:
        return shades[0]
    dark = np.zeros((*shades[0].shape, 3))
    dark[:, :, : len(shades)] = np.stack(shades, axis=-1)
    return dark


def _draw_chosen(
    axes: list[Axes], chosen: Bool[ndarray, "tasks layers heads"], run: HeadScores, words: HeadWords
) -> None:
    for ax, name, heads in zip(axes, run.tasks, chosen, strict=False):
        for layer, head in np.argwhere(heads):
            corner = (head + 0.1, layer + 0.1)
            ax.add_patch(Rectangle(corner, 0.8, 0.8, fill=False, edgecolor=SELECTED, linewidth=1.4))
        title = fill(f"{name} · {heads.sum()} {words.selected}", TITLE_WIDTH)
        ax.set_title(plain(title), fontsize=10)
    if len(axes) > len(chosen):
        counts = chosen[: run.sharing].sum(axis=0)
        written = np.where(counts > 0, counts.astype(str), "")
        _heatmap(axes[-1], counts / run.sharing, annot=written, fmt="", annot_kws={"fontsize": 6})
        axes[-1].set_title("overlap: number of tasks", fontsize=10)


def _heatmap(ax: Axes, shades: Float[ndarray, "layers heads *rgb"], **settings: Any) -> None:
    layers, heads = shades.shape[:2]
    if shades.ndim == 3:
        ax.imshow(np.clip(shades, 0, 1), extent=(0, heads, 0, layers), origin="lower")
        ax.hlines(range(layers + 1), 0, heads, color="#D0D7DE", linewidth=0.5)
        ax.vlines(range(heads + 1), 0, layers, color="#D0D7DE", linewidth=0.5)
    else:
        look = {"cmap": _colours(), "vmin": 0, "vmax": 1, "linewidths": 0.5, "linecolor": "white"}
        sns.heatmap(shades, ax=ax, square=True, cbar=False, **look, **settings)
        ax.invert_yaxis()
    ax.set_xticks(_ticks(heads) - 0.5, [str(head) for head in _ticks(heads)], fontsize=7, rotation=0)
    ax.set_yticks(_ticks(layers) - 0.5, [str(layer) for layer in _ticks(layers)], fontsize=7, rotation=0)
    ax.tick_params(length=0)
    ax.set_xlabel("head", fontsize=8)
    ax.set_ylabel("layer", fontsize=8)
    sns.despine(ax=ax, left=True, bottom=True)


def _ticks(count: int) -> Int[ndarray, " ticks"]:
    return np.arange(1, count + 1, 1 if count <= 8 else 3 if count <= 16 else 4)


def _colours() -> LinearSegmentedColormap:
    return LinearSegmentedColormap.from_list("ramp", ramp())


def _draw_scale(figure: Figure | SubFigure, axes: Sequence[Axes], words: HeadWords, scale: str) -> None:
    bar = figure.colorbar(plt.cm.ScalarMappable(cmap=_colours()), ax=axes, shrink=0.6, aspect=30, pad=0.02)
    bar.outline.set_visible(False)
    share = "" if scale == "value" else ", share of the task's largest"
    bar.set_label(plain(f"{words.score}{share}"), fontsize=8)
    bar.ax.tick_params(labelsize=7, length=0)


def _draw_channels(figure: Figure | SubFigure, runs: list[HeadScores]) -> None:
    handles = [
        Patch(facecolor=colour, label=plain(run.run)) for colour, run in zip(_CHANNELS, runs, strict=False)
    ]
    handles.append(Patch(facecolor="black", edgecolor=INK, label="low in every run"))
    figure.legend(handles=handles, loc="outside lower left", ncols=len(handles), fontsize=8)
