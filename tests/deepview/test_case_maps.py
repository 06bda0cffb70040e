from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pytest

from encoder_atlas.deepview import Case, DeepViewSettings, map_cases, side_by_side
from encoder_atlas.deepview.case_maps import CaseMap
from encoder_atlas.errors import DataError

SETTINGS = DeepViewSettings(n_neighbors=8, segments=3, resolution=10, listed_neighbours=4)
ROWS = np.array([30, 2, 17, *range(18, 28)])


@pytest.fixture(scope="module")
def maps(make_case: Callable[..., Case]) -> dict[str, CaseMap]:
    cases = {"MT": make_case("MT"), "FT": make_case("FT", wrong=0.5)}
    return map_cases(cases, SETTINGS, ROWS, {"MT": (1.0,), "FT": (0.8, 1.0, 0.0, 1.0)})


def test_each_model_is_drawn_at_its_lambdas(maps: dict[str, CaseMap]) -> None:
    assert [frame.lambda_ for frame in maps["MT"].frames] == [1.0]
    assert [frame.lambda_ for frame in maps["FT"].frames] == [0.0, 0.8, 1.0]
    assert maps["FT"].at(0.8) is maps["FT"].frames[1]
    with pytest.raises(DataError, match=r"no map was drawn at λ = 0.5; there are 0, 0.8, 1"):
        maps["FT"].at(0.5)


def test_widgets_show_the_rows_that_were_drawn(maps: dict[str, CaseMap]) -> None:
    shown = maps["FT"]
    live, beside, both = shown.live(0.8), shown.beside(), side_by_side(maps, 1.0)
    assert live.lambda_ == 0.8
    assert [frame["name"] for frame in beside.frames] == ["λ = 1", "λ = 0.8", "λ = 0"]
    assert [frame["name"] for frame in both.frames] == ["MT, λ = 1", "FT, λ = 1"]
    for widget in (live, beside, both):
        assert widget.texts[:2] == ["text 30", "text 2"]
        assert list(widget.labels) == shown.case.labels[ROWS].tolist()
        assert widget.group == live.group != ""
    predicted = np.frombuffer(both.predicted, "u1").reshape(2, -1)
    assert np.array_equal(predicted[1], shown.case.predicted[ROWS])
    figure = shown.figure()
    assert len(figure.axes) == 3
    plt.close(figure)
