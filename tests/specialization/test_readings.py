"""Readings of importance by hand, and what they do to a ranking."""

import inspect

import numpy as np
import pytest

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.readings import (
    READINGS,
    GateGradients,
    compare_readings,
    read_scores,
    scaled,
    score_heads,
)
from encoder_atlas.specialization.settings import SpecializationSettings

# Three texts, two layers, one head.
SAMPLES = np.array([[[2.0], [1.0]], [[-2.0], [3.0]], [[6.0], [-1.0]]], np.float32)
TOKENS = np.array([[[4.0], [1.0]], [[2.0], [3.0]], [[6.0], [1.0]]], np.float32)
HAND = GateGradients("hand", SAMPLES, TOKENS, np.array([3, 5, 2]))


def test_eq_4_is_the_mean_of_absolute_values() -> None:
    assert read_scores(HAND).ravel().tolist() == pytest.approx([10 / 3, 5 / 3])


def test_a_batch_cancels_what_pulls_in_opposite_directions() -> None:
    # Batches {1, 2} and {3}: means (0, 2) and (6, -1).
    assert read_scores(HAND, "batch", batch_size=2).ravel().tolist() == [3, 1.5]
    # Never zeroed: (0, 2), then (6, 1).
    assert read_scores(HAND, "accumulated", batch_size=2).ravel().tolist() == [3, 1.5]
    assert read_scores(HAND, "accumulated", batch_size=1).ravel().tolist() == pytest.approx([8 / 3, 8 / 3])
    assert np.array_equal(read_scores(HAND, "batch", batch_size=1), read_scores(HAND))


def test_by_token_and_its_divisions() -> None:
    # Batches {1, 2} and {3}: (4 + 2)/2 + 6 = 9 over 10 tokens; (1 + 3)/2 + 1 = 3.
    for division, last in [("tokens", 0.3), ("sentences", 1.0), ("undivided", 3.0)]:
        found = read_scores(HAND, "token", division, batch_size=2)  # pyright: ignore[reportArgumentType]
        assert found.ravel().tolist() == pytest.approx([0.9, last])


def test_layers_divided_by_their_norm() -> None:
    scores = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert scaled(scores, "l2").tolist() == [[0.6, 0.8], [0, 0]]
    assert scaled(scores, "none") is scores
    settings = SpecializationSettings(layer_scale="l2")
    assert score_heads(HAND, settings).scores.ravel().tolist() == [1, 1]


def test_an_unknown_reading_names_the_near_one() -> None:
    unchecked = inspect.unwrap(read_scores)
    with pytest.raises(SettingsError, match="no reading is called 'tokens'; did you mean 'token'"):
        unchecked(HAND, "tokens")


def test_by_token_needs_sums_over_tokens() -> None:
    with pytest.raises(DataError, match="per_token=True"):
        read_scores(GateGradients("t", SAMPLES, None, HAND.lengths), "token")


def test_the_comparison_holds_every_reading_against_eq_4() -> None:
    random = np.random.default_rng(0)
    samples = random.normal(size=(64, 3, 4)).astype(np.float32)
    tokens = np.abs(samples) + np.abs(random.normal(size=samples.shape)).astype(np.float32)
    drawn = GateGradients("t", samples, tokens, np.full(64, 20))
    table = compare_readings(drawn, alpha=0.3).set_index("reading")
    assert list(table.index) == list(READINGS)
    assert table.loc["per sample (Eq. 4)", ["spearman", "shared"]].tolist() == [1, 100]
    # 20 tokens a text: undivided, the last layer is so many times too large and takes all it can.
    assert table.loc["per token, last layer undivided", "last_layer"] == 3
    assert set(table["heads"]) == {3}
