"""Tasks taught to one model together: no dev text of one may be training text of another."""

import re
from collections.abc import Iterable, Sequence

from encoder_atlas.errors import DataError
from encoder_atlas.text.task import Task

NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")
Row = frozenset[str]


def disjoint(tasks: Sequence[Task]) -> None:
    """Refuse tasks of which one has dev text that another has in train.

    Texts are compared by their letters and digits, so that the same sentence counts as the same however it is
    tokenised, quoted or capitalised. A row is compared as a whole: a pair is seen where both its texts stand
    in one row of train, in either order; a single text also where it is one of a pair.

    Raises:
        DataError: naming both tasks, the first such row and how many there are.
    """
    read = {task.name: _readable(task) for task in tasks}
    for task in tasks:
        dev = list(_rows(task, "dev"))
        for other in tasks:
            if other is task:
                continue
            seen = [row for row, texts in enumerate(dev) if texts in read[other.name] and any(texts)]
            if seen:
                first = task.split("dev")[task.text_columns[0]].iloc[seen[0]]
                raise DataError(
                    f"{len(seen)} rows of task {task.name!r}, split 'dev', stand in 'train' of task "
                    f"{other.name!r}, the first is row {seen[0]}: {first[:60]!r}. A model taught both "
                    "would be scored on text it was taught: leave one of the two out, or drop these rows."
                )


def _rows(task: Task, split: str) -> Iterable[Row]:
    frame = task.split(split)
    columns = [
        [NEITHER_LETTER_NOR_DIGIT.sub("", text.casefold()) for text in frame[name]]
        for name in task.text_columns
    ]
    return map(frozenset, zip(*columns, strict=True))


def _readable(task: Task) -> set[Row]:
    """Every row of train, and every text of it by itself."""
    rows = set(_rows(task, "train"))
    return rows | {frozenset({text}) for row in rows for text in row}
