"""The pair version of a single-sentence task: are these two texts of the same class? (Appendix E, AG-Pair)"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
from jaxtyping import Int64

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task

FIRST, SECOND = "first", "second"
LABEL_NAMES = ("different", "same")


def pair_version(task: Task, seed: int = 0) -> Task:
    """Make pairs of the texts of ``task``, split by split, labelled by whether both have one class.

    As in the paper: as many pairs as texts, half of them "same" (to within three pairs), and every text in
    exactly two pairs, once on either side, so that words stay as frequent as they were. No text meets itself.
    Which class stands against which in "different" pairs is random.

    Raises:
        DataError: a task of pairs or without classes, or a split in which one class is so large that
            "different" pairs run out.
    """
    if task.kind != "single":
        raise DataError(f"task {task.name!r} is of kind {task.kind!r}: only single sentences can be paired")
    if task.target != "class":
        raise DataError(f"task {task.name!r} has no classes: whether two texts are of one cannot be asked")
    splits = {}
    for number, (split, frame) in enumerate(sorted(task.splits.items())):
        random = np.random.default_rng([seed, number])
        where = f"task {task.name!r}, split {split!r}"
        splits[split] = _paired(frame, task.text_columns[0], random, where)
    return replace(
        task,
        name=f"{task.name}-pair",
        kind="pair",
        text_columns=(FIRST, SECOND),
        label_names=LABEL_NAMES,
        metric="accuracy",
        splits=splits,
        source_note=f"{task.source_note} Paired at random (seed {seed}): do both texts have one class?",
    )


def _paired(frame: pd.DataFrame, text: str, random: np.random.Generator, where: str) -> pd.DataFrame:
    labels = frame["label"].to_numpy()
    first, second = draw_partners(labels, random, where)
    texts, names = frame[text].to_numpy(), frame["id"].to_numpy()
    order = random.permutation(len(first))
    first, second = first[order], second[order]
    return pd.DataFrame(
        {
            FIRST: texts[first],
            SECOND: texts[second],
            "label": (labels[first] == labels[second]).astype(np.int64),
            "id": [f"{a} + {b}" for a, b in zip(names[first], names[second], strict=True)],
        }
    )


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
    apart[1] = _matched(labels, apart[0], random.permutation(apart[1]), random)
    return np.concatenate([same[0], apart[0]]), np.concatenate([same[1], apart[1]])


def _matched(
    labels: Int64[np.ndarray, " points"],
    first: Int64[np.ndarray, " pairs"],
    second: Int64[np.ndarray, " pairs"],
    random: np.random.Generator,
) -> Int64[np.ndarray, " pairs"]:
    """``second`` in an order in which no pair is of one class: each that is changes partners at random.

    As no class makes up more than half of either side, some pair without that class always exists.
    """
    ours, theirs = labels[first], labels[second].copy()
    second = second.copy()
    for pair in np.flatnonzero(ours == theirs):
        if ours[pair] == theirs[pair]:
            free = np.flatnonzero((ours != ours[pair]) & (theirs != ours[pair]))
            other = random.choice(free)
            for side in (second, theirs):
                side[[pair, other]] = side[[other, pair]]
    return second


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
