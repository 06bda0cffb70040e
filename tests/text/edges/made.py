"""Small edge tasks for tests."""

import numpy as np

from encoder_atlas.text.edges import EdgeSplit, EdgeTask

WORDS = (("The", "bank", "bought", "it"), ("Sales", "rose"))


def split(
    targets: list[list[int]], labels: list[list[int]], sentences: tuple[tuple[str, ...], ...] = WORDS
) -> EdgeSplit:
    ids = tuple(f"s{number}" for number in range(len(sentences)))
    return EdgeSplit(
        sentences,
        ids,
        np.array(targets, dtype=np.int64).reshape(-1, 5),
        np.array(labels, dtype=bool).reshape(len(targets), -1),
    )


PAIRS = split([[0, 2, 3, 0, 2], [0, 2, 3, 3, 4], [1, 1, 2, 0, 1]], [[1, 0], [0, 1], [0, 1]])


def task(**splits: EdgeSplit) -> EdgeTask:
    """A task of pairs with the labels "a" and "b"; ``splits`` replaces train or dev."""
    return EdgeTask("pairs", ("a", "b"), True, {"train": PAIRS, "dev": PAIRS} | splits, "Made for tests.")
