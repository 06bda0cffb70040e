"""The figures of the chapter: one walk between two points, and maps of one model side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import torch
from jaxtyping import Float64, Int, Shaped
from matplotlib.figure import Figure

from encoder_atlas.deepview.classifier import as_classifier
from encoder_atlas.deepview.distance import js_metric
from encoder_atlas.deepview.points import check_points
from encoder_atlas.deepview.view import DecisionFrame
from encoder_atlas.errors import SettingsError
from encoder_atlas.show import class_colours, draw_side_by_side, plain, styled


@dataclass(frozen=True)
class Walk:
    """What a classifier says on the straight way between two points, and how much each step changes it."""

    probabilities: Float64[np.ndarray, "points classes"]
    """At the n + 1 points p_0 … p_n."""
    steps: Float64[np.ndarray, "steps"]
    """Jensen-Shannon metric between neighbouring points; their sum is the discriminative distance."""


def walk(classifier: object, ends: Shaped[np.ndarray, "2 dim"], segments: int = 10) -> Walk:
    """Walk from ``ends[0]`` to ``ends[1]`` in ``segments`` equal steps (Eq. 1 of the paper).

    Raises:
        SettingsError: no step at all.
        DataError: ends that are no finite numbers, or of another width than the classifier takes.
    """
    if segments < 1:
        raise SettingsError(f"segments={segments}: a walk has at least one step")
    x, y = check_points(ends)
    share = np.linspace(0, 1, segments + 1)[:, None]
    probabilities = as_classifier(classifier).probabilities((1 - share) * x + share * y)
    rows = torch.from_numpy(probabilities)
    return Walk(probabilities, js_metric(rows[:-1], rows[1:]).numpy())


def plot_blends(
    frames: Sequence[DecisionFrame], labels: Int[np.ndarray, "points"], class_names: Sequence[str], title: str
) -> Figure:
    """Draw maps of one model side by side, those of `blends_shown`."""
    with styled():
        figure = plt.figure(figsize=(13, 4.2), layout="constrained")
        return draw_side_by_side(figure, blends_shown(frames), labels, class_names, title)


def blends_shown(frames: Sequence[DecisionFrame]) -> dict[str, DecisionFrame]:
    """Maps of one model for showing side by side, named by their λ, the largest first.

    Of more than three the first, the next and the last are taken, as in the paper's Figure 1.
    """
    ordered = sorted(frames, key=lambda frame: -frame.lambda_)
    chosen = ordered if len(ordered) <= 3 else [*ordered[:2], ordered[-1]]
    return {f"λ = {frame.lambda_:g}": frame for frame in chosen}


def plot_walk(walked: Walk, class_names: Sequence[str], shown: int = 1) -> Figure:
    """Draw a walk: the probability of class ``shown`` at each point, and beneath it the steps of the sum."""
    n = len(walked.steps)
    colour = class_colours(len(class_names))[shown]
    with styled():
        figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.4, 4.0), sharex=True, layout="constrained")
        top.plot(range(n + 1), walked.probabilities[:, shown], marker="o", color=colour)
        top.axhline(1 / len(class_names), color="#8B949E", lw=1, ls=":")
        top.set(ylim=(-0.05, 1.05), ylabel=f"P({plain(class_names[shown])})")
        top.set_title("What the classifier says on the way")
        bottom.bar(np.arange(n) + 0.5, walked.steps, width=0.9, color="#6E7781")
        total = f"How much each step changes it: the sum is {walked.steps.sum():.2f} √nats"
        bottom.set(ylabel="$d_{JS}$", xlabel="point $p_i$ on the way from $x$ to $y$", title=total)
        bottom.set_xticks(range(n + 1))
    return figure
