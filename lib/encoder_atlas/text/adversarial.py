"""Sentences changed so that a model errs while people do not: AdvGLUE, read from its JSON files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import check_labels, check_texts
from encoder_atlas.text.layouts import LAYOUTS
from encoder_atlas.text.utf8 import read_json

# AdvGLUE's names for the columns of a task, in the order of ours; "mnli-mm" has the genres of dev mismatched.
TEXTS = {
    "sst2": ("sentence",),
    "qqp": ("question1", "question2"),
    "qnli": ("question", "sentence"),
    "mnli": ("premise", "hypothesis"),
    "mnli-mm": ("premise", "hypothesis"),
    "rte": ("sentence1", "sentence2"),
}
FILES = ("dev_ann.json", "dev.json")  # the same rows, with and without what they were made from


def load_adversarial(path: Path, task: str) -> pd.DataFrame:
    """The adversarial rows of a task, each with the unperturbed text it was made from where that is known.

    Args:
        path: AdvGLUE's dev_ann.json or dev.json, or a folder that holds one; the annotated file counts first.
        task: "sst2", "qqp", "qnli", "mnli", "mnli-mm" or "rte".

    Returns:
        Columns: the text columns of the task's layout for files; "original_" and each of their names; "label"
        (int64, the class number of the layout); "method"; "data_construction": "word", "sentence" or "human";
        "id". Rows that people wrote from nothing have None as originals; dev.json has None for all of them,
        for method and for data_construction.

    Raises:
        DataError: naming file and row of what cannot be used, or the near task.

    Source: Wang et al. (2021), Adversarial GLUE, NeurIPS Datasets and Benchmarks.
    """
    check_task(task)
    file = _file(path)
    return adversarial_frame(_rows(file, task), task, str(file))


def check_task(task: str) -> None:
    """Refuse a task that AdvGLUE does not have.

    Raises:
        DataError: naming the nearest.
    """
    if task not in TEXTS:
        raise DataError(f"AdvGLUE has no task {task!r}; {near(task, TEXTS)}.")


def adversarial_frame(rows: Sequence[Mapping[str, Any]], task: str, place: str) -> pd.DataFrame:
    """The frame of ``load_adversarial`` of rows as AdvGLUE has them.

    Raises:
        DataError: beginning with ``place``, naming the row that cannot be used.
    """
    layout = LAYOUTS[task.removesuffix("-mm")]
    columns: dict[str, list[Any]] = {}
    for ours, theirs in zip(layout.text_columns or (), TEXTS[task], strict=True):
        columns[ours] = [row.get(theirs) for row in rows]
        check_texts(columns[ours], lambda row, name=theirs: f"{place}, task {task!r}, row {row}, {name!r}")
        columns[f"original_{ours}"] = [_original(row, theirs, place) for row in rows]
    columns["label"] = [row.get("label") for row in rows]
    check_labels(
        columns["label"], layout.label_names or (), lambda row: f"{place}, task {task!r}, row {row}, 'label'"
    )
    for name in ("method", "data_construction"):
        columns[name] = [row.get(name) for row in rows]
    columns["id"] = [f"advglue-{task}:{row.get('idx', place)}" for place, row in enumerate(rows)]
    # Objects, since a column of strings would turn None into NaN.
    return pd.DataFrame(columns, dtype=object).astype({"label": "int64"})


def _original(row: Mapping[str, Any], column: str, place: str) -> str | None:
    """The text before it was changed: itself where only the other text of the pair was changed."""
    if not any(name.startswith("original_") for name in row):
        return None
    original = row.get(f"original_{column}", row[column])
    check_texts([original], lambda _: f"{place}, original of {row[column][:60]!r}")
    return original


def _file(path: Path) -> Path:
    try:
        for candidate in (path, *(path / name for name in FILES)):
            if candidate.is_file():
                return candidate
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error
    raise DataError(f"{path} is no file of AdvGLUE and no folder with {' or '.join(FILES)}.")


def _rows(file: Path, task: str) -> list[dict[str, Any]]:
    content = read_json(file)
    rows = content.get(task) if isinstance(content, dict) else None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{file} has no rows for task {task!r}: AdvGLUE's files hold a list of rows a task.")
    return rows
