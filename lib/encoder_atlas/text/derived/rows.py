"""Rows of generated tasks: balanced, all different, each text in one split only."""

import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.text.derived.scenes import NothingFitsError, SceneSource
from encoder_atlas.text.derived.vocabulary import vocabulary_of

DRAWS_A_ROW = 2000
# Which hundredths of all texts belong to a split, by a checksum of their letters and digits.
SPLITS = {"train": range(60), "dev": range(60, 100)}


class Row(NamedTuple):
    """The texts of a row and what is told of them; ``told`` is a label, or the columns of the target."""

    texts: tuple[str, ...]
    told: dict[str, Any]


# Draws a row, given what its turn asks for (its label); None where a draw came to nothing.
Maker = Callable[[SceneSource, int], Row | None]


def in_split(text: str, split: str) -> bool:
    """Whether a text belongs to a split: by its letters, so that no seed and no task puts it elsewhere."""
    key = "".join(filter(str.isalnum, text.casefold()))
    return zlib.crc32(key.encode()) % 100 in SPLITS[split]


def write_rows(
    name: str, make: Maker, turns: Sequence[int], columns: Sequence[str], split: str, domain: str, seed: int
) -> pd.DataFrame:
    """One row for every turn, all different.

    Args:
        name: of the corpus; part of the seed.
        turns: what each row is asked for; a shorter sequence gives the beginning.
        columns: names of the texts.

    Raises:
        DataError: if the grammar has no more to say.
    """
    source = random.Random(f"{name}:{domain}:{split}:{seed}")
    scenes = SceneSource(vocabulary_of(domain), source)
    taken: set[tuple[str, ...]] = set()
    rows = []
    for turn in turns:
        row = _new_row(make, scenes, turn, split, taken)
        if row is None:
            raise DataError(
                f"The generated corpus {name!r} has too few different rows: {len(turns)} are asked for split "
                f"{split!r}, {len(rows)} were found. Ask for fewer."
            )
        rows.append(dict(zip(columns, row.texts, strict=True)) | row.told)
    return pd.DataFrame(rows)


def _new_row(
    make: Maker, scenes: SceneSource, turn: int, split: str, taken: set[tuple[str, ...]]
) -> Row | None:
    scenes.pick = scenes.source.random()
    for _ in range(DRAWS_A_ROW):
        scenes.fresh()
        try:
            row = make(scenes, turn)
        except NothingFitsError:
            continue
        if (
            row is None
            or len(set(row.texts)) < len(row.texts)
            or not all(in_split(t, split) for t in row.texts)
        ):
            continue
        key = tuple(sorted(text.casefold() for text in row.texts))
        if key not in taken:
            taken.add(key)
            return row
    return None
