import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from encoder_atlas.deepview import DeepView, DeepViewSettings, draw_sample, quality_sweep
from encoder_atlas.errors import DataError, SettingsError

Blobs = tuple[np.ndarray, np.ndarray]


def test_a_sweep_measures_every_sample_at_every_lambda(
    blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    sweep = quality_sweep(
        logistic, blobs[0], small_settings, lambdas=(0.0, 1.0), samples=2, sample_size=40, seed=3
    )
    table = sweep.to_frame()
    assert list(table.columns) == ["lambda_", "sample", "q_knn", "q_data"]
    assert table[["lambda_", "sample"]].to_numpy().tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    counts = table["q_knn"].to_numpy() * 40
    assert (counts == counts.round()).all(), "errors are counts of 40 points"
    rows = draw_sample(blobs[0], 40, seed=3, sample=1)
    view = DeepView(logistic, small_settings).fit(blobs[0][rows], show_progress=False)
    quality = view.quality(1.0)
    assert table.iloc[3][["q_knn", "q_data"]].tolist() == [quality.q_knn, quality.q_data]


def test_a_sample_holds_different_points_and_depends_on_its_number(blobs: Blobs) -> None:
    points = np.concatenate([blobs[0], blobs[0]])
    first, second = (draw_sample(points, 50, seed=0, sample=sample) for sample in (0, 1))
    assert len(np.unique(points[first], axis=0)) == 50
    assert first.max() < 60, "of equal rows the first stands for all"
    assert not np.array_equal(first, second)
    assert np.array_equal(first, draw_sample(points, 50, seed=0, sample=0))
    with pytest.raises(DataError, match="sample of 61 is wanted, but there are only 60 different points"):
        draw_sample(points, 61, seed=0, sample=0)


def test_a_wrong_lambda_is_refused_before_anything_is_measured(blobs: Blobs) -> None:
    with pytest.raises(SettingsError, match="outside"):
        quality_sweep(pytest.fail, blobs[0], DeepViewSettings(), lambdas=(0.5, 2.0))
