"""DeepView: a classifier and points in, maps of its decisions for any λ out."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int, Shaped
from sklearn.neighbors import NearestNeighbors

from encoder_atlas.deepview.classifier import Classifier, as_classifier
from encoder_atlas.deepview.distance import blend, control_distance, discriminative_distance
from encoder_atlas.deepview.embed import check_neighbours, embed, embed_neighbours, turned_towards
from encoder_atlas.deepview.grid import draw_background
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.nearest import NearestSearch, Neighbours
from encoder_atlas.deepview.points import MIN_POINTS, check_points
from encoder_atlas.deepview.quality import background_error, classes_at, draw_held_out, q_data, q_knn
from encoder_atlas.deepview.settings import DeepViewSettings, check_lambda
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.progress import bar, track


@dataclass(frozen=True)
class DecisionFrame:
    """One map, for one λ: where points lie, what the classifier says between them, how far to trust it."""

    lambda_: float
    embedding: Float32[np.ndarray, "points 2"]
    extent: tuple[float, float, float, float]
    """The grid's limits: first coordinate's smallest and largest value, then the second's."""
    grid_class: Int[np.ndarray, "rows cols"]
    """Class at every grid node; row 0 lies at the lowest second coordinate."""
    grid_certainty: Float64[np.ndarray, "rows cols"]
    """In [0, 1], 1 is certain."""
    predicted: Int[np.ndarray, "points"]
    """The classifier's class of every point."""
    background: Int[np.ndarray, "points"]
    """Class of the background under every point."""
    neighbours: Int[np.ndarray, "points k"]
    """Rows of the nearest points by blended distance, nearest first, the point itself left out."""
    q_knn: float
    """Error in [0, 1]."""
    q_data: float
    """Error in [0, 1]."""

    @property
    def mismatch(self) -> Bool[np.ndarray, "points"]:
        """True where the background under a point shows another class than the classifier gives it."""
        return self.background != self.predicted


@dataclass(frozen=True)
class Quality:
    """The two errors of a map, each in [0, 1]."""

    q_knn: float
    q_data: float


class DeepView:
    """Maps of what a classifier does around given points.

    `fit` measures all distances once; `frame` blends them for a λ, embeds them and draws the background. Of
    many points (`neighbour_route` of the settings) the nearest neighbours are found for each λ instead.
    """

    classifier: Classifier
    settings: DeepViewSettings
    points: Float64[np.ndarray, "points dim"]
    probabilities: Float64[np.ndarray, "points classes"]
    predicted: Int[np.ndarray, "points"]

    def __init__(self, classifier: object, settings: DeepViewSettings | None = None) -> None:
        """Take anything that `as_classifier` takes.

        Raises:
            SettingsError: it is no classifier.
        """
        self.classifier = as_classifier(classifier)
        self.settings = settings or DeepViewSettings()
        self._measured = self._search = None

    def fit(self, points: Shaped[np.ndarray, "..."], show_progress: bool = True) -> "DeepView":
        """Measure the distances between ``points``, one point a row.

        Raises:
            DataError: points that are no finite matrix of numbers, fewer than five, of another width than the
                classifier takes; answers that are no probabilities; one class for all points (unless the
                settings allow it); points without direction under the cosine.
            SettingsError: fewer points than neighbours asked for.
        """
        settings = self.settings
        self._measured = self._search = None
        self.points = check_points(points, MIN_POINTS)
        check_neighbours(len(points), settings)
        self.probabilities = self.classifier.probabilities(self.points)
        self.predicted = self.probabilities.argmax(axis=1)
        self._check_classes()
        self._show_progress = show_progress
        self._found: dict[float, Neighbours] = {}
        if settings.measures_all(len(points)):
            # The control first: it is quick, and finds what is wrong with the points.
            control = control_distance(self.points, settings.metric, settings.control, settings.path_segments)
            self._measured = self._path_sums(), control
        else:
            self._search = NearestSearch(self.classifier, self.points, settings)
        return self

    @property
    def discriminative(self) -> Float64[np.ndarray, "points points"]:
        """Path sums between all points, where all were measured; else raises `SettingsError`."""
        return self._all_distances()[0]

    @property
    def control(self) -> Float64[np.ndarray, "points points"]:
        """Control distances between all points, where all were measured; else raises `SettingsError`."""
        return self._all_distances()[1]

    def neighbours(self, lambda_: float | None = None) -> Neighbours:
        """The nearest others of every point for one λ, as many as the map needs, found on the first call.

        Raises:
            SettingsError: λ outside [0, 1]; not fitted; all distances measured (`neighbour_route`).
            DataError: all blended distances are zero.
        """
        lambda_ = check_lambda(self.settings.lambda_ if lambda_ is None else lambda_)
        self._check_fitted()
        if self._search is None:
            raise SettingsError("all distances were measured: search with neighbour_route='nearest'")
        if lambda_ not in self._found:
            k = max(self.settings.n_neighbors - 1, self.settings.listed_neighbours)
            with self._bar("Neighbours", len(self.points), "point") as update:
                self._found[lambda_] = self._search.neighbours(lambda_, k, update)
        return self._found[lambda_]

    def frame(self, lambda_: float | None = None) -> DecisionFrame:
        """Embed and draw for one λ (default: the settings').

        Raises:
            SettingsError: λ outside [0, 1]; not fitted; an inverse map that would diverge.
            DataError: all blended distances are zero.
        """
        lambda_ = self.settings.lambda_ if lambda_ is None else lambda_
        embedding = self.embedding(lambda_)
        return self._draw(lambda_, embedding, self._measure(embedding))

    def frames(self, lambdas: Sequence[float]) -> list[DecisionFrame]:
        """One frame a λ, in the order given, to be shown one after the other.

        Each map is turned and mirrored towards the one before, so that points move for a reason. The errors
        are those of `frame`, measured before turning.

        Raises:
            SettingsError, DataError: see `frame`.
        """
        frames: list[DecisionFrame] = []
        for lambda_ in track(lambdas, "Maps over λ", unit="map"):
            embedding = self.embedding(lambda_)
            shown = turned_towards(embedding, frames[-1].embedding) if frames else embedding
            frames.append(self._draw(lambda_, shown, self._measure(embedding)))
        return frames

    def quality(self, lambda_: float) -> Quality:
        """Embed for one λ and measure: what `frame` gives as `q_knn` and `q_data`, without the background."""
        return self._measure(self.embedding(lambda_))

    def _draw(
        self, lambda_: float, embedding: Float32[np.ndarray, "points 2"], quality: Quality
    ) -> DecisionFrame:
        settings = self.settings
        inverse = InverseMap(embedding, self.points, settings)
        drawn = draw_background(self.classifier, inverse, embedding, settings)
        at_points = settings.mismatch == "point"
        return DecisionFrame(
            lambda_=float(lambda_),
            embedding=embedding,
            extent=drawn.extent,
            grid_class=drawn.grid_class,
            grid_certainty=drawn.grid_certainty,
            predicted=self.predicted,
            background=classes_at(self.classifier, inverse, embedding) if at_points else drawn.at(embedding),
            neighbours=self._listed(lambda_),
            q_knn=quality.q_knn,
            q_data=quality.q_data,
        )

    def _measure(self, embedding: Float32[np.ndarray, "points 2"]) -> Quality:
        return Quality(q_knn(embedding, self.predicted, self.settings.knn), self._q_data(embedding))

    def embedding(self, lambda_: float) -> Float32[np.ndarray, "points 2"]:
        """Where the points lie in the plane for one λ.

        Raises:
            SettingsError, DataError: see `frame`.
        """
        check_lambda(lambda_)
        self._check_fitted()
        if self._search is not None:
            return embed_neighbours(self.points, self.neighbours(lambda_), self.settings)
        return embed(self._blended(lambda_), self.settings)

    def _listed(self, lambda_: float) -> Int[np.ndarray, "points k"]:
        k = self.settings.listed_neighbours
        if self._search is not None:
            return self.neighbours(lambda_).indices[:, :k]
        nearest = NearestNeighbors(n_neighbors=k, metric="precomputed").fit(self._blended(lambda_))
        return nearest.kneighbors(return_distance=False)

    def _blended(self, lambda_: float) -> Float64[np.ndarray, "points points"]:
        return blend(self.discriminative, self.control, lambda_, self.settings.blend)

    def _q_data(self, embedding: Float32[np.ndarray, "points 2"]) -> float:
        settings = self.settings
        if settings.q_data == "background":
            inverse = InverseMap(embedding, self.points, settings)
            return background_error(classes_at(self.classifier, inverse, embedding), self.predicted)
        held_out = draw_held_out(len(self.points), settings.held_out, settings.seed)
        return q_data(self.classifier, self.points, embedding, self.predicted, held_out, settings)

    def _all_distances(self) -> tuple[Float64[np.ndarray, "points points"], ...]:
        self._check_fitted()
        if self._measured is None:
            raise SettingsError(
                f"of {len(self.points)} points only the nearest neighbours were measured, not all distances: "
                "take fewer points or set neighbour_route='full'"
            )
        return self._measured

    def _path_sums(self) -> Float64[np.ndarray, "points points"]:
        n = len(self.points)
        with self._bar("Distances", n * (n - 1) // 2, "pair") as update:
            return discriminative_distance(
                self.classifier, self.points, self.settings.path_segments, on_pairs=update
            )

    @contextmanager
    def _bar(self, name: str, total: int, unit: str) -> Iterator[Callable[[int], object] | None]:
        if not self._show_progress:
            yield None
            return
        with bar(name, total, unit) as shown:
            yield shown.update

    def _check_fitted(self) -> None:
        if self._measured is None and self._search is None:
            raise SettingsError("this DeepView has no points yet: call fit(points) first")

    def _check_classes(self) -> None:
        only = self.predicted[0]
        if (self.predicted == only).all() and not self.settings.allow_one_class:
            raise DataError(
                f"the classifier gives all {len(self.predicted)} points class {only}: there is no boundary "
                "to draw. Take other points or a better classifier, or set allow_one_class=True"
            )
