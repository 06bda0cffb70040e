"""Edge tasks put together from sentences that carry their targets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from encoder_atlas.errors import DataError
from encoder_atlas.text.edges.task import NO_SPAN, EdgeSplit, EdgeTask

Words = tuple[int, int]  # from 0, the end exclusive


class Edge(NamedTuple):
    """One target: its first span, its second or None, and the labels that hold of it."""

    span1: Words
    span2: Words | None
    labels: tuple[str, ...]


class EdgeSentence(NamedTuple):
    """A sentence with its targets; ``id`` is its name."""

    id: str
    words: tuple[str, ...]
    edges: tuple[Edge, ...]


def edge_task(
    name: str,
    splits: Mapping[str, Sequence[EdgeSentence]],
    source_note: str,
    label_names: Sequence[str] | None = None,
) -> EdgeTask:
    """Make a task; sentences without targets are left out, for a probe has no use for them.

    Args:
        label_names: all labels in their order; without them those that are found in any split, sorted.

    Raises:
        DataError: if a label is none of ``label_names``, if some targets have a second span and others not,
            or as ``EdgeTask``.
    """
    used = {split: [one for one in sentences if one.edges] for split, sentences in splits.items()}
    edges = [edge for sentences in used.values() for one in sentences for edge in one.edges]
    names = tuple(label_names or sorted({label for edge in edges for label in edge.labels}))
    two_spans = {edge.span2 is not None for edge in edges}
    if len(two_spans) > 1:
        raise DataError(f"Edge task {name!r}: some targets have a second span and others have none.")
    arrays = {split: _split(sentences, names, f"Edge task {name!r}") for split, sentences in used.items()}
    return EdgeTask(name, names, two_spans == {True}, arrays, source_note)


def _split(sentences: Sequence[EdgeSentence], names: tuple[str, ...], where: str) -> EdgeSplit:
    column = {name: number for number, name in enumerate(names)}
    rows = [(number, edge) for number, one in enumerate(sentences) for edge in one.edges]
    targets = [(number, *edge.span1, *(edge.span2 or (NO_SPAN, NO_SPAN))) for number, edge in rows]
    labels = np.zeros((len(rows), len(names)), dtype=bool)
    for row, (number, edge) in enumerate(rows):
        for label in edge.labels:
            if label not in column:
                raise DataError(f"{where}, sentence {sentences[number].id!r}: there is no label {label!r}.")
            labels[row, column[label]] = True
    return EdgeSplit(
        tuple(one.words for one in sentences),
        tuple(one.id for one in sentences),
        np.array(targets, dtype=np.int64).reshape(-1, 5),
        labels,
    )
