"""How alike two spaces arrange the same points: who is near whom, for all neighbourhood sizes at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from jaxtyping import Float, Float64, Int, Shaped

from encoder_atlas.deepview.distance import control_distance
from encoder_atlas.deepview.points import check_points, name_rows
from encoder_atlas.deepview.settings import Metric
from encoder_atlas.errors import DataError, SettingsError, near

SPACES = ("cosine", "euclidean", "precomputed")
READINGS = ("definition", "released")
MIN_POINTS = 3


@dataclass(frozen=True)
class Agreement:
    """Q_NN(k) of two spaces for k = 1 … N - 1, and what Section 5.4 of the paper makes of it.

    ``reading`` chooses between the measures as they are defined and as the released notebook computes them:
    it takes k / (N - 2) for the random baseline, and leaves Q_NN(K_max) out of the sum that it divides by
    K_max. With K_max = 1 its Q_local is then 0 whatever the spaces are, as in the second column of Table 3.
    """

    q_nn: Float64[np.ndarray, "ks"]
    """Q_NN(k): share, in [0, 1], of a point's k nearest neighbours that are so in both spaces, mean over
    points."""
    reading: str = "definition"

    def __post_init__(self) -> None:
        if self.reading not in READINGS:
            raise SettingsError(f"no reading is called {self.reading!r}; {near(self.reading, READINGS)}")

    @property
    def ks(self) -> Int[np.ndarray, "ks"]:
        """1 … N - 1."""
        return np.arange(1, len(self.q_nn) + 1)

    @property
    def baseline(self) -> Float64[np.ndarray, "ks"]:
        """Q_NN(k) of two spaces that have nothing to do with each other: k / (N - 1)."""
        others = len(self.q_nn) - (self.reading == "released")
        return self.ks / others

    @property
    def lcmc(self) -> Float64[np.ndarray, "ks"]:
        """LCMC(k): what Q_NN(k) has above the random baseline."""
        return self.q_nn - self.baseline

    @property
    def k_max(self) -> int:
        """K_max: the k at which LCMC is largest, the smallest such k (the paper calls it a value)."""
        return int(self.lcmc.argmax()) + 1

    @property
    def q_local(self) -> float:
        """Q_local: the mean of Q_NN(k) over k = 1 … K_max."""
        summed = self.k_max - (self.reading == "released")
        return float(self.q_nn[:summed].sum() / self.k_max)

    @property
    def auc(self) -> float:
        """AUC of the paper: the mean of Q_NN(k) over all k; of unrelated spaces N / (2 (N - 1))."""
        return float(self.q_nn.mean())

    @property
    def r_nx(self) -> Float64[np.ndarray, "inner"]:
        """R_NX(k) for k = 1 … N - 2: Q_NN rescaled to 0 at the random baseline and 1 at full agreement."""
        others, ks = len(self.q_nn), self.ks[:-1]
        return (others * self.q_nn[:-1] - ks) / (others - ks)

    @property
    def auc_ln_k(self) -> float:
        """The mean of R_NX(k) with weights 1/k, so that near neighbours count most: 0 random, 1 equal."""
        return float(np.average(self.r_nx, weights=1 / self.ks[:-1]))

    def to_frame(self) -> pd.DataFrame:
        """One row a k: k, q_nn, lcmc, baseline."""
        return pd.DataFrame({"k": self.ks, "q_nn": self.q_nn, "lcmc": self.lcmc, "baseline": self.baseline})


def agreement(
    a: Shaped[np.ndarray, "..."],
    b: Shaped[np.ndarray, "..."],
    space: str = "euclidean",
    reading: str = "definition",
) -> Agreement:
    """Compare the neighbourhoods of the same points, row by row the same, in two spaces.

    ``a`` and ``b`` hold points (they may differ in width), or with ``space="precomputed"`` distances, such
    as the blended ones of a DeepView. See `neighbour_ranks` for ties.

    Raises:
        SettingsError: no such reading; no such space.
        DataError: see `neighbour_ranks`; another number of points in ``b`` than in ``a``.
    """
    if len(a) != len(b):
        raise DataError(f"the same points are needed in both spaces, but there are {len(a)} and {len(b)}")
    return agreement_of_ranks(neighbour_ranks(a, space), neighbour_ranks(b, space), reading)


def agreement_of_ranks(
    a: Int[np.ndarray, "points points"],
    b: Int[np.ndarray, "points points"],
    reading: str = "definition",
) -> Agreement:
    """Compare two rank matrices of `neighbour_ranks`.

    j is among the k nearest of i in both spaces exactly when the larger of its two ranks is at most k. So one
    count of these maxima gives Q_NN for every k.
    """
    n = len(a)
    # On the diagonal, and only there, the larger rank is 0.
    both = np.bincount(np.maximum(a, b).ravel(), minlength=n)[1:].cumsum()
    return Agreement(both / (n * np.arange(1, n)), reading)


def neighbour_ranks(
    points: Shaped[np.ndarray, "..."], space: str = "euclidean"
) -> Int[np.ndarray, "points points"]:
    """Rank of point j among the neighbours of point i, 1 for the nearest; 0 for the point itself.

    Of points at equal distance the one in the earlier row is nearer, in every space alike. Duplicates are
    therefore ordered alike everywhere, which reads as agreement: leave them out (`draw_sample` does). A
    point comes before its own duplicates.

    Raises:
        SettingsError: no such space.
        DataError: fewer than three points; NaN or infinity; points without direction under the cosine;
            precomputed distances that are no square, negative, or not the same both ways.
    """
    if space not in SPACES:
        raise SettingsError(f"no space is called {space!r}; {near(space, SPACES)}")
    rows = check_points(points, MIN_POINTS)
    distances = _checked(rows) if space == "precomputed" else control_distance(rows, cast(Metric, space))
    own_first = distances.copy()
    np.fill_diagonal(own_first, -np.inf)
    order = own_first.argsort(axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(len(order))[None], axis=1)
    return ranks


def classes_alone(sizes: Sequence[int]) -> Agreement:
    """Q_NN(k), as expected, of two spaces that hold the same classes apart and share nothing else.

    Of a class of m points each has its m - 1 fellows first, then the N - m others, both in an order that has
    nothing to do with the other space's. Among the first k < m two such orders share k² / (m - 1) points,
    beyond that all fellows and (k - m + 1)² / (N - m) others.

    The MT vs FT column of Table 3 (Q_local 0.50, K_max 225, AUC 0.69 in Figure 5) is what this gives for
    two classes of 250 points: 0.50, 249, 0.69.

    Raises:
        DataError: fewer than two classes, or a class of fewer than two points.
    """
    if len(sizes) < 2 or min(sizes) < 2:
        raise DataError(f"at least two classes of at least two points are needed, not sizes {list(sizes)}")
    n = sum(sizes)
    ks = np.arange(1, n)
    common = np.zeros(n - 1)
    for size in sizes:
        fellows, beyond = np.minimum(ks, size - 1), np.maximum(ks - (size - 1), 0)
        common += size / n * (fellows**2 / (size - 1) + beyond**2 / (n - size))
    return Agreement(common / ks)


def shuffled_within(
    ranks: Int[np.ndarray, "points points"], groups: Int[np.ndarray, "points"], seed: int
) -> Int[np.ndarray, "points points"]:
    """The ranks after the points of each group have changed places at random.

    A control: two spaces, of which one is shuffled within the classes, agree by as much as it takes to hold
    the classes apart, and by nothing else.
    """
    generator = np.random.default_rng(seed)
    places = np.arange(len(ranks))
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        places[members] = generator.permutation(members)
    return ranks[np.ix_(places, places)]


def _checked(distances: Float[np.ndarray, "rows cols"]) -> Float64[np.ndarray, "points points"]:
    if distances.shape[0] != distances.shape[1]:
        raise DataError(f"precomputed distances must be a square matrix, not of shape {distances.shape}")
    negative = np.flatnonzero((distances < 0).any(axis=1))
    if len(negative):
        raise DataError(f"precomputed distances are negative in {name_rows(negative)}")
    if not np.allclose(distances, distances.T):
        raise DataError("precomputed distances must be the same both ways: the matrix is not symmetric")
    return distances
