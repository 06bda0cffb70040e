"""Values in their intervals, and the bootstrap behind those that are shares of counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int64
from scipy.stats import bootstrap

from encoder_atlas.errors import DataError


@runtime_checkable
class Resampled(Protocol):
    """A statistic on data as they are and on resamples of them."""

    @property
    def value(self) -> Any: ...

    @property
    def n(self) -> int: ...

    def interval(self, level: float) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Estimate:
    """A value in its interval, from ``n`` texts or pairs: what ``claims.record`` takes."""

    value: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, draws: Resampled, level: float) -> "Estimate":
        """From the resamples of one number."""
        low, high = draws.interval(level)
        return cls(float(draws.value), float(low), float(high), draws.n)

    def __str__(self) -> str:
        """
        >>> str(Estimate(1.26, -0.5, 3.0, n=20))
        '1.3 [-0.5, 3.0]'
        """
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


Estimates = Mapping[str, Estimate]

Counts = pd.DataFrame
"""How a model did, unit by unit (a text, a question, a sentence): "right" of "total"; any other columns."""

Scores = Float64[np.ndarray, "parts draws"]


def percent(counts: Counts) -> float:
    """What is right, in percent of the total: of words, not the mean over sentences.

    >>> percent(pd.DataFrame({"right": [1, 8], "total": [2, 8]}))
    90.0
    """
    right, total = counts[["right", "total"]].to_numpy(dtype=np.float64).sum(axis=0)
    return float(100 * right / total)


def contrast(
    groups: Sequence[Sequence[Counts]],
    statistic: Callable[[Scores], Float64[np.ndarray, " draws"]],
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """A number made of several scores, with a percentile bootstrap interval over units.

    Args:
        groups: of each group all parts are of the same units in the same order, and every resample draws the
            same of them for all parts; groups are drawn independently.
        statistic: gets the scores of all parts in percent, in order, a column a draw; gives a number a draw.

    >>> whole, frozen = (pd.DataFrame({"right": n, "total": [1] * 4}) for n in ([1, 1, 1, 0], [0, 1, 1, 0]))
    >>> contrast([[whole, frozen]], lambda scores: scores[0] - scores[1]).value
    25.0

    Raises:
        DataError: parts of one group with other numbers of units, fewer than two units, or a total of 0.
    """
    arrays = [_counts(group) for group in groups]

    def of_units(*units: Int64[np.ndarray, "..."], axis: int = -1) -> np.ndarray | np.float64:
        drawn = zip(arrays, (np.atleast_2d(unit) for unit in units), strict=True)
        sums = [array[:, :, unit].sum(axis=-1) for array, unit in drawn]
        found = statistic(np.concatenate([100 * part[:, 0] / part[:, 1] for part in sums]))
        return found if units[0].ndim > 1 else found[0]

    units = [np.arange(array.shape[-1]) for array in arrays]
    value = float(of_units(*units))
    most = max(array.size for array in arrays)
    found = bootstrap(
        units,
        of_units,
        n_resamples=resamples,
        batch=max(1, 2_000_000 // most),
        method="percentile",
        confidence_level=level,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    low, high = float(np.minimum(found.low, value)), float(np.maximum(found.high, value))
    return Estimate(value, low, high, min(len(unit) for unit in units))


def _counts(group: Sequence[Counts]) -> Float64[np.ndarray, "parts two units"]:
    sizes = {len(part) for part in group}
    if len(sizes) != 1 or min(sizes) < 2:
        raise DataError(
            f"a contrast needs the same units, at least two, in all parts of a group (got {sorted(sizes)})"
        )
    array = np.stack([part[["right", "total"]].to_numpy(dtype=np.float64).T for part in group])
    if not (array[:, 1].sum(axis=-1) > 0).all():
        raise DataError("a part has no totals: nothing was counted")
    return array


def mean_sd(values: Sequence[float] | np.ndarray | pd.Series, digits: int = 1) -> str:
    """Mean, and ± sample standard deviation where there are several.

    >>> mean_sd([80.0], 1), mean_sd([80.0, 82.0], 1)
    ('80.0', '81.0 ± 1.4')
    """
    own = np.asarray(values, dtype=np.float64)
    return plus_minus(own.mean(), own.std(ddof=1) if len(own) > 1 else np.nan, digits)


def plus_minus(mean: float, sd: float, digits: int = 1) -> str:
    """Mean ± sd, or the mean alone where one number has no spread: sd is NaN."""
    return f"{mean:.{digits}f}" if np.isnan(sd) else f"{mean:.{digits}f} ± {sd:.{digits}f}"
