"""What decides the chapter's claims (``book/claims.yaml``), from what the chapter measured.

Every function gives claim → `Estimate`, in points (percent of a base score) unless it says otherwise,
averaged over models, with a bootstrap interval over texts that says nothing about other training seeds.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

import numpy as np
from jaxtyping import Float64

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Estimate, Estimates
from encoder_atlas.specialization.controls import assigned, null_ways, random_names
from encoder_atlas.specialization.dissociation import dissociation_scores, pair_scores
from encoder_atlas.specialization.iap import LEAST
from encoder_atlas.specialization.pruning import BASE, Pruned
from encoder_atlas.specialization.readings import GateGradients, overlap_with_eq_4
from encoder_atlas.specialization.resampling import Draws, resample
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.similarity import SimilarityFit

NULL_QUANTILE = 0.95
MOST_WAYS = 2000
MOST_ASSIGNED = 6
"""Tasks: 720 assignments a resample; a seventh task would make 5,040."""

Relative = Float64[np.ndarray, "*draws tasks tasks"]


def iap_claims(pruned: Sequence[Pruned], settings: SpecializationSettings) -> Estimates:
    """Claims on one kind of model, fitted to several tasks at once with one seed or several.

    That on sequence pairs needs tasks with classes of both kinds, those on random heads at least as many
    random sets as tasks, that on assignments six tasks at most; where these are missing the claims are left
    out.

    Raises:
        DataError: see `resample`.
    """
    first = pruned[0]
    n = len(first.tasks)
    apart = ~np.eye(n, dtype=bool)
    found = {
        "iap-all-positive": _of(pruned, lambda own: dissociation_scores(own).min(axis=-1)),
        "iap-dissociation": _of(pruned, lambda own: dissociation_scores(own).mean(axis=-1)),
        "iap-distinct-pair": _of(pruned, lambda own: _pair_means(own).max(axis=-1)),
        "iap-own-most": _of(pruned, lambda own: pair_scores(own)[..., apart].min(axis=-1)),
    }
    if n <= MOST_ASSIGNED:
        found["iap-assignment"] = _of(pruned, _lead_over_other_assignments)
    least = [f"{LEAST}: {task}" for task in first.tasks]
    if set(least) <= set(first.sets):
        found["iap-least"] = lambda scores: (
            _mean_d(scores, first, first.tasks) - _mean_d(scores, first, least)
        )
    if len(random_names(first)) >= n:
        found["iap-random-milder"] = lambda scores: _random_lead(scores, first)
        found["iap-null"] = lambda scores: _null_lead(scores, first)
    # A correlation can fall to 0, where an accuracy stops at chance: by its measure alone a task with scores,
    # which is one of pairs, would seem to need attention more.
    kinds = np.array([first.kinds[task] if first.label_names[task] else "scores" for task in first.tasks])
    if {"single", "pair"} <= set(kinds):
        found["iap-pairs-need-attention"] = _of(pruned, lambda own: _pair_loss(own, kinds))
    return {
        claim: Estimate.of(_resampled(pruned, statistic, settings), settings.level)
        for claim, statistic in found.items()
    }


def frozen_claims(
    tuned: Sequence[Pruned], frozen: Sequence[Pruned], settings: SpecializationSettings
) -> Estimates:
    """Claims on the frozen encoder, against models of the same tasks and texts that were fine-tuned.

    "iap-frozen-floor" is what other tasks' heads leave of the frozen encoder's score above chance, in
    percent: where little is left, D is low by default. It is left out where in any resample of the texts the
    whole model is not above chance: there is nothing then of which a share could be left.

    Raises:
        DataError: see `resample`.
    """
    first, both, k = tuned[0], [*tuned, *frozen], len(tuned)

    def gain(scores: np.ndarray) -> np.ndarray:
        d = dissociation_scores(_relative(scores, first, first.tasks)).mean(axis=-1)
        return d[..., :k].mean(axis=-1) - d[..., k:].mean(axis=-1)

    level = settings.level
    d_frozen = _of(frozen, lambda own: dissociation_scores(own).mean(axis=-1))
    found = {
        "iap-frozen-gain": Estimate.of(_draws(both, gain, settings), level),
        "iap-frozen-small": Estimate.of(_resampled(frozen, d_frozen, settings), level),
    }
    above = _draws(frozen, lambda scores: _above_chance(scores, first), settings)
    if (above.resampled[1] > 0).all() and (above.value[1] > 0).all():
        value, drawn = (100 * (left / whole).mean(axis=0) for left, whole in (above.value, above.resampled))
        found["iap-frozen-floor"] = Estimate.of(Draws(np.asarray(value), drawn, above.n), level)
    return found


def paradigm_claims(
    single: Sequence[Pruned], paired: Sequence[Pruned], settings: SpecializationSettings
) -> Estimates:
    """Claims on a task and its pair version, each fitted with the same second task; the task comes first.

    A task that was not learnt has nothing to lose: where a model's score on its first task is not above
    chance, there is nothing to claim, and the result is empty.

    The texts of the two are resampled apart, although the second task's are the same: the intervals are
    rather too wide.

    Raises:
        DataError: see `resample`.
    """
    if not all(_first_is_learnt(part) for part in (*single, *paired)):
        return {}
    d = [
        _resampled(p, _of(p, lambda own: dissociation_scores(own).mean(axis=-1)), settings)
        for p in (paired, single)
    ]
    loss = [_resampled(p, _of(p, lambda own: 100 * (1 - own[..., 0, 0])), settings) for p in (paired, single)]
    return {
        "paradigm-same-d": Estimate.of(d[0] - d[1], settings.level),
        "paradigm-pairs-need-attention": Estimate.of(loss[0] - loss[1], settings.level),
    }


def _first_is_learnt(pruned: Pruned) -> bool:
    """Whether the whole model is better at its first task than `chance_score`."""
    return bool(pruned.scores[pruned.rows([BASE])[0], 0] > pruned.chance[pruned.tasks[0]])


def similarity_claims(fits: Mapping[str, SimilarityFit]) -> Estimates:
    """Claims on Pearson's r between similarity and dissociation of pairs (Fisher's interval).

    Args:
        fits: by the end of the claim's name: dse, cra, ahp, cnm.
    """
    return {
        f"similarity-{name}": Estimate(fit.r, fit.low, fit.high, len(fit.pairs)) for name, fit in fits.items()
    }


def reading_claims(gradients: Sequence[GateGradients], settings: SpecializationSettings) -> Estimates:
    """How much of Eq. (4)'s top α the reading by batch finds, in percent, mean over tasks.

    The texts behind importance are drawn anew, and with them what stands in a batch.

    Raises:
        DataError: no gradients.
    """
    if not gradients:
        raise DataError("there are no derivatives to read importance from")
    how = (settings.alpha, settings.importance_batch)
    random = np.random.default_rng(settings.seed)
    value = np.mean([overlap_with_eq_4(part.samples, *how) for part in gradients])
    draws = [
        np.mean(
            [
                overlap_with_eq_4(
                    part.samples[random.integers(len(part.samples), size=len(part.samples))], *how
                )
                for part in gradients
            ]
        )
        for _ in range(min(settings.resamples, 400))
    ]
    n = min(len(part.samples) for part in gradients)
    return {"iap-batch-reading": Estimate.of(Draws(np.asarray(value), np.array(draws), n), settings.level)}


def _of(
    pruned: Sequence[Pruned], measure: Callable[[Relative], np.ndarray]
) -> Callable[[np.ndarray], np.ndarray]:
    """A statistic of scores from a measure of the relative performances without each task's own heads."""
    return lambda scores: measure(_relative(scores, pruned[0], pruned[0].tasks))


def _resampled(
    pruned: Sequence[Pruned], statistic: Callable[[np.ndarray], np.ndarray], settings: SpecializationSettings
) -> Draws:
    """A statistic of each model, averaged over the models."""
    return _draws(pruned, lambda scores: statistic(scores).mean(axis=-1), settings)


def _draws(
    pruned: Sequence[Pruned], statistic: Callable[[np.ndarray], np.ndarray], settings: SpecializationSettings
) -> Draws:
    return resample(pruned, statistic, settings.resamples, settings.seed)


def _relative(scores: np.ndarray, like: Pruned, names: Sequence[str]) -> np.ndarray:
    return scores[..., like.rows(names), :] / scores[..., like.rows([BASE]), :]


def _mean_d(scores: np.ndarray, like: Pruned, names: Sequence[str]) -> np.ndarray:
    return dissociation_scores(_relative(scores, like, names)).mean(axis=-1)


def _above_chance(scores: np.ndarray, like: Pruned) -> Float64[np.ndarray, "draws two models"]:
    """How far each model is above chance, summed over tasks: without other tasks' heads, and whole."""
    chance = np.array([like.chance[task] for task in like.tasks])
    own = scores[..., like.rows(like.tasks), :]
    others = (own.sum(axis=-2) - np.diagonal(own, axis1=-2, axis2=-1)) / (len(like.tasks) - 1)
    both = others, scores[..., like.rows([BASE])[0], :]
    return np.stack([(part - chance).sum(axis=-1) for part in both], axis=-2)


def _pair_means(own: Relative) -> np.ndarray:
    """(D_A + D_B)/2 of every pair of tasks."""
    table = pair_scores(own)
    rows, columns = np.triu_indices(table.shape[-1], k=1)
    return ((table + table.swapaxes(-1, -2)) / 2)[..., rows, columns]


def _lead_over_other_assignments(own: Relative) -> np.ndarray:
    """D minus the largest D when at least two sets change owners."""
    values = assigned(own, np.array(list(permutations(range(own.shape[-1])))))
    return values[..., 0] - values[..., 1:].max(axis=-1)


def _random_lead(scores: np.ndarray, like: Pruned) -> np.ndarray:
    """What random heads leave of a score, minus what the important heads of another task leave of it."""
    own = _relative(scores, like, like.tasks)
    n = own.shape[-1]
    others = (own.sum(axis=-2) - np.diagonal(own, axis1=-2, axis2=-1)) / (n - 1)
    drawn = _relative(scores, like, random_names(like)).mean(axis=-2)
    return 100 * (drawn - others).mean(axis=-1)


def _null_lead(scores: np.ndarray, like: Pruned) -> np.ndarray:
    """D minus the 95 % quantile of D of random sets."""
    names = random_names(like)
    ways = null_ways(len(names), len(like.tasks), most=MOST_WAYS)
    null = assigned(_relative(scores, like, names), ways)
    return _mean_d(scores, like, like.tasks) - np.quantile(null, NULL_QUANTILE, axis=-1)


def _pair_loss(own: Relative, kinds: np.ndarray) -> np.ndarray:
    """How much more tasks of sentence pairs lose than tasks of single sentences, mean over all sets."""
    lost = 100 * (1 - own).mean(axis=-2)
    return lost[..., kinds == "pair"].mean(axis=-1) - lost[..., kinds == "single"].mean(axis=-1)
