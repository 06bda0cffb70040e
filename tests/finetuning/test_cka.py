"""Linear CKA against the matrices it is defined by, by hand, its invariances, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from encoder_atlas.errors import DataError
from encoder_atlas.finetuning import cka


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, np.ndarray]:
    """Two models of different width that share some features."""
    random = np.random.default_rng(0)
    base = random.normal(size=(2, 40, 8)) + 3.0
    other = np.concatenate([base[:, :, :5] ** 2, random.normal(size=(2, 40, 6))], axis=2)
    return base, other


def literal(a: np.ndarray, b: np.ndarray, debiased: bool) -> float:
    """With both matrices of all pairs, as the papers write it."""
    n = len(a)
    if debiased:
        off = 1 - np.eye(n)
        k, m = a @ a.T * off, b @ b.T * off
        one = np.ones(n)

        def hsic(k: np.ndarray, m: np.ndarray) -> float:
            last = 2 / (n - 2) * one @ k @ m @ one
            product = (one @ k @ one) * (one @ m @ one) / ((n - 1) * (n - 2))
            return (np.trace(k @ m) + product - last) / (n * (n - 3))
    else:
        centre = np.eye(n) - 1 / n
        k, m = a @ a.T, b @ b.T

        def hsic(k: np.ndarray, m: np.ndarray) -> float:
            return np.trace(k @ centre @ m @ centre) / (n - 1) ** 2

    return hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))


@pytest.mark.parametrize("debiased", [True, False])
def test_the_matrices_themselves(
    states: tuple[np.ndarray, np.ndarray], debiased: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encoder_atlas.finetuning.similarity.BLOCK", 16)
    expected = [literal(*layers, debiased) for layers in zip(*states, strict=True)]
    np.testing.assert_allclose(cka(*states, debiased=debiased), expected, atol=1e-10)


def test_by_hand() -> None:
    # One feature each, centred: (−1, 0, 0, 1) and (−1, 1, −1, 1). ‖AᵀB‖² = 2² = 4, ‖AᵀA‖² = 4, ‖BᵀB‖² = 16.
    a = np.array([[[1.0], [2.0], [2.0], [3.0]]])
    b = np.array([[[0.0], [2.0], [0.0], [2.0]]])
    assert cka(a, b, debiased=False) == pytest.approx([4 / np.sqrt(4 * 16)])
    # Without bias: trace 4 − (1·1 + 1·1) = 2, product of lengths 2·4 / (3·2) = 4/3, last 2/2 · 2 = 2: 4/3.
    # a with itself: 4 − 2 + 4/6 − 2 = 2/3; b with itself: 16 − 4 + 16/6 − 4 = 32/3.
    assert cka(a, b) == pytest.approx([(4 / 3) / np.sqrt((2 / 3) * (32 / 3))])


@pytest.mark.parametrize("debiased", [True, False])
def test_turning_moving_and_scaling_change_nothing(
    states: tuple[np.ndarray, np.ndarray], debiased: bool
) -> None:
    a, b = states
    turned = -2.5 * a @ ortho_group.rvs(8, random_state=1) + 7
    np.testing.assert_allclose(cka(a, turned, debiased=debiased), 1, atol=1e-9)
    np.testing.assert_allclose(cka(turned, b, debiased=debiased), cka(a, b, debiased=debiased), atol=1e-9)
    np.testing.assert_allclose(cka(a, b, debiased=debiased), cka(b, a, debiased=debiased), atol=1e-12)


def test_unrelated_vectors_have_none_only_without_bias() -> None:
    random = np.random.default_rng(2)
    a, b = random.normal(size=(2, 40, 60, 30))
    assert abs(cka(a, b).mean()) < 0.02
    assert cka(a, b, debiased=False).mean() > 0.25


def test_what_cannot_be_aligned(states: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = (x.copy() for x in states)
    with pytest.raises(DataError, match="3 points: at least 4 are needed"):
        cka(a[:, :3], b[:, :3])
    with pytest.raises(DataError, match="base, layer 1: all points are the same"):
        cka(np.stack([a[0], np.ones_like(a[1])]), b, ("base", "tuned"))
    b[0, 3, 1] = np.inf
    with pytest.raises(DataError, match="tuned, layer 0: the vector of point 3 is not finite"):
        cka(a, b, ("base", "tuned"))
