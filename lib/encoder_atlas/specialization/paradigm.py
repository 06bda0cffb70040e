"""The pair version of a single-sentence task: are these two texts of the same class? (Appendix E, AG-Pair)"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Int64

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, paired


def pair_version(task: Task, seed: int = 0) -> Task:
    """Make pairs of the texts of ``task``, split by split, labelled by whether both have one class.

    As in the paper: as many pairs as texts, half of them "same" (to within three pairs), and every text in
    exactly two pairs, once on either side, so that words stay as frequent as they were. No text meets itself.
    Which class stands against which in "different" pairs is random.

    Raises:
        DataError: a task of pairs or without classes, or a split in which one class is so large that
            "different" pairs run out.
    """
    return paired.pair_version(task, seed, draw_partners)


def draw_partners(
    labels: Int64[np.ndarray, " points"], random: np.random.Generator, where: str = "the split"
) -> tuple[Int64[np.ndarray, " points"], Int64[np.ndarray, " points"]]:
    """Rows of the first and of the second text of each pair; each row once on either side.

    Raises:
        DataError: see `pair_version`.
    """
    classes = [random.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    others = _different(np.array([len(rows) for rows in classes]), where)
    # The partner in a "same" pair is the next text of the shuffled class: never the text itself.
    after = [np.roll(rows, -1) for rows in classes]
    same = [_joined(rows[n:] for rows, n in zip(side, others, strict=True)) for side in (classes, after)]
    apart = [_joined(rows[:n] for rows, n in zip(side, others, strict=True)) for side in (classes, after)]
    apart[1] = paired.apart(labels, apart[0], random.permutation(apart[1]), random)
    return np.concatenate([same[0], apart[0]]), np.concatenate([same[1], apart[1]])


def _different(sizes: Int64[np.ndarray, " classes"], where: str) -> Int64[np.ndarray, " classes"]:
    """How many texts of each class go into "different" pairs on either side: half of all, in proportion.

    A class can supply half of these pairs at most, since every one needs a partner of another class.
    """
    total = int(sizes.sum()) // 4 * 2  # even, as two classes give as many as they take
    limit = np.minimum(sizes, total // 2)
    if sizes.min() < 2:
        raise DataError(f"{where}: a class has one text only, which cannot meet another of its class")
    if limit.sum() < total or total == 0:
        raise DataError(
            f"{where}: the largest class holds {sizes.max()} of {sizes.sum()} texts, too many for half of "
            "the pairs to be of different classes: take a more even sample"
        )
    share = np.minimum(total * sizes // sizes.sum(), limit)
    while share.sum() < total:
        # The largest remainder first; where a class is at its limit the next one takes its place.
        wanted = np.where(share < limit, total * sizes / sizes.sum() - share, -np.inf)
        share[wanted.argmax()] += 1
    return share


def _joined(parts: Iterable[Int64[np.ndarray, " part"]]) -> Int64[np.ndarray, " points"]:
    return np.concatenate(list(parts))
