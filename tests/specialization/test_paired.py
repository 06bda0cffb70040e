"""The paired bootstrap against all resamples, against scipy's, and by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.paired import bootstrap_p, paired_differences


def exact_p(differences: list[float]) -> float:
    """The share of all n^n resamples whose mean is above twice the mean."""
    n, twice = len(differences), 2 * sum(differences) / len(differences)
    means = [sum(drawn) / n for drawn in product(differences, repeat=n)]
    return sum(mean > twice + 1e-12 for mean in means) / len(means)


def test_by_hand() -> None:
    # The mean of [0, 2] is 1; of the resamples 00, 02, 20 and 22 none has a mean above 2.
    assert exact_p([0, 2]) == 0
    # The mean of [-1, 2] is 0.5: above 1 is 22 alone, one of four.
    assert exact_p([-1, 2]) == 0.25
    assert bootstrap_p([0.0, 2.0]) == 0
    assert bootstrap_p([-1.0, 2.0], resamples=40_000) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    "differences", [[0.3, -0.1, 0.4, 0.2], [-0.2, 0.1, 0.0, 0.3, -0.1], [0.1, 0.1, -0.3]]
)
def test_against_all_resamples(differences: list[float]) -> None:
    assert bootstrap_p(differences, resamples=100_000) == pytest.approx(exact_p(differences), abs=0.006)


def test_against_scipys_resamples() -> None:
    differences = np.random.default_rng(5).normal(0.02, 0.05, size=30)
    found = bootstrap((differences,), np.mean, n_resamples=100_000, method="percentile", batch=1000, rng=0)
    theirs = (found.bootstrap_distribution > 2 * differences.mean()).mean()
    assert bootstrap_p(differences, resamples=100_000) == pytest.approx(theirs, abs=0.006)


def test_no_difference_is_not_significant_and_a_steady_one_is() -> None:
    assert bootstrap_p([-0.1, 0.1] * 15) == pytest.approx(0.5, abs=0.08)
    assert bootstrap_p([0.1] * 30) == 0
    assert bootstrap_p([-0.1] * 30) == 1


@pytest.mark.parametrize("differences", [[0.1], [], [0.1, np.nan]])
def test_too_little(differences: list[float]) -> None:
    with pytest.raises(DataError, match="at least two differences"):
        bootstrap_p(differences)


def frame() -> pd.DataFrame:
    rows = [("a", 1, 0.5), ("a", 0, 0.7), ("b", 0, 0.4), ("b", 1, 0.6), ("c", 0, 0.1)]
    return pd.DataFrame(rows, columns=["arm", "seed", "score"])


def test_pairs_by_their_seed() -> None:
    assert paired_differences(frame(), "a", "b").tolist() == pytest.approx([-0.1, 0.3])


def test_pairs_that_are_none() -> None:
    with pytest.raises(DataError, match="'a' and 'c' are no pairs: seed"):
        paired_differences(frame(), "a", "c")
    with pytest.raises(DataError, match="nothing was measured for 'd'"):
        paired_differences(frame(), "a", "d")
    with pytest.raises(DataError, match="two values for one seed"):
        paired_differences(pd.concat([frame(), frame()]), "a", "b")


def test_no_difference_at_all_is_no_evidence() -> None:
    assert bootstrap_p(np.zeros(6)) == 1.0
    assert bootstrap_p(np.full(6, -0.1)) == 1.0
    assert bootstrap_p(np.full(6, 0.1)) == 0.0
