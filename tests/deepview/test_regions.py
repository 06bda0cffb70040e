"""Uncertain regions: worked by hand, and against a literal search from node to node."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from encoder_atlas.deepview.regions import Ranking, find_regions, rank_points
from encoder_atlas.errors import SettingsError

# By hand: two classes side by side; certainty in tenths. Below .5 are, on the left, a node in the corner
# and a piece of three; on the right a piece of two, which touches the piece of three across the seam.
CLASSES = np.array([[0, 0, 0, 1, 1]] * 4)
TENTHS = np.array(
    [
        [1, 9, 9, 9, 9],
        [9, 9, 9, 2, 9],
        [9, 9, 0, 3, 9],
        [9, 4, 4, 9, 9],
    ]
)
BY_CLASS = np.array([[3, 0, 0, 0, 0], [0, 0, 0, 2, 0], [0, 0, 1, 2, 0], [0, 1, 1, 0, 0]])
ACROSS = np.array([[2, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 1, 0], [0, 1, 1, 0, 0]])


def test_regions_by_hand() -> None:
    assert find_regions(CLASSES, TENTHS / 10).tolist() == BY_CLASS.tolist()
    assert find_regions(CLASSES, TENTHS / 10, within_class=False).tolist() == ACROSS.tolist()


def test_a_threshold_is_not_itself_uncertain() -> None:
    assert find_regions(CLASSES, TENTHS / 10, threshold=0.1).sum() == 1, "only the node at 0 is below .1"
    assert not find_regions(CLASSES, TENTHS / 10, threshold=0.0).any()
    assert find_regions(CLASSES, TENTHS / 10, threshold=1.0).all()


def test_equal_regions_come_in_the_order_of_the_grid() -> None:
    certainty = np.array([[0.9, 0.9, 0.1], [0.9, 0.9, 0.9], [0.1, 0.9, 0.9]])
    found = find_regions(np.array([[1, 1, 1], [1, 1, 1], [0, 0, 0]]), certainty)
    assert (found[0, 2], found[2, 0]) == (1, 2)


@dataclass(frozen=True)
class Worked:
    """Seven points on the grid worked by hand; a place is (column, row)."""

    embedding: np.ndarray
    extent: tuple[float, float, float, float] = (0.0, 4.0, 0.0, 3.0)
    grid_class: np.ndarray = field(default_factory=lambda: CLASSES)
    grid_certainty: np.ndarray = field(default_factory=lambda: TENTHS / 10)


def ranked(**how: bool) -> Ranking:
    places = [(4, 0), (3, 1), (0, 0), (2, 2), (1, 3), (3.2, 2.1), (1, 1)]
    return rank_points(Worked(np.array(places, dtype=np.float32)), **how)


def test_reading_order_by_hand() -> None:
    ranking = ranked()
    assert ranking.regions.tolist() == BY_CLASS.tolist()
    assert ranking.region.tolist() == [0, 2, 3, 1, 1, 2, 0]
    # Region 1: certainty 0, then .4. Region 2: .2, then .3. Region 3. Then the others, both at .9, by row.
    assert ranking.order.tolist() == [3, 4, 1, 5, 2, 0, 6]
    assert [ranking.reads(row) for row in (3, 0)] == [1, 6]
    assert ranked(within_class=False).order.tolist() == [3, 1, 5, 4, 2, 0, 6]


@pytest.mark.parametrize("within_class", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_regions_equal_the_literal_search(seed: int, within_class: bool) -> None:
    rng = np.random.default_rng(seed)
    classes, certainty = rng.integers(0, 3, (9, 11)), rng.random((9, 11))
    found = find_regions(classes, certainty, 0.6, within_class)
    expected = literal_regions(classes, certainty, 0.6, within_class)
    assert found.tolist() == expected.tolist()


def literal_regions(
    classes: np.ndarray, certainty: np.ndarray, threshold: float, within_class: bool
) -> np.ndarray:
    """Step from uncertain node to uncertain neighbour until none is left, then sort the regions by size."""
    rows, cols = classes.shape
    seen: set[tuple[int, int]] = set()
    regions = []
    for start in np.ndindex(rows, cols):
        if start in seen or certainty[start] >= threshold:
            continue
        region, border = [], [start]
        seen.add(start)
        while border:
            row, col = border.pop()
            region.append((row, col))
            for near in [(row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]:
                if not (0 <= near[0] < rows and 0 <= near[1] < cols) or near in seen:
                    continue
                if certainty[near] < threshold and (not within_class or classes[near] == classes[start]):
                    seen.add(near)
                    border.append(near)
        regions.append(region)
    numbers = np.zeros((rows, cols), dtype=int)
    for number, region in enumerate(sorted(regions, key=len, reverse=True), start=1):
        for node in region:
            numbers[node] = number
    return numbers


def test_a_threshold_outside_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"threshold=50 is no certainty"):
        find_regions(CLASSES, TENTHS / 10, threshold=50.0)
