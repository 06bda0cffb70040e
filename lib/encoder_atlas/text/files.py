"""Tasks from files on disk: tables in the layout of a known corpus, or a reader's own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import check_texts, encode_labels, encode_scores, text_keys
from encoder_atlas.text.class_folders import read_class_folders
from encoder_atlas.text.find import split_files
from encoder_atlas.text.layouts import LAYOUTS, Layout
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.squad import read_squad
from encoder_atlas.text.tables import Table, read_table
from encoder_atlas.text.task import COLUMNS, KIND_OF_TEXTS, METRICS, Task

DEV_SHARE = 0.2  # of the different texts, where one table has to give both splits


def load_files(spec: TaskSpec) -> Task:
    """Read a task from a folder with train.* and dev.*, or from one table that is split by the spec's seed.

    Rows of train whose text stands in another split are dropped and counted in the task's note, so that the
    others are unseen text. A single table is split so that equal texts stay together, a fifth of them in
    dev; where texts hold answers, all questions on one of them.

    Raises:
        DataError: naming file, line and column of what cannot be used.
    """
    layout = layout_of(spec)
    paths = split_files(cast(Path, spec.path), layout)  # a spec of files always has a path
    return task_of(spec, layout, {split: _table(path, layout) for split, path in paths.items()})


def task_of(spec: TaskSpec, layout: Layout, tables: dict[str, Table]) -> Task:
    """The task that the tables of its splits make; see ``load_files``.

    Raises:
        DataError: naming table, row and column of what cannot be used.
    """
    layout = _complete(layout, tables["train"], spec.name)
    texts = cast(tuple[str, ...], layout.text_columns)
    frames = {split: _frame(table, layout) for split, table in tables.items()}
    if len(frames) == 1:
        frames = _split(frames["train"], texts[1:] if layout.target == "answer" else texts, spec.seed)
    train, dropped = _without_shared(frames, texts)
    if train.empty:
        raise DataError(
            f"Task {spec.name!r}: every text of train stands in dev too, so train would be empty."
        )
    return Task(
        name=spec.name,
        kind=KIND_OF_TEXTS[len(texts)],
        text_columns=texts,
        label_names=layout.label_names or (),
        metric=layout.metric,
        splits=frames | {"train": train},
        source_note=f"{layout.note}, read from {_read(tables)}; {_damage(tables)}"
        f"rows of train dropped because {' or '.join(list(frames)[1:])} has them: {dropped}.",
        target=layout.target,
        score_range=layout.score_range,
    )


def layout_of(spec: TaskSpec) -> Layout:
    """The layout that the spec names, with what it says otherwise.

    Raises:
        DataError: if there is no such layout, or one column is named as text and as label.
    """
    if spec.corpus not in LAYOUTS:
        raise DataError(f"There is no layout {spec.corpus!r} for files; {near(spec.corpus, LAYOUTS)}.")
    names = ("text_columns", "label_column", "label_names", "target", "score_range")
    given = {name: getattr(spec, name) for name in names if getattr(spec, name) is not None}
    layout = replace(LAYOUTS[spec.corpus], **given)
    if "target" in given:
        layout = replace(layout, metric=METRICS[layout.target][0])
    if layout.label_column in (layout.text_columns or ()) and layout.label_column:
        raise DataError(
            f"Task {spec.name!r}: {layout.label_column!r} is given as label_column and as a column of text: "
            "a model would read its answer. Name two different columns."
        )
    return layout


def _complete(layout: Layout, train: Table, task: str) -> Layout:
    """The layout with the label names that train has, where it has none; columns must be named."""
    if not layout.text_columns or not (layout.label_column or layout.target == "answer"):
        columns = ", ".join(map(repr, train.frame.columns))
        raise DataError(f"Task {task!r}: set text_columns and label_column; {train.path} has {columns}.")
    if layout.target != "class" or layout.label_names:
        return layout
    return replace(layout, label_names=_names_in(train, cast(str, layout.label_column)))


def _table(path: Path, layout: Layout) -> Table:
    """The rows of a split; where its layout says so, without those that have a text missing."""
    if path.is_dir():
        return read_class_folders(path, layout.class_folders)
    if layout.target == "answer":
        return read_squad(path)
    table = read_table(path, layout.headers.get(path.suffix.lower()), drop_damaged=layout.drop_damaged)
    if not layout.drop_damaged:
        return table
    texts = zip(*(table.column(name) for name in layout.text_columns or ()), strict=True)
    return table.keep(np.array([all(text.strip() for text in row) for row in texts]))


def _read(tables: dict[str, Table]) -> str:
    names = [table.path.name for table in tables.values()]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _damage(tables: dict[str, Table]) -> str:
    damaged = sum(table.damaged for table in tables.values())
    return f"damaged rows dropped: {damaged}; " if damaged else ""


def _names_in(table: Table, label_column: str) -> tuple[str, ...]:
    """The labels found, numbers in the order of numbers."""
    cells = table.column(label_column)
    found = set(cells)
    # Refused here too: blank cells would be taken for a class.
    encode_labels(cells, sorted(found), lambda row: table.where(row, label_column))
    if len(found) < 2:
        raise DataError(f"{table.path}, column {label_column!r} has one class only: {found.pop()!r}.")
    by_number = all(value.isdecimal() for value in found)
    return tuple(sorted(found, key=(lambda value: (int(value), value)) if by_number else str))


def _frame(table: Table, layout: Layout) -> pd.DataFrame:
    """The texts and what the target says of them, checked, with ids from the name of the file."""
    columns: dict[str, Any] = {}
    for name in layout.text_columns or ():
        columns[name] = table.column(name)
        check_texts(columns[name], lambda row, name=name: table.where(row, name))
    columns |= _told(table, layout)
    return pd.DataFrame(columns | {"id": [f"{table.path.stem}:{row}" for row in range(len(table.places))]})


def _told(table: Table, layout: Layout) -> dict[str, Sequence[Any]]:
    """The columns of the target."""
    if layout.target == "answer":
        return {name: table.cells(name) for name in COLUMNS["answer"]}
    column = cast(str, layout.label_column)
    values = table.column(column)

    def where(row: int) -> str:
        return table.where(row, column)

    if layout.target == "score":
        return {"label": encode_scores(values, layout.score_range, where)}
    return {"label": encode_labels(values, layout.label_names or (), where, first=layout.first_label)}


def _split(frame: pd.DataFrame, columns: tuple[str, ...], seed: int) -> dict[str, pd.DataFrame]:
    """A fifth of the different texts of ``columns`` as dev."""
    keys = pd.Series(text_keys(frame, columns))
    unique = keys.drop_duplicates()
    n_dev = max(1, round(DEV_SHARE * len(unique)))
    chosen = np.random.default_rng(seed).permutation(len(unique))[:n_dev]
    in_dev = keys.isin(set(unique.iloc[chosen]))
    return {"train": frame.loc[~in_dev], "dev": frame.loc[in_dev]}


def _without_shared(
    frames: dict[str, pd.DataFrame], text_columns: tuple[str, ...]
) -> tuple[pd.DataFrame, int]:
    """Train without the texts of the other splits, and how many rows that took."""
    train = frames["train"]
    others = [frame for split, frame in frames.items() if split != "train"]
    elsewhere = {key for frame in others for key in text_keys(frame, text_columns)}
    kept = [key not in elsewhere for key in text_keys(train, text_columns)]
    return train.loc[kept], kept.count(False)
