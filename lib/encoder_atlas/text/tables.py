"""Tables of text as people have them on disk: tab-separated without quoting, and comma-separated with it."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Bool

from encoder_atlas.errors import DataError, near

# A row as read: the line it begins on (from 1) and its cells.
Row = tuple[int, list[str]]


@dataclass(frozen=True)
class Table:
    """A table: cells as written, the line each row begins on, and how many rows were dropped as damaged."""

    path: Path
    frame: pd.DataFrame
    lines: list[int]
    damaged: int = 0

    def column(self, name: str) -> list[str]:
        """The cells of a column.

        Raises:
            DataError: if there is no such column; names the nearest.
        """
        if name not in self.frame.columns:
            raise DataError(f"{self.path} has no column {name!r}; {near(name, self.frame.columns)}.")
        return self.frame[name].tolist()

    def keep(self, kept: Bool[np.ndarray, " rows"]) -> "Table":
        """The rows where ``kept`` is true; the others count as damaged.

        Raises:
            DataError: if none is left.
        """
        if not kept.any():
            raise DataError(f"{self.path} has no rows that can be used.")
        lines = [line for line, keep in zip(self.lines, kept, strict=True) if keep]
        frame = self.frame.loc[kept].reset_index(drop=True)
        return Table(self.path, frame, lines, self.damaged + int((~kept).sum()))

    def where(self, row: int, column: str) -> str:
        """Where a cell is, as an error says it."""
        return f"{self.path}, line {self.lines[row]}, column {column!r}"


def read_table(path: Path, header: Sequence[str] | None = None, *, drop_damaged: bool = False) -> Table:
    r"""Read a .tsv or .csv file with a header line, or without one if ``header`` names the columns.

    Lines end with ``\n`` or ``\r\n`` and nothing else: U+0085 and U+2028 are text, so ``str.splitlines`` and
    readers built on it will not do. In .tsv files quotes are characters like others (GLUE); in .csv files
    they enclose cells, which may then hold commas, line ends and doubled quotes. A row with more or fewer
    cells than there are columns is dropped and counted with ``drop_damaged``, else refused.

    Raises:
        DataError: naming file and line, if the file cannot be read, is not UTF-8, has no header or no rows,
            or if a row has more or fewer cells than the header.
    """
    if path.suffix.lower() not in READERS:
        raise DataError(f"{path} is none of the tables that can be read: {', '.join(sorted(READERS))}.")
    rows = READERS[path.suffix.lower()](path, _decoded(path))
    header = header or _header(path, rows)
    lines, cells, damaged = [], [], 0
    for line, row in rows:
        if len(row) != len(header):
            if drop_damaged:
                damaged += 1
                continue
            raise DataError(f"{path}, line {line} has {len(row)} cells where the header has {len(header)}.")
        lines.append(line)
        cells.append(row)
    if not lines:
        raise DataError(f"{path} has a header and no rows that can be used.")
    return Table(path, pd.DataFrame(cells, columns=pd.Index(header), dtype=object), lines, damaged)


def _header(path: Path, rows: Iterator[Row]) -> list[str]:
    _, header = next(rows, (0, []))
    if not any(header):
        raise DataError(f"{path} has no header: its first line must name the columns.")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise DataError(f"{path}, line 1: more than one column is named {repeated[0]!r}.")
    return header


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise DataError(
            f"{path}, line {line}: byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8."
        ) from error


def _tsv_rows(path: Path, text: str) -> Iterator[Row]:
    del path  # a line of a .tsv file cannot be malformed in itself
    for number, line in enumerate(text.rstrip("\r\n").split("\n"), start=1):
        yield number, line.removesuffix("\r").split("\t")


def _csv_rows(path: Path, text: str) -> Iterator[Row]:
    lines = [line + "\n" for line in text.rstrip("\r\n").split("\n")]
    reader = csv.reader(lines, strict=True)
    begin = 1
    try:
        for row in reader:
            yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}, line {begin}: {error}. Check the quotes of this row.") from error


READERS: dict[str, Callable[[Path, str], Iterator[Row]]] = {".tsv": _tsv_rows, ".csv": _csv_rows}
