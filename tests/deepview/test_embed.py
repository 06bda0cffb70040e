import warnings

import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from sklearn.metrics import pairwise_distances

from encoder_atlas.deepview import DeepViewSettings, control_distance, embed
from encoder_atlas.deepview.embed import reducer, turned_towards
from encoder_atlas.errors import SettingsError

SETTINGS = DeepViewSettings(n_neighbors=10)


@pytest.fixture(scope="module")
def distances(blobs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return control_distance(blobs[0], "euclidean")


@pytest.mark.filterwarnings("ignore:n_jobs", "ignore:using precomputed")
def test_the_neighbourhood_graph_is_the_one_of_umap_on_the_points(
    blobs: tuple[np.ndarray, np.ndarray], distances: np.ndarray
) -> None:
    import umap

    ours = reducer(SETTINGS).fit(distances).graph_.toarray()
    own = umap.UMAP(n_neighbors=10, min_dist=0.1, random_state=42).fit(blobs[0]).graph_.toarray()
    np.testing.assert_allclose(ours, own, atol=1e-4)
    assert (ours > 0).sum() > 60 * 9


def test_neighbours_stay_neighbours_and_groups_stay_apart(
    blobs: tuple[np.ndarray, np.ndarray], distances: np.ndarray
) -> None:
    embedding = embed(distances, SETTINGS)
    assert embedding.shape == (60, 2)
    assert trustworthiness(distances, embedding, n_neighbors=5, metric="precomputed") > 0.9
    between = pairwise_distances(embedding)
    np.fill_diagonal(between, np.inf)
    assert (blobs[1][between.argmin(axis=1)] == blobs[1]).mean() > 0.95


def test_the_same_seed_gives_the_same_map(distances: np.ndarray) -> None:
    assert np.array_equal(embed(distances, SETTINGS), embed(distances, SETTINGS))
    other = embed(distances, SETTINGS.model_copy(update={"seed": 1}))
    assert not np.array_equal(embed(distances, SETTINGS), other)


def test_a_seeded_fit_on_distances_warns_of_nothing(distances: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embed(distances, SETTINGS)


@pytest.mark.parametrize("changed", [{"n_neighbors": 60}, {"knn": 60}, {"listed_neighbours": 61}])
def test_fewer_points_than_neighbours_are_refused(distances: np.ndarray, changed: dict[str, int]) -> None:
    (name,) = changed
    with pytest.raises(SettingsError, match=f"{name}={changed[name]} needs more than .* there are 60"):
        embed(distances, SETTINGS.model_copy(update=changed))


def test_a_turned_and_mirrored_copy_is_turned_back() -> None:
    points = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    turn = np.array([[0.0, -1.0], [-1.0, 0.0]], dtype=np.float32)  # a quarter turn and a mirror
    copy = points @ turn + np.float32(3)
    assert turned_towards(copy, points) == pytest.approx(points, abs=1e-5)
