"""Batches of texts of similar length: less padding, the same randomness."""

from collections.abc import Sequence

import numpy as np

from encoder_atlas.errors import DataError


def length_buckets(
    lengths: Sequence[int], batch_size: int, seed: int, *, batches_per_pool: int = 50
) -> list[list[int]]:
    """Cut the indices of ``lengths`` into batches whose texts are of similar length.

    All indices are shuffled and dealt into pools of ``batches_per_pool`` batches; a pool is sorted by length
    and cut into batches; then the batches are shuffled. Sorting everything at once would pad a little less,
    but then the same texts would meet in every epoch. Pass another ``seed`` each epoch.

    Args:
        lengths: length of each text, in whatever unit is padded (tokens).
        batch_size: texts a batch; only the one batch that holds the remainder may be smaller.
        seed: the same seed and lengths give the same batches.
        batches_per_pool: 1 gives plain shuffled batches; a large number gives full sorting.

    Returns:
        The batches in the order of training; each index stands in exactly one.

    Raises:
        DataError: if a size is below 1.
    """
    for name, size in (("batch_size", batch_size), ("batches_per_pool", batches_per_pool)):
        if size < 1:
            raise DataError(f"{name} is {size}: it must be at least 1.")
    lengths_array = np.asarray(lengths, dtype=np.int64)
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(lengths_array))
    pool_size = batch_size * batches_per_pool
    batches: list[list[int]] = []
    for start in range(0, len(shuffled), pool_size):
        pool = shuffled[start : start + pool_size]
        by_length = pool[np.argsort(lengths_array[pool], kind="stable")]
        batches += [by_length[i : i + batch_size].tolist() for i in range(0, len(by_length), batch_size)]
    return [batches[i] for i in random.permutation(len(batches))]
