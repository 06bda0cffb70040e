import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from encoder_atlas.deepview import DeepView, DeepViewSettings
from encoder_atlas.deepview.cost import STAGES, cost_over_points, map_cost
from encoder_atlas.deepview.figures_scale import plot_cost
from encoder_atlas.errors import DataError

SETTINGS = DeepViewSettings(n_neighbors=5, resolution=4, segments=3, listed_neighbours=3)
ROUTES = ("full", "nearest")


@pytest.fixture(scope="module")
def cost(blobs: tuple[np.ndarray, np.ndarray], logistic: LogisticRegression) -> pd.DataFrame:
    return cost_over_points(logistic, blobs[0], [30, 50], SETTINGS)


def test_one_row_a_size_route_and_stage(cost: pd.DataFrame) -> None:
    assert len(cost) == 2 * 2 * len(STAGES)
    assert len(cost.drop_duplicates(["points", "route", "stage"])) == len(cost)
    assert (cost["seconds"].to_numpy() >= 0).all()
    assert set(cost["certified_share"]) == {1}
    full, nearest = (cost.query(f"route == '{route}'")["walked_share"].to_numpy() for route in ROUTES)
    assert (full == 1).all()
    assert ((nearest > 0) & (nearest < 1)).all()


@pytest.mark.parametrize("route", ROUTES)
def test_the_map_that_is_timed_is_the_map_that_is_drawn(
    route: str, blobs: tuple[np.ndarray, np.ndarray], logistic: LogisticRegression
) -> None:
    settings = SETTINGS.model_copy(update={"neighbour_route": route})
    timed = map_cost(logistic, blobs[0], settings, 0.4)
    assert timed.quality == DeepView(logistic, settings).fit(blobs[0], show_progress=False).quality(0.4)
    assert timed.route == route
    assert tuple(timed.seconds) == STAGES


def test_the_figure_has_a_panel_a_route_and_a_line_a_stage(cost: pd.DataFrame) -> None:
    figure = plot_cost(cost)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["All distances", "Nearest neighbours only"]
    for ax in figure.axes:
        lines = {line.get_label(): line for line in ax.get_lines()}
        assert set(lines) == {*STAGES, "all", "slope of $N^2$"}
        total = np.sum([np.asarray(lines[stage].get_ydata()) for stage in STAGES], axis=0)
        np.testing.assert_allclose(np.asarray(lines["all"].get_ydata()), total)
    assert len(plot_cost(cost.query("route == 'full'")).axes) == 1
    plt.close("all")


def test_tables_that_cannot_be_drawn_are_refused(cost: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="a column cpu_seconds"):
        plot_cost(cost.drop(columns="cpu_seconds"))
    with pytest.raises(DataError, match="needs rows"):
        plot_cost(cost.iloc[:0])
