"""The figures hold what their words say."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from encoder_atlas.errors import DataError
from encoder_atlas.show import class_colours, draw_side_by_side, plot_decision_map

NAMES = ["negative", "positive"]


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


def test_decision_map(frame: Any) -> None:
    ax = plot_decision_map(frame, frame.predicted, NAMES)
    ringed = frame.embedding[frame.predicted != frame.background]
    halo, rings, points = ax.collections
    assert 0 < len(ringed) < 40
    assert np.asarray(rings.get_offsets()) == pytest.approx(ringed)
    assert np.asarray(halo.get_offsets()) == pytest.approx(ringed)
    assert np.asarray(points.get_offsets()) == pytest.approx(frame.embedding)
    expected = [to_rgb(class_colours(2)[label]) for label in frame.predicted]
    assert np.asarray(points.get_facecolor())[:, :3] == pytest.approx(np.array(expected))
    assert (*ax.get_xlim(), *ax.get_ylim()) == pytest.approx(frame.extent)


def test_many_classes_leave_the_map_its_room(frame: Any) -> None:
    names = [f"class {kind}" for kind in range(25)]
    figure = draw_side_by_side(
        plt.figure(figsize=(13, 4.2), layout="constrained"), {"λ": frame}, frame.predicted, names
    )
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert "and 13 more classes" in [text.get_text() for text in legend.get_texts()]
    figure.canvas.draw()
    assert figure.axes[0].get_position().height > 0.6


def test_legend_explains_ring_and_white(frame: Any) -> None:
    legend = plot_decision_map(frame, frame.predicted, NAMES).get_legend()
    assert legend is not None
    words = " ".join(text.get_text() for text in legend.get_texts())
    for word in ("true label: negative", "true label: positive", "ring", "white", "unsure"):
        assert word in words


def test_nodes_of_the_grid_lie_on_the_extent(frame: Any) -> None:
    (image,) = plot_decision_map(frame, frame.predicted, NAMES).images
    left, right, bottom, top = image.get_extent()
    rows, cols = frame.grid_class.shape
    # The centre of the first pixel, half a cell from the image's edge, is the node at xmin.
    assert left + (right - left) / cols / 2 == pytest.approx(frame.extent[0])
    assert top - (top - bottom) / rows / 2 == pytest.approx(frame.extent[3])


def test_decision_map_draws_on_given_axes(frame: Any) -> None:
    _, ax = plt.subplots()
    assert plot_decision_map(frame, frame.predicted, NAMES, ax, legend=False) is ax
    assert ax.get_legend() is None
    with pytest.raises(DataError, match="class 1 has no name"):
        plot_decision_map(frame, frame.predicted, ["negative"], ax)
