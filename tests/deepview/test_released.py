"""The released code's own outputs, under the released readings."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from encoder_atlas.deepview import (
    DeepViewSettings,
    InverseMap,
    as_classifier,
    blend,
    control_distance,
    discriminative_distance,
    q_knn,
)
from encoder_atlas.deepview.classifier import Classifier

pytestmark = pytest.mark.real

SETTINGS = DeepViewSettings(segments=10, segment_reading="released")
TOLERANCE = 5e-5


@pytest.fixture(scope="module")
def released(real_data: Path) -> dict[str, Any]:
    return json.loads((real_data / "oracles" / "deepview_released.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def points(released: dict[str, Any]) -> np.ndarray:
    return np.array(released["X"])


@pytest.fixture(scope="module")
def classifier(released: dict[str, Any]) -> Classifier:
    weights = {name: torch.tensor(released["mlp"][name]) for name in ("W1", "b1", "W2", "b2")}
    head = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3))
    head.load_state_dict(
        {
            "0.weight": weights["W1"],
            "0.bias": weights["b1"],
            "2.weight": weights["W2"],
            "2.bias": weights["b2"],
        }
    )
    return as_classifier(head)


def test_path_distances(released: dict[str, Any], points: np.ndarray, classifier: Classifier) -> None:
    ours = discriminative_distance(classifier, points, SETTINGS.path_segments)
    np.testing.assert_allclose(ours, released["discriminative_n10"], atol=TOLERANCE)
    ten = discriminative_distance(classifier, points, SETTINGS.segments)
    assert np.abs(ten - released["discriminative_n10"]).max() > 10 * TOLERANCE, "the readings differ"


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_end_point_distances_and_blends(
    released: dict[str, Any], points: np.ndarray, classifier: Classifier, metric: Any
) -> None:
    control = control_distance(points, metric)
    np.testing.assert_allclose(control, released[f"{metric}_endpoint"], atol=TOLERANCE)
    paths = discriminative_distance(classifier, points, SETTINGS.path_segments)
    blends = released[f"blend_{metric}"]
    assert len(blends) == 4
    for lambda_, blended in blends.items():
        np.testing.assert_allclose(blend(paths, control, float(lambda_)), blended, atol=TOLERANCE)


def test_inverse_map(released: dict[str, Any], points: np.ndarray) -> None:
    theirs = released["inverse"]
    embedding = np.array(theirs["embedding"])
    inverse = InverseMap(embedding, points, SETTINGS)
    np.testing.assert_allclose(inverse(np.array(theirs["query"])), theirs["prediction"], atol=TOLERANCE)
    np.testing.assert_allclose(inverse(embedding), theirs["at_embedding"], atol=TOLERANCE)


def test_predictions_and_q_knn(released: dict[str, Any], points: np.ndarray, classifier: Classifier) -> None:
    predicted = classifier.probabilities(points).argmax(axis=1)
    assert predicted.tolist() == released["predicted_class"]
    assert q_knn(np.array(released["inverse"]["embedding"]), predicted) == released["q_knn_error_k5"]
