"""How well predictions meet labels."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Float64, Int
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


def measure_counts(
    metric: str, counts: Float64[np.ndarray, "draws classes classes"]
) -> Float64[np.ndarray, " draws"]:
    """The same measures from confusion matrices (rows true, columns predicted), many at once.

    Equal to `measure` on texts with these counts; F1 of two classes is that of class 1. Chiefly for a
    bootstrap, where scikit-learn would be called thousands of times.

    Raises:
        SettingsError: for a metric of another name.
    """
    if metric not in get_args(Metric):
        raise SettingsError(f"no metric is called {metric!r}; {near(metric, get_args(Metric))}")
    right = np.einsum("dii->di", counts)
    true, predicted, total = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=(1, 2))
    if metric == "accuracy":
        return right.sum(axis=1) / total
    if metric == "mcc":
        spread = (total**2 - (true**2).sum(axis=1)) * (total**2 - (predicted**2).sum(axis=1))
        return _ratio(right.sum(axis=1) * total - (true * predicted).sum(axis=1), np.sqrt(spread))
    f1 = _ratio(2 * right, true + predicted)
    if counts.shape[1] == 2:
        return f1[:, 1]
    # scikit-learn leaves out of the mean a class that neither the labels nor the predictions hold.
    return f1.sum(axis=1) / (true + predicted > 0).sum(axis=1)


def _ratio(
    above: Float64[np.ndarray, "*shape"], below: Float64[np.ndarray, "*shape"]
) -> Float64[np.ndarray, "*shape"]:
    """Quotient, 0 where it would be divided by 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
