"""Which task each batch is of: all batches of all tasks once, or tasks drawn by their size (Eq. 8)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float64

from encoder_atlas.errors import SettingsError
from encoder_atlas.text import length_buckets

Sampling = Literal["once", "proportional", "annealed"]
SizeUnit = Literal["texts", "batches"]

Batch = tuple[str, list[int]]


def sampling_exponent(sampling: Sampling, epoch: int, epochs: int, power: float = 1.0) -> float:
    """ε of Eq. (8): ``power`` for proportional sampling; annealed, from 1 in epoch 1 down to 0.2 in the last.

    Source: "Interpreting and Exploiting Functional Specialization in Multi-Head Attention", Eq. (8), after
    Stickland and Murray (2019). Of a single epoch ε is 1, where the formula divides by nothing.

    Raises:
        SettingsError: an epoch that is not among ``epochs``.
    """
    if not 1 <= epoch <= epochs:
        raise SettingsError(f"epoch {epoch} of {epochs}: epochs are counted from 1 to {epochs}")
    if sampling != "annealed":
        return power
    if epochs == 1:
        return 1.0
    return 1 - 0.8 * (epoch - 1) / (epochs - 1)


def task_probabilities(sizes: Sequence[int], exponent: float) -> Float64[np.ndarray, " tasks"]:
    """Eq. (8): the chance that a batch is of each task, in proportion to its size to the power of ε.

    Raises:
        SettingsError: no task, or one without examples.
    """
    if not len(sizes) or min(sizes) < 1:
        raise SettingsError(f"tasks of sizes {list(sizes)} cannot be drawn: each needs at least one example")
    # In logarithms, so that no power of a size overflows.
    weights = exponent * np.log(np.asarray(sizes, dtype=np.float64))
    powers = np.exp(weights - weights.max())
    return powers / powers.sum()


def batches_an_epoch(lengths: Mapping[str, Sequence[int]], batch_size: int) -> int:
    """Batches that hold every example of every task once; an epoch has so many under every sampling."""
    return sum(math.ceil(len(part) / batch_size) for part in lengths.values())


def mixed_batches(
    lengths: Mapping[str, Sequence[int]],
    batch_size: int,
    seed: int,
    epoch: int,
    *,
    epochs: int = 1,
    sampling: Sampling = "once",
    unit: SizeUnit = "texts",
    power: float = 1.0,
) -> Iterator[Batch]:
    """The batches of one epoch, each of one task: (name of the task, indices of its examples).

    "once": all batches of all tasks once, in random order. Else the task of each batch is drawn with the
    probabilities of Eq. (8), as many batches as "once" has. A task's examples are all seen before one comes
    again in that epoch (the released code begins a new pass with every batch, so that an epoch of it repeats
    some and leaves out others).

    ``seed`` and ``epoch`` decide everything.

    Args:
        lengths: of each task its examples' lengths in tokens.
        epochs: of the whole training; annealed sampling reads it.
        unit: what Eq. (8) counts as a task's size: its texts (the paper) or its batches (the released code).
        power: ε of proportional sampling; 0.8 in the stem-cell paper, whose released code counts batches.
    """
    random = np.random.default_rng([seed, epoch])
    if sampling == "once":
        batches = [
            (name, batch)
            for name, part in lengths.items()
            for batch in length_buckets(part, batch_size, int(random.integers(2**31)))
        ]
        for i in random.permutation(len(batches)):
            yield batches[i]
        return
    sizes = [len(part) if unit == "texts" else math.ceil(len(part) / batch_size) for part in lengths.values()]
    chances = task_probabilities(sizes, sampling_exponent(sampling, epoch, epochs, power))
    drawn = random.choice(len(sizes), size=batches_an_epoch(lengths, batch_size), p=chances)
    names = list(lengths)
    streams = {name: _passes(part, batch_size, int(random.integers(2**31))) for name, part in lengths.items()}
    for i in drawn:
        yield names[i], next(streams[names[i]])


def _passes(lengths: Sequence[int], batch_size: int, seed: int) -> Iterator[list[int]]:
    """Batches of one task without end: pass after pass over its examples, each in another order."""
    random = np.random.default_rng(seed)
    while True:
        yield from length_buckets(lengths, batch_size, int(random.integers(2**31)))
