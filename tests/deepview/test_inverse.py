import numpy as np
import pytest

from encoder_atlas.deepview import DeepViewSettings, InverseMap
from encoder_atlas.errors import DataError, SettingsError

RNG = np.random.default_rng(5)
EMBEDDING = RNG.normal(size=(40, 2)).astype(np.float32) * 4
POINTS = RNG.normal(size=(40, 3)) * 3


def literal_inverse(
    embedding: np.ndarray, points: np.ndarray, places: np.ndarray, steps: int, rate: float, scale: float
) -> np.ndarray:
    """The network fitted step by step."""
    a = scale / np.mean([embedding[:, axis].max() - embedding[:, axis].min() for axis in (0, 1)])

    def weights(at: np.ndarray) -> np.ndarray:
        squares = ((at[:, None] - embedding[None]) ** 2).sum(axis=2)
        kernel = 1 / (1 + a * squares)
        return kernel / kernel.sum(axis=1)[:, None]

    w = weights(embedding)
    supports = points.copy()
    for _ in range(steps):
        supports -= rate * w.T @ (w @ supports - points)
    return weights(places) @ supports


@pytest.mark.parametrize("steps", [0, 1, 7, 2000])
@pytest.mark.parametrize("scale", [500.0, 5.0])
def test_the_closed_form_equals_the_steps(steps: int, scale: float) -> None:
    settings = DeepViewSettings(inverse_steps=steps, inverse_scale=scale)
    places = np.concatenate([EMBEDDING, RNG.normal(size=(30, 2)) * 5]).astype(np.float64)
    expected = literal_inverse(EMBEDDING.astype(np.float64), POINTS, places, steps, 0.1, scale)
    np.testing.assert_allclose(InverseMap(EMBEDDING, POINTS, settings)(places), expected, atol=1e-9)


@pytest.mark.parametrize("steps", [1, 7, 2000])
def test_fewer_centres_take_the_same_steps_shared_out(steps: int) -> None:
    settings = DeepViewSettings(inverse_steps=steps, inverse_centres=12, seed=3)
    drawn = np.sort(np.random.default_rng(3).choice(40, 12, replace=False))
    a = 500 / np.mean([np.ptp(EMBEDDING[:, axis]) for axis in (0, 1)], dtype=np.float64)

    def weights(at: np.ndarray) -> np.ndarray:
        kernel = 1 / (1 + a * ((at[:, None].astype(float) - EMBEDDING[drawn][None]) ** 2).sum(axis=2))
        return kernel / kernel.sum(axis=1)[:, None]

    supports, w = POINTS[drawn].copy(), weights(EMBEDDING)
    for _ in range(steps):
        supports -= 0.1 * 12 / 40 * w.T @ (w @ supports - POINTS)
    places = RNG.normal(size=(30, 2)) * 5
    ours = InverseMap(EMBEDDING, POINTS, settings)(places)
    np.testing.assert_allclose(ours, weights(places) @ supports, atol=1e-5)


def test_as_many_centres_as_points_are_all_the_points() -> None:
    places = RNG.normal(size=(30, 2)) * 5
    one, other = (
        InverseMap(EMBEDDING, POINTS, DeepViewSettings(inverse_centres=n))(places) for n in (40, 2000)
    )
    assert np.array_equal(one, other)


def test_few_centres_say_nearly_what_all_say() -> None:
    rng = np.random.default_rng(0)
    embedding = rng.uniform(-8, 8, size=(600, 2)).astype(np.float32)
    points = np.column_stack([np.tanh(embedding[:, 0]), embedding[:, 1]]).astype(np.float64)
    places = rng.uniform(-7, 7, size=(200, 2))
    full, few = (
        InverseMap(embedding, points, DeepViewSettings(inverse_centres=n))(places) for n in (600, 200)
    )
    assert (np.sign(full) == np.sign(few)).mean() > 0.95


def test_duplicates_in_the_plane_are_no_trouble() -> None:
    embedding = np.repeat(EMBEDDING[:10], 4, axis=0)
    ours = InverseMap(embedding, POINTS, DeepViewSettings())(EMBEDDING)
    expected = literal_inverse(embedding.astype(np.float64), POINTS, EMBEDDING, 2000, 0.1, 500)
    np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_one_step_by_hand() -> None:
    # Centres at (0, 0) and (1, 1), a = 1: k = 1 / (1 + 2), weights 3/4 and 1/4. With Y = (0, 1),
    # W Y - Y = (1/4, -1/4) and Wᵀ(W Y - Y) = (1/8, -1/8), so S = (-.0125, 1.0125), and at the first centre
    # 3/4 · -.0125 + 1/4 · 1.0125 = .24375.
    settings = DeepViewSettings(inverse_steps=1, inverse_rate=0.1, inverse_scale=1.0)
    inverse = InverseMap(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0], [1.0]]), settings)
    assert inverse(np.array([[0.0, 0.0]])).item() == pytest.approx(0.24375, abs=1e-12)


def test_steps_that_would_diverge_are_refused_with_the_largest_rate() -> None:
    with pytest.raises(SettingsError, match=r"inverse_rate=9\.0 .* take less than \d") as caught:
        InverseMap(EMBEDDING, POINTS, DeepViewSettings(inverse_rate=9.0))
    limit = float(str(caught.value).rsplit(maxsplit=1)[-1])
    InverseMap(EMBEDDING, POINTS, DeepViewSettings(inverse_rate=0.99 * limit))


def test_points_at_one_place_cannot_be_mapped_back() -> None:
    with pytest.raises(DataError, match="at one place"):
        InverseMap(np.ones((40, 2)), POINTS, DeepViewSettings())
