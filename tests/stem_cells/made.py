"""Scored models made by hand: marks and gates without any fit."""

from collections.abc import Mapping, Sequence

import numpy as np

from encoder_atlas.stem_cells import GateSettings, LearntGates, Scored
from encoder_atlas.stem_cells.learnt import Pruning
from encoder_atlas.text.layers import Layer

SENTENCES = 40


def marks(share: float, sentences: int = SENTENCES) -> np.ndarray:
    """Of ten words a sentence, as many right as make ``share`` of all; each sentence alike if it can be."""
    right = np.diff(np.round(10 * share * np.arange(sentences + 1))).astype(np.int64)
    return np.stack([right, np.full(sentences, 10)], axis=1)


def gates(
    values: np.ndarray,
    layers: tuple[Layer, ...] = ("pos",),
    *,
    seed: int = 0,
    coefficient: float = 0.01,
    pruning: Pruning = "dynamic",
) -> LearntGates:
    own = values.astype(np.float32)
    path = np.stack([np.full_like(own, 0.5), own, own])
    settings = GateSettings(coefficient=coefficient)
    return LearntGates(own, layers, seed, settings, pruning, np.array([0, 9, 10]), path)


def model(
    shares: Mapping[Layer, float], seed: int = 0, own: LearntGates | None = None, hard: float = 0.0
) -> Scored:
    """A model with these scores; through hard gates it has ``hard`` less."""
    soft = {layer: marks(share) for layer, share in shares.items()}
    harder = {layer: marks(share - hard) for layer, share in shares.items()} if own else None
    return Scored(tuple(shares), seed, soft, own, harder)


def kept(heads: Sequence[tuple[int, int]], shape: tuple[int, int] = (6, 12)) -> np.ndarray:
    """Gates of 1 on these heads (layer, head; from 0), 0 elsewhere."""
    grid = np.zeros(shape, dtype=np.float32)
    for layer, head in heads:
        grid[layer, head] = 1
    return grid
