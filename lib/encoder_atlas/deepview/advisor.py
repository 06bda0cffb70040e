"""Which λ to draw with: as much of the representation as the classes on the map can bear."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from jaxtyping import Float64
from scipy import stats

from encoder_atlas.deepview.tables import ERRORS, checked_sweep
from encoder_atlas.errors import DataError, SettingsError, near

UNIT = ["task", "seed", "sample"]


@dataclass(frozen=True, eq=False)
class Advice:
    """The advised λ and the table that decided."""

    lambda_: float
    best: float
    """The λ whose mean error is smallest; of equal ones the largest."""
    table: pd.DataFrame
    """One row a λ, the largest first: lambda_, mean, difference (mean paired difference to the best), low
    (its one-sided lower limit), worse (low is above the tolerance)."""
    n: int
    """How many pairs each difference is a mean of."""

    def to_frame(self) -> pd.DataFrame:
        """The table, with a column ``advised`` that is true in one row."""
        return self.table.assign(advised=self.table["lambda_"].eq(self.lambda_))


def advise_lambda(
    sweep: pd.DataFrame, measure: str = "q_knn", level: float = 0.95, tolerance: float = 0.0
) -> Advice:
    """The largest λ whose error is not worse than the best one's by more than its noise.

    Let e(λ, i) be the error on sample i (of a seed and a task), and λ* the λ of the smallest mean, of equal
    ones the largest. d_i = e(λ, i) - e(λ*, i) pairs the two on the same points. λ counts as worse when the
    one-sided lower confidence limit of the mean difference, mean(d) - t(level; n - 1) · sd(d) / √n with the
    sample standard deviation, is above ``tolerance``. The advice is the largest λ that is not worse: it need
    not be next to λ*, and λ* itself never is worse, so that there always is one. The rule is ours: the paper
    picks λ by eye.

    Two cautions. "Not shown to be worse" is not "as good": the fewer the samples, the further up the rule
    goes, and samples that share points show too little noise. And many samples show one point in 250 to
    be a difference, which matters to nobody; a tolerance of 0.01 lets it pass. On the paper's own
    tables, tasks being the samples, 0.01 gives the choices that it makes (0.8 for PT over its four tasks, 1
    for FT and MT), and 0 gives 0.8, 0.4 and 0.6.

    Args:
        sweep: of one setting; rows that share task, seed and sample are a unit.
        tolerance: difference of errors, in [0, 1], that does not matter.

    Raises:
        SettingsError: an unknown measure, a level outside (0, 1), a negative tolerance.
        DataError: several settings, fewer than two units, a unit without one of the λ or with one twice.
    """
    _check_request(measure, level, tolerance)
    errors = _paired(sweep, measure)
    lambdas = errors.columns.to_numpy(dtype=np.float64)  # largest first
    values = errors.to_numpy(dtype=np.float64)
    best = int(values.mean(axis=0).round(12).argmin())  # sums in another order must not break a tie
    difference, low = lower_limits(values - values[:, [best]], level)
    worse = low.round(12) > tolerance
    table = pd.DataFrame(
        {
            "lambda_": lambdas,
            "mean": values.mean(axis=0),
            "difference": difference,
            "low": low,
            "worse": worse,
        }
    )
    return Advice(float(lambdas[~worse][0]), float(lambdas[best]), table, len(values))


def advise_every(
    sweep: pd.DataFrame, measure: str = "q_knn", level: float = 0.95, tolerance: float = 0.0
) -> pd.DataFrame:
    """`advise_lambda` for each setting and task of a sweep: setting, task, lambda_, best, n."""
    rows = []
    for key, part in checked_sweep(sweep).groupby(["setting", "task"], sort=False):
        advice = advise_lambda(part, measure, level, tolerance)
        rows.append((*cast(tuple[str, str], key), advice.lambda_, advice.best, advice.n))
    return pd.DataFrame(rows, columns=["setting", "task", "lambda_", "best", "n"])


def lower_limits(
    differences: Float64[np.ndarray, "units lambdas"], level: float
) -> tuple[Float64[np.ndarray, " lambdas"], Float64[np.ndarray, " lambdas"]]:
    """Mean of each column, and the one-sided lower limit of Student's t for it."""
    n = len(differences)
    mean = differences.mean(axis=0)
    noise = differences.std(axis=0, ddof=1) / np.sqrt(n)
    return mean, mean - stats.t.ppf(level, n - 1) * noise


def _paired(sweep: pd.DataFrame, measure: str) -> pd.DataFrame:
    """One row a unit, one column a λ, the largest first."""
    settings = list(checked_sweep(sweep)["setting"].unique())
    if len(settings) > 1:
        raise DataError(f"advice is for one setting, but the sweep holds {settings}: choose one")
    twice = sweep.duplicated([*UNIT, "lambda_"])
    if twice.any():
        row = sweep.loc[twice].iloc[0]
        raise DataError(
            f"task {row['task']!r}, seed {row['seed']}, sample {row['sample']} has λ={row['lambda_']} twice"
        )
    errors = pd.DataFrame(sweep.set_index([*UNIT, "lambda_"])[measure].unstack("lambda_"))
    if errors.isna().to_numpy().any():
        raise DataError("every sample needs an error at every λ: differences are taken within a sample")
    if len(errors) < 2:
        raise DataError("one sample has no noise to compare with: measure at least two (samples=5)")
    return errors.sort_index(axis=1, ascending=False)


def _check_request(measure: str, level: float, tolerance: float) -> None:
    if measure not in ERRORS:
        raise SettingsError(f"no error is called {measure!r}; {near(measure, ERRORS)}")
    if not 0.5 <= level < 1:
        raise SettingsError(f"level={level} is outside [0.5, 1): it is a one-sided confidence level")
    if not tolerance >= 0:
        raise SettingsError(f"tolerance={tolerance} is below 0: the best λ itself would count as worse")
