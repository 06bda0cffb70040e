"""From derivatives to scores of heads: Eq. (4) as it stands, and as it is often computed.

All readings need the same derivatives, so that they are compared on one measurement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
import pandas as pd
from jaxtyping import Float32, Float64, Int64
from scipy.stats import spearmanr

from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.specialization.heads import overlap, top_heads
from encoder_atlas.specialization.settings import Division, LayerScale, Reading, SpecializationSettings

READINGS: Mapping[str, tuple[Reading, Division]] = {
    "per sample (Eq. 4)": ("sample", "tokens"),
    "per token (released)": ("token", "tokens"),
    "per token, last layer by sentences": ("token", "sentences"),
    "per token, last layer undivided": ("token", "undivided"),
    "per batch": ("batch", "tokens"),
    "per batch, never zeroed": ("accumulated", "tokens"),
}
"""The readings that the chapter compares, in its words."""


@dataclass(frozen=True, eq=False)
class GateGradients:
    """The derivative of each text's loss by each head's gate, in the order in which the texts were drawn."""

    task: str
    samples: Float32[np.ndarray, "points layers heads"]
    """dL/dξ with its sign, in nats."""
    tokens: Float32[np.ndarray, "points layers heads"] | None
    """Sum over the text's tokens of |dL/dξ of the token|, where it was asked for."""
    lengths: Int64[np.ndarray, " points"]
    """Tokens of each text, special ones counted."""


@dataclass(frozen=True, eq=False)
class HeadImportance:
    """The importance of every head for one task, from so many examples."""

    task: str
    scores: Float64[np.ndarray, "layers heads"]
    examples: int

    def to_frame(self) -> pd.DataFrame:
        """One row a head: task, layer and head (from 1), score, rank (1 is the most important)."""
        layers, heads = np.indices(self.scores.shape) + 1
        table = pd.DataFrame({"layer": layers.ravel(), "head": heads.ravel(), "score": self.scores.ravel()})
        table.insert(0, "task", self.task)
        return table.assign(rank=table["score"].rank(ascending=False, method="first").astype(int))


def score_heads(gradients: GateGradients, settings: SpecializationSettings | None = None) -> HeadImportance:
    """Scores of the heads for one task under the settings' reading; larger is more important.

    Raises:
        DataError: the reading is by token, and sums over tokens were not measured.
    """
    settings = settings or SpecializationSettings()
    scores = read_scores(gradients, settings.reading, settings.division, settings.importance_batch)
    return HeadImportance(gradients.task, scaled(scores, settings.layer_scale), len(gradients.samples))


def read_scores(
    gradients: GateGradients,
    reading: str = "sample",
    division: Division = "tokens",
    batch_size: int = 32,
) -> Float64[np.ndarray, "layers heads"]:
    """One score a head, not yet scaled by layer.

    "sample" is Eq. (4): the mean over samples of |dL/dξ|. "token" (Michel et al., and the authors' code)
    takes the absolute value token by token, sums over batches that were each divided by their size, and
    divides as ``division`` says. "batch" takes the absolute value of a whole batch's mean derivative, in
    which samples that pull in opposite directions cancel; with one sample a batch it is Eq. (4).
    "accumulated" does so with derivatives that are never set to zero between batches, as a widely copied
    script does.

    Raises:
        SettingsError: no such reading.
        DataError: reading "token" without sums over tokens.
    """
    if reading not in get_args(Reading):
        raise SettingsError(f"no reading is called {reading!r}; {near(reading, get_args(Reading))}")
    samples = gradients.samples.astype(np.float64)
    starts = np.arange(0, len(samples), batch_size)
    if reading == "sample":
        return np.abs(samples).mean(axis=0)
    if reading == "token":
        return _by_token(gradients, starts, division)
    sizes = np.diff(np.append(starts, len(samples)))
    batches = np.add.reduceat(samples, starts, axis=0) / sizes[:, None, None]
    if reading == "accumulated":
        batches = batches.cumsum(axis=0)
    return np.abs(batches).mean(axis=0)


def scaled(
    scores: Float64[np.ndarray, "layers heads"], layer_scale: LayerScale
) -> Float64[np.ndarray, "layers heads"]:
    """The scores as they are ("none", Eq. 4), or each layer divided by its L2 norm ("l2")."""
    if layer_scale == "none":
        return scores
    norm = np.linalg.norm(scores, axis=1, keepdims=True)
    return np.divide(scores, norm, out=np.zeros_like(scores), where=norm > 0)


def overlap_with_eq_4(
    samples: Float32[np.ndarray, "points layers heads"], alpha: float, batch_size: int
) -> float:
    """Percent of Eq. (4)'s top α that the reading by batch of so many texts finds too."""
    lengths = np.ones(len(samples), np.int64)
    drawn = GateGradients("", samples, None, lengths)
    exact, found = (
        top_heads(read_scores(drawn, reading, batch_size=batch_size), alpha)
        for reading in ("sample", "batch")
    )
    return 100 * overlap(exact, found)


def compare_readings(gradients: GateGradients, alpha: float, batch_size: int = 32) -> pd.DataFrame:
    """How far each of `READINGS` moves the ranking of Eq. (4).

    Columns: task, reading, spearman (of all heads' scores with those of Eq. 4), shared (percent of the top α
    that Eq. 4 has too), last_layer (heads of the last layer among the top α), heads (their number).

    Raises:
        DataError: sums over tokens were not measured.
    """
    exact = read_scores(gradients)
    expected = top_heads(exact, alpha)
    rows = []
    for name, (reading, division) in READINGS.items():
        scores = read_scores(gradients, reading, division, batch_size)
        chosen = top_heads(scores, alpha)
        rank = float(cast(Any, spearmanr(exact.ravel(), scores.ravel())).statistic)
        shared = 100 * overlap(chosen, expected)
        rows.append((gradients.task, name, rank, shared, int(chosen[-1].sum()), int(chosen.sum())))
    return pd.DataFrame(rows, columns=["task", "reading", "spearman", "shared", "last_layer", "heads"])


def _by_token(
    gradients: GateGradients, starts: Int64[np.ndarray, " batches"], division: Division
) -> Float64[np.ndarray, "layers heads"]:
    if gradients.tokens is None:
        raise DataError("the reading by token needs sums over tokens: measure with per_token=True")
    tokens = gradients.tokens.astype(np.float64)
    sizes = np.diff(np.append(starts, len(tokens)))
    scores = (np.add.reduceat(tokens, starts, axis=0) / sizes[:, None, None]).sum(axis=0)
    below = {"tokens": gradients.lengths.sum(), "sentences": len(tokens), "undivided": 1}
    scores[:-1] /= below["tokens"]
    scores[-1] /= below[division]
    return scores
