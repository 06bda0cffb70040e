"""Tasks from files on disk: tables in the layout of a known corpus, or a reader's own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import check_texts, encode_labels, text_keys
from encoder_atlas.text.layouts import LAYOUTS, Layout
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.tables import READERS, Table, read_table
from encoder_atlas.text.task import KIND_OF_TEXTS, Task

DEV_SHARE = 0.2  # of the different texts, where one table has to give both splits
NAMES_LISTED = 50  # where a folder has more, listing it would bury the message


def load_files(spec: TaskSpec) -> Task:
    """Read a task from a folder with train.* and dev.*, or from one table that is split by the spec's seed.

    Rows of train whose text stands in dev are dropped and counted in the task's note, so that dev is unseen
    text. A single table is split so that equal texts stay together, a fifth of them in dev.

    Raises:
        DataError: naming file, line and column of what cannot be used.
    """
    layout = _layout(spec)
    tables = _tables(spec, layout)
    if not layout.text_columns or not layout.label_column:
        columns = ", ".join(map(repr, tables["train"].frame.columns))
        raise DataError(
            f"Task {spec.name!r}: set text_columns and label_column; {tables['train'].path} has {columns}."
        )
    names = layout.label_names or _names_in(tables["train"], layout.label_column)
    frames = {
        split: _frame(table, layout.text_columns, layout.label_column, names)
        for split, table in tables.items()
    }
    read = " and ".join(table.path.name for table in tables.values())
    if "dev" not in frames:
        frames = _split(frames["train"], layout.text_columns, spec.seed)
    train, dropped = _without_shared(frames["train"], frames["dev"], layout.text_columns)
    if train.empty:
        raise DataError(
            f"Task {spec.name!r}: every text of train stands in dev too, so train would be empty."
        )
    return Task(
        name=spec.name,
        kind=KIND_OF_TEXTS[len(layout.text_columns)],
        text_columns=layout.text_columns,
        label_names=names,
        metric=layout.metric,
        splits=frames | {"train": train},
        source_note=f"{layout.note}, read from {read}; {_damage(tables)}"
        f"rows of train dropped because dev has them: {dropped}.",
    )


def _layout(spec: TaskSpec) -> Layout:
    if spec.corpus not in LAYOUTS:
        raise DataError(f"There is no layout {spec.corpus!r} for files; {near(spec.corpus, LAYOUTS)}.")
    overrides = {name: getattr(spec, name) for name in ("text_columns", "label_column", "label_names")}
    return replace(LAYOUTS[spec.corpus], **{name: value for name, value in overrides.items() if value})


def _tables(spec: TaskSpec, layout: Layout) -> dict[str, Table]:
    path = cast(Path, spec.path)  # a spec of files always has one
    try:
        if path.is_file():
            return {"train": _usable(path, layout)}
        if not path.is_dir():
            raise DataError(f"There is no file or folder {path}{_beside(path)}.")
        return {split: _usable(_split_file(path, names), layout) for split, names in layout.files.items()}
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error


def _usable(path: Path, layout: Layout) -> Table:
    """The table; where its layout says so, without rows that have a text missing."""
    table = read_table(path, layout.header, drop_damaged=layout.drop_damaged)
    if not layout.drop_damaged:
        return table
    texts = zip(*(table.column(name) for name in layout.text_columns or ()), strict=True)
    return table.keep(np.array([all(text.strip() for text in row) for row in texts]))


def _damage(tables: dict[str, Table]) -> str:
    damaged = sum(table.damaged for table in tables.values())
    return f"damaged rows dropped: {damaged}; " if damaged else ""


def _split_file(folder: Path, names: Sequence[str]) -> Path:
    """The file of the first of ``names`` that the folder has."""
    wanted = [[f"{name}{suffix}" for suffix in READERS] for name in names]
    for alternatives in wanted:
        found = [folder / name for name in alternatives if (folder / name).is_file()]
        if len(found) > 1:
            raise DataError(
                f"{folder} has {' and '.join(path.name for path in found)}: keep one, or give one as path."
            )
        if found:
            return found[0]
    known = " or ".join(name for alternatives in wanted for name in alternatives)
    raise DataError(f"{folder} has no {known}{_beside(folder / wanted[0][0])}.")


def _beside(path: Path) -> str:
    """The near match of a missing path among what stands in its folder, as the tail of a sentence."""
    if not path.parent.is_dir():
        return f"; nor is there a folder {path.parent}"
    names = [entry.name for entry in path.parent.iterdir()]
    return f"; {near(path.name, names)}" if 0 < len(names) <= NAMES_LISTED else ""


def _names_in(table: Table, label_column: str) -> tuple[str, ...]:
    """The labels found, numbers in the order of numbers."""
    found = set(table.column(label_column))
    if len(found) < 2:
        raise DataError(f"{table.path}, column {label_column!r} has one class only: {found.pop()!r}.")
    by_number = all(value.isdecimal() for value in found)
    return tuple(sorted(found, key=(lambda value: (int(value), value)) if by_number else str))


def _frame(
    table: Table, text_columns: tuple[str, ...], label_column: str, label_names: tuple[str, ...]
) -> pd.DataFrame:
    texts = {column: table.column(column) for column in text_columns}
    for column, cells in texts.items():
        check_texts(cells, lambda row, column=column: table.where(row, column))
    values = table.column(label_column)
    labels = encode_labels(values, label_names, lambda row: table.where(row, label_column))
    ids = [f"{table.path.stem}:{row}" for row in range(len(labels))]
    return pd.DataFrame(texts | {"label": labels, "id": ids})


def _split(frame: pd.DataFrame, text_columns: tuple[str, ...], seed: int) -> dict[str, pd.DataFrame]:
    keys = pd.Series(text_keys(frame, text_columns))
    unique = keys.drop_duplicates()
    n_dev = max(1, round(DEV_SHARE * len(unique)))
    chosen = np.random.default_rng(seed).permutation(len(unique))[:n_dev]
    in_dev = keys.isin(set(unique.iloc[chosen]))
    return {"train": frame.loc[~in_dev], "dev": frame.loc[in_dev]}


def _without_shared(
    train: pd.DataFrame, dev: pd.DataFrame, text_columns: tuple[str, ...]
) -> tuple[pd.DataFrame, int]:
    in_dev = set(text_keys(dev, text_columns))
    kept = [key not in in_dev for key in text_keys(train, text_columns)]
    return train.loc[kept], kept.count(False)
