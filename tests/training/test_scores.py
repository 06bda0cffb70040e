"""Scores worked by hand."""

import numpy as np
import pytest

from encoder_atlas.errors import SettingsError
from encoder_atlas.training.scores import measure

LABELS, PREDICTED = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])


def test_by_hand() -> None:
    # TP 2, FP 1, FN 1, TN 1
    assert measure("accuracy", LABELS, PREDICTED) == pytest.approx(3 / 5)
    assert measure("f1", LABELS, PREDICTED) == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert measure("mcc", LABELS, PREDICTED) == pytest.approx((2 * 1 - 1 * 1) / np.sqrt(3 * 3 * 2 * 2))


def test_f1_of_more_classes_is_their_mean() -> None:
    labels, predicted = np.array([0, 1, 2, 2]), np.array([0, 2, 2, 2])
    assert measure("f1", labels, predicted) == pytest.approx((1 + 0 + 4 / 5) / 3)


def test_one_class_predicted_is_a_score_and_not_a_warning() -> None:
    nothing = np.zeros(5, dtype=np.int64)
    assert measure("f1", LABELS, nothing) == 0
    assert measure("mcc", LABELS, nothing) == 0


def test_unknown_metric() -> None:
    with pytest.raises(SettingsError, match="did you mean 'accuracy'"):
        measure("acuracy", LABELS, PREDICTED)
