"""AHP by hand and by power iteration, and transfer on a tiny encoder."""

import numpy as np
import pytest

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.affinity import TransferLosses, affinities, ahp, transfer_losses, win_shares
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, fit


def test_shares_of_wins_by_hand() -> None:
    shares = win_shares(np.array([[1.0, 1.0, 3.0, 2.0], [2.0, 2.0, 1.0, 2.0]]))
    assert shares.tolist() == [[0.5, 0.625], [0.375, 0.5]]


def test_two_sources_by_hand() -> None:
    # W / Wᵀ = [[1, 4], [1/4, 1]], whose eigenvector of eigenvalue 2 is (4, 1).
    np.testing.assert_allclose(affinities(np.array([[0.5, 0.8], [0.2, 0.5]])), [0.8, 0.2])
    np.testing.assert_allclose(affinities(np.array([[0.5, 1.0], [0.0, 0.5]])), [0.999, 0.001])


def test_the_eigenvector_against_power_iteration() -> None:
    wins = win_shares(np.random.default_rng(0).exponential(size=(5, 40)))
    ratios = np.clip(wins, 0.001, 0.999) / np.clip(wins, 0.001, 0.999).T
    vector = np.ones(5)
    for _ in range(500):
        vector = ratios @ vector
        vector /= vector.sum()
    np.testing.assert_allclose(affinities(wins), vector, atol=1e-9)


def test_similarity_is_the_mean_of_both_directions() -> None:
    losses = {"a": np.array([[1.0] * 4 + [2.0], [2.0] * 4 + [1.0]]), "b": np.array([[1.0, 2.0], [2.0, 1.0]])}
    table = ahp(TransferLosses(("a", "b"), losses))
    # For a: a wins 4 of 5. For b: each wins once.
    np.testing.assert_allclose(table, [[0.8, (0.5 + 0.2) / 2], [0.35, 0.5]])


def test_transfer_on_a_tiny_encoder(tasks: list[Task]) -> None:
    quick = FitSettings(epochs=1, batch_size=16, max_length=24, keep="last")
    models = {
        task.name: fit(load_encoder("tiny:bert"), [task], quick, mode="FT", device="cpu") for task in tasks
    }
    heads = FitSettings(frozen_epochs=2, mlp_widths=(), max_length=24, keep="last")
    found = transfer_losses(models, tasks, heads, device="cpu")
    assert found.losses["place"].shape == (2, 24)
    assert (found.losses["tone"] > 0).all()
    np.testing.assert_allclose(found.to_frame()["place"].to_numpy(), found.losses["place"].mean(axis=1))
    table = ahp(found).to_numpy()
    assert table[0, 1] == table[1, 0]


def test_of_a_target_with_scores_it_is_the_squared_error(mixed: list[Task]) -> None:
    quick = FitSettings(epochs=1, batch_size=16, max_length=24, keep="last")
    heads = FitSettings(frozen_epochs=2, mlp_widths=(), max_length=24, keep="last")
    models = {
        task.name: fit(load_encoder("tiny:bert"), [task], quick, mode="FT", device="cpu") for task in mixed
    }
    found = transfer_losses(models, mixed, heads, device="cpu")
    for row, source in enumerate(models.values()):
        head = fit(source.encoder, [mixed[1]], heads, mode="PT", device="cpu")
        said = head.predict_scores("likeness", mixed[1].texts("dev")).astype(float)
        np.testing.assert_allclose(found.losses["likeness"][row], (said - mixed[1].labels("dev")) ** 2)
    np.testing.assert_allclose(np.diag(ahp(found)) > 0, True)


def test_what_transfer_refuses(tasks: list[Task]) -> None:
    with pytest.raises(SettingsError, match=r"missing: \['tone', 'place'\]"):
        transfer_losses({}, tasks)
    with pytest.raises(SettingsError, match="every task as a source and a target"):
        ahp(TransferLosses(("a", "b"), {"a": np.ones((2, 3))}))
    with pytest.raises(DataError, match=r"lie in \[0, 1\]"):
        affinities(np.array([[0.5, 1.2], [-0.2, 0.5]]))
