"""Which heads runs and tasks keep: how alike two grids of gates are, and how alike chance would make them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Float64
from scipy.stats import hypergeom

from encoder_atlas.errors import DataError
from encoder_atlas.stem_cells.gates import WIDE_OPEN

Grid = Float[np.ndarray, "layers heads"]
Grids = Mapping[str, Sequence[Grid]]
"""Gates of every run (seed), by the name of what was pruned: "pos", "all"."""

PERMUTATIONS = 2000


@dataclass(frozen=True)
class Agreement:
    """How alike two grids of gates are, and how often chance makes them as alike.

    Attributes:
        r: Pearson's correlation of the gates over heads, the paper's measure; NaN where one is constant.
        kept_a, kept_b, shared: heads open in the one, in the other, in both.
        expected: heads that two random sets of these sizes share.
        jaccard: shared over those open in either, in [0, 1]; NaN where none is.
        p_shared: how likely random sets of these sizes share as many (hypergeometric).
        p_r: how likely r is as large when the heads of one grid are shuffled.
        p_r_within: … when they are shuffled within their layers only, so that layers stay as well used as
            they are: what is left is which heads of a layer.
    """

    r: float
    kept_a: int
    kept_b: int
    shared: int
    expected: float
    jaccard: float
    p_shared: float
    p_r: float
    p_r_within: float


def agreement(
    a: Grid,
    b: Float[np.ndarray, "_ _"],
    threshold: float = WIDE_OPEN,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Agreement:
    """Hold two grids of gates against each other.

    Two fits from one beginning of the gates agree more than their tasks do: compare different gate seeds.

    Args:
        threshold: above which a head is open.

    Raises:
        DataError: grids of different shape.
    """
    if a.shape != b.shape:
        raise DataError(f"gates of {a.shape} and of {b.shape} (layers, heads) are of different encoders")
    open_a, open_b = a > threshold, b > threshold
    kept_a, kept_b, shared = int(open_a.sum()), int(open_b.sum()), int((open_a & open_b).sum())
    either = kept_a + kept_b - shared
    r = correlation(a, b)
    chance = [chance_correlations(a, b, permutations, seed, within=within) for within in (False, True)]
    return Agreement(
        r,
        kept_a,
        kept_b,
        shared,
        kept_a * kept_b / a.size,
        shared / either if either else np.nan,
        float(hypergeom.sf(shared - 1, a.size, kept_a, kept_b)),
        *(_p(r, drawn) for drawn in chance),
    )


def agreement_frame(
    first: Grids, second: Grids | None = None, threshold: float = WIDE_OPEN, *, permutations: int = 500
) -> pd.DataFrame:
    """Agreements of many grids, one a row, with columns "a", "b", "run_a", "run_b" and those of `Agreement`.

    Of one mapping: every two runs of one name, and every two names in every two runs. Of two, such as single
    tasks and all together: every name of the first with every name of the second in every two runs. The mean
    over runs of a pair of names is what the paper's Figure of overlaps shows.
    """
    flat = [
        [(name, run, grid) for name, runs in part.items() for run, grid in enumerate(runs)]
        for part in (first, second or {})
    ]
    pairs = combinations(flat[0], 2) if second is None else ((a, b) for a in flat[0] for b in flat[1])
    rows = []
    for (a, run_a, grid_a), (b, run_b, grid_b) in pairs:
        found = agreement(grid_a, grid_b, threshold, permutations=permutations)
        rows.append({"a": a, "b": b, "run_a": run_a, "run_b": run_b} | asdict(found))
    return pd.DataFrame(rows)


def claimed(grids: Sequence[Grid], threshold: float = WIDE_OPEN) -> pd.DataFrame:
    """How many heads are open for exactly k of the grids, one a task; a row for each k from 0.

    Columns: tasks (k), heads, expected (heads, were each task's set drawn at random in its size; exact), and
    p (how likely chance gives at least as many heads that at least k tasks claim; by permutation). Stem cells
    are claimed by most tasks: the last rows.

    Raises:
        DataError: fewer than two grids, or of different shape.
    """
    sets = open_sets(grids, threshold)
    n, (size, tasks) = len(sets), (sets[0].size, len(sets))
    heads = np.bincount(sets.sum(axis=0).ravel(), minlength=n + 1)
    chance = _claims_by_chance([one.mean() for one in sets])
    random = np.random.default_rng(0)
    flat = sets.reshape(tasks, size)
    drawn = np.stack(
        [np.bincount(random.permuted(flat, axis=1).sum(axis=0), minlength=n + 1) for _ in range(PERMUTATIONS)]
    )
    at_least = drawn[:, ::-1].cumsum(axis=1)[:, ::-1]
    own = heads[::-1].cumsum()[::-1]
    p = [_p(float(own[k]), at_least[:, k].astype(np.float64)) for k in range(n + 1)]
    return pd.DataFrame({"tasks": range(n + 1), "heads": heads, "expected": size * chance, "p": p})


def stem_cells(grids: Sequence[Grid], threshold: float = WIDE_OPEN) -> pd.DataFrame:
    """The heads that every grid keeps: "layer", "head" (from 1), and the smallest of their gates ("gate").

    Raises as `claimed` does.
    """
    shared = open_sets(grids, threshold).all(axis=0)
    least = np.min(grids, axis=0)
    rows = [(layer + 1, head + 1, float(least[layer, head])) for layer, head in np.argwhere(shared)]
    return pd.DataFrame(rows, columns=["layer", "head", "gate"])


def layer_use(grids: Grids, threshold: float = WIDE_OPEN) -> pd.DataFrame:
    """One row a name, run and layer (from 1): open "heads", their "share" of the run's, and the mean gate.

    The share is in percent, NaN where a run keeps no head.
    """
    rows = []
    for name, runs in grids.items():
        for run, grid in enumerate(runs):
            heads = (grid > threshold).sum(axis=1)
            share = 100 * heads / heads.sum() if heads.any() else np.full(len(heads), np.nan)
            layers = zip(heads.tolist(), share.tolist(), grid.mean(axis=1).tolist(), strict=True)
            rows += [(name, run, layer, *values) for layer, values in enumerate(layers, start=1)]
    return pd.DataFrame(rows, columns=["name", "run", "layer", "heads", "share", "gate"])


def run_consistency(runs: Sequence[Grid]) -> float:
    """How well the other runs foretell the last one: √(adjusted R²) of a linear fit over heads.

    The number on the diagonal of the released code's overlap figure; 0 where adjusted R² is negative.

    Raises:
        DataError: fewer than two runs.
    """
    if len(runs) < 2:
        raise DataError("how consistent runs are takes at least two runs")
    *others, last = (run.ravel().astype(np.float64) for run in runs)
    design = np.stack([np.ones_like(last), *others], axis=1)
    rest = last - design @ np.linalg.lstsq(design, last, rcond=None)[0]
    total = ((last - last.mean()) ** 2).sum()
    r2 = 1 - (rest**2).sum() / total if total else 0.0
    adjusted = 1 - (1 - r2) * (len(last) - 1) / (len(last) - design.shape[1])
    return float(np.sqrt(max(0.0, adjusted)))


def correlation(a: Grid, b: Grid) -> float:
    """Pearson's r over heads; NaN where one of the grids is constant."""
    return float(_correlations(a, b[None])[0])


def chance_correlations(
    a: Grid, b: Grid, permutations: int, seed: int = 0, *, within: bool = False
) -> Float64[np.ndarray, " permutations"]:
    """Pearson's r when the heads of the second grid are shuffled, all or ``within`` their layers only."""
    return _correlations(a, shuffled(b, permutations, seed, within=within))


def _correlations(
    a: Grid, many: Float[np.ndarray, "permutations layers heads"]
) -> Float64[np.ndarray, " permutations"]:
    x, y = a.ravel().astype(np.float64), many.reshape(len(many), -1).astype(np.float64)
    x, y = x - x.mean(), y - y.mean(axis=1, keepdims=True)
    norm = np.sqrt((x @ x) * (y**2).sum(axis=1))
    # Means of equal numbers miss them by rounding: such a grid has no spread.
    spread = 1e-12 * x.size
    return np.divide(y @ x, norm, out=np.full(len(many), np.nan), where=norm > spread)


def shuffled(
    grid: Grid, permutations: int, seed: int = 0, *, within: bool = False
) -> Float[np.ndarray, "permutations layers heads"]:
    """A grid with its heads shuffled, all of them or ``within`` their layers only, so many times."""
    random = np.random.default_rng(seed)
    many = np.broadcast_to(grid, (permutations, *grid.shape))
    if within:
        return random.permuted(many, axis=2)
    return random.permuted(many.reshape(permutations, -1), axis=1).reshape(many.shape)


def open_sets(grids: Sequence[Grid], threshold: float) -> Bool[np.ndarray, "tasks layers heads"]:
    """The open heads of each grid.

    Raises:
        DataError: fewer than two grids, or of different shape.
    """
    if len(grids) < 2:
        raise DataError("heads that tasks share need the gates of at least two tasks")
    for one, other in pairwise(grids):
        if one.shape != other.shape:
            raise DataError(f"gates of {one.shape} and of {other.shape} are of different encoders")
    return np.stack(grids) > threshold


def _claims_by_chance(shares: Sequence[float]) -> Float64[np.ndarray, " counts"]:
    """The chance that a head is in exactly k of independent random sets with these shares of all heads."""
    chance = np.array([1.0])
    for share in shares:
        chance = np.convolve(chance, [1 - share, share])
    return chance


def _p(found: float, drawn: Float64[np.ndarray, " permutations"]) -> float:
    """The share of chance draws that are as large, what was found counted as one of them."""
    if np.isnan(found):
        return np.nan
    return float((1 + (drawn >= found - 1e-9).sum()) / (1 + len(drawn)))
