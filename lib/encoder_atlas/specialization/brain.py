"""Cognitive-neural mapping (CNM): two tasks are alike when their representations predict the same voxels.

After Luo et al. (2022), whose released script cannot be run. Predictions are joined with the truth by
sentence.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float, Float64, Int64
from pydantic import BaseModel, ConfigDict, Field
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neural_network import MLPRegressor

from encoder_atlas.errors import DataError
from encoder_atlas.progress import track
from encoder_atlas.specialization.recordings import Recording
from encoder_atlas.specialization.similarity import check_points


class CNMSettings(BaseModel):
    """How representations are mapped to voxels."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    mapping: Literal["mlp", "ridge"] = "mlp"
    """One hidden layer (Luo et al.), or ridge regression, which is much quicker."""

    hidden: tuple[int, ...] = Field(default=(400, 200), min_length=1)
    """Widths of the hidden layer, of which three-fold cross-validation chooses (Luo et al.)."""

    epochs: int = Field(default=100, ge=1)
    batch_size: int = Field(default=128, ge=1)

    folds: int = Field(default=5, ge=2)
    """Every sentence is predicted by a map that was fitted without it."""

    seeds: tuple[int, ...] = Field(default=(5, 10, 20, 30, 123), min_length=1)
    """Similarities are averaged over these (Luo et al.)."""

    voxels: int = Field(default=5000, ge=1)
    """How many voxels of each reader count: the most informative ones."""

    penalties: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0, 10000.0)
    """Of ridge regression; the best on the other folds is taken."""


def cnm(
    points: Mapping[str, Float[np.ndarray, "points hidden"]],
    recordings: Sequence[Recording],
    reference: Float[np.ndarray, "points dim"],
    settings: CNMSettings | None = None,
) -> pd.DataFrame:
    """Task similarities: the cosine of how well each voxel is predicted, mean over readers and seeds.

    The paper takes each reader's 5,000 "most informative" voxels without saying which they are. Here they are
    those that ridge regression predicts best from ``reference``, which favours no task.

    Args:
        points: for each task the recordings' sentences under the encoder fine-tuned on it.
        reference: the same sentences under the encoder before fine-tuning.

    Raises:
        SettingsError: fewer than two tasks.
        DataError: no recording, other sentences than were read, or fewer sentences than folds.
    """
    settings = settings or CNMSettings()
    checked = check_points(points, at_least=settings.folds)
    if not recordings:
        raise DataError("there is no recording: read_recordings or simulate_recordings gives them")
    for recording in recordings:
        if len(recording.voxels) != len(reference):
            raise DataError(
                f"{recording.subject} read {len(recording.voxels)} sentences, and {len(reference)} were "
                "represented"
            )
    found = []
    for recording in track(recordings, "CNM", unit="reader"):
        chosen = recording.voxels[:, informative_voxels(recording, reference, settings)]
        for seed in settings.seeds:
            vectors = np.stack([predictability(rows, chosen, settings, seed) for rows in checked.values()])
            units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            found.append(units @ units.T)
    return pd.DataFrame(np.mean(found, axis=0), index=list(checked), columns=list(checked))


def informative_voxels(
    recording: Recording, reference: Float[np.ndarray, "points hidden"], settings: CNMSettings
) -> Int64[np.ndarray, " chosen"]:
    """The voxels that ridge regression predicts best from ``reference``, best first."""
    ridge = settings.model_copy(update={"mapping": "ridge"})
    scores = predictability(reference, recording.voxels, ridge, settings.seeds[0])
    return np.argsort(-scores, kind="stable")[: settings.voxels]


def predictability(
    points: Float[np.ndarray, "points hidden"],
    voxels: Float[np.ndarray, "points voxels"],
    settings: CNMSettings,
    seed: int,
) -> Float64[np.ndarray, " voxels"]:
    """Pearson's r over sentences of every voxel with its prediction by maps that never saw the sentence."""
    predicted = np.empty(voxels.shape)
    folds = KFold(settings.folds, shuffle=True, random_state=seed)
    for train, test in folds.split(points):
        fitted = _fitted(points[train], voxels[train], settings, seed)
        predicted[test] = fitted.predict(points[test]).reshape(len(test), -1)
    return columnwise_r(voxels.astype(np.float64), predicted)


def columnwise_r(
    a: Float64[np.ndarray, "points voxels"], b: Float64[np.ndarray, "points voxels"]
) -> Float64[np.ndarray, " voxels"]:
    """Pearson's r of every column of ``a`` with that of ``b``; 0 where one of them does not vary."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    below = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    return np.divide((a * b).sum(axis=0), below, out=np.zeros_like(below), where=below > 0)


def _fitted(points: np.ndarray, voxels: np.ndarray, settings: CNMSettings, seed: int) -> Any:
    if settings.mapping == "ridge":
        return RidgeCV(list(settings.penalties)).fit(points, voxels)
    options: dict[str, Any] = {"batch_size": min(settings.batch_size, len(points) // 2), "alpha": 0.0}
    options |= {"hidden_layer_sizes": settings.hidden[:1], "max_iter": settings.epochs}
    network = MLPRegressor(random_state=seed, **options)
    if len(settings.hidden) > 1:
        widths = {"hidden_layer_sizes": [(width,) for width in settings.hidden]}
        network = GridSearchCV(network, widths, cv=3, scoring="neg_mean_squared_error")
    with warnings.catch_warnings():
        # A fixed number of epochs is what the method says; that the loss still falls is no fault.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return network.fit(points, voxels)
