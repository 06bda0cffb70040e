import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial.distance import pdist
from sklearn.linear_model import LogisticRegression
from torch import nn

from encoder_atlas.deepview import DecisionFrame, DeepView, DeepViewSettings
from encoder_atlas.errors import DataError, SettingsError

Blobs = tuple[np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def frame(fitted: DeepView) -> DecisionFrame:
    return fitted.frame(0.4)


def test_a_frame_holds_what_its_shapes_say(frame: DecisionFrame, fitted: DeepView) -> None:
    assert frame.lambda_ == 0.4
    assert frame.embedding.shape == (60, 2)
    assert frame.grid_class.shape == frame.grid_certainty.shape == (12, 12)
    assert frame.grid_certainty.min() >= 0
    assert frame.grid_certainty.max() <= 1
    assert set(np.unique(frame.grid_class)) <= {0, 1, 2}
    x_min, x_max, y_min, y_max = frame.extent
    assert x_min < frame.embedding[:, 0].min() < frame.embedding[:, 0].max() < x_max
    assert y_min < frame.embedding[:, 1].min() < frame.embedding[:, 1].max() < y_max
    assert np.array_equal(frame.predicted, fitted.probabilities.argmax(axis=1))
    assert 0 <= frame.q_knn < 0.2
    assert 0 <= frame.q_data <= 1
    assert np.array_equal(frame.mismatch, frame.background != frame.predicted)


def test_neighbours_are_by_blended_distance_nearest_first(frame: DecisionFrame, fitted: DeepView) -> None:
    blended = 0.6 * fitted.discriminative / fitted.discriminative.max()
    blended = blended + 0.4 * fitted.control / fitted.control.max()
    np.fill_diagonal(blended, np.inf)
    assert np.array_equal(frame.neighbours, np.argsort(blended, axis=1)[:, :8])


def test_two_fits_give_the_same_frame(
    frame: DecisionFrame, blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    again = DeepView(logistic, small_settings).fit(blobs[0], show_progress=False).frame(0.4)
    for name in ("embedding", "grid_class", "grid_certainty", "background", "neighbours"):
        assert np.array_equal(getattr(again, name), getattr(frame, name)), name
    assert (again.q_knn, again.q_data) == (frame.q_knn, frame.q_data)


def test_quality_alone_is_that_of_the_frame(frame: DecisionFrame, fitted: DeepView) -> None:
    quality = fitted.quality(0.4)
    assert (quality.q_knn, quality.q_data) == (frame.q_knn, frame.q_data)


def test_frames_are_turned_towards_each_other_and_otherwise_the_same(fitted: DeepView) -> None:
    alone = [fitted.frame(0.4), fitted.frame(0.3)]
    together = fitted.frames([0.4, 0.3])
    assert np.array_equal(together[0].embedding, alone[0].embedding)
    assert pdist(together[1].embedding) == pytest.approx(pdist(alone[1].embedding), rel=1e-4)
    apart = [np.linalg.norm(alone[0].embedding - frame.embedding) for frame in (together[1], alone[1])]
    assert apart[0] <= apart[1] + 1e-4
    for one, other in zip(alone, together, strict=True):
        assert (one.q_knn, one.q_data) == (other.q_knn, other.q_data)
        assert np.array_equal(one.neighbours, other.neighbours)


def test_distances_are_measured_once(blobs: Blobs, logistic: LogisticRegression) -> None:
    calls: list[int] = []

    def predict(points: np.ndarray) -> np.ndarray:
        calls.append(len(points))
        return logistic.predict_proba(points)

    settings = DeepViewSettings(n_neighbors=10, resolution=2, segments=3)
    view = DeepView(predict, settings).fit(blobs[0])
    after_fit = sum(calls)
    assert after_fit == 60 + 60 + 60 * 59 // 2 * 2
    view.frame(0.2)
    assert sum(calls) - after_fit == 4 + 60 + 18


def test_the_other_readings_are_reachable(
    blobs: Blobs, logistic: LogisticRegression, fitted: DeepView
) -> None:
    settings = DeepViewSettings(
        n_neighbors=10,
        resolution=12,
        segments=4,
        segment_reading="released",
        control="path",
        blend="none",
        certainty="relative",
        mismatch="grid",
        q_data="background",
    )
    view = DeepView(logistic, settings).fit(blobs[0], show_progress=False)
    assert (view.discriminative >= fitted.discriminative - 1e-12).mean() > 0.9
    assert view.control.max() < fitted.control.max()
    frame = view.frame()
    assert frame.lambda_ == 0.8
    assert frame.grid_certainty.min() == 0
    assert 0 <= frame.q_data <= 1
    x_min, x_max, y_min, y_max = frame.extent
    steps = (frame.embedding - [x_min, y_min]) / [x_max - x_min, y_max - y_min] * 11
    col, row = np.rint(steps).astype(int).T
    assert np.array_equal(frame.background, frame.grid_class[row, col])


def test_released_reading_of_n_is_one_segment_more() -> None:
    assert DeepViewSettings(segments=10).path_segments == 10
    assert DeepViewSettings(segments=10, segment_reading="released").path_segments == 11


@pytest.mark.parametrize("lambda_", [-0.01, 1.5, float("nan")])
def test_lambda_outside_its_range_is_refused(fitted: DeepView, lambda_: float) -> None:
    with pytest.raises(SettingsError, match=r"outside \[0, 1\]"):
        fitted.frame(lambda_)
    with pytest.raises(SettingsError, match=r"outside \[0, 1\]"):
        fitted.quality(lambda_)


@pytest.mark.parametrize(
    "wrong", [{"lambda_": 1.2}, {"lamda": 0.5}, {"segments": 0}, {"segments": "10"}, {"metric": "manhattan"}]
)
def test_settings_refuse_what_they_do_not_know(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DeepViewSettings.model_validate(wrong)


def test_a_frame_before_fit_is_refused(logistic: LogisticRegression) -> None:
    with pytest.raises(SettingsError, match="call fit"):
        DeepView(logistic).frame(0.5)


def test_points_that_cannot_be_used_are_refused(blobs: Blobs, logistic: LogisticRegression) -> None:
    view = DeepView(logistic, DeepViewSettings(n_neighbors=10))
    with pytest.raises(DataError, match="4 points are too few"):
        view.fit(blobs[0][:4])
    with pytest.raises(SettingsError, match="n_neighbors=10 needs more than 10 points, but there are 10"):
        view.fit(blobs[0][:10])
    with pytest.raises(DataError, match="points have 4 columns, but the classifier takes 5"):
        view.fit(blobs[0][:, :4])
    broken = blobs[0].copy()
    broken[7, 1] = np.nan
    with pytest.raises(DataError, match="row 7"):
        view.fit(broken)
    broken[7] = 0
    with pytest.raises(DataError, match="row 7"):
        view.fit(broken)


def test_one_class_for_all_points_is_refused_unless_allowed(blobs: Blobs) -> None:
    head = nn.Linear(5, 2)
    nn.init.constant_(head.bias, 0)
    nn.init.constant_(head.weight, 0)
    nn.init.constant_(head.bias[1], 9)
    settings = DeepViewSettings(n_neighbors=10, resolution=2, segments=2)
    with pytest.raises(DataError, match="all 60 points class 1: there is no boundary"):
        DeepView(head, settings).fit(blobs[0])
    allowed = settings.model_copy(update={"allow_one_class": True})
    view = DeepView(head, allowed).fit(blobs[0], show_progress=False)
    frame = view.frame(1.0)
    assert (frame.q_knn, frame.q_data, frame.mismatch.any()) == (0, 0, False)
    with pytest.raises(DataError, match="all distances are zero"):
        view.frame(0.0)
