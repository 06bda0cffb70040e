"""Points, heads and one fitted view that the tests of this wing share."""

import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from torch import nn

from encoder_atlas.deepview import DeepView, DeepViewSettings


@pytest.fixture(scope="session")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """60 points of 5 dimensions in three groups, and their groups."""
    points, groups, *_ = make_blobs(60, n_features=5, centers=3, cluster_std=2.0, random_state=0)
    return np.asarray(points), np.asarray(groups)


@pytest.fixture(scope="session")
def logistic(blobs: tuple[np.ndarray, np.ndarray]) -> LogisticRegression:
    """A classifier of three classes that fits the groups."""
    return LogisticRegression(C=0.01).fit(*blobs)


@pytest.fixture(scope="session")
def small_settings() -> DeepViewSettings:
    return DeepViewSettings(n_neighbors=10, resolution=12, segments=4)


@pytest.fixture(scope="session")
def fitted(
    blobs: tuple[np.ndarray, np.ndarray], logistic: LogisticRegression, small_settings: DeepViewSettings
) -> DeepView:
    """A view that has its points."""
    return DeepView(logistic, small_settings).fit(blobs[0], show_progress=False)


@pytest.fixture
def mlp() -> nn.Sequential:
    """A random head of three classes for points of 5 dimensions, sharp enough for paths to bend."""
    torch.manual_seed(1)
    head = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.mul_(3)
    return head
