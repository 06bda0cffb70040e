"""A decision map to play: one sentence is hidden, and the reader counts how many it takes to find it."""

from collections.abc import Sequence

import numpy as np
import traitlets
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy import ndarray

from encoder_atlas.errors import DataError
from encoder_atlas.show.decision_map import DecisionMap
from encoder_atlas.show.frames import MapFrame, check_length
from encoder_atlas.show.map_widget import module
from encoder_atlas.show.page import packed
from encoder_atlas.show.style import INK


class SearchGame(DecisionMap):
    """A search for one manipulated sentence on a decision map, live in a page without a kernel.

    Uncertain regions are outlined and numbered. A point gives its sentence only when it is clicked or taken
    with Enter, and a counter says how many were read. Finding the hidden sentence, or "Reveal", tells how
    many random reading would have taken on average and how many the ranking takes; until then nothing on the
    page marks it. (The page's source holds it, as in every game that runs without a server.)

    Parameters
    ----------
    frame, texts, labels, class_names, title, probabilities
        As in ``DecisionMap``, for one λ. Points are named by their numbers: other names might tell.
    hidden
        Number of the hidden point.
    regions
        At every grid node the number of its uncertain region, 1 for the first to look into, or 0.
    region
        The region of every point, or 0. Each region holds a point.
    order
        All points in the order of the ranking.

    ``selected`` holds the ids of the points read, in the order of reading; ``revealed`` whether "Reveal" was
    pressed.

    Raises ``DataError`` for what cannot be drawn or played.
    """

    _esm = module("game.js")

    revealed = traitlets.Bool(False).tag(sync=True)
    hidden = traitlets.Int().tag(sync=True)
    regions = traitlets.Bytes().tag(sync=True)  # uint16, rows × cols
    region = traitlets.Bytes().tag(sync=True)  # uint16, points
    order = traitlets.Bytes().tag(sync=True)  # uint16, points

    def __init__(
        self,
        frame: MapFrame,
        texts: Sequence[str],
        labels: Int[ndarray, " points"],
        class_names: Sequence[str],
        *,
        hidden: int,
        regions: Int[ndarray, "rows cols"],
        region: Int[ndarray, " points"],
        order: Int[ndarray, " points"],
        title: str = "",
        probabilities: Float[ndarray, "points classes"] | None = None,
    ) -> None:
        _check_game(frame, len(labels), hidden, regions, region, order)
        self._regions = regions
        super().__init__([frame], texts, labels, class_names, title=title, probabilities=probabilities)
        self.set_trait("hidden", hidden)
        for name, values in (("regions", regions), ("region", region), ("order", order)):
            self.set_trait(name, packed([values], "<u2"))

    def _draw(self, ax: Axes) -> Axes:
        return outline_regions(super()._draw(ax), self._ordered[0], self._regions)


def outline_regions(ax: Axes, frame: MapFrame, regions: Int[ndarray, "rows cols"]) -> Axes:
    """Draw the borders of numbered regions, and their numbers, into a map drawn by ``plot_decision_map``."""
    xs, ys = (
        np.linspace(low, high, n)
        for low, high, n in zip(frame.extent[::2], frame.extent[1::2], regions.shape[::-1], strict=True)
    )
    for number in range(1, int(regions.max()) + 1):
        ax.contour(xs, ys, regions == number, levels=[0.5], colors=INK, linewidths=1.2)
        nodes = np.argwhere(regions == number)
        row, col = nodes[np.linalg.norm(nodes - nodes.mean(axis=0), axis=1).argmin()]
        written = ax.text(
            float(xs[col]), float(ys[row]), str(number), weight="bold", ha="center", va="center"
        )
        written.set(zorder=5, path_effects=[withStroke(linewidth=3, foreground="white")])
    return ax


def _check_game(
    frame: MapFrame,
    points: int,
    hidden: int,
    regions: Int[ndarray, "rows cols"],
    region: Int[ndarray, " points"],
    order: Int[ndarray, " points"],
) -> None:
    check_length("region", len(region), points)
    if not 0 <= hidden < points:
        raise DataError(f"hidden={hidden}: there is no such point among {points}")
    if sorted(order) != list(range(points)):
        raise DataError(f"order must name each of the {points} points once")
    if regions.shape != frame.grid_class.shape:
        raise DataError(f"regions of shape {regions.shape} do not fit a grid of {frame.grid_class.shape}")
    if set(regions[regions > 0]) != set(region[region > 0]) or regions.min() < 0:
        raise DataError("regions and region must name the same regions: each needs nodes and a point")
