"""The discriminative distance of DeepView (Eq. 1), its control distance, and their blend."""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float64, Int
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances
from torch import Tensor

from encoder_atlas.deepview.classifier import Classifier
from encoder_atlas.deepview.points import name_rows, over_unique, pair_chunks
from encoder_atlas.deepview.settings import Blend, Control, Metric, check_lambda
from encoder_atlas.errors import DataError

_EPS = torch.finfo(torch.float64).eps / 2
# Numbers on the paths of one chunk. More fall out of a CPU's cache and into memory that is fetched anew for
# each chunk: more than twice as slow.
_CHUNK_NUMBERS = 2**19
_TINY = torch.finfo(torch.float64).tiny


def js_metric(
    p: Float64[Tensor, "*rows classes"], q: Float64[Tensor, "*rows classes"]
) -> Float64[Tensor, "*rows"]:
    """Jensen-Shannon metric between rows of probabilities: the root of the divergence in nats, at most √ln 2.

    With r = (q - p) / (p + q) the divergence is Σ (p + q)/4 · [(1 + r) ln(1 + r) + (1 - r) ln(1 - r)]: no
    term is negative, so rows that are nearly equal lose no digits to cancellation before the root is taken.
    """
    both = p + q
    # A class that neither row gives any probability adds nothing; one that only one row gives is clamped.
    r = ((q - p) / both.clamp(min=_TINY)).clamp(-1 + _EPS, 1 - _EPS)
    divergence = both * ((1 + r) * torch.log1p(r) + (1 - r) * torch.log1p(-r))
    return divergence.sum(dim=-1).div(4).clamp(min=0).sqrt()


def discriminative_distance(
    classifier: Classifier,
    points: Float64[np.ndarray, "points dim"],
    segments: int = 10,
    chunk_pairs: int = 1024,
    on_pairs: Callable[[int], object] | None = None,
) -> Float64[np.ndarray, "points points"]:
    """How far the classifier's answer moves on the straight way from each point to each other, in nats^½.

    The first term of Eq. 1 without its weight: Σ_k JS(f(p_{k-1}), f(p_k)) over the ``segments`` equal steps
    of the line. Exactly symmetric, with a zero diagonal, and 0 between equal points.

    Every point is predicted once; along the paths only the part of the classifier behind its first affine
    layers runs (see `classifier`), for one triangle of the matrix, at most ``chunk_pairs`` paths at once.
    ``on_pairs`` hears how many pairs each chunk had.

    Raises:
        DataError: see `Classifier.probabilities`.
    """
    return over_unique(
        points, lambda rows: _path_sums(Paths(classifier, rows, segments, chunk_pairs), on_pairs)
    )


class Paths:
    """The straight ways between points that are all predicted and lifted once; see `discriminative_distance`.

    ``pairs_at_once`` is how many paths are walked together.
    """

    def __init__(
        self,
        classifier: Classifier,
        points: Float64[np.ndarray, "points dim"],
        segments: int = 10,
        chunk_pairs: int = 1024,
    ) -> None:
        """Predict ``points``.

        Raises:
            DataError: see `Classifier.probabilities`.
        """
        self._classifier, self._segments = classifier, segments
        # Classes come first in memory: sums over a few classes are then several times faster.
        self._ends = torch.from_numpy(classifier.probabilities(points)).T.contiguous()
        self._lifted = classifier.lift(points)
        self._inner = (torch.arange(1, segments, dtype=torch.float64) / segments).to(self._lifted)[:, None]
        self.pairs_at_once = min(chunk_pairs, max(1, _CHUNK_NUMBERS // (segments * self._lifted.shape[1])))

    def __len__(self) -> int:
        return self._ends.shape[1]

    def sums(self, i: Int[np.ndarray, "pairs"], j: Int[np.ndarray, "pairs"]) -> Float64[np.ndarray, "pairs"]:
        """Path sums from points ``i`` to points ``j``, pair by pair."""
        size = self.pairs_at_once
        parts = [self._chunk(i[at : at + size], j[at : at + size]) for at in range(0, len(i), size)]
        return np.concatenate([np.empty(0), *parts])

    def ends(self, rows: Int[np.ndarray, "rows"]) -> Float64[np.ndarray, "rows points"]:
        """Metric between the answers at ``rows`` and at all points: no path between them is shorter."""
        some, all_ = torch.broadcast_tensors(self._ends[:, rows, None], self._ends[:, None])
        return js_metric(some.movedim(0, -1), all_.movedim(0, -1)).numpy()

    @torch.no_grad()
    def _chunk(
        self, i: Int[np.ndarray, "pairs"], j: Int[np.ndarray, "pairs"]
    ) -> Float64[np.ndarray, "pairs"]:
        path = [self._ends[:, i, None], self._ends[:, j, None]]
        if self._segments > 1:
            start = self._lifted[i]
            places = torch.addcmul(start[:, None], (self._lifted[j] - start)[:, None], self._inner)
            answers = self._classifier.finish(places.flatten(0, 1)).cpu()
            path.insert(1, answers.T.unflatten(1, (len(i), self._segments - 1)))
        steps = torch.cat(path, dim=2).movedim(0, -1)
        return js_metric(steps[:, :-1], steps[:, 1:]).sum(dim=-1).numpy()


def _path_sums(
    paths: Paths, on_pairs: Callable[[int], object] | None
) -> Float64[np.ndarray, "points points"]:
    distances = np.zeros((len(paths), len(paths)))
    for i, j in pair_chunks(len(paths), paths.pairs_at_once):
        distances[i, j] = paths.sums(i, j)
        if on_pairs:
            on_pairs(len(i))
    return distances + distances.T


def control_distance(
    points: Float64[np.ndarray, "points dim"],
    metric: Metric = "cosine",
    reading: Control = "endpoint",
    segments: int = 10,
) -> Float64[np.ndarray, "points points"]:
    """d_S of Eq. 1 between all points: Euclidean, or cosine (1 - cos, in [0, 2]).

    ``reading`` chooses between the end points only (released code) and the sum over the path's ``segments``
    steps (Eq. 1 to the letter). For Euclid they are equal, as lengths on a line add up. Cosine distances do
    not: their sum shrinks as 1 / segments. Exactly symmetric, with a zero diagonal, and 0 between equal
    points.

    Raises:
        DataError: under cosine, points of length zero (the rows are named): they have no direction.
    """
    if metric == "euclidean":
        return over_unique(points, lambda rows: _mirrored(euclidean_distances(rows)))
    check_directions(points)
    if reading == "endpoint":
        return over_unique(points, lambda rows: _mirrored(cosine_distances(rows)))
    return over_unique(points, lambda rows: _mirrored(_cosine_path(rows, segments)))


def check_directions(points: Float64[np.ndarray, "points dim"]) -> None:
    """Raise `DataError` naming the points of length zero, which the cosine knows nothing of."""
    zero = np.flatnonzero(~points.any(axis=1))
    if len(zero):
        raise DataError(
            f"points of length zero have no direction, in {name_rows(zero)}: drop them or take "
            "metric='euclidean'"
        )


def _cosine_path(
    points: Float64[np.ndarray, "points dim"], segments: int
) -> Float64[np.ndarray, "points points"]:
    """Cosine distances summed along every path, upper triangle."""
    gram = points @ points.T
    norms = np.diag(gram)
    total = np.zeros_like(gram)
    for row in range(len(points) - 1):
        total[row, row + 1 :] = cosine_steps(norms[row], gram[row, row + 1 :], norms[row + 1 :], segments)
    return total


def cosine_steps(
    own: float,
    products: Float64[np.ndarray, "others"],
    norms: Float64[np.ndarray, "others"],
    segments: int,
) -> Float64[np.ndarray, "others"]:
    """Cosine distances summed along the paths from one point to others, from dot products alone.

    With p_s = (1 - s) x + s y: p_s·p_t = (1-s)(1-t) x·x + ((1-s)t + (1-t)s) x·y + st y·y. A step into or out
    of the origin, which has no direction, counts as 1, as for a right angle.
    """
    t = np.linspace(0, 1, segments + 1)[:, None]
    s, u = t[:-1], t[1:]
    square = (1 - t) ** 2 * own + 2 * (1 - t) * t * products + t**2 * norms
    dot = (1 - s) * (1 - u) * own + ((1 - s) * u + (1 - u) * s) * products + s * u * norms
    lengths = np.sqrt(square.clip(0))
    scale = lengths[:-1] * lengths[1:]
    cosine = np.divide(dot, scale, out=np.zeros_like(dot), where=scale > 0)
    return (1 - cosine).clip(0, 2).sum(axis=0)


def blend(
    discriminative: Float64[np.ndarray, "points points"],
    control: Float64[np.ndarray, "points points"],
    lambda_: float,
    how: Blend = "max",
) -> Float64[np.ndarray, "points points"]:
    """Weigh the two terms of Eq. 1: (1 - λ) discriminative + λ control.

    ``how="max"`` divides each term by its largest entry first (released code): without it λ means something
    else for every classifier and metric. With it, λ depends on the most distant pair of the sample.

    Raises:
        SettingsError: λ outside [0, 1].
        DataError: all blended distances are zero, so there is nothing to embed.
    """
    check_lambda(lambda_)
    blended = np.zeros_like(control)
    for term, weight in ((discriminative, 1 - lambda_), (control, lambda_)):
        largest = float(term.max()) if how == "max" else 1.0
        if weight and largest:
            blended += (weight / largest) * term
    if not blended.any():
        raise all_zero(lambda_)
    return blended


def all_zero(lambda_: float) -> DataError:
    """The error for points between which there is no distance at all."""
    what = "the points are all equal" if lambda_ else "the classifier gives all points the same answer"
    return DataError(f"all distances are zero at lambda_={lambda_}: {what}")


def _mirrored(distances: Float64[np.ndarray, "points points"]) -> Float64[np.ndarray, "points points"]:
    """The upper triangle in both halves, zero between: matrix products are symmetric only to rounding."""
    upper = np.triu(distances, 1)
    return upper + upper.T
