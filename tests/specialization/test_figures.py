"""Figures hold what they are given."""

from collections.abc import Callable
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.figures import (
    head_scores,
    plot_alpha,
    plot_layers,
    plot_overlaps,
    plot_pairs,
    plot_readings,
)
from encoder_atlas.specialization.figures_similarity import plot_similarity
from encoder_atlas.specialization.heads import by_layer
from encoder_atlas.specialization.iap import HeadPruning
from encoder_atlas.specialization.importance import task_gradients
from encoder_atlas.specialization.printed import printed_dissociation, printed_pairs
from encoder_atlas.specialization.pruning import Pruned
from encoder_atlas.specialization.readings import compare_readings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.similarity import fit_similarity
from encoder_atlas.specialization.sweep import AlphaSweep, sweep_alpha
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

MakePruned = Callable[..., Pruned]


@pytest.fixture(autouse=True)
def close_figures() -> object:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def sweep(model: FittedModel, tasks: list[Task]) -> AlphaSweep:
    settings = SpecializationSettings(alphas=(0.25, 0.5), importance_examples=12, random_sets=2, resamples=20)
    return sweep_alpha([model], tasks, settings)


def mesh(ax: Axes) -> np.ndarray:
    return np.asarray(cast(QuadMesh, ax.collections[0]).get_array())


def test_figure_2_has_a_cell_a_model_and_pair() -> None:
    ax = plot_pairs(printed_pairs()).axes[0]
    cells = mesh(ax)
    assert cells.shape == (8, 10)
    assert cells[3, 5] == pytest.approx((28.97 + 10.39) / 2)
    with pytest.raises(DataError, match="no column 'model'"):
        plot_pairs(printed_pairs().drop(columns="model"))
    with pytest.raises(DataError, match="no rows"):
        plot_pairs(printed_pairs().iloc[:0])


def test_lines_over_alpha_are_those_of_the_sweep(sweep: AlphaSweep) -> None:
    left, right = plot_alpha(sweep).axes
    d = sweep.intervals().query("task == 'mean'")["dissociation"]
    np.testing.assert_allclose(np.asarray(left.lines[0].get_ydata()), d)
    legend = left.get_legend()
    assert legend is not None and [text.get_text() for text in legend.get_texts()] == [
        "D",
        "random heads, ± 2 sd",
        "95 % over held-out texts",
    ]
    assert len([line for line in right.lines if str(line.get_label()) in ("tone", "place")]) == 2


def test_bands_over_seeds_are_their_standard_deviation(make_pruned: MakePruned) -> None:
    settings = SpecializationSettings(alphas=(0.25, 0.5), resamples=20)
    # D of two tasks of base 80: (80 - own)/80, alike for both. By seed 10 and 20 points, then 30 and 60.
    runs = {
        alpha: tuple(
            HeadPruning({}, make_pruned(_losing(share), seed=seed), settings)
            for seed, share in enumerate(shares)
        )
        for alpha, shares in {0.25: (10, 20), 0.5: (30, 60)}.items()
    }
    left = plot_alpha(AlphaSweep(runs)).axes[0]
    np.testing.assert_allclose(np.asarray(left.lines[0].get_ydata()), [15, 45])
    band, dots = left.collections[:2]
    corners = np.asarray(band.get_paths()[0].vertices)
    sd = np.array([10, 30]) / np.sqrt(2)
    for alpha, mean, spread in zip((0.25, 0.5), (15, 45), sd, strict=True):
        heights = corners[corners[:, 0] == alpha, 1]
        assert (heights.min(), heights.max()) == pytest.approx((mean - spread, mean + spread))
    assert sorted(np.asarray(dots.get_offsets())[:, 1]) == pytest.approx([10, 20, 30, 60])
    legend = left.get_legend()
    assert legend is not None and "± 1 sd over 2 seeds" in [text.get_text() for text in legend.get_texts()]


def _losing(share: int) -> dict[str, dict[str, int]]:
    """Right of 100 texts, where a task of base 80 loses ``share`` percent without its own heads."""
    left = 80 - 80 * share // 100
    return {"none": {"a": 80, "b": 80}, "a": {"a": left, "b": 80}, "b": {"a": 80, "b": left}}


def test_layers_count_the_heads_of_each_set(sweep: AlphaSweep) -> None:
    run = sweep.runs[0.5][0]
    ax = plot_layers([run]).axes[0]
    for line, heads in zip(ax.lines, run.sets.values(), strict=False):
        assert np.asarray(line.get_ydata()).tolist() == by_layer(heads).tolist()


def test_overlaps_are_percent_and_name_chance(sweep: AlphaSweep) -> None:
    run = sweep.runs[0.5][0]
    ax = plot_overlaps([run]).axes[0]
    assert "by chance: 50 %" in ax.get_title(loc="left")
    assert mesh(ax)[0, 1] == run.overlaps.loc["tone", "place"]


def test_readings_have_a_panel_a_measure(model: FittedModel, tasks: list[Task]) -> None:
    gradients = [task_gradients(model, task, per_token=True) for task in tasks]
    table = pd.concat([compare_readings(part, 0.5) for part in gradients])
    figure = plot_readings(table)
    assert len(figure.axes) == 3
    assert len(figure.axes[0].get_yticklabels()) == 6


def test_similarity_names_every_pair_and_both_p() -> None:
    tasks, pairs = list(printed_dissociation().tasks), printed_dissociation().pairs()
    noise = np.random.default_rng(0).normal(size=(5, 5))
    similarity = pd.DataFrame(noise + noise.T, index=tasks, columns=tasks)
    fits = [fit_similarity(similarity, pairs, name) for name in ("DSE", "CNM, simulated recording")]
    figure = plot_similarity(fits)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["DSE", "CNM, simulated recording"]
    assert len(figure.axes[0].texts) == 10
    assert f"r = {fits[0].r:.2f}" in figure.axes[0].get_xlabel()
    with pytest.raises(DataError, match="no fit"):
        plot_similarity([])


def test_the_grid_of_heads_gets_every_alpha(sweep: AlphaSweep) -> None:
    scores = head_scores(sweep)
    assert [step.value for step in scores.steps] == [0.25, 0.5]
    assert scores.values.shape == (2, 2, 2)
    run = sweep.runs[0.5][0]
    step = scores.steps[1]
    assert step.performance is not None
    np.testing.assert_allclose(step.performance, 100 * run.pruned.relative())
    assert np.array_equal(step.selected[1], run.sets["place"])
    with pytest.raises(DataError, match="no model number 3"):
        head_scores(sweep, 3)
