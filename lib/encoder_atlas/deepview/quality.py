"""How far a map can be trusted: Q_kNN of the embedding, Q_data of the inverse map."""

import numpy as np
from jaxtyping import Float, Float64, Int
from sklearn.neighbors import NearestNeighbors

from encoder_atlas.deepview.classifier import Classifier
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.errors import DataError, SettingsError


def q_knn(
    embedding: Float[np.ndarray, "points 2"], predicted: Int[np.ndarray, "points"], k: int = 5
) -> float:
    """Leave-one-out error, in [0, 1], of k nearest neighbours in the plane on the classifier's own labels.

    A majority of the k neighbours decides; among equal counts the smallest label wins (released code). A low
    value says that the map keeps the classifier's classes together. At small λ it comes about by
    construction: distances are then distances between answers.

    Raises:
        SettingsError: not more points than k.
    """
    if len(embedding) <= k:
        raise SettingsError(f"Q_kNN with k={k} needs more than {k} points, but there are {len(embedding)}")
    labels, label = np.unique(predicted, return_inverse=True)
    # Asked without points, kneighbors leaves each point out of its own neighbours, duplicates or not.
    neighbours = NearestNeighbors(n_neighbors=k).fit(embedding).kneighbors(return_distance=False)
    votes = (label[neighbours][:, :, None] == np.arange(len(labels))).sum(axis=1)
    return float((votes.argmax(axis=1) != label).mean())


def q_data(
    classifier: Classifier,
    points: Float64[np.ndarray, "points dim"],
    embedding: Float[np.ndarray, "points 2"],
    predicted: Int[np.ndarray, "points"],
    held_out: Int[np.ndarray, "held"],
    settings: DeepViewSettings,
) -> float:
    """Error of the inverse map, in [0, 1], on the points whose rows are in ``held_out``.

    The inverse map is fitted on all other points; a held-out point counts as wrong when the classifier's
    class of its image differs from that of the point itself. The embedding has seen all points. This is what
    the paper's Tables 7-9 are (released code).

    Raises:
        DataError: no point is held out, or fewer than two are left.
    """
    kept = np.setdiff1d(np.arange(len(points)), held_out)
    if len(kept) < 2 or not len(held_out):
        raise DataError(f"Q_data needs points on both sides: {len(held_out)} held out leave {len(kept)}")
    inverse = InverseMap(embedding[kept], points[kept], settings)
    return background_error(classes_at(classifier, inverse, embedding[held_out]), predicted[held_out])


def background_error(background: Int[np.ndarray, "points"], predicted: Int[np.ndarray, "points"]) -> float:
    """Share of points whose class differs from the background under them: Q_data of the paper's text."""
    return float((background != predicted).mean())


def classes_at(
    classifier: Classifier, inverse: InverseMap, places: Float[np.ndarray, "places 2"]
) -> Int[np.ndarray, "places"]:
    """The classifier's class at the image of each place of the plane."""
    return classifier.probabilities(inverse(places)).argmax(axis=1)


def draw_held_out(n_points: int, share: float, seed: int) -> Int[np.ndarray, "held"]:
    """Draw the rows held out for Q_data: ``share`` of all, rounded, without replacement."""
    return np.sort(np.random.default_rng(seed).permutation(n_points)[: round(share * n_points)])
