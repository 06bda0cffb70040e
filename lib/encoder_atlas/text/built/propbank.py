"""Phrases and roles of PropBank's release: files with everything of a sentence but its words."""

import re
from pathlib import Path
from typing import NamedTuple

from encoder_atlas.errors import DataError
from encoder_atlas.progress import track
from encoder_atlas.text.formats.columns import read_spans
from encoder_atlas.text.formats.lines import BLANK, Line, read_blocks
from encoder_atlas.text.formats.tags import Fault
from encoder_atlas.text.layers import Frame, Tree

FOLDER = Path("data") / "google" / "ewt"
SUFFIX = ".xml.gold_skel"
# The columns, as in CoNLL-2012 but for the last that are missing here: one of roles a predicate follows.
TAG, PHRASES, ROLESET, ROLES = 4, 5, 7, 8
NO_ROLESET = "-"


class Skeleton(NamedTuple):
    """A sentence without its words."""

    tree: Tree
    frames: tuple[Frame, ...]

    @property
    def size(self) -> int:
        """How many words it has."""
        return len(self.tree.tags)


def read_propbank(checkout: Path) -> dict[str, list[Skeleton]]:
    """The skeletons of each document of English Web Treebank, under the treebank's name of the document.

    Raises:
        DataError: if the folder is no checkout of propbank-release, or naming file, line and column of what
            cannot be read.
    """
    folder = checkout / FOLDER
    files = sorted(folder.rglob(f"*{SUFFIX}"))
    if not files:
        raise DataError(
            f"{checkout} is no checkout of propbank-release: there is no *{SUFFIX} under {folder}."
        )
    documents: dict[str, list[Skeleton]] = {}
    for file in track(files, "read PropBank", unit="file"):
        genre = file.relative_to(folder).parts[0]
        documents[f"{genre}-{file.name.removesuffix(SUFFIX)}"] = read_skeletons(file)
    return documents


def read_skeletons(path: Path) -> list[Skeleton]:
    """The sentences of one file, in order.

    Raises:
        DataError: naming file, line and column of what cannot be read.
    """
    return [_skeleton(path, block) for block in read_blocks(path)]


def _skeleton(path: Path, block: list[Line]) -> Skeleton:
    cells = [re.split("[ \t]+", line.text.strip(BLANK)) for line in block]
    for line, found in zip(block, cells, strict=True):
        if len(found) != len(cells[0]) or len(found) < ROLES:
            raise DataError(
                f"{path}, line {line.number}: {len(found)} columns where {max(ROLES, len(cells[0]))} are due."
            )
    columns = list(zip(*cells, strict=True))

    def fault(column: int) -> Fault:
        return lambda word, what: DataError(
            f"{path}, line {block[word].number}, column {column + 1}: {what}."
        )

    predicates = [word for word, roleset in enumerate(columns[ROLESET]) if roleset != NO_ROLESET]
    if len(predicates) != len(columns) - ROLES:
        raise fault(ROLESET)(0, f"{len(predicates)} predicates and {len(columns) - ROLES} columns of roles")
    frames = tuple(
        Frame(word, columns[ROLESET][word], read_spans(columns[at], fault(at)))
        for at, word in enumerate(predicates, start=ROLES)
    )
    return Skeleton(Tree(read_spans(columns[PHRASES], fault(PHRASES)), columns[TAG]), frames)
