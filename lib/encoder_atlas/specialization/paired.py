"""Whether one model is better than another, seed by seed: the paired bootstrap that the paper cites."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from encoder_atlas.errors import DataError

Scores = Float[np.ndarray, " seeds"] | Sequence[float]

FEWEST = 5
"""Draws for a star or a verdict. An arm that is no better than another is ahead in all n draws once in 2ⁿ
times: with four draws that is more often than 5 %, and the bootstrap of these draws alone says p = 0."""


def paired_differences(
    scores: pd.DataFrame, arm: str, over: str, value: str = "score"
) -> Float[np.ndarray, " pairs"]:
    """``arm`` minus ``over``, one number for each set of other columns that both have, in their order.

    Args:
        scores: a tidy frame with a column "arm"; what else it has besides ``value`` says which rows pair.

    Raises:
        DataError: an arm without rows, or rows without a partner.
    """
    keys = [column for column in scores.columns if column not in ("arm", value)]
    parts = [scores.loc[scores["arm"].eq(name)].set_index(keys)[value] for name in (arm, over)]
    for name, part in zip((arm, over), parts, strict=True):
        if part.empty:
            raise DataError(f"nothing was measured for {name!r}; there are {sorted(set(scores['arm']))}")
        if part.index.has_duplicates:
            raise DataError(f"{name!r} has two values for one {' and '.join(keys)}")
    first, second = parts
    if set(first.index) != set(second.index):
        alone = sorted(set(first.index) ^ set(second.index), key=str)[0]
        raise DataError(
            f"{arm!r} and {over!r} are no pairs: {', '.join(keys)} = {alone} has one of them only"
        )
    return (first - second.reindex(first.index)).to_numpy(dtype=np.float64)


def bootstrap_p(differences: Scores, resamples: int = 10_000, seed: int = 0) -> float:
    """The p-value of "the first is better", from paired differences; one-sided.

    The mean difference δ is held against those of resamples with replacement: p is the share of resamples
    whose mean is above 2δ. (Resampled means gather around δ, so that above 2δ is as far from δ as δ is from
    0.) Source: Dror et al. (2018), whom the paper cites, after Berg-Kirkpatrick et al. (2012).

    Raises:
        DataError: fewer than two differences, or one that is no number.
    """
    values = np.asarray(differences, dtype=np.float64)
    if len(values) < 2 or not np.isfinite(values).all():
        raise DataError("a paired bootstrap needs at least two differences, none of them NaN or infinite")
    drawn = np.random.default_rng(seed).integers(len(values), size=(resamples, len(values)))
    means = values[drawn].mean(axis=1)
    # Equal differences have no spread: rounding of their mean must not look like one. And no difference at
    # all is no evidence of one: p is 1 then.
    rounding = 1e-12 if values.mean() > 0 else -1e-12
    return float((means > 2 * values.mean() + rounding).mean())
