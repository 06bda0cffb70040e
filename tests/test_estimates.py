"""Contrasts of scores: by hand, against a plain loop over resamples, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Estimate, contrast, percent


def counts(right: list[float], total: list[float] | None = None) -> pd.DataFrame:
    return pd.DataFrame({"right": right, "total": total or [1.0] * len(right)})


def test_words_count_and_not_sentences() -> None:
    # Nine of ten words, though the mean of the two sentences is 75 %.
    assert percent(counts([1, 8], [2, 8])) == 90
    assert contrast([[counts([1, 8], [2, 8])]], lambda scores: scores[0]).value == 90


def test_against_a_loop() -> None:
    rng = np.random.default_rng(3)
    total = rng.integers(1, 9, 60)
    first, second = (rng.binomial(total, rate) for rate in (0.8, 0.6))
    other = rng.integers(0, 2, 40)
    groups = [
        [counts(list(first), list(total)), counts(list(second), list(total))],
        [counts(list(other))],
    ]
    found = contrast(groups, lambda s: s[0] - s[1] - s[2], resamples=4000)
    draws = []
    for _ in range(4000):
        a, b = rng.integers(60, size=60), rng.integers(40, size=40)
        pair = 100 * (first[a].sum() - second[a].sum()) / total[a].sum()
        draws.append(pair - 100 * other[b].mean())
    assert found.value == pytest.approx(100 * (first.sum() - second.sum()) / total.sum() - 100 * other.mean())
    # 4,000 resamples: the ends of an interval of this width have a standard error of about 0.5.
    assert [found.low, found.high] == pytest.approx(list(np.quantile(draws, [0.025, 0.975])), abs=3)
    assert found.n == 40


def test_the_same_units_are_drawn_for_a_pair() -> None:
    # One is always 10 points above the other, whatever is drawn.
    right = np.random.default_rng(0).random(30)
    found = contrast([[counts(list(right + 0.1)), counts(list(right))]], lambda s: s[0] - s[1])
    assert [found.value, found.low, found.high] == pytest.approx([10, 10, 10])


def test_as_text() -> None:
    assert str(Estimate(1.26, -0.5, 3.0, n=20)) == "1.3 [-0.5, 3.0]"


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ([counts([1, 0]), counts([1, 0, 1])], "the same units"),
        ([counts([1])], "at least two"),
        ([counts([0, 0], [0, 0])], "no totals"),
    ],
)
def test_refused(group: list[pd.DataFrame], message: str) -> None:
    with pytest.raises(DataError, match=message):
        contrast([group], lambda scores: scores[0])
