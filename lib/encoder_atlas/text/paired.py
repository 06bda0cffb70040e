"""The pair version of a task of single texts: are these two of the same class? (AG-Pair, Appendix E)"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from jaxtyping import Int64

from encoder_atlas.errors import DataError
from encoder_atlas.text.task import Task

FIRST, SECOND = "first", "second"
LABEL_NAMES = ("different", "same")
# From labels to the rows of the first and of the second text of every pair; the text says where a fault is.
Partners = Callable[[np.ndarray, np.random.Generator, str], tuple[np.ndarray, np.ndarray]]


def pair_version(task: Task, seed: int = 0, partners: Partners | None = None) -> Task:
    """Make pairs of the texts of ``task``, split by split, labelled by whether both have one class.

    As many pairs as texts, half of them "same". As in the paper every text stands in exactly two pairs; here
    in one "same" and one "different", once on either side, so that no word says anything by itself. Of a
    class with an odd number of texts one text is left out.

    Args:
        partners: draws the pairs of a split in another way than `draw_partners` does.

    Raises:
        DataError: a task of pairs or without classes, or a split in which a class has fewer than two texts or
            more than half of all.
    """
    if task.kind != "single" or task.target != "class":
        raise DataError(
            f"Task {task.name!r} is not one of single texts with classes: only those can be paired."
        )
    splits = {}
    for number, (split, frame) in enumerate(sorted(task.splits.items())):
        random = np.random.default_rng([seed, number])
        splits[split] = _paired(
            frame,
            task.text_columns[0],
            partners or draw_partners,
            random,
            f"Task {task.name!r}, split {split!r}",
        )
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


def _paired(
    frame: pd.DataFrame, text: str, partners: Partners, random: np.random.Generator, where: str
) -> pd.DataFrame:
    labels = frame["label"].to_numpy()
    first, second = partners(labels, random, where)
    order = random.permutation(len(first))
    first, second = first[order], second[order]
    texts, names = frame[text].to_numpy(), frame["id"].to_numpy()
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
) -> tuple[Int64[np.ndarray, " pairs"], Int64[np.ndarray, " pairs"]]:
    """Rows of the first and of the second text of each pair.

    Within each class the texts are shuffled and paired off. Their first texts are the second texts of the
    "different" pairs, and the other way round, in an order in which no pair is of one class.

    Raises:
        DataError: see ``pair_version``.
    """
    classes = [random.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    sizes = [len(rows) // 2 for rows in classes]
    if min(sizes) == 0:
        raise DataError(f"{where}: a class has one text only, which cannot meet another of its class.")
    if 2 * max(sizes) > sum(sizes):
        raise DataError(
            f"{where}: the largest class holds {max(map(len, classes))} of {len(labels)} texts, so that not "
            "every one of them can meet one of another class: take a more even sample."
        )
    first = np.concatenate([rows[:size] for rows, size in zip(classes, sizes, strict=True)])
    second = np.concatenate([rows[size : 2 * size] for rows, size in zip(classes, sizes, strict=True)])
    others = apart(labels, second, random.permutation(first), random)
    return np.concatenate([first, second]), np.concatenate([second, others])


def apart(
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
