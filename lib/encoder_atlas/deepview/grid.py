"""The background of a map: the classifier's answer on a grid in the plane."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int
from scipy.special import entr

from encoder_atlas.deepview.classifier import Classifier
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.settings import CertaintyReading, DeepViewSettings

_RELEASED_CONTRAST = 1.2


@dataclass(frozen=True)
class Background:
    """Class and certainty of every grid node; row 0 lies at the lowest second coordinate."""

    extent: tuple[float, float, float, float]
    """First coordinate's smallest and largest value, then the second's; the outermost nodes lie on them."""
    grid_class: Int[np.ndarray, "rows cols"]
    grid_certainty: Float64[np.ndarray, "rows cols"]

    def at(self, places: Float[np.ndarray, "places 2"]) -> Int[np.ndarray, "places"]:
        """The class of the grid node nearest to each place."""
        row, col = nodes_at(self.extent, self.grid_class.shape, places)
        return self.grid_class[row, col]


def nodes_at(
    extent: tuple[float, float, float, float], shape: tuple[int, ...], places: Float[np.ndarray, "places 2"]
) -> tuple[Int[np.ndarray, "places"], Int[np.ndarray, "places"]]:
    """Row and column of the grid node nearest to each place, in a grid of ``shape`` that spans ``extent``."""
    low, span = np.array(extent[::2]), np.diff(np.reshape(extent, (2, 2)))[:, 0]
    last = np.array(shape[::-1]) - 1
    col, row = np.clip(np.rint((places - low) / span * last), 0, last).astype(np.int64).T
    return row, col


def extent_of(embedding: Float[np.ndarray, "points 2"], margin: float) -> tuple[float, float, float, float]:
    """The embedding's limits, widened by ``margin`` times its extent on each side."""
    low, high = embedding.min(axis=0).astype(np.float64), embedding.max(axis=0).astype(np.float64)
    room = margin * (high - low)
    (x_min, y_min), (x_max, y_max) = low - room, high + room
    return float(x_min), float(x_max), float(y_min), float(y_max)


def draw_background(
    classifier: Classifier,
    inverse: InverseMap,
    embedding: Float[np.ndarray, "points 2"],
    settings: DeepViewSettings,
) -> Background:
    """Map every grid node back to a point and ask the classifier for its class and how certain it is."""
    extent = extent_of(embedding, settings.margin)
    n = settings.resolution
    xs, ys = np.meshgrid(np.linspace(*extent[:2], n), np.linspace(*extent[2:], n))
    probabilities = classifier.probabilities(inverse(np.column_stack([xs.ravel(), ys.ravel()])))
    return Background(
        extent=extent,
        grid_class=probabilities.argmax(axis=1).reshape(n, n),
        grid_certainty=certainty(probabilities, settings.certainty).reshape(n, n),
    )


def certainty(
    probabilities: Float64[np.ndarray, "points classes"], reading: CertaintyReading = "absolute"
) -> Float64[np.ndarray, "points"]:
    """How certain rows of probabilities are, in [0, 1].

    ``absolute``: 1 - entropy / ln C, so 0 is a uniform answer and 1 a sure one, on every plot alike.
    ``relative`` (released code): the entropy over the largest entropy among these rows, times 1.2, so that
    every plot has uncertain places, however sure the classifier is there.
    """
    uncertainty = entr(probabilities).sum(axis=1) / np.log(probabilities.shape[1])
    if reading == "relative":
        uncertainty = _RELEASED_CONTRAST * uncertainty / max(uncertainty.max(), np.finfo(np.float64).tiny)
    return (1 - uncertainty).clip(0, 1)
