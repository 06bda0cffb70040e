"""The game's Python side: what it packs, what it refuses, what it shows where nothing moves."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.show import SearchGame, outline_regions, plot_decision_map

Build = Callable[..., SearchGame]


def test_packing_round_trip(frame: Any, game_of: Build) -> None:
    game = game_of(frame, hidden=5)
    assert game.hidden == 5
    assert not game.revealed
    assert np.frombuffer(game.regions, "<u2").size == frame.grid_class.size
    region, order = np.frombuffer(game.region, "<u2"), np.frombuffer(game.order, "<u2")
    assert sorted(order) == list(range(40))
    assert set(region) == {0, 1, 2}
    assert game.ids == [str(i) for i in range(40)], "no name tells which is hidden"


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("hidden=40: there is no such point among 40", {"hidden": 40}),
        ("order must name each of the 40 points once", {"order": np.zeros(40, dtype=int)}),
        (
            r"regions of shape \(2, 2\) do not fit a grid of \(25, 30\)",
            {"regions": np.ones((2, 2), dtype=int)},
        ),
        ("each needs nodes and a point", {"region": np.full(40, 3)}),
    ],
)
def test_bad_input(frame: Any, game_of: Build, message: str, changes: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=message):
        game_of(frame, **({"hidden": 5} | changes))


def test_regions_are_outlined_where_the_page_cannot_move(frame: Any, game_of: Build) -> None:
    assert game_of(frame, hidden=5).picture().startswith(b"\x89PNG\r\n")
    assert not plt.get_fignums()
    regions = np.zeros(frame.grid_class.shape, dtype=int)
    regions[3:6, 4:9] = 1
    regions[10, 20] = 2
    ax = outline_regions(
        plot_decision_map(frame, frame.predicted, ["negative", "positive"], legend=False), frame, regions
    )
    assert [text.get_text() for text in ax.texts] == ["1", "2"]
    left, right, bottom, top = frame.extent
    # The first region's middle is node (4, 6) of 25 × 30.
    assert ax.texts[0].get_position() == pytest.approx(
        (left + 6 / 29 * (right - left), bottom + 4 / 24 * (top - bottom))
    )
    plt.close("all")
