"""What decides the chapter's claims on IAT and on few-shot transfer (``book/claims.yaml``).

Differences are between arms of one seed, in points: of the average score, of dissociation, of accuracy.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float64

from encoder_atlas.estimates import Estimate, Estimates
from encoder_atlas.specialization.iat_arms import (
    ANNEALED,
    IAT,
    LEAST_PRUNED,
    PLAIN,
    PROPORTIONAL,
    RANDOM,
    Arms,
)
from encoder_atlas.specialization.paired import FEWEST, paired_differences

CONTRASTS: Mapping[str, tuple[str, str, str]] = {
    "iat-score": (IAT, PLAIN, "score"),
    "iat-dissociation": (IAT, PLAIN, "dissociation"),
    "iat-random-score": (RANDOM, PLAIN, "score"),
    "iat-most-over-random": (IAT, RANDOM, "score"),
    "iat-least-pruned": (LEAST_PRUNED, PLAIN, "score"),
    "iat-annealed": (ANNEALED, PROPORTIONAL, "score"),
}
"""Claim → arm, the arm it is held against, measure."""


def iat_claims(arms: Arms, level: float = 0.95) -> Estimates:
    """Claims on arms, with intervals over dev texts; for a run of one seed.

    A claim whose arms were not measured is left out.
    """
    return {
        claim: Estimate.of(arms.gain(arm, over, measure), level)
        for claim, (arm, over, measure) in CONTRASTS.items()
        if arm in arms.pruned and over in arms.pruned
    }


def iat_seed_claims(arms: Arms) -> dict[str, Float64[np.ndarray, " seeds"]]:
    """The same claims as one difference a seed: what decides where there are several seeds.

    Texts resampled under one training say nothing about the next: with two seeds or more these are the
    samples to record.
    """
    return {
        claim: arms.seed_gains(arm, over, measure)
        for claim, (arm, over, measure) in CONTRASTS.items()
        if arm in arms.pruned and over in arms.pruned
    }


def transfer_claims(
    scores: pd.DataFrame, arm: str = IAT, over: str = PLAIN
) -> dict[str, Float64[np.ndarray, " pairs"]]:
    """Claims on few-shot transfer, one difference a target and seed, in points of accuracy.

    "iat-few-shot": at the smallest size; "iat-few-shot-fades": the gain at the smallest size minus that at
    the largest; left out where there is one size only. None of fewer than `FEWEST` draws, whose bootstrap
    calls luck certain.

    Raises:
        DataError: see `paired_differences`.
    """
    sizes = sorted(set(scores["size"]))
    gains = {
        size: 100 * paired_differences(scores.loc[scores["size"].eq(size)], arm, over)
        for size in (sizes[0], sizes[-1])
    }
    found = {"iat-few-shot": gains[sizes[0]]}
    if len(sizes) > 1:
        found["iat-few-shot-fades"] = gains[sizes[0]] - gains[sizes[-1]]
    return {claim: gain for claim, gain in found.items() if len(gain) >= FEWEST}
