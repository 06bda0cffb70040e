"""Which heads a set holds, by hand and at the edges."""

import numpy as np
import pytest

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.heads import (
    by_layer,
    head_count,
    layer_frame,
    least_heads,
    overlap,
    overlaps,
    random_heads,
    top_heads,
)

SCORES = np.array([[0.1, 0.9, 0.3], [0.9, 0.2, 0.0]])


@pytest.mark.parametrize(
    ("alpha", "layers", "heads", "count"),
    [(0.3, 12, 12, 43), (0.3, 24, 16, 115), (0.3, 6, 12, 21), (1.0, 2, 2, 4), (0.29, 10, 10, 29)],
)
def test_counts_are_those_of_the_released_code(alpha: float, layers: int, heads: int, count: int) -> None:
    assert head_count(alpha, layers, heads) == count
    assert head_count(round(100 * alpha) / 100, layers, heads) == layers * heads * round(100 * alpha) // 100


@pytest.mark.parametrize("alpha", [-0.1, 1.01, float("nan")])
def test_alpha_outside_the_unit_interval(alpha: float) -> None:
    with pytest.raises(SettingsError, match=r"outside \[0, 1\]"):
        top_heads(SCORES, alpha)


def test_alpha_that_selects_no_head_says_what_would() -> None:
    with pytest.raises(SettingsError, match=r"selects no head of 6: take at least 0\.167"):
        top_heads(SCORES, 0.1)


def test_top_and_least_by_hand() -> None:
    assert top_heads(SCORES, 0.5).tolist() == [[False, True, True], [True, False, False]]
    assert least_heads(SCORES, 0.5).tolist() == [[True, False, False], [False, True, True]]


def test_equal_scores_go_to_the_lower_layer_then_the_lower_head() -> None:
    assert top_heads(SCORES, 0.17).tolist() == [[False, True, False], [False, False, False]]
    flat = np.zeros((2, 3))
    assert np.flatnonzero(top_heads(flat, 0.7)).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(least_heads(flat, 0.7)).tolist() == [0, 1, 2, 3]


def test_top_heads_against_a_plain_loop() -> None:
    scores = np.random.default_rng(0).normal(size=(5, 7))
    ranked = sorted((-scores[layer, head], layer, head) for layer in range(5) for head in range(7))
    expected = {(layer, head) for _, layer, head in ranked[: int(0.3 * 35)]}
    assert {tuple(place) for place in np.argwhere(top_heads(scores, 0.3)).tolist()} == expected


def test_a_score_that_is_no_number_is_named() -> None:
    with pytest.raises(DataError, match="head 3 in layer 2 is nan"):
        top_heads(np.where(SCORES == 0, np.nan, SCORES), 0.5)


def test_random_sets_have_the_size_and_do_not_depend_on_their_number() -> None:
    drawn = random_heads(5, 6, 12, 0.3, seed=3)
    assert drawn.sum(axis=(1, 2)).tolist() == [21] * 5
    assert np.array_equal(drawn[:2], random_heads(2, 6, 12, 0.3, seed=3))
    assert not np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn, random_heads(5, 6, 12, 0.3, seed=4))


def test_uniform_sets_hold_every_head_equally_often() -> None:
    often = random_heads(4000, 2, 4, 0.5).mean(axis=0)
    assert np.abs(often - 0.5).max() < 4 * np.sqrt(0.25 / 4000)


def test_released_random_sets_leave_one_head_a_layer() -> None:
    drawn = random_heads(200, 3, 2, 0.5, reading="released")
    assert (drawn.sum(axis=2) == 1).all()
    assert (random_heads(200, 3, 2, 0.5).sum(axis=2) == 2).any()
    with pytest.raises(SettingsError, match="takes 4 of 6 heads, and every layer cannot keep one"):
        random_heads(1, 3, 2, 0.67, reading="released")


def test_overlap_by_hand() -> None:
    a, b = (np.array([[row in (0, 1), row in (0, 2)]]) for row in (0, 1))
    assert overlap(a, a) == 1
    a, b = np.array([[True, True, False, False]]), np.array([[False, True, True, False]])
    assert overlap(a, b) == 0.5
    assert overlaps({"x": a, "y": b}).loc["x"].tolist() == [100, 50]


def test_overlap_of_sets_of_different_size() -> None:
    with pytest.raises(DataError, match="two sets of one size, not 2 and 1 heads"):
        overlap(np.array([[True, True]]), np.array([[True, False]]))


def test_heads_by_layer() -> None:
    top = top_heads(SCORES, 0.5)
    assert by_layer(top).tolist() == [2, 1]
    assert layer_frame({"t": top}).to_numpy().tolist() == [["t", 1, 2], ["t", 2, 1]]
