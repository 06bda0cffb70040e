"""What decides the chapter's claims on heads (``book/claims.yaml``): they rest on gates alone.

There are no sentences to draw again, so that intervals are over shuffled heads (how far chance alone
reaches) or over models.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from jaxtyping import Float64

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Estimate, Estimates
from encoder_atlas.stem_cells.gates import WIDE_OPEN
from encoder_atlas.stem_cells.head_use import Grid, chance_correlations, correlation, open_sets, shuffled


def overlap_claims(
    grids: Mapping[str, Sequence[Grid]],
    together: Sequence[Grid] = (),
    *,
    threshold: float = WIDE_OPEN,
    permutations: int = 2000,
    level: float = 0.95,
) -> Estimates:
    """Whether tasks keep the same heads, beyond what chance and beyond what the use of layers explains.

    "stem-overlap": heads that two tasks share, in percent of those that either keeps (Jaccard), minus that of
    shuffled heads; mean over pairs of tasks. "stem-overlap-within": the same with heads shuffled within their
    layers. "stem-cells": heads that all tasks keep, minus that number for shuffled heads;
    "stem-cells-most", of four tasks and more: that all tasks but one keep, or all. "stem-same-heads",
    where ``together`` is given: r of the gates of one task with those of all tasks learned together, minus r
    with shuffled heads, mean over tasks. Intervals are those of the shuffles: how far chance alone reaches.

    Args:
        grids: gates of each task, one grid a run, from different gate seeds.
        together: gates of all tasks learned together, a grid a run.

    Raises:
        DataError: fewer than two tasks, or grids of different shape.
    """
    runs = list(zip(*grids.values(), strict=False))
    pairs = [pair for run in runs for pair in combinations(run, 2)]
    if not pairs:
        raise DataError("heads that tasks share need the gates of at least two tasks")
    found: dict[str, Estimate] = {}
    for name, within in (("stem-overlap", False), ("stem-overlap-within", True)):
        leads = [
            _jaccard_lead(*pair, threshold, permutations, number, within) for number, pair in enumerate(pairs)
        ]
        found[name] = _beyond_chance(100 * np.mean(leads, axis=0), len(pairs), level)
    # Two of three are hardly "most".
    for name, missing in (("stem-cells", 0), ("stem-cells-most", 1))[: 2 if len(grids) > 3 else 1]:
        cells = [_cells_lead(run, len(run) - missing, threshold, permutations) for run in runs]
        found[name] = _beyond_chance(np.mean(cells, axis=0), pairs[0][0].size, level)
    if together:
        both = [(one, other) for own in grids.values() for one, other in zip(own, together, strict=False)]
        leads = [
            correlation(*pair) - chance_correlations(*pair, permutations, number)
            for number, pair in enumerate(both)
        ]
        found["stem-same-heads"] = _beyond_chance(np.nanmean(leads, axis=0), len(both), level)
    return found


def layer_claims(grids: Sequence[Grid], threshold: float = WIDE_OPEN, level: float = 0.95) -> Estimates:
    """ "stem-middle": the share of open heads in the middle third of the layers, in points above a third.

    The paper's layers 5 to 8 of 12; of a number of layers that three does not divide the middle is rounded
    outwards, and what is subtracted is its share of the layers. The interval is over models.

    Raises:
        DataError: fewer than two grids with an open head.
    """
    shares = []
    for grid in grids:
        heads = (grid > threshold).sum(axis=1)
        first, last = len(heads) // 3, -(-2 * len(heads) // 3)
        if heads.any():
            shares.append(100 * (heads[first:last].sum() / heads.sum() - (last - first) / len(heads)))
    return {"stem-middle": over_models(np.array(shares), level)}


def over_models(values: Float64[np.ndarray, " models"], level: float) -> Estimate:
    """The mean of a number a model, with a percentile bootstrap over models.

    Raises:
        DataError: fewer than two.
    """
    if len(values) < 2:
        raise DataError(f"an interval over models needs at least two of them (got {len(values)})")
    draws = np.random.default_rng(0).integers(len(values), size=(10_000, len(values)))
    tail = (1 - level) / 2
    low, high = np.quantile(values[draws].mean(axis=1), [tail, 1 - tail])
    return Estimate(float(values.mean()), float(low), float(high), len(values))


def _jaccard_lead(
    a: Grid, b: Grid, threshold: float, permutations: int, seed: int, within: bool
) -> Float64[np.ndarray, " permutations"]:
    """Jaccard of two sets of open heads minus that of one with the other shuffled; 0 where none is open."""
    mine, theirs = open_sets([a, b], threshold)
    drawn = shuffled(theirs.astype(np.float32), permutations, seed, within=within) > 0
    total = max(1, int(mine.sum() + theirs.sum()))
    shared = np.array([(mine & theirs).sum(), *(mine & drawn).sum(axis=(1, 2))])
    jaccard = shared / np.maximum(total - shared, 1)
    return jaccard[0] - jaccard[1:]


def _cells_lead(
    run: Sequence[Grid], least: int, threshold: float, permutations: int
) -> Float64[np.ndarray, " permutations"]:
    """Heads that ``least`` grids or more keep, minus that number when every set is shuffled."""
    sets = open_sets(run, threshold)
    drawn = [shuffled(one.astype(np.float32), permutations, number) > 0 for number, one in enumerate(sets)]
    by_chance = (np.sum(drawn, axis=0) >= least).sum(axis=(1, 2))
    return ((sets.sum(axis=0) >= least).sum() - by_chance).astype(np.float64)


def _beyond_chance(leads: Float64[np.ndarray, " permutations"], n: int, level: float) -> Estimate:
    """Mean lead over chance draws, in the interval of the leads."""
    tail = (1 - level) / 2
    low, high = np.quantile(leads, [tail, 1 - tail])
    return Estimate(float(leads.mean()), float(low), float(high), n)
