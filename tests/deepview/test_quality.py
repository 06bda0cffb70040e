import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier

from encoder_atlas.deepview import (
    DeepViewSettings,
    InverseMap,
    as_classifier,
    background_error,
    q_data,
    q_knn,
)
from encoder_atlas.deepview.quality import draw_held_out
from encoder_atlas.errors import DataError, SettingsError

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("classes", [2, 4])
def test_q_knn_equals_leaving_every_point_out(k: int, classes: int) -> None:
    embedding, predicted = RNG.normal(size=(50, 2)), RNG.integers(0, classes, 50)
    wrong = 0
    for point in range(50):
        others = np.delete(np.arange(50), point)
        neighbours = KNeighborsClassifier(k).fit(embedding[others], predicted[others])
        wrong += neighbours.predict(embedding[[point]])[0] != predicted[point]
    assert q_knn(embedding, predicted, k) == pytest.approx(wrong / 50)


def test_q_knn_by_hand() -> None:
    # On a line 0 0 0 1 with k = 2 the three zeros see zeros, or a tie that the smaller label wins; the one
    # sees zeros.
    embedding = np.array([[0.0, 0], [1, 0], [2, 0], [2.5, 0]])
    assert q_knn(embedding, np.array([0, 0, 0, 1]), k=2) == 0.25
    assert q_knn(embedding, np.array([5, 5, 5, 3]), k=2) == pytest.approx(2 / 4)


def test_a_duplicate_is_a_neighbour_and_the_point_itself_is_not() -> None:
    embedding = np.array([[0.0, 0], [0, 0], [5, 5], [5, 5]])
    assert q_knn(embedding, np.array([0, 0, 1, 1]), k=1) == 0
    assert q_knn(embedding, np.array([0, 1, 0, 1]), k=1) == 1


def test_q_knn_needs_more_points_than_neighbours() -> None:
    with pytest.raises(SettingsError, match="k=5 needs more than 5 points, but there are 5"):
        q_knn(np.zeros((5, 2)), np.zeros(5, dtype=int), 5)


def test_q_data_equals_its_literal_twin() -> None:
    points = RNG.normal(size=(40, 4))
    estimator = LogisticRegression().fit(points, RNG.integers(0, 3, 40))
    embedding = points[:, :2].astype(np.float32)
    predicted = estimator.predict_proba(points).argmax(axis=1)
    held_out = np.array([3, 8, 20, 21, 22, 39])
    kept = [row for row in range(40) if row not in held_out]
    inverse = InverseMap(embedding[kept], points[kept], DeepViewSettings())
    wrong = sum(estimator.predict(inverse(embedding[[row]]))[0] != predicted[row] for row in held_out)
    error = q_data(as_classifier(estimator), points, embedding, predicted, held_out, DeepViewSettings())
    assert error == pytest.approx(wrong / 6)
    assert 0 < error < 1


def test_background_error_by_hand() -> None:
    assert background_error(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2])) == 0.25


def test_held_out_points_are_a_seeded_share() -> None:
    held_out = draw_held_out(250, 0.3, 42)
    assert len(set(held_out)) == 75
    assert np.array_equal(held_out, draw_held_out(250, 0.3, 42))
    assert not np.array_equal(held_out, draw_held_out(250, 0.3, 43))
    assert held_out.max() < 250


@pytest.mark.parametrize("held_out", [np.arange(0), np.arange(9)])
def test_q_data_needs_points_on_both_sides(held_out: np.ndarray) -> None:
    points = RNG.normal(size=(10, 2))
    classifier = as_classifier(LogisticRegression().fit(points, np.arange(10) % 2))
    with pytest.raises(DataError, match="both sides"):
        q_data(classifier, points, points, np.arange(10) % 2, held_out, DeepViewSettings())


def test_the_distance_matrix_gives_the_same_neighbours() -> None:
    embedding, predicted = RNG.normal(size=(30, 2)), RNG.integers(0, 2, 30)
    distances = pairwise_distances(embedding)
    np.fill_diagonal(distances, np.inf)
    votes = predicted[np.argsort(distances, axis=1)[:, :5]].mean(axis=1) > 0.5
    assert q_knn(embedding, predicted) == pytest.approx((votes != predicted).mean())
