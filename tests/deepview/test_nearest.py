import numpy as np
import pytest
import torch
from sklearn.manifold import trustworthiness
from torch import nn

from encoder_atlas.deepview import (
    DeepView,
    DeepViewSettings,
    as_classifier,
    blend,
    control_distance,
    discriminative_distance,
    embed,
)
from encoder_atlas.deepview.distance import Paths
from encoder_atlas.deepview.embed import embed_neighbours, reducer
from encoder_atlas.deepview.nearest import NearestSearch, Neighbours, longest_path
from encoder_atlas.errors import DataError, SettingsError

K = 9
SETTINGS = DeepViewSettings(n_neighbors=10)


def grouped(n_points: int, dim: int = 8, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(5, dim))[rng.integers(0, 5, n_points)] * 2 + rng.normal(size=(n_points, dim))


def head(kind: str, classes: int = 3, sharp: float = 3.0) -> nn.Module:
    torch.manual_seed(classes)
    hidden = [] if kind == "linear" else [nn.Linear(8, 16), nn.ReLU()]
    module = nn.Sequential(*hidden, nn.Linear(16 if hidden else 8, classes)).double()
    with torch.no_grad():
        for weights in module[-1].parameters():
            weights *= sharp
    return module


def blended(points: np.ndarray, module: nn.Module, lambda_: float, settings: DeepViewSettings) -> np.ndarray:
    """The full matrix, with no point near itself."""
    steps = settings.path_segments
    paths = discriminative_distance(as_classifier(module), points, steps)
    control = control_distance(points, settings.metric, settings.control, steps)
    matrix = blend(paths, control, lambda_, settings.blend)
    np.fill_diagonal(matrix, np.inf)
    return matrix


def assert_nearest(found: Neighbours, matrix: np.ndarray, k: int = K) -> None:
    """Distances are the k smallest of each row, and the neighbours named are points at these distances."""
    np.testing.assert_allclose(found.distances, np.sort(matrix, axis=1)[:, :k], atol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(matrix, found.indices, axis=1), found.distances, atol=1e-12)
    assert all(len(set(row)) == k for row in found.indices)
    assert not (found.indices == np.arange(len(matrix))[:, None]).any()
    assert found.certified.all()


@pytest.mark.parametrize("lambda_", [0.0, 0.2, 0.8, 1.0])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_neighbours_are_those_of_the_full_matrix(kind: str, classes: int, lambda_: float) -> None:
    points, module = grouped(300), head(kind, classes)
    found = NearestSearch(as_classifier(module), points, SETTINGS).neighbours(lambda_, K)
    matrix = blended(points, module, lambda_, SETTINGS)
    assert_nearest(found, matrix)
    # No two distances are equal here, so that the neighbours are the same, one by one.
    assert np.array_equal(found.indices, np.argsort(matrix, axis=1)[:, :K])
    assert found.walked_share == 0 if lambda_ == 1 else found.walked_share < 1


@pytest.mark.parametrize(
    "changed",
    [
        {"metric": "euclidean"},
        {"control": "path", "segment_reading": "released"},
        {"blend": "none"},
        {"segments": 1},
    ],
)
def test_every_reading_has_its_nearest(changed: dict[str, str | int]) -> None:
    settings, points, module = SETTINGS.model_copy(update=changed), grouped(120), head("mlp")
    found = NearestSearch(as_classifier(module), points, settings).neighbours(0.5, K)
    assert_nearest(found, blended(points, module, 0.5, settings))


def test_duplicates_and_ties_are_no_trouble() -> None:
    # Every point four times, and a head that gives whole groups exactly the same answer.
    points = np.repeat(grouped(60), 4, axis=0)[np.random.default_rng(1).permutation(240)]

    def predict(at: np.ndarray) -> np.ndarray:
        one = np.where(at[:, :1] > 0, 0.9, 0.2)
        return np.hstack([one, 1 - one])

    classifier = as_classifier(predict)
    for lambda_ in (0.0, 0.5, 1.0):
        found = NearestSearch(classifier, points, SETTINGS).neighbours(lambda_, K)
        control = control_distance(points)
        matrix = blend(discriminative_distance(classifier, points), control, lambda_)
        np.fill_diagonal(matrix, np.inf)
        assert_nearest(found, matrix)
        assert not found.distances[:, :3].any()


def test_a_bound_that_says_little_makes_it_walk_to_all() -> None:
    # The answer swings between the points and is the same at all of them, so that no path can be ruled out.
    def predict(at: np.ndarray) -> np.ndarray:
        one = 0.5 + 0.4 * np.sin(np.pi * at[:, :1])
        return np.hstack([one, 1 - one])

    points = np.random.default_rng(0).permutation(40)[:, None] * np.array([[1.0, 0.0]]) + [0.0, 1.0]
    settings = SETTINGS.model_copy(update={"segments": 7, "metric": "euclidean"})
    classifier = as_classifier(predict)
    found = NearestSearch(classifier, points, settings).neighbours(0.0, K)
    matrix = blend(discriminative_distance(classifier, points, 7), np.zeros((40, 40)), 0.0)
    np.fill_diagonal(matrix, np.inf)
    assert_nearest(found, matrix)
    assert found.walked == 40 * 39
    assert np.isinf(found.left_bound).all()


def test_a_certificate_by_hand() -> None:
    found = Neighbours(
        np.array([[1], [0], [1]]), np.array([[0.2], [0.2], [0.5]]), np.array([0.3, 0.2, 0.4]), 3
    )
    assert found.certified.tolist() == [True, True, False]
    assert found.walked_share == 1.0


@pytest.mark.parametrize("kind", ["linear", "mlp"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_longest_path_is_found_beyond_the_first_sample(kind: str, seed: int) -> None:
    points, module = grouped(900, seed=seed), head(kind)
    classifier = as_classifier(module)
    longest = discriminative_distance(classifier, points).max()
    found = longest_path(Paths(classifier, points), seed=seed)
    # It can only be too short; on these it is the longest to the last digits.
    assert found == pytest.approx(longest, rel=1e-12)


def test_neighbours_depend_little_on_the_scale_of_the_paths() -> None:
    # Were the longest path missed by 2 %, no less than 97 % of the neighbours would stay.
    points, module = grouped(400), head("mlp")
    search = NearestSearch(as_classifier(module), points, SETTINGS)
    exact = search.neighbours(0.8, K).indices
    search.largest_path_sum *= 0.98
    other = search.neighbours(0.8, K).indices
    kept = [len(set(a) & set(b)) / K for a, b in zip(exact, other, strict=True)]
    assert np.mean(kept) > 0.97


@pytest.mark.filterwarnings("ignore:n_jobs", "ignore:using precomputed", "ignore:precomputed_knn")
@pytest.mark.filterwarnings("ignore:transform is not")
def test_umap_makes_the_same_graph_of_neighbours_as_of_the_matrix() -> None:
    points, module = grouped(500), head("linear")
    found = NearestSearch(as_classifier(module), points, SETTINGS).neighbours(0.8, K)
    matrix = blended(points, module, 0.8, SETTINGS)
    np.fill_diagonal(matrix, 0)
    of_matrix = reducer(SETTINGS).fit(matrix).graph_
    of_neighbours = reducer(SETTINGS, found).fit(points).graph_
    assert abs(of_matrix - of_neighbours).max() < 1e-5
    one, other = embed(matrix, SETTINGS), embed_neighbours(points, found, SETTINGS)
    trusted = [trustworthiness(matrix, map_, n_neighbors=K, metric="precomputed") for map_ in (one, other)]
    assert trusted[0] > 0.85
    assert trusted[1] == pytest.approx(trusted[0], abs=0.01)


def test_too_few_neighbours_for_umap_are_refused() -> None:
    points, module = grouped(60), head("linear")
    found = NearestSearch(as_classifier(module), points, SETTINGS).neighbours(0.8, 8)
    with pytest.raises(SettingsError, match="needs 9 others of every point, but there are 8"):
        embed_neighbours(points, found, SETTINGS)
    with pytest.raises(SettingsError, match="60 neighbours need more than 60 points"):
        NearestSearch(as_classifier(module), points, SETTINGS).neighbours(0.8, 60)


def test_a_view_by_neighbours_is_the_view_by_the_matrix() -> None:
    points, module = grouped(250), head("linear")
    settings = SETTINGS.model_copy(update={"resolution": 10})
    routes = [settings.model_copy(update={"neighbour_route": route}) for route in ("full", "nearest")]
    full, nearest = (DeepView(module, route).fit(points, show_progress=False) for route in routes)
    for one, other in zip(full.frames([0.8, 0.2]), nearest.frames([0.8, 0.2]), strict=True):
        assert np.array_equal(one.neighbours, other.neighbours)
        assert (one.q_knn, one.q_data) == pytest.approx((other.q_knn, other.q_data), abs=0.05)
    assert nearest.neighbours(0.8).certified.all()
    assert nearest.neighbours(0.8) is nearest.neighbours(0.8)
    for name in ("discriminative", "control"):
        with pytest.raises(SettingsError, match=r"of 250 points only .* set neighbour_route='full'"):
            getattr(nearest, name)
    with pytest.raises(SettingsError, match="neighbour_route='nearest'"):
        full.neighbours(0.8)


def test_the_route_turns_at_two_thousand_points() -> None:
    assert DeepViewSettings().measures_all(2000)
    assert not DeepViewSettings().measures_all(2001)
    assert DeepViewSettings(neighbour_route="full").measures_all(2001)
    assert not DeepViewSettings(neighbour_route="nearest").measures_all(10)


def test_no_distance_at_all_is_an_error_as_on_the_full_route() -> None:
    flat = nn.Linear(8, 2)
    nn.init.zeros_(flat.weight)
    search = NearestSearch(as_classifier(flat), grouped(30), SETTINGS)
    with pytest.raises(DataError, match="the classifier gives all points the same answer"):
        search.neighbours(0.0, 5)
    assert search.neighbours(0.5, 5).certified.all()
    with pytest.raises(DataError, match="the points are all equal"):
        NearestSearch(as_classifier(flat), np.ones((30, 8)), SETTINGS).neighbours(0.5, 5)
    broken = grouped(30)
    broken[4] = 0
    with pytest.raises(DataError, match="row 4"):
        NearestSearch(as_classifier(flat), broken, SETTINGS)
