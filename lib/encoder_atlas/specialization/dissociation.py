"""How far heads belong to tasks: dissociation scores, Eq. (6) and (7), and the paper's names for them.

Relative performances are fractions; dissociation scores are in points (percent of a task's base score).
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
import pandas as pd
from jaxtyping import Float64

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.pruning import Pruned

DISTINCT = 10.0
"""Points from which on the paper calls functional specialization distinct, after Shallice (1988)."""


class Case(StrEnum):
    """What the paper calls a pair of dissociation scores."""

    DISTINCT = "double dissociation, distinct"
    DOUBLE = "double dissociation"
    SINGLE = "single dissociation"
    NEGATIVE = "both negative: the important heads were found wrongly"
    NONE = "no functional specialization"


def dissociation_scores(
    relative: Float64[np.ndarray, "*draws tasks tasks"],
) -> Float64[np.ndarray, "*draws tasks"]:
    """D_i in points, Eq. (7): mean RP_i with another task's heads taken out, minus RP_i without its own.

    With two tasks this is Eq. (6). The paper's D(α) is the mean of the result.

    Args:
        relative: Eq. (5); row j has task j's heads taken out, column i is task i.

    Raises:
        SettingsError: one task only.
    """
    n = _several(relative.shape[-1])
    own = np.diagonal(relative, axis1=-2, axis2=-1)
    return 100 * ((relative.sum(axis=-2) - own) / (n - 1) - own)


def pair_scores(
    relative: Float64[np.ndarray, "*draws tasks tasks"],
) -> Float64[np.ndarray, "*draws tasks tasks"]:
    """Table 10: D_A against every single B in points; row B, column A, and 0 on the diagonal.

    D_A is RP_A with B's heads taken out, minus RP_A without its own. D_i of Eq. (7) is the mean of a column
    without its diagonal.

    Raises:
        SettingsError: one task only.
    """
    _several(relative.shape[-1])
    own = np.diagonal(relative, axis1=-2, axis2=-1)
    return 100 * (relative - own[..., None, :])


def name_case(d_a: float, d_b: float) -> Case:
    """The paper's rule for two dissociation scores in points.

    Both above 0 is a double dissociation, and a distinct one where their mean reaches 10. One above 10 with
    the other below 0 is a single dissociation. The rest is no functional specialization. (The paper also
    says that small positive scores mean none, without a bound; we name them double, and not distinct.)

    >>> name_case(6.9, 13.3), name_case(12.0, -0.5)
    (<Case.DISTINCT: 'double dissociation, distinct'>, <Case.SINGLE: 'single dissociation'>)

    Raises:
        DataError: a score that is no number.
    """
    if np.isnan([d_a, d_b]).any():
        raise DataError(f"dissociation scores {d_a} and {d_b}: not a number has no case")
    low, high = sorted([d_a, d_b])
    if low > 0:
        return Case.DISTINCT if (low + high) / 2 >= DISTINCT else Case.DOUBLE
    if high < 0:
        return Case.NEGATIVE
    return Case.SINGLE if high > DISTINCT and low < 0 else Case.NONE


@dataclass(frozen=True, eq=False)
class Dissociation:
    """The dissociation of several tasks in one model.

    Attributes:
        relative: Eq. (5); row j has task j's heads taken out, column i is task i.
    """

    tasks: tuple[str, ...]
    relative: Float64[np.ndarray, "tasks tasks"]

    def __post_init__(self) -> None:
        _several(len(self.tasks))

    @property
    def scores(self) -> Float64[np.ndarray, " tasks"]:
        """D_i in points."""
        return dissociation_scores(self.relative)

    @property
    def mean(self) -> float:
        """D(α) in points."""
        return float(self.scores.mean())

    def to_frame(self) -> pd.DataFrame:
        """One row a task: task, dissociation (D_i, points), own (RP_i without its own heads), others (RP_i
        without another's, mean); fractions."""
        own = np.diag(self.relative)
        others = (self.relative.sum(axis=0) - own) / (len(self.tasks) - 1)
        return pd.DataFrame({"task": self.tasks, "dissociation": self.scores, "own": own, "others": others})

    def pairs(self) -> pd.DataFrame:
        """One row a pair: a, b, d_a, d_b, d (their mean; all in points), case."""
        table = pair_scores(self.relative)
        rows = []
        for a, b in combinations(range(len(self.tasks)), 2):
            d_a, d_b = float(table[b, a]), float(table[a, b])
            rows.append((self.tasks[a], self.tasks[b], d_a, d_b, (d_a + d_b) / 2, str(name_case(d_a, d_b))))
        return pd.DataFrame(rows, columns=["a", "b", "d_a", "d_b", "d", "case"])


def dissociation(pruned: Pruned) -> Dissociation:
    """The dissociation of the tasks of one pruned model, from the sets that are called like them.

    Raises:
        SettingsError: one task only.
        DataError: a task's heads were not taken out, or a base score that is not above 0.
    """
    return Dissociation(pruned.tasks, pruned.relative())


def _several(tasks: int) -> int:
    if tasks < 2:
        raise SettingsError("dissociation holds one task against another: fit the model to two tasks or more")
    return tasks
