"""What decides the chapter's claims on scores (``book/claims.yaml``).

Differences are in points, averaged over seeds, with bootstrap intervals over sentences that say nothing about
other training seeds.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float64

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Estimate, Estimates, contrast
from encoder_atlas.stem_cells.gates import WIDE_OPEN
from encoder_atlas.stem_cells.head_claims import over_models
from encoder_atlas.stem_cells.scored import MEASURES, Scored

HALF = 0.5

Single = Mapping[str, Sequence[Scored]]
"""Of each task the models trained on it alone, one a seed."""


def joint_claims(single: Single, joint: Sequence[Scored], level: float = 0.95) -> Estimates:
    """What tasks gain by learning together: for each "stem-joint-pos" and so on, "stem-joint" is their mean.

    Args:
        joint: models of several tasks, one a seed; their sentences are those of ``single``.

    Raises:
        DataError: other sentences, or no models.
    """
    tasks = [task for task in _tasks(single) if all(task in model.layers for model in joint)]
    found = {f"stem-joint-{task}": gain(single[task], joint, [task], level=level) for task in tasks}
    return found | {"stem-joint": _mean_gain({task: (single[task], joint) for task in tasks}, level)}


def best_pair(single: Single, pairs: Sequence[Sequence[Scored]], level: float = 0.95) -> Estimates:
    """ "stem-pair-both": of the pair for which that is highest, what the task that gains less gains.

    Above 0 there is a pair in which both tasks win, which the paper found nowhere.

    Args:
        pairs: of each pair of tasks its models, one a seed.

    Raises:
        DataError: as `joint_claims`.
    """
    parts = [(single[task], pair, task) for pair in pairs for task in pair[0].layers]
    statistic = _gains([(len(alone), len(both)) for alone, both, _ in parts])

    def least_of_best(scores: Float64[np.ndarray, "parts draws"]) -> Float64[np.ndarray, " draws"]:
        return statistic(scores).reshape(len(pairs), 2, -1).min(axis=1).max(axis=0)

    counts = [one.counts(task) for alone, both, task in parts for one in (*alone, *both)]
    return {"stem-pair-both": contrast([counts], least_of_best, level=level)}


def pruning_claims(
    single: Single,
    pruned: Single,
    *,
    most_kept: float = HALF,
    threshold: float = WIDE_OPEN,
    level: float = 0.95,
) -> Estimates:
    """What is lost when at most ``most_kept`` of the heads are left: "stem-prune-pos" …, "stem-prune".

    Of each task's gated models those with the mildest coefficient count under which every seed keeps so few;
    a task of which none does is left out. Values are gated minus plain: below 0 pruning costs something.

    Args:
        pruned: gated models of each task, of any coefficients.

    Raises:
        DataError: as `joint_claims`.
    """
    chosen = {task: mildest(models, most_kept, threshold) for task, models in pruned.items()}
    pairs = {task: (single[task], chosen[task]) for task in _tasks(single, chosen) if chosen[task]}
    found = {f"stem-prune-{task}": gain(*pair, [task], level=level) for task, pair in pairs.items()}
    return found | ({"stem-prune": _mean_gain(pairs, level)} if pairs else {})


def mildest(models: Sequence[Scored], most_kept: float, threshold: float = WIDE_OPEN) -> list[Scored]:
    """Of gated models those with the smallest coefficient under which every seed keeps few enough heads.

    Args:
        most_kept: the largest share of heads, in [0, 1].
    """
    by_coefficient: dict[float, list[Scored]] = {}
    for model in models:
        if model.gates:
            by_coefficient.setdefault(model.gates.settings.coefficient, []).append(model)
    for _, found in sorted(by_coefficient.items()):
        if all(model.gates.open_heads(threshold).mean() <= most_kept for model in found if model.gates):
            return found
    return []


def kind_claims(dynamic: Single, static: Single, level: float = 0.95) -> Estimates:
    """Dynamic minus static pruning: "stem-dynamic" in scores, "stem-dynamic-heads" in percent of heads kept.

    The second, without sentences behind it, has an interval over tasks and seeds: below 0 dynamic pruning
    keeps fewer heads, as the paper says (constituents aside).

    Raises:
        DataError: as `joint_claims`; or fewer than two differences of heads.
    """
    pairs = {task: (static[task], dynamic[task]) for task in _tasks(static, dynamic)}
    kept = [
        100 * (_kept(after) - _kept(before))
        for alone, gated in pairs.values()
        for before, after in zip(alone, gated, strict=False)
    ]
    return {
        "stem-dynamic": _mean_gain(pairs, level),
        "stem-dynamic-heads": over_models(np.array(kept), level),
    }


def gain(
    before: Sequence[Scored], after: Sequence[Scored], tasks: Sequence[str], *, level: float = 0.95
) -> Estimate:
    """``after`` minus ``before`` in points, mean over tasks and seeds; marked on the same sentences.

    Raises:
        DataError: other sentences, or no models.
    """
    return _mean_gain(dict.fromkeys(tasks, (before, after)), level)


def _mean_gain(pairs: Mapping[str, tuple[Sequence[Scored], Sequence[Scored]]], level: float) -> Estimate:
    if not pairs or not all(before and after for before, after in pairs.values()):
        raise DataError("there are no two groups of models to hold against each other")
    statistic = _gains([(len(before), len(after)) for before, after in pairs.values()])
    counts = [model.counts(task) for task, pair in pairs.items() for part in pair for model in part]
    return contrast([counts], lambda scores: statistic(scores).mean(axis=0), level=level)


def _gains(
    sizes: Sequence[tuple[int, int]],
) -> Callable[[Float64[np.ndarray, "parts draws"]], Float64[np.ndarray, "pairs draws"]]:
    """Of groups of scores in turn (before, after, before, after, …) the gain in each pair's mean."""

    def statistic(scores: Float64[np.ndarray, "parts draws"]) -> Float64[np.ndarray, "pairs draws"]:
        gains, start = [], 0
        for before, after in sizes:
            middle, end = start + before, start + before + after
            gains.append(scores[middle:end].mean(axis=0) - scores[start:middle].mean(axis=0))
            start = end
        return np.stack(gains)

    return statistic


def _tasks(*parts: Mapping[str, Sequence[Scored]]) -> list[str]:
    """The tasks of which each part has models, in the paper's order."""
    return [task for task in MEASURES if all(task in part for part in parts)]


def _kept(model: Scored) -> float:
    return float(model.gates.open_heads(WIDE_OPEN).mean()) if model.gates else 1.0
