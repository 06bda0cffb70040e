"""The figures hold what their words say."""

from collections.abc import Callable, Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from encoder_atlas.deepview.comparison import Compared, ModelComparison
from encoder_atlas.deepview.figures_compare import plot_confusions, plot_neighbourhoods, plot_transfer
from encoder_atlas.deepview.neighbourhoods import Agreement
from encoder_atlas.errors import DataError


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


def curves() -> pd.DataFrame:
    """Two pairs of models, two spaces, two samples of five points; the pairs' AUCs are 0.925 and 0.675."""
    made = []
    for pair, start in (("MT (1) vs FT (1)", 0.8), ("FT (1) vs PT (1)", 0.3)):
        for space in ("map", "original"):
            for sample in (0, 1):
                found = Agreement(np.linspace(start + 0.1 * sample, 1, 4))
                made.append(Compared(pair, space, sample, found, Agreement(np.array([0.3, 0.6, 0.8, 1.0]))))
    return ModelComparison(tuple(made)).to_frame()


def legend(figure: Figure) -> list[str]:
    found = figure.axes[0].get_legend()
    assert found is not None
    return [text.get_text() for text in found.get_texts()]


def test_curves_are_means_and_bands_span_the_samples() -> None:
    figure = plot_neighbourhoods(curves())
    left, right = figure.axes
    assert (left.get_title(loc="left"), right.get_title(loc="left")) == (
        "On the map",
        "In the original space",
    )
    assert left.get_ylabel() == "$Q_{NN}(k)$"
    first, alone, second, _, random, _ = left.lines
    assert first.get_ydata() == pytest.approx(np.linspace(0.85, 1, 4))
    assert second.get_ydata() == pytest.approx(np.linspace(0.35, 1, 4))
    assert alone.get_ydata() == pytest.approx([0.3, 0.6, 0.8, 1.0])
    assert random.get_ydata() == pytest.approx([0.25, 0.5, 0.75, 1.0])
    band = left.collections[0].get_paths()[0].vertices
    assert (np.asarray(band)[:, 1].min(), np.asarray(band)[:, 1].max()) == pytest.approx((0.8, 1.0))
    assert legend(figure) == [
        "MT (1) vs FT (1), AUC 0.93",
        "FT (1) vs PT (1), AUC 0.67",
        "random",
        "classes alone",
    ]


def test_lcmc_is_drawn_above_a_baseline_of_zero() -> None:
    left = plot_neighbourhoods(curves(), "lcmc").axes[0]
    first, alone, _, _, random, _ = left.lines
    assert first.get_ydata() == pytest.approx(np.linspace(0.85, 1, 4) - np.array([0.25, 0.5, 0.75, 1]))
    assert alone.get_ydata() == pytest.approx([0.05, 0.1, 0.05, 0])
    assert random.get_ydata() == pytest.approx([0, 0, 0, 0])


def test_one_space_alone_is_drawn_alone() -> None:
    (only,) = plot_neighbourhoods(curves().query("space == 'original'")).axes
    assert only.get_title(loc="left") == "In the original space"


def confusions() -> pd.DataFrame:
    rows = [
        ("MT", "RTE", "RTE", 6, 0.6),
        ("MT", "RTE", "MNLI", 4, 0.4),
        ("MT", "MNLI", "RTE", 1, 0.1),
        ("MT", "MNLI", "MNLI", 9, 0.9),
        ("PT", "RTE", "RTE", 10, 1.0),
        ("PT", "RTE", "MNLI", 0, 0.0),
        ("PT", "MNLI", "RTE", 0, 0.0),
        ("PT", "MNLI", "MNLI", 10, 1.0),
    ]
    return pd.DataFrame(rows, columns=["model", "true", "predicted", "count", "share"])


def test_confusions_are_rows_in_percent_with_counts() -> None:
    left, right = plot_confusions(confusions()).axes
    assert (left.get_title(loc="left"), right.get_title(loc="left")) == ("MT", "PT")
    assert [text.get_text() for text in left.texts] == ["60 %\n6", "40 %\n4", "10 %\n1", "90 %\n9"]
    assert [label.get_text() for label in left.get_yticklabels()] == ["RTE", "MNLI"]
    assert [label.get_text() for label in left.get_xticklabels()] == ["RTE", "MNLI"]
    assert left.get_xlabel() == "taken for"


def transfer() -> pd.DataFrame:
    rows = [("untouched", 0.6, 0.5, 0.7, 1, 40), ("FT on MNLI", 0.75, 0.65, 0.85, 1, 40)]
    table = pd.DataFrame(rows, columns=["encoder", "accuracy", "low", "high", "seeds", "n"])
    return table.assign(target="RTE")


BASELINES = {"commonest class": 0.52, "words in common": 0.6}


def test_transfer_shows_intervals_and_what_needs_no_encoder() -> None:
    figure = plot_transfer(transfer(), BASELINES)
    (ax,) = figure.axes
    assert ax.get_title(loc="left") == "Ways to RTE"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["untouched", "FT on MNLI"]
    points = next(
        line for line in ax.lines if len(np.asarray(line.get_xdata())) == 2 and line.get_marker() == "o"
    )
    assert points.get_xdata() == pytest.approx([60, 75])
    bars = ax.collections[0].get_segments()  # pyright: ignore[reportAttributeAccessIssue]
    assert np.array(bars)[:, :, 0] == pytest.approx(np.array([[50, 70], [65, 85]]))
    assert set(BASELINES) <= set(legend(figure))
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first row stands on top"


@pytest.mark.parametrize(
    ("plot", "table", "column"),
    [
        (plot_neighbourhoods, curves, "classes_alone"),
        (plot_confusions, confusions, "share"),
        (lambda table: plot_transfer(table, BASELINES), transfer, "accuracy"),
    ],
)
def test_bad_tables(
    plot: Callable[[pd.DataFrame], Figure], table: Callable[[], pd.DataFrame], column: str
) -> None:
    with pytest.raises(DataError, match=f"no column {column!r}"):
        plot(table().drop(columns=column))
    with pytest.raises(DataError, match="holds no measurement"):
        plot(table().iloc[:0])


def test_a_curve_that_is_not_there() -> None:
    with pytest.raises(DataError, match="did you mean 'lcmc'"):
        plot_neighbourhoods(curves(), "lmcm")
