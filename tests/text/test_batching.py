"""Length buckets: every text once, similar lengths together, one order a seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import length_buckets

lengths_of_texts = st.lists(st.integers(1, 60), max_size=120)


@given(lengths_of_texts, st.integers(1, 20), st.integers(0, 9), st.integers(1, 5))
@settings(deadline=None)
def test_every_index_stands_in_exactly_one_batch(
    lengths: list[int], batch_size: int, seed: int, batches_per_pool: int
) -> None:
    batches = length_buckets(lengths, batch_size, seed, batches_per_pool=batches_per_pool)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    sizes = sorted(len(batch) for batch in batches)
    assert all(size == batch_size for size in sizes[1:])
    assert len(batches) == -(-len(lengths) // batch_size)


@given(lengths_of_texts, st.integers(1, 20))
@settings(deadline=None)
def test_one_pool_is_sorted_throughout(lengths: list[int], batch_size: int) -> None:
    batches = length_buckets(lengths, batch_size, seed=0, batches_per_pool=10_000)
    in_order = sorted(batches, key=lambda batch: (lengths[batch[0]], lengths[batch[-1]]))
    flat = [lengths[i] for batch in in_order for i in batch]
    assert flat == sorted(lengths)


def test_by_hand() -> None:
    """Lengths 1, 9, 2, 8 in twos: the short ones meet and the long ones meet, whatever the seed."""
    for seed in range(5):
        met = {frozenset(batch) for batch in length_buckets([1, 9, 2, 8], 2, seed)}
        assert met == {frozenset({0, 2}), frozenset({1, 3})}


def test_seed_decides_the_order() -> None:
    lengths = np.random.default_rng(0).integers(3, 60, 500).tolist()
    assert length_buckets(lengths, 16, 3) == length_buckets(lengths, 16, 3)
    assert length_buckets(lengths, 16, 3) != length_buckets(lengths, 16, 4)


def test_pads_less_than_chance() -> None:
    lengths = np.random.default_rng(0).integers(3, 60, 2000).tolist()

    def padding(batches: list[list[int]]) -> int:
        return sum(max(lengths[i] for i in batch) * len(batch) for batch in batches) - sum(lengths)

    assert padding(length_buckets(lengths, 32, 0)) < 0.1 * padding(
        length_buckets(lengths, 32, 0, batches_per_pool=1)
    )


@pytest.mark.parametrize(("batch_size", "pools", "name"), [(0, 1, "batch_size"), (4, 0, "batches_per_pool")])
def test_sizes_below_one_are_refused(batch_size: int, pools: int, name: str) -> None:
    with pytest.raises(DataError, match=name):
        length_buckets([1, 2], batch_size, 0, batches_per_pool=pools)
