"""The uncertain regions of a map, and the order in which they tell one to read (section 5.2 of the paper)."""

from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int
from scipy.ndimage import label

from encoder_atlas.deepview.grid import nodes_at
from encoder_atlas.errors import SettingsError


@runtime_checkable
class Shown(Protocol):
    """What a reader sees of a map: its points and its background, as in `DecisionFrame`."""

    @property
    def embedding(self) -> Float32[np.ndarray, "points 2"]: ...
    @property
    def extent(self) -> tuple[float, float, float, float]: ...
    @property
    def grid_class(self) -> Int[np.ndarray, "rows cols"]: ...
    @property
    def grid_certainty(self) -> Float64[np.ndarray, "rows cols"]: ...


@dataclass(frozen=True)
class Ranking:
    """Where a map tells one to look first."""

    regions: Int[np.ndarray, "rows cols"]
    """Grid nodes: the number of their uncertain region, 1 for the largest that holds a point, or 0."""
    region: Int[np.ndarray, "points"]
    """The region each point lies in, or 0."""
    order: Int[np.ndarray, "points"]
    """Row numbers of the points in the order in which they are to be read."""

    def reads(self, row: int) -> int:
        """How many points are read until the one in ``row`` is, itself counted."""
        return int(np.flatnonzero(self.order == row)[0]) + 1


def find_regions(
    grid_class: Int[np.ndarray, "rows cols"],
    grid_certainty: Float64[np.ndarray, "rows cols"],
    threshold: float = 0.5,
    within_class: bool = True,
) -> Int[np.ndarray, "rows cols"]:
    """Number the uncertain regions of a background: 1 is the largest, 0 is no region.

    A region is a connected set of nodes, across corners too, with certainty below ``threshold``. With
    ``within_class`` a region ends where the class does, as in the paper, which tells the uncertain part of
    the cyan area from that of the blue one; else the seam between two classes is one region. Of equally
    large regions the one nearer to the grid's first row and column comes first.

    Raises:
        SettingsError: ``threshold`` outside [0, 1].
    """
    if not 0 <= threshold <= 1:
        raise SettingsError(f"threshold={threshold:g} is no certainty: it lies in [0, 1]")
    uncertain = grid_certainty < threshold
    parts = (
        [uncertain & (grid_class == kind) for kind in np.unique(grid_class)] if within_class else [uncertain]
    )
    found = np.zeros(grid_class.shape, dtype=np.int64)
    for part in parts:
        found[part] = _pieces(part)[part] + found.max()
    pieces, first, size = np.unique(found[found > 0], return_index=True, return_counts=True)
    rank = np.zeros(found.max() + 1, dtype=np.int64)
    rank[pieces[np.lexsort((first, -size))]] = 1 + np.arange(len(pieces))
    return rank[found]


def rank_points(shown: Shown, threshold: float = 0.5, within_class: bool = True) -> Ranking:
    """Put the points of a map in the order in which section 5.2 of the paper reads them.

    The points of the largest uncertain region come first, then those of the next; inside a region the point
    on the least certain background comes first, as the paper goes from its white side inwards. Points outside
    of all regions follow by the same measure. The background is read at the nearest grid node, which is what
    the eye sees; of points at one node the one with the lower row number is first. Largest means most grid
    nodes, with or without points on them; a region without any point is left out and not counted.

    The paper names no threshold: it judges by eye, on a picture whose white is the least certain place of
    that picture. Ours, half of full certainty, is the same on every map: below it a background is nearer to
    white than to its class's colour. A map without such a place has no region.

    Raises:
        SettingsError: see `find_regions`.
    """
    regions = find_regions(shown.grid_class, shown.grid_certainty, threshold, within_class)
    nodes = nodes_at(shown.extent, shown.grid_class.shape, shown.embedding)
    inhabited = np.unique(np.append(regions[nodes], 0))
    regions = np.searchsorted(inhabited, regions) * np.isin(regions, inhabited)
    region, certainty = regions[nodes], shown.grid_certainty[nodes]
    order = np.lexsort((certainty, np.where(region, region, len(inhabited))))
    return Ranking(regions, region, order)


def _pieces(part: Bool[np.ndarray, "rows cols"]) -> Int[np.ndarray, "rows cols"]:
    # With structure given and no output, label gives a pair; its stubs allow for less.
    numbered, _ = cast(tuple[Int[np.ndarray, "rows cols"], int], label(part, structure=np.ones((3, 3))))
    return numbered
