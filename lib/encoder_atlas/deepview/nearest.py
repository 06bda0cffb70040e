"""The nearest neighbours under the blended distance, exactly, without the matrix of all distances.

√JS is a metric, so no path between two points is shorter than the metric between its ends, which needs no
walk. With the control distance, which is cheap, this bounds the blended distance from below. Paths are walked
in the order of that bound, until no pair that is left can be nearer than the neighbours already found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float64, Int
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

from encoder_atlas.deepview.classifier import Classifier
from encoder_atlas.deepview.distance import Paths, all_zero, check_directions, cosine_steps
from encoder_atlas.deepview.points import pair_chunks, unique_rows
from encoder_atlas.deepview.settings import DeepViewSettings, check_lambda
from encoder_atlas.errors import SettingsError

# Numbers in a block of rows × points: it stays near the cache, and memory does not grow with the square.
_BLOCK_NUMBERS = 2**20
_FIRST_SAMPLE = 500
_CLIMBS = 8


@dataclass(frozen=True)
class Neighbours:
    """The k nearest other points of every point, by blended distance."""

    indices: Int[np.ndarray, "points k"]
    """Rows of the neighbours, nearest first, the point itself left out; of equally near ones the lower row
    first."""
    distances: Float64[np.ndarray, "points k"]
    left_bound: Float64[np.ndarray, "points"]
    """No pair whose path was not walked is nearer than this; infinite where all were walked."""
    walked: int
    """How many paths were walked in the search."""

    @property
    def certified(self) -> Bool[np.ndarray, "points"]:
        """True where no other point can be nearer than the neighbours found."""
        return self.left_bound >= self.distances[:, -1]

    @property
    def walked_share(self) -> float:
        """Paths walked, as a share of the N (N - 1) / 2 paths of the full matrix."""
        n = len(self.indices)
        return self.walked / (n * (n - 1) / 2)


class NearestSearch:
    """Finds nearest neighbours among given points for any λ.

    Under ``blend="max"`` each term is divided by its largest value over all pairs. The control's is measured
    over all pairs. The path sums' is searched: all pairs of 500 points drawn by the seed, then, from the
    eight longest of these paths, each end in turn is moved to wherever among all points the path grows
    longest, until it grows no more. What is found is never larger than the largest path sum of all; up to 500
    points it is that.
    """

    def __init__(
        self, classifier: Classifier, points: Float64[np.ndarray, "points dim"], settings: DeepViewSettings
    ) -> None:
        """Predict the points and find the scales of both terms.

        Raises:
            DataError: see `DeepView.fit`.
        """
        first, self._place = unique_rows(points)
        self._paths = Paths(classifier, points[first], settings.path_segments)
        self._control = _ControlRows(points[first], settings)
        self._rescaled = settings.blend == "max"
        self._seed = settings.seed
        self.largest_control = self._control.largest()

    @cached_property
    def largest_path_sum(self) -> float:
        """Searched on first use: at λ = 1 no path counts."""
        return longest_path(self._paths, self._seed)

    def neighbours(
        self, lambda_: float, k: int, on_rows: Callable[[int], object] | None = None
    ) -> Neighbours:
        """Find the ``k`` nearest others of every point; ``on_rows`` hears how many points each block had.

        Raises:
            SettingsError: λ outside [0, 1], or not more than ``k`` points.
            DataError: all blended distances are zero.
        """
        weights = self._weights(check_lambda(lambda_))
        n = len(self._place)
        if n <= k:
            raise SettingsError(f"{k} neighbours need more than {k} points, but there are {n}")
        size = max(1, _BLOCK_NUMBERS // n)
        blocks: list[Neighbours] = []
        for begin in range(0, n, size):
            rows = np.arange(begin, min(begin + size, n))
            blocks.append(self._search(rows, k, *weights))
            if on_rows:
                on_rows(len(rows))
        return Neighbours(
            indices=np.concatenate([block.indices for block in blocks]),
            distances=np.concatenate([block.distances for block in blocks]),
            left_bound=np.concatenate([block.left_bound for block in blocks]),
            walked=sum(block.walked for block in blocks),
        )

    def _weights(self, lambda_: float) -> tuple[float, float]:
        path_weight = _weight(1 - lambda_, self.largest_path_sum if lambda_ < 1 else 0.0, self._rescaled)
        control_weight = _weight(lambda_, self.largest_control, self._rescaled)
        if not path_weight and not control_weight:
            raise all_zero(lambda_)
        return path_weight, control_weight

    def _search(
        self, rows: Int[np.ndarray, "rows"], k: int, path_weight: float, control_weight: float
    ) -> Neighbours:
        """Walk to ever more points, twice as many each time, from the rows that need it."""
        control, bound = self._bounds(rows, path_weight, control_weight)
        indices = np.zeros((len(rows), k), dtype=np.int64)
        distances = np.full((len(rows), k), np.inf)
        open_, width, walked = np.arange(len(rows)), k, 0
        while len(open_):
            near = np.argpartition(bound[open_], min(width, bound.shape[1]) - 1, axis=1)[:, :width]
            row = np.repeat(open_, near.shape[1])
            wanted = bound[row, near.ravel()] < distances[row, -1]
            found = np.full(near.size, np.inf)
            i, j = row[wanted], near.ravel()[wanted]
            if path_weight:
                found[wanted] = path_weight * self._walk(rows[i], j) + control_weight * control[i, j]
                walked += len(i)
            else:
                found[wanted] = bound[i, j]
            bound[i, j] = np.inf
            _merge(indices, distances, open_, near, found.reshape(near.shape))
            open_ = open_[bound[open_].min(axis=1) < distances[open_, -1]]
            width *= 2
        return Neighbours(indices, distances, bound.min(axis=1), walked)

    def _bounds(
        self, rows: Int[np.ndarray, "rows"], path_weight: float, control_weight: float
    ) -> tuple[Float64[np.ndarray, "rows points"], Float64[np.ndarray, "rows points"]]:
        """Control distances, and what blended distances are at least; infinite between a point and itself."""
        own = self._place[rows]
        shape = (len(rows), len(self._paths))
        control = self._control(own) if control_weight else np.zeros(shape)
        bound = control_weight * control
        if path_weight:
            bound += path_weight * self._paths.ends(own)
        control[np.arange(len(rows)), own] = bound[np.arange(len(rows)), own] = 0
        if len(self._paths) < len(self._place):
            control, bound = control[:, self._place], bound[:, self._place]
        bound[np.arange(len(rows)), rows] = np.inf
        return control, bound

    def _walk(self, i: Int[np.ndarray, "pairs"], j: Int[np.ndarray, "pairs"]) -> Float64[np.ndarray, "pairs"]:
        # From the lower row to the higher, as in the full matrix, so that rounding is the same.
        low, high = np.sort([self._place[i], self._place[j]], axis=0)
        sums = self._paths.sums(low, high)
        sums[low == high] = 0
        return sums


def _merge(
    indices: Int[np.ndarray, "rows k"],
    distances: Float64[np.ndarray, "rows k"],
    open_: Int[np.ndarray, "open"],
    near: Int[np.ndarray, "open width"],
    found: Float64[np.ndarray, "open width"],
) -> None:
    """Keep the nearest of what the open rows had and what was found, in place."""
    k = indices.shape[1]
    both = np.concatenate([distances[open_], found], axis=1)
    names = np.concatenate([indices[open_], near], axis=1)
    order = np.lexsort((names, both), axis=1)[:, :k]
    distances[open_] = np.take_along_axis(both, order, axis=1)
    indices[open_] = np.take_along_axis(names, order, axis=1)


def _weight(share: float, largest: float, rescaled: bool) -> float:
    """What a term is multiplied with in the blend; nothing where all its distances are zero."""
    return share / (largest if rescaled else 1) if largest else 0.0


def longest_path(paths: Paths, seed: int) -> float:
    """The largest path sum between any two points, or nearly so; how is told at `NearestSearch`."""
    n = len(paths)
    rng = np.random.default_rng(seed)
    sample = np.sort(rng.choice(n, _FIRST_SAMPLE, replace=False)) if n > _FIRST_SAMPLE else np.arange(n)
    pairs = [np.stack(pair) for pair in pair_chunks(len(sample), paths.pairs_at_once)]
    i, j = sample[np.concatenate([np.empty((2, 0), dtype=np.int64), *pairs], axis=1)]
    sums = paths.sums(i, j)
    if n == len(sample):
        return float(sums.max(initial=0))
    longest = np.argsort(-sums, kind="stable")[:_CLIMBS]
    return max(_climb(paths, int(i[pair]), float(sums[pair])) for pair in longest)


def _climb(paths: Paths, end: int, length: float) -> float:
    every = np.arange(len(paths))
    while True:
        sums = paths.sums(np.full(len(every), end), every)
        end = int(sums.argmax())
        if sums[end] <= length:
            return length
        length = float(sums[end])


class _ControlRows:
    """d_S of Eq. 1 from some points to all, up to rounding as `control_distance` has it."""

    def __init__(self, points: Float64[np.ndarray, "points dim"], settings: DeepViewSettings) -> None:
        self._settings = settings
        if settings.metric == "cosine":
            check_directions(points)
        self._unit = settings.metric == "cosine" and settings.control == "endpoint"
        self._points = np.asarray(normalize(points)) if self._unit else points
        self._norms = np.einsum("ij,ij->i", self._points, self._points)

    def __call__(self, rows: Int[np.ndarray, "rows"]) -> Float64[np.ndarray, "rows points"]:
        own, norms = self._points[rows], self._norms
        if self._settings.metric == "euclidean":
            squares = {"X_norm_squared": norms[rows, None], "Y_norm_squared": norms[None]}
            return euclidean_distances(own, self._points, **squares)
        products = own @ self._points.T
        if self._unit:
            return (1 - products).clip(0, 2)
        steps = self._settings.path_segments
        return np.stack([cosine_steps(norms[row], products[at], norms, steps) for at, row in enumerate(rows)])

    def largest(self) -> float:
        """The largest distance of all pairs."""
        n = len(self._points)
        size = max(1, _BLOCK_NUMBERS // n)
        blocks = (np.arange(begin, min(begin + size, n)) for begin in range(0, n, size))
        # A point and itself are at no distance, but for rounding.
        return max(float(np.where(rows[:, None] == np.arange(n), 0, self(rows)).max()) for rows in blocks)
