"""CNM on recordings whose structure is known."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_predict

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.brain import (
    CNMSettings,
    cnm,
    columnwise_r,
    informative_voxels,
    predictability,
)
from encoder_atlas.specialization.recordings import Recording

N = 240
RIDGE = CNMSettings(mapping="ridge", seeds=(0,), voxels=20, penalties=(1.0,))


@pytest.fixture(scope="module")
def latent() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(N, 6))


@pytest.fixture(scope="module")
def recording(latent: np.ndarray) -> Recording:
    """Ten voxels of latent numbers 1-3, ten of numbers 4-6, ten of noise."""
    random = np.random.default_rng(1)
    left, right = (latent[:, part] @ random.normal(size=(3, 10)) for part in (slice(3), slice(3, 6)))
    signal = np.column_stack([left, right]) + 0.5 * random.normal(size=(N, 20))
    voxels = np.column_stack([signal, random.normal(size=(N, 10))]).astype(np.float32)
    known = np.repeat([0.9, 0.9, 0.0], 10)
    return Recording("simulated 1", tuple(f"Sentence {row}." for row in range(N)), voxels, known)


def test_r_of_columns_is_pearsons() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 9, 4))
    b[:, 3] = 1
    expected = [np.corrcoef(a[:, i], b[:, i])[0, 1] for i in range(3)]
    np.testing.assert_allclose(columnwise_r(a, b), [*expected, 0])


def test_predictability_is_out_of_fold_and_in_the_order_of_sentences(
    latent: np.ndarray, recording: Recording
) -> None:
    found = predictability(latent, recording.voxels, RIDGE, seed=3)
    folds = KFold(5, shuffle=True, random_state=3)
    predicted = cross_val_predict(Ridge(1.0), latent, recording.voxels, cv=folds)
    expected = columnwise_r(recording.voxels.astype(float), np.asarray(predicted, dtype=float))
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert found[:20].min() > 0.5 and np.abs(found[20:]).max() < 0.25


def test_informative_voxels_are_those_with_a_signal(latent: np.ndarray, recording: Recording) -> None:
    assert set(informative_voxels(recording, latent, RIDGE)) == set(range(20))


@pytest.mark.parametrize("settings", [RIDGE, CNMSettings(hidden=(32,), seeds=(0,), voxels=20, epochs=60)])
def test_tasks_that_keep_the_same_numbers_are_alike(
    latent: np.ndarray, recording: Recording, settings: CNMSettings
) -> None:
    kept = {"a": [0, 1, 2], "same as a": [2, 0, 1], "other": [3, 4, 5]}
    points = {task: latent[:, columns] for task, columns in kept.items()}
    table = cnm(points, [recording], latent, settings)
    assert np.diag(table).tolist() == pytest.approx([1, 1, 1])
    assert table.loc["a", "same as a"] == pytest.approx(1, abs=0.05)
    assert table.to_numpy()[0, 2] < 0.4


def test_several_widths_are_chosen_from(latent: np.ndarray, recording: Recording) -> None:
    settings = CNMSettings(hidden=(8, 4), seeds=(0, 1), folds=2, voxels=5, epochs=3)
    table = cnm({"a": latent, "b": latent[:, ::-1].copy()}, [recording, recording], latent, settings)
    assert table.shape == (2, 2)


def test_what_cannot_be_mapped(latent: np.ndarray, recording: Recording) -> None:
    with pytest.raises(DataError, match="there is no recording"):
        cnm({"a": latent, "b": latent}, [], latent, RIDGE)
    with pytest.raises(DataError, match="read 240 sentences, and 100 were represented"):
        cnm({"a": latent[:100], "b": latent[:100]}, [recording], latent[:100], RIDGE)
    with pytest.raises(SettingsError, match="two tasks or more"):
        cnm({"a": latent}, [recording], latent, RIDGE)
