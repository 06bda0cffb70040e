"""How alike two tasks are, from representations of the same sentences, and what that says of dissociation.

Every measure takes one array a task: the sentences (rows, the same for all) under the encoder that was
fine-tuned on that task alone, all from one start: without a common start the axes of two encoders have
nothing to do with each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, Literal, cast, get_args

import numpy as np
import pandas as pd
from jaxtyping import Float, Float64
from scipy.spatial.distance import cosine, pdist
from scipy.stats import linregress, pearsonr, spearmanr

from encoder_atlas.errors import DataError, SettingsError, near

Dissimilarity = Literal["correlation", "cosine", "euclidean"]
SecondOrder = Literal["spearman", "pearson", "cosine"]
Representations = Mapping[str, Float[np.ndarray, "points hidden"]]

MOST_MANTEL_TASKS = 8


def dse(points: Representations) -> pd.DataFrame:
    """Direct similarity estimation: the mean over sentences of the cosine between a sentence's two vectors.

    The paper takes 1,000 random Wikipedia sentences.

    Raises:
        SettingsError: fewer than two tasks.
        DataError: arrays of different shape, or a vector that is zero or not finite.
    """
    units = {}
    for task, rows in check_points(points).items():
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        if not length.all():
            raise DataError(
                f"{task}: sentence {int((length == 0).argmax())} has a zero vector: no angle to it"
            )
        units[task] = rows / length
    return _matrix(units, lambda a, b: float((a * b).sum(axis=1).mean()))


def cra(
    points: Representations, metric: Dissimilarity = "correlation", second: SecondOrder = "spearman"
) -> pd.DataFrame:
    """Cognitive representation analytics: how alike the tasks' dissimilarity matrices of sentences are.

    Which dissimilarity and which second-order similarity were used is stated nowhere; the defaults are those
    of representational similarity analysis (1 - Pearson, compared by Spearman).

    Raises:
        SettingsError: fewer than two tasks, or a name that is not known.
        DataError: see `dse`; fewer than three sentences; a matrix without differences.
    """
    for name, known in ((metric, get_args(Dissimilarity)), (second, get_args(SecondOrder))):
        if name not in known:
            raise SettingsError(f"CRA does not know {name!r}; {near(name, known)}")
    matrices = {task: pdist(rows, metric) for task, rows in check_points(points, at_least=3).items()}
    for task, distances in matrices.items():
        if not np.isfinite(distances).all() or np.ptp(distances) == 0:
            raise DataError(f"{task}: the sentences have no differing {metric} distances to compare")
    compare = {
        "spearman": lambda a, b: float(cast(Any, spearmanr(a, b)).statistic),
        "pearson": lambda a, b: float(cast(Any, pearsonr(a, b)).statistic),
        "cosine": lambda a, b: 1 - float(cosine(a, b)),
    }
    return _matrix(matrices, compare[second])


@dataclass(frozen=True, eq=False)
class SimilarityFit:
    """A line through the pairs of tasks: average dissociation against similarity (Figures 3 and 5-7).

    Attributes:
        pairs: a, b, similarity, d (points).
        r, p: Pearson's, two-sided, as the paper reports; ``low`` and ``high`` bound r at 95 % (Fisher).
        p_mantel: share of all ways to give the tasks' similarities to other tasks whose r is at least as
            negative. Pairs share tasks and are not independent, which p overlooks and this does not.
    """

    measure: str
    pairs: pd.DataFrame
    slope: float
    intercept: float
    r: float
    p: float
    low: float
    high: float
    p_mantel: float


def fit_similarity(similarity: pd.DataFrame, pairs: pd.DataFrame, measure: str) -> SimilarityFit:
    """Fit average dissociation of pairs on their similarity.

    Args:
        similarity: tasks by tasks, as `dse`, `cra`, `ahp` and `cnm` give it.
        pairs: columns a, b, d, as `Dissociation.pairs` gives it.
        measure: what the similarity is called in the figure.

    Raises:
        DataError: a task without a similarity, fewer than three pairs, or no differences between them.
    """
    for task in dict.fromkeys([*pairs["a"], *pairs["b"]]):
        if task not in similarity.index:
            raise DataError(
                f"no similarity was measured for {task!r}; {near(task, map(str, similarity.index))}"
            )
    columns = ["a", "b", "similarity", "d"]
    table = pairs.assign(similarity=_of_pairs(similarity, pairs)).reindex(columns=columns)
    x, y = table["similarity"].to_numpy(dtype=float), table["d"].to_numpy(dtype=float)
    if len(table) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        raise DataError(f"{measure}: a fit needs three pairs of tasks or more, and not all alike")
    line, found = cast(Any, linregress(x, y)), cast(Any, pearsonr(x, y))
    low, high = found.confidence_interval(0.95) if len(x) > 3 else (-1.0, 1.0)
    return SimilarityFit(
        measure=measure,
        pairs=table,
        slope=float(line.slope),
        intercept=float(line.intercept),
        r=float(found.statistic),
        p=float(found.pvalue),
        low=float(low),
        high=float(high),
        p_mantel=_mantel(similarity, pairs, float(found.statistic)),
    )


def fit_frame(fits: list[SimilarityFit]) -> pd.DataFrame:
    """One row a measure: measure, r, low, high, p, p_mantel, slope, pairs (their number)."""
    rows = [(f.measure, f.r, f.low, f.high, f.p, f.p_mantel, f.slope, len(f.pairs)) for f in fits]
    return pd.DataFrame(rows, columns=["measure", "r", "low", "high", "p", "p_mantel", "slope", "pairs"])


def check_points(
    points: Representations, at_least: int = 1
) -> dict[str, Float64[np.ndarray, "points hidden"]]:
    """The representations as float64, when they can be compared.

    Raises:
        SettingsError: fewer than two tasks.
        DataError: other sentences or widths, too few sentences, or a number that is not finite.
    """
    if len(points) < 2:
        raise SettingsError(f"similarity needs two tasks or more, not {list(points)}")
    (first, expected), *others = points.items()
    for task, rows in others:
        if rows.shape != expected.shape:
            raise DataError(
                f"{task!r} has representations of shape {rows.shape}, {first!r} of {expected.shape}: take "
                "the same sentences and one kind of encoder"
            )
    if len(expected) < at_least:
        raise DataError(f"{len(expected)} sentences: at least {at_least} are needed")
    for task, rows in points.items():
        if not np.isfinite(rows).all():
            row = int((~np.isfinite(rows)).any(axis=1).argmax())
            raise DataError(f"{task}: the vector of sentence {row} is not finite")
    return {task: rows.astype(np.float64) for task, rows in points.items()}


def _matrix(values: Mapping[str, np.ndarray], compare: Any) -> pd.DataFrame:
    """A symmetric table of ``compare`` over every two tasks; a task is 1 to itself."""
    table = pd.DataFrame(np.eye(len(values)), index=list(values), columns=list(values))
    for a, b in combinations(values, 2):
        table.loc[a, b] = table.loc[b, a] = compare(values[a], values[b])
    return table


def _of_pairs(similarity: pd.DataFrame, pairs: pd.DataFrame) -> Float64[np.ndarray, " pairs"]:
    tasks = list(similarity.index)
    rows, columns = ([tasks.index(task) for task in pairs[name]] for name in ("a", "b"))
    return similarity.to_numpy(dtype=np.float64)[rows, columns]


def _mantel(similarity: pd.DataFrame, pairs: pd.DataFrame, r: float) -> float:
    """One-sided and exact, over all orders of the tasks; NaN for more than eight tasks."""
    tasks = list(dict.fromkeys([*pairs["a"], *pairs["b"]]))
    if len(tasks) > MOST_MANTEL_TASKS:
        return float("nan")
    own, d = similarity.loc[tasks, tasks], pairs["d"].to_numpy(dtype=float)
    as_low = []
    for way in permutations(tasks):
        moved = pd.DataFrame(own.loc[list(way), list(way)].to_numpy(), index=tasks, columns=tasks)
        as_low.append(float(np.corrcoef(_of_pairs(moved, pairs), d)[0, 1]) <= r + 1e-12)
    return float(np.mean(as_low))
