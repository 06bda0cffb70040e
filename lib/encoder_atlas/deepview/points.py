"""Checks on the matrix of points, and the pairs that a distance is computed for."""

from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Float64, Int, Shaped

from encoder_atlas.errors import DataError

MIN_POINTS = 5
_NAMED_ROWS = 5


def check_points(points: Shaped[np.ndarray, "..."], minimum: int = 1) -> Float64[np.ndarray, "points dim"]:
    """Return ``points`` as a float64 matrix, one point a row.

    Raises:
        DataError: not numbers, not two-dimensional, fewer than ``minimum`` rows, no columns, or NaN or
        infinity
            (the rows are named).
    """
    if points.dtype.kind not in "fiub":
        raise DataError(f"points must be numbers, not {points.dtype}")
    if points.ndim != 2 or points.shape[1] == 0:
        raise DataError(f"points must be a matrix with one point a row, not of shape {points.shape}")
    if len(points) < minimum:
        raise DataError(f"{len(points)} points are too few: at least {minimum} are needed")
    broken = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(broken):
        raise DataError(f"points hold NaN or infinity in {name_rows(broken)}: drop or repair them")
    return points.astype(np.float64)


def name_rows(rows: Int[np.ndarray, "rows"]) -> str:
    """Name row numbers for an error message: the first few, and how many there are."""
    shown = ", ".join(str(row) for row in rows[:_NAMED_ROWS])
    if len(rows) > _NAMED_ROWS:
        return f"rows {shown}, … ({len(rows)} in all)"
    return f"row{'s' if len(rows) > 1 else ''} {shown}"


def pair_chunks(
    n_points: int, size: int
) -> Iterator[tuple[Int[np.ndarray, "pairs"], Int[np.ndarray, "pairs"]]]:
    """Yield the pairs (i, j), i < j, of ``n_points`` points in row order, at most ``size`` at a time."""
    rows = np.arange(n_points)
    first_of_row = rows * (n_points - 1) - rows * (rows - 1) // 2
    total = n_points * (n_points - 1) // 2
    for begin in range(0, total, size):
        pair = np.arange(begin, min(begin + size, total))
        i = np.searchsorted(first_of_row[:-1], pair, side="right") - 1
        yield i, pair - first_of_row[i] + i + 1


def unique_rows(
    points: Float64[np.ndarray, "points dim"],
) -> tuple[Int[np.ndarray, "unique"], Int[np.ndarray, "points"]]:
    """Where each different point stands first, in order of appearance, and which of them each point is."""
    _, first, place = np.unique(points, axis=0, return_index=True, return_inverse=True)
    # np.unique sorts the rows; keeping their order of appearance makes results the same with and without
    # duplicates.
    order = np.argsort(first)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return first[order], back[place.reshape(-1)]


def over_unique(
    points: Float64[np.ndarray, "points dim"],
    distances: Callable[[Float64[np.ndarray, "unique dim"]], Float64[np.ndarray, "unique unique"]],
) -> Float64[np.ndarray, "points points"]:
    """Compute ``distances`` between the different points only and copy them to the duplicates.

    Equal points are then at distance exactly 0 and equally far from all others, whatever rounding does to
    equal rows in different places of a matrix product.
    """
    first, place = unique_rows(points)
    if len(first) == len(points):
        return distances(points)
    return distances(points[first])[np.ix_(place, place)]
