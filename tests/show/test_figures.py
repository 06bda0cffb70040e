"""The figures hold what their words say."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from encoder_atlas.errors import DataError
from encoder_atlas.show import class_colours, plot_decision_map, plot_quality

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


def quality() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"model": model, "lambda_": lambda_, "q_knn": error + 0.02 * seed, "q_data": error / 2}
            for model, error in (("PT", 0.3), ("FT", 0.02))
            for lambda_ in (0.0, 0.5, 1.0)
            for seed in (0, 1, 2)
        ]
    )


def test_quality_lines_are_means_in_percent() -> None:
    table = quality()
    printed = pd.DataFrame([{"model": "PT", "lambda_": 1.0, "q_knn": 0.27, "q_data": 0.2}])
    left, right = plot_quality(table, printed).axes
    assert left.lines[0].get_ydata() == pytest.approx([32, 32, 32])
    assert right.lines[1].get_ydata() == pytest.approx([1, 1, 1])
    assert np.asarray(left.collections[-1].get_offsets()) == pytest.approx(np.array([[1, 27]]))
    legend = left.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["PT", "FT", "printed in the paper"]


def test_quality_of_a_bad_table() -> None:
    with pytest.raises(DataError, match="table has no column 'q_data'"):
        plot_quality(quality().drop(columns="q_data"))
    with pytest.raises(DataError, match="did you mean 'lambda'"):
        plot_quality(quality().rename(columns={"lambda_": "lambda"}))
    with pytest.raises(DataError, match="holds no measurement"):
        plot_quality(quality().iloc[:0])
