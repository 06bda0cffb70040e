"""Figures of probes in the forms of the paper's Figures 2 to 6, and the figure that roots need."""

from collections.abc import Mapping, Sequence
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError
from encoder_atlas.show import LinkModel, class_colours, class_markers, plain, styled
from encoder_atlas.stem_cells.attention import head_batches
from encoder_atlas.stem_cells.links import RootControl
from encoder_atlas.stem_cells.probe_tables import MACRO, label_table
from encoder_atlas.stem_cells.probes import LINKED, HeadProbes
from encoder_atlas.text.layers import Sentence

_GREY = "#57606a"
_LINE = 2.6  # percent that a line of text takes


def link_model(
    encoder: Encoder, sentences: Sequence[Sentence], name: str, probes: HeadProbes | None = None
) -> LinkModel:
    """What `show.AttentionLinks` shows of one encoder, with the best heads that its probes found.

    Raises:
        DataError: no sentences, or one that the encoder cannot read.
    """
    attention: list[np.ndarray] = [np.empty(0)] * len(sentences)
    for batch in head_batches(encoder, [sentence.words for sentence in sentences]):
        for at, (number, count) in enumerate(zip(batch.numbers, batch.counts, strict=True)):
            attention[number] = batch.attention[:, at, :, : count + 1, : count + 1].cpu().numpy()
    best = {task: probes.best(task) for task in LINKED if task in probes.test} if probes else {}
    return LinkModel(name, attention, best)


def plot_best_layers(frame: pd.DataFrame, tasks: Sequence[str], model: str) -> Figure:
    """Draw where labels are found, the form of Figures 2 and 3: a panel a task, a dot a label, its layer
    against its accuracy; of several runs each has its dot.

    Args:
        frame: a tidy frame of probes with layers, as `probe_frame` gives it.

    Raises:
        DataError: a task or model that was not probed, or no layers.
    """
    if "layer" not in frame:
        raise DataError("a figure of layers needs a column 'layer': give what probe_frame gave")
    rows = frame.loc[frame["model"] == model]
    with styled():
        figure, axes = plt.subplots(
            1, len(tasks), figsize=(4.6 * len(tasks), 4.6), layout="constrained", squeeze=False, sharey=True
        )
        for ax, task, colour in zip(axes[0], tasks, class_colours(len(tasks)), strict=True):
            own = rows.loc[rows["task"] == task]
            if own.empty:
                raise DataError(f"{task!r} was not probed in a model {model!r}")
            ax.scatter(own["layer"], own["accuracy"], s=22, color=colour, alpha=0.7, lw=0)
            for layer, named in own.groupby("layer"):
                _name_dots(ax, float(cast(int, layer)), named)
            ax.set_title(f"{plain(task.upper())}, {plain(model)}", fontsize=10)
            ax.set_xlabel("layer of the best head")
            last = int(frame["layer"].to_numpy().max())
            ax.set_xlim(0.5, last + 1)  # names stand to the right of their dots
            ax.set_xticks(range(1, last + 1))
        axes[0, 0].set_ylabel("items found (%)")
    return figure


def plot_labels(frame: pd.DataFrame, task: str, reference: str | None = None, most: int = 24) -> Figure:
    """Draw what the best heads get right by label, the form of Figures 4 to 6: a group of bars a label, a bar
    a model, mean over runs; with a reference, how far the others lie above and below it.

    Args:
        frame: a tidy frame of probes.
        reference: the model that is the zero line, such as the one trained on this task alone.
        most: labels drawn, those with the most items.

    Raises:
        DataError: a task or a reference that was not probed.
    """
    table = label_table(frame, task)
    table = pd.concat([table.drop(index=MACRO).head(most), table.loc[[MACRO]]])
    if reference is not None:
        if reference not in table or len(table.columns) < 2:
            raise DataError(f"no model {reference!r} to hold others against: there are {list(table.columns)}")
        table = table.drop(columns=reference).sub(table[reference], axis=0)
    models = [str(name) for name in table.columns]
    width = 0.8 / len(models)
    with styled():
        figure, ax = plt.subplots(figsize=(max(5.0, 1.2 + 0.34 * len(table)), 3.6), layout="constrained")
        for at, (model, colour) in enumerate(zip(models, class_colours(len(models)), strict=True)):
            x = np.arange(len(table)) + (at - (len(models) - 1) / 2) * width
            ax.bar(x, table[model], width * 0.92, color=colour, label=plain(model))
        if reference is not None:
            ax.axhline(0, color=_GREY, lw=1)
        ax.axvline(len(table) - 1.5, color=_GREY, ls=":", lw=1)
        ax.set_xticks(range(len(table)), [plain(str(label)) for label in table.index], fontsize=8)
        ax.tick_params(axis="x", rotation=60, length=0)
        ax.set_xlim(-0.6, len(table) - 0.4)
        ax.set_ylabel("items found (%)" if reference is None else f"points from {plain(reference)}")
        ax.set_title(f"Best heads by label: {plain(task.upper())}", fontsize=10)
        ax.legend(fontsize=8, ncols=len(models))
    return figure


def plot_roots(controls: Mapping[str, RootControl]) -> Figure:
    """Draw whether heads find roots or only rest on [CLS]: a dot a head, a colour a model.

    Across stands how many of the other words a head links with [CLS], up how many roots. On the
    diagonal a head tells nothing about roots, even at 100 %; only what lies above it does.

    Raises:
        DataError: no models.
    """
    if not controls:
        raise DataError("there are no models whose links with [CLS] could be drawn")
    looks = list(zip(class_colours(len(controls)), class_markers(len(controls)), strict=True))
    with styled():
        figure, ax = plt.subplots(figsize=(4.6, 4.3), layout="constrained")
        ax.plot([0, 100], [0, 100], color=_GREY, lw=1, ls="--")
        for (model, control), (colour, marker) in zip(controls.items(), looks, strict=True):
            own = control.to_frame()
            ax.scatter(
                own["others"], own["root"], s=24, color=colour, marker=marker, alpha=0.7, label=plain(model)
            )
        ax.set(xlabel="other words linked with [CLS] (%)", ylabel="roots linked with [CLS] (%)")
        ax.set_aspect("equal")
        ax.set_title("Heads that find roots, or rest on [CLS]", fontsize=10)
        if len(controls) > 1:
            ax.legend(fontsize=8)
    return figure


def _name_dots(ax: Axes, layer: float, rows: pd.DataFrame) -> None:
    """Write the labels of one layer beside their dots, each at least a line above the one below."""
    height = -np.inf
    for score, label in sorted(zip(rows["accuracy"], rows["label"], strict=True)):
        height = max(float(score), height + _LINE)
        ax.text(layer + 0.12, height, plain(str(label)), fontsize=6, va="center")
