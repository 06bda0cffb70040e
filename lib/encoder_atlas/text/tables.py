"""Tables of text as people have them on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.table_readers import READERS


@dataclass(frozen=True)
class Table:
    """A table: cells as written, the place of each row, and how many rows were dropped as damaged.

    Attributes:
        path: the file, or the folder that held the rows.
        places: where in it each row is, as an error says it: "line 3", "row 2", "pos/7_8.txt".
    """

    path: Path
    frame: pd.DataFrame
    places: Sequence[str]
    damaged: int = 0

    def cells(self, name: str) -> list[Any]:
        """The cells of a column, whatever they are.

        Raises:
            DataError: if there is no such column; names the nearest.
        """
        if name not in self.frame.columns:
            raise DataError(f"{self.path} has no column {name!r}; {near(name, self.frame.columns)}.")
        return self.frame[name].tolist()

    def column(self, name: str) -> list[str]:
        """The cells of a column of text.

        Raises:
            DataError: if there is no such column, naming the nearest, or if a cell is no text.
        """
        cells = self.cells(name)
        for row, cell in enumerate(cells):
            if not isinstance(cell, str):
                raise DataError(f"{self.where(row, name)}: a {type(cell).__name__} is no text.")
        return cells

    def keep(self, kept: Bool[np.ndarray, " rows"]) -> "Table":
        """The rows where ``kept`` is true; the others count as damaged.

        Raises:
            DataError: if none is left.
        """
        if not kept.any():
            raise DataError(f"{self.path} has no rows that can be used.")
        places = [place for place, keep in zip(self.places, kept, strict=True) if keep]
        frame = self.frame.loc[kept].reset_index(drop=True)
        return Table(self.path, frame, places, self.damaged + int((~kept).sum()))

    def where(self, row: int, column: str) -> str:
        """Where a cell is, as an error says it."""
        return f"{self.path}, {self.places[row]}, column {column!r}"


def read_table(path: Path, header: Sequence[str] | None = None, *, drop_damaged: bool = False) -> Table:
    r"""Read a .tsv, .csv, .jsonl or .parquet file.

    Lines end with ``\n`` or ``\r\n`` and nothing else: U+0085 and U+2028 are text, so ``str.splitlines`` and
    readers built on it will not do. What each kind of file counts as a cell, `table_readers` says.

    Args:
        path: the file; its ending says what it is.
        header: names of the columns of a .tsv or .csv file without a header line.
        drop_damaged: whether rows with more or fewer cells than there are columns are dropped and counted;
            else they are refused.

    Raises:
        DataError: naming file and line, if the file cannot be read, is not UTF-8, has no header or no rows,
            names two columns alike, or has a row with more or fewer cells than columns.
    """
    if path.suffix.lower() not in READERS:
        raise DataError(f"{path} is none of the tables that can be read: {', '.join(sorted(READERS))}.")
    names, rows = READERS[path.suffix.lower()](path, header)
    repeated = sorted({name for name in names if list(names).count(name) > 1})
    if repeated:
        raise DataError(f"{path}: more than one column is named {repeated[0]!r}.")
    places, kept, damaged = [], [], 0
    for place, cells in rows:
        if len(cells) != len(names):
            if drop_damaged:
                damaged += 1
                continue
            found = f"has {len(cells)} cells" if cells not in ([], [""]) else "is empty"
            raise DataError(f"{path}, {place} {found} where there are {len(names)} columns.")
        places.append(place)
        kept.append(cells)
    if not kept:
        raise DataError(f"{path} has no rows that can be used.")
    return Table(path, pd.DataFrame(kept, columns=pd.Index(names), dtype=object), places, damaged)
