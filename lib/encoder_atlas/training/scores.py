"""How well predictions meet labels."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Int
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from encoder_atlas.errors import SettingsError, near

Metric = Literal["accuracy", "f1", "mcc"]


def measure(metric: str, labels: Int[np.ndarray, " points"], predicted: Int[np.ndarray, " points"]) -> float:
    """Accuracy in [0, 1], F1 in [0, 1] or Matthews correlation in [-1, 1], through scikit-learn.

    F1 is that of class 1 where labels are 0 and 1, as in GLUE, and the mean over classes else.

    Raises:
        SettingsError: for a metric of another name.
    """
    if metric not in get_args(Metric):
        raise SettingsError(f"no metric is called {metric!r}; {near(metric, get_args(Metric))}")
    if metric == "accuracy":
        return float(accuracy_score(labels, predicted))
    if metric == "mcc":
        return float(matthews_corrcoef(labels, predicted))
    binary = max(labels.max(), predicted.max()) <= 1
    average = "binary" if binary else "macro"
    return float(f1_score(labels, predicted, average=average, zero_division=0))  # pyright: ignore[reportArgumentType]
