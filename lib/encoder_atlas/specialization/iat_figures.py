"""Figures of IAT: arms seed by seed (Figure 8), over δ and α (9, 10), its share of the rate, transfer."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.show import class_colours, class_markers, plain, styled
from encoder_atlas.specialization.iat_arms import PLAIN, Arms
from encoder_atlas.specialization.iat_settings import rate_share

GREY = "#8B949E"
TITLES = {"score": "Average score", "dissociation": "Dissociation D(α)"}
UNITS = {"score": "gain over plain training (points)", "dissociation": "gain of D (points)"}


def plot_arms(arms: Arms, over: str = PLAIN, level: float = 0.95) -> Figure:
    """Draw what each arm gains over plain training, in average score and (Figure 8) in dissociation.

    A large dot is the mean over seeds with its interval over dev texts; small dots are single seeds, each
    against the plain model of the same seed. An interval that holds 0 shows no effect, and one over texts
    alone is too narrow for another training: with few seeds the small dots say more.
    """
    with styled():
        figure, axes = plt.subplots(
            1, 2, figsize=(9.6, 1.6 + 0.42 * len(arms.pruned)), sharey=True, layout="constrained"
        )
        for ax, measure in zip(axes, TITLES, strict=True):
            for row, arm in enumerate(arm for arm in arms.pruned if arm != over):
                _draw_gain(ax, arms, arm, over, measure, row, level)
            ax.axvline(0, color=GREY, lw=1)
            ax.set(title=TITLES[measure], xlabel=UNITS[measure])
        names = [plain(arm) for arm in arms.pruned if arm != over]
        axes[0].set_yticks(range(len(names)), names)
        axes[0].set_ylim(len(names) - 0.4, -0.6)
        handles = [Line2D([], [], color="#0072B2", marker="o", mec="white", lw=2, label="mean, over texts")]
        if arms.seeds > 1:
            dots = Line2D([], [], ls="", color="#E69F00", marker="o", ms=4, label="each seed")
            handles.append(dots)
        figure.legend(handles=handles, loc="outside upper right", ncols=2, fontsize=9)
    return figure


def plot_swept(arms: Arms, over: str, fixed: float) -> Figure:
    """Draw Figure 9 (over δ, α fixed at 50 %) or 10 (over α, δ fixed at 10 %): average score in percent.

    A line a seed, their mean bold; the dotted line is plain training (mean).

    Args:
        over: "delta" or "alpha".
        fixed: the value of the other.

    Raises:
        SettingsError: ``over`` is neither.
        DataError: no arm of it was measured.
    """
    if over not in ("alpha", "delta"):
        raise SettingsError(f"over={over!r}: 'alpha' or 'delta'")
    other = "delta" if over == "alpha" else "alpha"
    table = arms.to_frame().query("measure == 'score'")
    keys = ["arm", "alpha", "delta", "seed"]
    means = table.pivot_table(index=keys, values="value", sort=False).reset_index()
    swept = means.loc[means["arm"].ne(PLAIN) & means["delta"].gt(0) & means[other].eq(fixed)]
    if swept.empty:
        raise DataError(f"no arm with {other}={fixed:g} was measured")
    wide = swept.pivot(index=over, columns="seed", values="value").sort_index()
    with styled():
        figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
        ax.plot(wide.index, wide.to_numpy(), color="#0072B2", alpha=0.35, lw=1)
        ax.plot(wide.index, wide.mean(axis=1), color="#0072B2", marker="o", mec="white", label="IAT, mean")
        base = means.loc[means["arm"].eq(PLAIN), "value"]
        if len(base):
            ax.axhline(float(base.mean()), color=GREY, ls=":", label="plain training")
        symbols = {"alpha": "α", "delta": "δ"}
        title = f"IAT over {symbols[over]} ({symbols[other]} = {fixed:.0%})"
        ax.set(title=title, xlabel=symbols[over], ylabel="average score (%)")
        ax.legend(fontsize=9)
    return figure


def plot_rate(deltas: Sequence[float] = (0.05, 0.1, 0.2), warmup: float = 0.1) -> Figure:
    """Draw the learning rate over training, and what share of its sum the last δ of the steps holds.

    Left as the paper trains, falling to 0 on a straight line; right at a constant rate.
    """
    steps = np.linspace(0, 1, 501)
    with styled():
        figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.2), sharey=True, layout="constrained")
        colours, markers = class_colours(len(deltas)), class_markers(len(deltas))
        for ax, schedule in zip(axes, ("linear", "constant"), strict=True):
            rising = np.minimum(steps / warmup, 1) if warmup else np.ones_like(steps)
            falling = np.minimum(1, (1 - steps) / (1 - warmup)) if schedule == "linear" else 1.0
            rate = rising * falling
            ax.plot(steps, rate, color="#1F2328", lw=1.5)
            for delta, colour, marker in sorted(zip(deltas, colours, markers, strict=True), reverse=True):
                last = steps >= 1 - delta
                share = rate_share(delta, warmup, schedule)
                ax.fill_between(steps[last], rate[last], color=colour, alpha=0.55, lw=0)
                ax.plot([], [], ls="", marker=marker, color=colour, label=f"last {delta:.0%}: {share:.1%}")
            ax.set(title=f"{schedule} rate", xlabel="share of the steps done", ylim=(0, 1.08))
            ax.legend(fontsize=9, title="share of all learning", title_fontsize=9, loc=(0.15, 0.02))
        axes[0].set_ylabel("rate / peak")
    return figure


def plot_few_shot(scores: pd.DataFrame) -> Figure:
    """Draw accuracy over the number of texts (Table 6): a panel a target, a line an arm, bands ± 1 sd.

    Args:
        scores: rows of `FewShot.to_frame`, of one target or several.

    Raises:
        DataError: no rows.
    """
    if scores.empty:
        raise DataError("there is no few-shot run to draw")
    targets, arms = list(dict.fromkeys(scores["target"])), list(dict.fromkeys(scores["arm"]))
    with styled():
        figure, axes = plt.subplots(
            1, len(targets), figsize=(4.8 * len(targets), 3.6), squeeze=False, layout="constrained"
        )
        for target, ax in zip(targets, axes[0], strict=True):
            looks = zip(arms, class_colours(len(arms)), class_markers(len(arms)), strict=True)
            for arm, colour, marker in looks:
                own = scores.loc[scores["target"].eq(target) & scores["arm"].eq(arm)]
                found = 100 * own.groupby("size")["score"].agg(["mean", "std"]).fillna(0)
                sizes, mean, sd = found.index.to_numpy(float), found["mean"], found["std"]
                ax.fill_between(sizes, mean - sd, mean + sd, color=colour, alpha=0.15, lw=0)
                ax.plot(sizes, mean, color=colour, marker=marker, mec="white", label=plain(arm))
            ax.set_xscale("log", base=2)
            ax.set_xticks(sorted(set(scores["size"])), [str(size) for size in sorted(set(scores["size"]))])
            ax.set(title=plain(target), xlabel="texts of the new task")
        axes[0, 0].set_ylabel("accuracy (%)")
        axes[0, -1].legend(fontsize=9)
    return figure


def _draw_gain(ax: Axes, arms: Arms, arm: str, over: str, measure: str, row: int, level: float) -> None:
    try:
        draws, seeds = arms.gain(arm, over, measure), arms.seed_gains(arm, over, measure)
    except DataError:
        ax.annotate(
            "not measured", (0, row), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8
        )
        return
    low, high = (float(end) for end in draws.interval(level))
    ax.plot([low, high], [row, row], color="#0072B2", lw=2, solid_capstyle="butt")
    ax.plot(float(draws.value), row, color="#0072B2", marker="o", ms=8, mec="white")
    if len(seeds) > 1:
        ax.scatter(seeds, np.full(len(seeds), row + 0.22), color="#E69F00", s=16, zorder=3)
