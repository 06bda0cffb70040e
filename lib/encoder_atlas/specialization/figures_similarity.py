"""Figures 3 and 5-7: average dissociation of pairs of tasks against their similarity."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError
from encoder_atlas.show import class_colours, plain, styled
from encoder_atlas.specialization.similarity import SimilarityFit


def plot_similarity(fits: Sequence[SimilarityFit]) -> Figure:
    """Draw one panel a measure: a point a pair, named; the fitted line; r with its interval, and both p.

    The p of r is two-sided; that of renamed tasks counts those whose r is at least as negative. A measure
    whose name says "simulated" says so in its title too.

    Raises:
        DataError: no fit.
    """
    if not fits:
        raise DataError("there is no fit of dissociation on similarity to draw")
    with styled():
        figure, axes = plt.subplots(
            1,
            len(fits),
            figsize=(3.9 * len(fits) + 0.6, 4.0),
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        for ax, fit in zip(axes[0], fits, strict=True):
            _draw(ax, fit)
        axes[0, 0].set_ylabel("average dissociation of the pair (points)")
    return figure


def _draw(ax: Axes, fit: SimilarityFit) -> None:
    x, y = (fit.pairs[name].to_numpy(dtype=float) for name in ("similarity", "d"))
    colour = class_colours(1)[0]
    ends = np.array([x.min(), x.max()])
    ax.plot(ends, fit.intercept + fit.slope * ends, color="#8B949E", lw=1.4)
    ax.scatter(x, y, color=colour, edgecolor="white", s=42, zorder=3)
    for row, a, b in zip(range(len(x)), fit.pairs["a"], fit.pairs["b"], strict=True):
        name = plain(f"{a} – {b}")
        ax.annotate(name, (x[row], y[row]), xytext=(4, 4), textcoords="offset points", fontsize=7)
    ax.margins(x=0.2)
    ax.set_title(plain(fit.measure))
    ax.set_xlabel(
        f"similarity\nr = {fit.r:.2f} [{fit.low:.2f}, {fit.high:.2f}], p = {fit.p:.3f}\n"
        f"tasks renamed in all ways, r no higher: p = {fit.p_mantel:.3f}",
        fontsize=9,
    )
