"""The files that hold tables, each read into a header and rows: .tsv, .csv, .jsonl and .parquet."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from encoder_atlas.errors import DataError
from encoder_atlas.text.utf8 import read_utf8

# A row as read: its place in the file ("line 3") and its cells.
Row = tuple[str, list[Any]]
# Reads a file whose columns are named by its own header, or by the one given.
Reader = Callable[[Path, Sequence[str] | None], tuple[Sequence[str], Iterator[Row]]]

SPELLING = {True: "true", False: "false", None: ""}  # of JSON's words; nothing is a blank cell


def tsv_rows(path: Path, header: Sequence[str] | None) -> tuple[Sequence[str], Iterator[Row]]:
    r"""Cells between tabs, in lines that end with ``\n`` or ``\r\n``; quotes are characters like others."""
    lines = read_utf8(path).rstrip("\r\n").split("\n")
    rows = ((f"line {n}", line.removesuffix("\r").split("\t")) for n, line in enumerate(lines, start=1))
    return header or _header(path, rows), rows


def csv_rows(path: Path, header: Sequence[str] | None) -> tuple[Sequence[str], Iterator[Row]]:
    """Cells between commas; quotes enclose cells with commas, line ends and doubled quotes."""
    rows = _csv_rows(path)
    return header or _header(path, rows), rows


def _csv_rows(path: Path) -> Iterator[Row]:
    lines = [line + "\n" for line in read_utf8(path).rstrip("\r\n").split("\n")]
    reader = csv.reader(lines, strict=True)
    begin = 1
    try:
        for row in reader:
            yield f"line {begin}", row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}, line {begin}: {error}. Check the quotes of this row.") from error


def _header(path: Path, rows: Iterator[Row]) -> list[str]:
    _, header = next(rows, ("", []))
    if not any(header):
        raise DataError(f"{path} has no header: its first line must name the columns.")
    return header


def jsonl_rows(path: Path, header: Sequence[str] | None) -> tuple[Sequence[str], Iterator[Row]]:
    """One JSON object a line; its keys name the columns, whatever ``header`` says.

    Numbers keep their spelling ("5.000"). A key that a line lacks, and null, make a blank cell.
    """
    del header
    lines = read_utf8(path).rstrip("\r\n").split("\n")
    rows = [_json_object(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return names, (
        (f"line {number}", [spelt(row.get(name)) for name in names])
        for number, row in enumerate(rows, start=1)
    )


def _json_object(line: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is no JSON: {error.msg} at character {error.pos + 1}.") from error
    except RecursionError as error:
        raise DataError(f"{where} is nested too deeply.") from error
    if not isinstance(found, dict):
        raise DataError(
            f"{where} is no JSON object: each line must be one, {{...}}, with a key for each column."
        )
    return found


def parquet_rows(path: Path, header: Sequence[str] | None) -> tuple[Sequence[str], Iterator[Row]]:
    """Columns of a Parquet file, which have names of their own; rows count from 0, as in pandas.

    Numbers are written as Python does, and null makes a blank cell.
    """
    del header
    try:
        with parquet.ParquetFile(path) as file:
            table = file.read()
        table.validate(full=True)
        columns = [[spelt(value) for value in column.to_pylist()] for column in table.columns]
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
        raise DataError(f"{path} cannot be read as Parquet: {reason}.") from error
    rows = ((f"row {n}", list(cells)) for n, cells in enumerate(zip(*columns, strict=True)))
    return table.column_names, rows


def spelt(value: Any) -> Any:
    """Words and numbers as they are spelt; what is neither stays what it is, for the column that is used."""
    if value is None or isinstance(value, bool):
        return SPELLING[value]
    return str(value) if isinstance(value, (int, float)) else value


READERS: dict[str, Reader] = {
    ".tsv": tsv_rows,
    ".csv": csv_rows,
    ".jsonl": jsonl_rows,
    ".parquet": parquet_rows,
}
