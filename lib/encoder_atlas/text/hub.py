"""Tasks from the hub, by the library `datasets`: the corpora of source "files", and any other by its id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.cards import corpus_card
from encoder_atlas.text.files import layout_of, task_of
from encoder_atlas.text.hub_corpora import HUB, HubCorpus
from encoder_atlas.text.hub_open import named, open_hub
from encoder_atlas.text.layouts import Layout
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.squad import question_row
from encoder_atlas.text.table_readers import spelt
from encoder_atlas.text.tables import Table
from encoder_atlas.text.task import COLUMNS, Task

if TYPE_CHECKING:
    from datasets import Dataset

UNLABELLED = -1  # what the hub writes where a label is kept secret or was never given
DEV_SPLITS = ("validation", "dev", "test")  # of a reader's own id, the first that has labels is dev


def load_hub(spec: TaskSpec) -> Task:
    """Read a corpus from the hub, or from the cache of an earlier load; no code of a repository is ever run.

    Known corpora have the text columns, label names and metric of source "files". A reader's own is named by
    its id, "owner/name" or "owner/name:configuration"; of its splits "train" is train, and the first of
    validation, dev and test that has labels is dev, else a fifth of train. Rows labelled -1 have no label:
    they are left out and counted in the task's note. With ``spec.path`` a local copy of the repository is
    read. HF_HUB_OFFLINE and HF_HOME are those of the library.

    Raises:
        DataError: if the hub cannot be reached, naming the way by files; if data set, configuration, split or
            column is missing; if the labels are not those that are known; or as ``load_files``.
    """
    corpus, layout = _known(spec) if spec.corpus in HUB else _own(spec)
    found = open_hub(corpus, _instead(spec), path=spec.path, revision=spec.revision)
    splits = corpus.splits or _splits_of_own(found, layout, corpus)
    for split in splits.values():
        if split not in found:
            raise DataError(f"{corpus} on the hub has no split {split!r}; {near(split, found)}.")
    if not corpus.label_names:
        layout = _with_names(layout, found["train"], corpus)
    tables = {
        split: _table(found[theirs], corpus, layout, corpus.place / theirs)
        for split, theirs in splits.items()
    }
    return task_of(spec, replace(layout, note=_note(spec, corpus, layout, found, tables)), tables)


def _known(spec: TaskSpec) -> tuple[HubCorpus, Layout]:
    layout = layout_of(spec)
    corpus = HUB[spec.corpus]
    return corpus, replace(layout, text_columns=corpus.renamed or layout.text_columns)


def _own(spec: TaskSpec) -> tuple[HubCorpus, Layout]:
    repository, _, configuration = spec.corpus.partition(":")
    if spec.path and repository == "own":
        repository = spec.path.name
    if "/" not in repository and not spec.path:
        raise DataError(
            f"{spec.corpus!r} is neither a corpus known on the hub nor an id; {near(spec.corpus, HUB)}. "
            "An id is owner/name, or owner/name:configuration."
        )
    layout = layout_of(spec.model_copy(update={"corpus": "own"}))
    layout = replace(layout, note=f"Text of {repository}")
    columns = layout.text_columns or ()
    return HubCorpus(repository, configuration or None, columns, layout.label_column or "", splits={}), layout


def _splits_of_own(found: Mapping[str, "Dataset"], layout: Layout, corpus: HubCorpus) -> dict[str, str]:
    """Which split is train and which is dev, where nobody has said so."""
    if not corpus.text_columns or not corpus.label_column:
        columns = ", ".join(next(iter(found.values())).column_names)
        raise DataError(f"{corpus} on the hub: set text_columns and label_column; it has {columns}.")
    labelled = [
        split
        for split in DEV_SPLITS
        if split in found and any(_labels(found[split], corpus, layout, corpus.place / split))
    ]
    return {"train": "train"} | ({"dev": labelled[0]} if labelled else {})


def _with_names(layout: Layout, rows: "Dataset", corpus: HubCorpus) -> Layout:
    """The layout with the hub's classes in the hub's order, where it has none of its own."""
    names = getattr(rows.features.get(corpus.label_column), "names", None)
    return replace(layout, label_names=tuple(names)) if names and not layout.label_names else layout


def _note(
    spec: TaskSpec,
    corpus: HubCorpus,
    layout: Layout,
    found: Mapping[str, "Dataset"],
    tables: Mapping[str, Table],
) -> str:
    rows = sum(len(found[table.path.name]) for table in tables.values())
    unlabelled = rows - sum(len(table.places) + table.damaged for table in tables.values())
    left_out = f", without {unlabelled} rows that have no label" if unlabelled else ""
    where = f"a local copy of {corpus}" if spec.path else named(corpus, None, spec.revision)
    return f"{layout.note}, from {where}{left_out}"


def _instead(spec: TaskSpec) -> str:
    """What to do where there is no network: the folder of files that makes the same task."""
    if spec.corpus not in HUB:
        return "Set source 'files' and path to train.* and dev.* on your disk."
    way = corpus_card(spec.corpus).way("files")
    assert way  # every such corpus has a card, and every such card this way
    return f"Set source 'files' and path. {way.where}"


def _table(rows: "Dataset", corpus: HubCorpus, layout: Layout, place: Path) -> Table:
    """The labelled rows of a split, in the columns and with the labels of the layout."""
    ours = cast(tuple[str, ...], layout.text_columns)
    texts = [_cells(rows, name, place) for name in corpus.text_columns]
    columns: dict[str, Sequence[Any]] = {}
    kept = list(range(len(rows)))
    if layout.target != "answer":
        labels = _labels(rows, corpus, layout, place)
        kept = [row for row, label in enumerate(labels) if label is not None]
        if not kept:
            raise DataError(f"{place} has no labels: the hub writes {UNLABELLED} where they are kept secret.")
        columns[cast(str, layout.label_column)] = [labels[row] for row in kept]
    for name, cells in zip(ours, texts, strict=True):
        columns[name] = [spelt(cells[row]) for row in kept]
    if layout.target == "answer":
        columns |= _answers(_cells(rows, "answers", place), columns[ours[0]], columns[ours[1]], place)
    table = Table(place, pd.DataFrame(columns, dtype=object), [f"row {row}" for row in kept])
    if not layout.drop_damaged:
        return table
    rows_of_texts = zip(*(columns[name] for name in ours), strict=True)
    return table.keep(np.array([all(text.strip() for text in row) for row in rows_of_texts]))


def _cells(rows: "Dataset", name: str, place: Path) -> list[Any]:
    if name not in rows.column_names:
        raise DataError(f"{place} has no column {name!r}; {near(name, rows.column_names)}.")
    return rows[name][:]


def _labels(rows: "Dataset", corpus: HubCorpus, layout: Layout, place: Path) -> list[str | None]:
    """Each label as the layout writes it; None where a row has none."""
    cells = _cells(rows, corpus.label_column, place)
    feature = rows.features[corpus.label_column]
    names = getattr(feature, "names", None)  # only classes have them
    if corpus.label_names and tuple(names or ()) != corpus.label_names:
        raise DataError(
            f"{place}, column {corpus.label_column!r} has the classes {names}, not "
            f"{list(corpus.label_names)}: the data set has changed, and a number would mean another class. "
            "Set revision to an earlier one."
        )
    if names:
        ours = layout.label_names or names if corpus.label_names else names
        return [None if cell in (None, UNLABELLED) else ours[cell] for cell in cells]
    if getattr(feature, "dtype", "") == "float32":  # 3.8 is 3.799999952316284 in Python's precision
        return [spelt(cell) if cell is None else str(np.float32(cell)) for cell in cells]
    known = str(UNLABELLED) in (layout.label_names or ())
    return [
        None if cell == UNLABELLED and not known and layout.target == "class" else spelt(cell)
        for cell in cells
    ]


def _answers(
    given: Sequence[dict[str, Any]], questions: Sequence[str], contexts: Sequence[str], place: Path
) -> dict[str, list[Any]]:
    """The columns of the answers, which the hub keeps as lists of texts and of offsets."""
    found = []
    for row, (answers, question, context) in enumerate(zip(given, questions, contexts, strict=True)):
        pairs = zip(answers["text"], answers["answer_start"], strict=True)
        asked = {"question": question, "answers": [{"text": text, "answer_start": at} for text, at in pairs]}
        found.append(question_row(asked, context, f"{place}, row {row}"))
    return {name: [row[name] for row in found] for name in COLUMNS["answer"]}
