"""Figures of pruning: score against heads kept, gates closing, who claims which heads, in which layers."""

from collections.abc import Sequence
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from encoder_atlas.errors import DataError
from encoder_atlas.show import HeadScores, HeadStep, HeadWords, class_colours, class_markers, plain, styled
from encoder_atlas.stem_cells.gates import WIDE_OPEN
from encoder_atlas.stem_cells.learnt import LearntGates
from encoder_atlas.stem_cells.scored import MEASURES, Scored

GREY = "#8B949E"

GATE_WORDS = HeadWords(
    step="coefficient", score="gate", selected="kept", performance="Score (%)", rows="pruned for"
)
"""What `show.HeadGrid` calls things when it shows gates."""


def gate_grids(models: Sequence[Scored], threshold: float = WIDE_OPEN) -> list[HeadScores]:
    """What `show.HeadGrid` takes, with ``words=GATE_WORDS, scale="value"``: gates by seed.

    A run is a seed. Rows are what a model was trained on, single tasks first: the overlap is theirs. The
    slider's steps are coefficients; the heads singled out are the open ones. Two or three runs can be laid
    over each other as colours.

    Raises:
        DataError: no gated models, or one is missing: each seed needs all tasks under all coefficients.
    """
    by_key = {_key(model): model for model in models if model.gates}
    if not by_key:
        raise DataError("there are no models with gates to show")
    names, coefficients, seeds = (list(dict.fromkeys(part)) for part in zip(*by_key, strict=True))
    for key in product(names, coefficients, seeds):
        if key not in by_key:
            name, value, seed = key
            raise DataError(f"no gates of {name} with coefficient {value:g} and seed {seed}: fit them too")
    names = sorted(names, key=lambda name: "+" in name)
    alone = sum("+" not in name for name in names)
    measures = [task for task in MEASURES if any(task in model.soft for model in by_key.values())]
    runs = []
    for seed in seeds:
        steps = [
            _step([by_key[name, value, seed] for name in names], value, measures, threshold)
            for value in sorted(coefficients)
        ]
        assert steps[0].scores is not None
        run = HeadScores(names, steps[0].scores, steps, measures, f"seed {seed}", alone)
        runs.append(run)
    return runs


def plot_pruning(pruned: pd.DataFrame, plain_scores: pd.DataFrame) -> Figure:
    """Draw score against heads kept, a panel a task, a mark a model.

    Filled marks are scores through soft gates over the heads with gates above 0.05; hollow ones are scores
    through 0/1 gates over the heads that these leave (gates above 0.001). The dashed line is the task alone
    without gates, mean over seeds.

    Args:
        pruned: as `pruning_frame` gives it.
        plain_scores: as `score_frame` gives it; only plain models of one task are looked at.

    Raises:
        DataError: no gated models.
    """
    if pruned.empty:
        raise DataError("there are no models with gates to draw")
    tasks = [task for task in MEASURES if task in set(pruned["task"])]
    groups = list(dict.fromkeys(zip(pruned["trained"], pruned["kind"], strict=True)))
    kinds = list(dict.fromkeys(_name(*group) for group in groups))
    signs = zip(class_colours(len(kinds)), class_markers(len(kinds)), strict=True)
    looks = dict(zip(kinds, signs, strict=True))
    with styled():
        figure, axes = plt.subplots(
            1, len(tasks), figsize=(1.2 + 2.6 * len(tasks), 3.4), layout="constrained", squeeze=False
        )
        for ax, task in zip(axes[0], tasks, strict=True):
            for trained, kind in groups:
                own = pruned.loc[
                    pruned["trained"].eq(trained) & pruned["kind"].eq(kind) & pruned["task"].eq(task)
                ].sort_values("wide_share")
                colour, marker = looks[_name(trained, kind)]
                ax.plot(own["wide_share"], own["soft"], color=colour, marker=marker, mec="white", lw=1)
                ax.scatter(own["kept_share"], own["hard"], ec=colour, fc="none", marker=marker, s=60)
            alone = plain_scores.loc[plain_scores["trained"].eq(task) & plain_scores["kind"].eq("plain")]
            if len(alone):
                ax.axhline(alone["score"].mean(), color=GREY, ls="--", lw=1)
            ax.set(title=f"{task} ({MEASURES[task]})", xlabel="heads kept (%)", xlim=(-3, 103))
        axes[0, 0].set_ylabel("score (%)")
        handles = [
            Line2D([], [], color=colour, marker=marker, mec="white", label=name)
            for name, (colour, marker) in looks.items()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
    return figure


def plot_closing(models: Sequence[Scored], threshold: float = WIDE_OPEN) -> Figure:
    """Draw how many heads are open in the course of training; gates that have settled end in a level line.

    Raises:
        DataError: no gated models.
    """
    gates = [model.gates for model in models if model.gates]
    if not gates:
        raise DataError("there are no models with gates to draw")
    names = list(dict.fromkeys(map(_trained, gates)))
    colours = dict(zip(names, class_colours(len(names)), strict=True))
    with styled():
        figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
        for one in gates:
            name = _trained(one)
            heads = (one.path > threshold).sum(axis=(1, 2))
            ax.plot(one.steps, heads, color=colours[name], ls="-" if one.settled else ":")
        for name, colour in colours.items():
            ax.plot([], [], color=colour, label=plain(name))
        ax.plot([], [], color=GREY, ls=":", label="not settled")
        ax.set(xlabel="step", ylabel=f"heads whose gate is above {threshold:g}", title="Gates close")
        ax.set_ylim(bottom=0)
        ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure


def plot_agreement(table: pd.DataFrame, measure: str = "r") -> Figure:
    """Draw how alike gates are: mean over runs, of every name (row) with every other (column).

    On the diagonal stand runs of one name. A * marks pairs in which shuffled heads agree as well in fewer
    than 5 % of draws, in every pair of runs.

    Args:
        table: as `agreement_frame` gives it.
        measure: "r" or "jaccard".

    Raises:
        DataError: no rows, or no such measure.
    """
    p = {"r": "p_r", "jaccard": "p_shared"}.get(measure)
    if p is None or table.empty:
        raise DataError(f"nothing to draw: {len(table)} rows, measure {measure!r} (known: r, jaccard)")
    names = list(dict.fromkeys([*table["a"], *table["b"]]))
    rows = [name for name in names if name in set(table["a"])]
    columns = [name for name in names if name in set(table["b"])]
    values = pd.DataFrame(np.nan, index=rows, columns=columns)
    written = pd.DataFrame("", index=rows, columns=columns)
    for a, b in dict.fromkeys(zip(table["a"], table["b"], strict=True)):
        own = table.loc[table["a"].eq(a) & table["b"].eq(b)]
        mean, sure = np.mean(own[measure].to_numpy()), bool((own[p] < 0.05).all())
        for row, column in ((a, b), (b, a)):
            if row in rows and column in columns:
                values.loc[row, column] = mean
                written.loc[row, column] = f"{mean:.2f}{'*' if sure else ''}"
    look = {"vmin": -1, "vmax": 1, "cmap": "vlag", "cbar_kws": {"label": "Pearson's r of gates"}}
    if measure == "jaccard":
        look = {"vmin": 0, "vmax": 1, "cmap": "Blues", "cbar_kws": {"label": "shared of kept heads"}}
    with styled():
        size = (2.6 + 0.8 * len(columns), 1.5 + 0.55 * len(rows))
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        sns.heatmap(values, ax=ax, annot=written, fmt="", linewidths=0.5, **look)
        ax.tick_params(axis="y", rotation=0)
        ax.set_title("How alike the kept heads are", fontsize=11)
    return figure


def plot_claimed(table: pd.DataFrame) -> Figure:
    """Draw how many heads are claimed by how many tasks (bars), and how many by chance (rings).

    Args:
        table: as `claimed` gives it.
    """
    with styled():
        figure, ax = plt.subplots(figsize=(4.8, 3.2), layout="constrained")
        ax.bar(table["tasks"], table["heads"], color=class_colours(1)[0], label="found")
        ax.scatter(
            table["tasks"], table["expected"], ec="#1F2328", fc="white", s=46, zorder=3, label="by chance"
        )
        ax.set(xlabel="tasks that keep the head", ylabel="heads", title="Heads claimed by k tasks")
        ax.set_xticks(table["tasks"])
        ax.legend(fontsize=9)
    return figure


def plot_layer_use(table: pd.DataFrame) -> Figure:
    """Draw the share of each layer in the heads that are kept, mean over runs, a line a name.

    The dotted line is an even spread.

    Args:
        table: as `layer_use` gives it.
    """
    names = list(dict.fromkeys(table["name"]))
    mean = table.groupby(["name", "layer"], sort=False, as_index=False).agg(share=("share", "mean"))
    with styled():
        figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
        for name, colour, marker in zip(
            names, class_colours(len(names)), class_markers(len(names)), strict=True
        ):
            own = mean.loc[mean["name"].eq(name)]
            ax.plot(own["layer"], own["share"], color=colour, marker=marker, mec="white", label=plain(name))
        ax.axhline(100 / len(set(table["layer"])), color=GREY, lw=1, ls=":", label="even spread")
        ax.set(xlabel="layer", ylabel="share of kept heads (%)", title="Layers that are used")
        ax.set_xticks(sorted(set(table["layer"])))
        ax.set_ylim(bottom=0)
        ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure


def _key(model: Scored) -> tuple[str, float, int]:
    assert model.gates is not None
    return _trained(model), model.gates.settings.coefficient, model.seed


def _step(models: Sequence[Scored], value: float, measures: Sequence[str], threshold: float) -> HeadStep:
    """Gates of all models at one coefficient; a score is NaN where a model does not do the task."""
    gates = [model.gates for model in models if model.gates]
    scores = [[model.score(task) if task in model.soft else np.nan for task in measures] for model in models]
    unsettled = [name for name, one in zip(map(_trained, models), gates, strict=True) if not one.settled]
    return HeadStep(
        value=value,
        selected=np.stack([one.open_heads(threshold) for one in gates]),
        performance=np.array(scores),
        scores=np.stack([one.values for one in gates]).astype(np.float64),
        note=f"Not settled: {', '.join(unsettled)}." if unsettled else "",
    )


def _trained(model: Scored | LearntGates) -> str:
    return "+".join(model.layers)


def _name(trained: str, kind: str) -> str:
    return f"{'together' if '+' in trained else 'alone'}, {kind}"
