import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist, cosine, jensenshannon
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from torch import nn

from encoder_atlas.deepview import (
    as_classifier,
    blend,
    control_distance,
    discriminative_distance,
    js_metric,
)
from encoder_atlas.deepview.settings import Control
from encoder_atlas.errors import DataError, SettingsError

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(9, 5)) * 2
LABELS = np.arange(9) % 3


def scipy_metric(p: np.ndarray, q: np.ndarray) -> float:
    # Between equal rows scipy's rounding may take the root of a tiny negative number.
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(jensenshannon(p, q)))


def literal_path_sum(
    probabilities: Callable[[np.ndarray], np.ndarray], points: np.ndarray, n: int
) -> np.ndarray:
    """The first sum of Eq. 1 as it is written, for every ordered pair of different points."""
    distances = np.zeros((len(points), len(points)))
    for x, y in itertools.permutations(range(len(points)), 2):
        path = np.array([(1 - i / n) * points[x] + i / n * points[y] for i in range(n + 1)])
        f = probabilities(path)
        distances[x, y] = sum(scipy_metric(f[i - 1], f[i]) for i in range(1, n + 1))
    return distances


def exact(head: nn.Module) -> Callable[[np.ndarray], np.ndarray]:
    return lambda points: torch.softmax(head.double()(torch.from_numpy(points)), -1).detach().numpy()


def sharp(*sizes: int) -> nn.Module:
    torch.manual_seed(sum(sizes))
    layers: list[nn.Module] = []
    for size_in, size_out in itertools.pairwise(sizes):
        layers += [nn.Linear(size_in, size_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@pytest.mark.parametrize("n", [1, 2, 7, 10, 11])
@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("sizes", [(5, 2), (5, 4), (5, 16, 3), (5, 16, 8, 2)])
def test_torch_heads_equal_the_literal_sum(sizes: tuple[int, ...], double: bool, n: int) -> None:
    head = sharp(*sizes)
    ours = discriminative_distance(as_classifier(head.double() if double else head), POINTS, n)
    np.testing.assert_allclose(
        ours, literal_path_sum(exact(head), POINTS, n), atol=1e-7 if double else 1e-6, rtol=0
    )


@pytest.mark.parametrize("n", [1, 3, 10])
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize(
    ("estimator", "classes"),
    [
        (LogisticRegression(), 2),
        (LogisticRegression(), 3),
        (MLPClassifier((6,), random_state=0), 3),
        # A forest gives probabilities of exactly 0.
        (RandomForestClassifier(5, random_state=0), 3),
    ],
)
def test_estimators_equal_the_literal_sum(
    estimator: LogisticRegression | MLPClassifier | RandomForestClassifier, classes: int, n: int
) -> None:
    estimator.fit(POINTS, LABELS % classes)
    ours = discriminative_distance(as_classifier(estimator), POINTS, n)
    literal = literal_path_sum(lambda points: np.asarray(estimator.predict_proba(points)), POINTS, n)
    np.testing.assert_allclose(ours, literal, atol=1e-7, rtol=0)


def test_an_example_by_hand() -> None:
    # Logits (0, z): z = 0 gives (1/2, 1/2), z = ln 3 gives (1/4, 3/4). With m = (3/8, 5/8),
    # KL(p|m) = .032269, KL(q|m) = .035375, JS = .033822 nats, its root .183908. The way over z = ln √3, where
    # f = (.366025, .633975), is longer: .095754 + .089054.
    head = nn.Linear(1, 2).double()
    with torch.no_grad():
        head.weight.copy_(torch.tensor([[0.0], [1.0]]))
        head.bias.zero_()
    points = np.array([[0.0], [math.log(3)]])
    one, two = (discriminative_distance(as_classifier(head), points, n)[0, 1] for n in (1, 2))
    assert one == pytest.approx(0.183908, abs=1e-6)
    assert two == pytest.approx(0.095754 + 0.089054, abs=1e-6)


def test_the_metric_between_answers_without_a_class_in_common() -> None:
    p, q = (torch.tensor([row], dtype=torch.float64) for row in ([1, 0, 0], [0, 1, 0]))
    assert js_metric(p, q).item() == pytest.approx(math.sqrt(math.log(2)), abs=1e-12)
    assert js_metric(p, p).item() == 0


def test_nearly_equal_answers_keep_their_digits() -> None:
    # JS((½ - e, ½ + e), (½, ½)) = e²/2 + O(e³), so its root is e/√2.
    p, q = (torch.tensor([[0.5 - e, 0.5 + e]], dtype=torch.float64) for e in (1e-9, 0))
    assert js_metric(p, q).item() == pytest.approx(1e-9 / math.sqrt(2), rel=1e-6)


def test_distances_are_symmetric_zero_on_the_diagonal_and_between_duplicates() -> None:
    points = np.concatenate([RNG.normal(size=(40, 5)), POINTS, POINTS[::-1]])
    classifier = as_classifier(sharp(5, 16, 3))
    for distances in (
        discriminative_distance(classifier, points, 10, chunk_pairs=37),
        control_distance(points, "cosine"),
        control_distance(points, "cosine", "path"),
        control_distance(points, "euclidean"),
    ):
        assert np.array_equal(distances, distances.T)
        assert not distances.diagonal().any()
        assert not distances[np.arange(40, 49), np.arange(57, 48, -1)].any()
        assert np.array_equal(distances[40], distances[57])
        assert (np.delete(distances[0], 0) > 0).all()


def test_the_chunk_size_changes_nothing() -> None:
    classifier = as_classifier(sharp(5, 16, 3).double())
    one, all_ = (discriminative_distance(classifier, POINTS, 10, chunk_pairs=size) for size in (1, 1000))
    np.testing.assert_allclose(one, all_, atol=1e-14)


def test_no_point_is_predicted_twice_and_no_pair_both_ways() -> None:
    rows: list[int] = []

    def predict(points: np.ndarray) -> np.ndarray:
        rows.append(len(points))
        p = 1 / (1 + np.exp(-points[:, 0]))
        return np.column_stack([p, 1 - p])

    pairs: list[int] = []
    discriminative_distance(as_classifier(predict), POINTS, 10, on_pairs=pairs.append)
    assert sum(rows) == 9 + 36 * 9
    assert sum(pairs) == 36


def test_a_path_is_at_least_as_long_as_its_ends_are_apart() -> None:
    classifier = as_classifier(sharp(5, 16, 3).double())
    lengths = [discriminative_distance(classifier, POINTS, n) for n in (1, 2, 4, 8)]
    for shorter, longer in itertools.pairwise(lengths):
        assert (longer >= shorter - 1e-12).all()


def test_end_point_distances_equal_scipy() -> None:
    for metric in ("cosine", "euclidean"):
        np.testing.assert_allclose(
            control_distance(POINTS, metric), cdist(POINTS, POINTS, metric), atol=1e-12
        )


@pytest.mark.parametrize("n", [1, 2, 10])
def test_cosine_along_the_path_equals_the_literal_sum(n: int) -> None:
    ours = control_distance(POINTS, "cosine", "path", n)
    for x, y in itertools.combinations(range(9), 2):
        path = [(1 - i / n) * POINTS[x] + i / n * POINTS[y] for i in range(n + 1)]
        assert ours[x, y] == pytest.approx(sum(map(cosine, path, path[1:])), abs=1e-12)
    if n == 1:
        np.testing.assert_allclose(ours, control_distance(POINTS, "cosine"), atol=1e-12)


def test_euclid_is_the_same_along_the_path() -> None:
    assert np.array_equal(
        control_distance(POINTS, "euclidean", "path", 10), control_distance(POINTS, "euclidean")
    )


def test_a_path_through_the_origin_counts_right_angles() -> None:
    points = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert control_distance(points, "cosine", "path", 2)[0, 1] == 2
    assert control_distance(points, "cosine", "path", 3)[0, 1] == 2


@pytest.mark.parametrize("reading", ["endpoint", "path"])
def test_points_without_direction_are_named_under_cosine_only(reading: Control) -> None:
    points = POINTS.copy()
    points[[1, 4]] = 0
    with pytest.raises(DataError, match="rows 1, 4"):
        control_distance(points, "cosine", reading)
    assert control_distance(points, "euclidean")[1, 4] == 0


def test_blending_by_hand() -> None:
    j = np.array([[0.0, 2.0], [2.0, 0.0]])
    s = np.array([[0.0, 0.5], [0.5, 0.0]])
    assert blend(j, s, 0.8)[0, 1] == pytest.approx(1)
    assert blend(j, s, 0.8, "none")[0, 1] == pytest.approx(0.2 * 2 + 0.8 * 0.5)
    assert np.array_equal(blend(j, s, 0.0, "none"), j)
    assert np.array_equal(blend(j, s, 1.0, "none"), s)


def test_each_term_is_divided_by_its_own_maximum() -> None:
    j, s = (np.abs(matrix + matrix.T) for matrix in RNG.normal(size=(2, 6, 6)))
    np.testing.assert_allclose(blend(j, s, 0.3), 0.7 * j / j.max() + 0.3 * s / s.max(), atol=1e-15)


def test_a_term_of_zeros_adds_nothing_and_alone_is_an_error() -> None:
    zeros, ones = np.zeros((3, 3)), np.ones((3, 3))
    np.testing.assert_allclose(blend(zeros, ones, 0.8), 0.8)
    with pytest.raises(DataError, match=r"lambda_=0\.0: the classifier gives all points the same answer"):
        blend(zeros, ones, 0.0)
    with pytest.raises(DataError, match="the points are all equal"):
        blend(zeros, zeros, 0.5)


@pytest.mark.parametrize("lambda_", [-0.1, 1.01, float("nan")])
def test_lambda_outside_its_range_is_refused(lambda_: float) -> None:
    with pytest.raises(SettingsError, match=r"outside \[0, 1\]"):
        blend(np.ones((2, 2)), np.ones((2, 2)), lambda_)
