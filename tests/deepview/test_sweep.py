from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from encoder_atlas.deepview import DeepView, DeepViewSettings, draw_sample, quality_sweep, sweep_cases
from encoder_atlas.deepview.cases import Case
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


def test_a_sweep_of_cases_is_the_sweep_of_each(
    make_case: Callable[..., Case], small_settings: DeepViewSettings
) -> None:
    cases = [make_case("PT", seed=1), make_case("FT", seed=0, wrong=0.0)]
    table = sweep_cases(cases, small_settings, lambdas=(1.0, 0.0), samples=2, sample_size=30)
    assert list(table.columns) == ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]
    assert len(table) == 2 * 2 * 2
    own = quality_sweep(cases[0].head, cases[0].points, small_settings, (1.0, 0.0), 2, 30, seed=1).to_frame()
    part = table.query("setting == 'PT' and seed == 1").reset_index(drop=True)
    pd.testing.assert_frame_equal(part.reindex(columns=own.columns), own)


def test_distances_are_measured_once_a_sample(
    make_case: Callable[..., Case], small_settings: DeepViewSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = []
    fit = DeepView.fit

    def counted(self: DeepView, points: np.ndarray, show_progress: bool = True) -> DeepView:
        fitted.append(len(points))
        return fit(self, points, show_progress)

    monkeypatch.setattr(DeepView, "fit", counted)
    sweep_cases([make_case()], small_settings, (1.0, 0.8, 0.2, 0.0), samples=2, sample_size=30)
    assert fitted == [30, 30]


def test_a_store_can_stand_between(make_case: Callable[..., Case], small_settings: DeepViewSettings) -> None:
    asked = []

    def remembered(measure: object, head: object, points: np.ndarray, **how: object) -> pd.DataFrame:
        asked.append((measure, how))
        return pd.DataFrame({"lambda_": [1.0], "sample": [0], "q_knn": [0.1], "q_data": [0.2]})

    table = sweep_cases([make_case(seed=3)], small_settings, [1.0], sample_size=30, measured=remembered)
    expected = {"settings": small_settings, "lambdas": (1.0,), "samples": 1, "sample_size": 30, "seed": 3}
    assert asked == [(quality_sweep, expected)]
    assert table.to_dict(orient="split")["data"] == [["PT", "mood", 3, 0, 1.0, 0.1, 0.2]]


def test_too_little_text_is_named_before_anything_is_measured(make_case: Callable[..., Case]) -> None:
    cases = [make_case(n=400), make_case(task="small", n=40)]
    with pytest.raises(DataError, match="task 'small' has 40 texts in 'dev', and a sample of 250 is wanted"):
        sweep_cases(cases, DeepViewSettings(), (1.0,), measured=pytest.fail)
    with pytest.raises(DataError, match="no cases"):
        sweep_cases([], DeepViewSettings(), (1.0,))
