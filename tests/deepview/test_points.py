import itertools

import numpy as np
import pytest

from encoder_atlas.deepview.points import check_points, name_rows, over_unique, pair_chunks
from encoder_atlas.errors import DataError


def test_points_become_float64() -> None:
    points = check_points(np.array([[1, 2], [3, 4]], dtype=np.int32))
    assert points.dtype == np.float64
    assert points.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.array([["a", "b"]]), "must be numbers"),
        (np.zeros(4), r"not of shape \(4,\)"),
        (np.zeros((2, 2, 2)), r"not of shape \(2, 2, 2\)"),
        (np.zeros((3, 0)), "matrix"),
        (np.zeros((4, 2)), "4 points are too few: at least 5"),
    ],
)
def test_what_is_no_matrix_of_points_is_refused(points: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_points(points, minimum=5)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_with_nan_or_infinity_are_named(value: float) -> None:
    points = np.zeros((9, 3))
    points[[2, 7], 1] = value
    with pytest.raises(DataError, match="rows 2, 7"):
        check_points(points)


def test_many_rows_are_counted() -> None:
    assert name_rows(np.array([4])) == "row 4"
    assert name_rows(np.arange(8)) == "rows 0, 1, 2, 3, 4, … (8 in all)"


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("size", [1, 4, 45, 100])
def test_chunks_hold_every_pair_once_in_order(n: int, size: int) -> None:
    chunks = list(pair_chunks(n, size))
    assert [pair for i, j in chunks for pair in zip(i, j, strict=True)] == list(
        itertools.combinations(range(n), 2)
    )
    assert all(len(i) == size for i, _ in chunks[:-1])


def test_duplicates_share_their_distances() -> None:
    points = np.array([[3.0], [1.0], [3.0], [2.0], [1.0]])
    seen = []

    def distances(rows: np.ndarray) -> np.ndarray:
        seen.append(rows.ravel().tolist())
        return np.abs(rows - rows.T)

    assert np.array_equal(over_unique(points, distances), np.abs(points - points.T))
    assert seen == [[3.0, 1.0, 2.0]]
