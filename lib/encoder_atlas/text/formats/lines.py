"""Lines of text files, the same for every format: where they end, where they stand, what they may hold."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from encoder_atlas.errors import DataError
from encoder_atlas.text.utf8 import read_utf8

BLANK = " \t"
LINE_ENDS = "\n\r"
SPACE = BLANK + LINE_ENDS
NUMBER = re.compile(r"[0-9]{1,9}")  # more digits than any sentence has words


class Line(NamedTuple):
    """A line without its end, and its number in the file, from 1."""

    number: int
    text: str


def read_lines(path: Path) -> Iterator[Line]:
    r"""The lines of a file, which end with ``\n`` or ``\r\n`` and nothing else.

    U+0085, U+2028 and their like are text, so ``str.splitlines`` will not do.

    Raises:
        DataError: as ``read_utf8``.
    """
    for number, text in enumerate(read_utf8(path).split("\n"), start=1):
        yield Line(number, text.removesuffix("\r"))


def read_blocks(path: Path) -> Iterator[list[Line]]:
    """Runs of lines between empty ones (nothing but spaces and tabs): the sentences of column formats.

    Raises:
        DataError: as ``read_utf8``.
    """
    block: list[Line] = []
    for line in read_lines(path):
        if line.text.strip(BLANK):
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def split_comments(
    path: Path, block: list[Line], is_comment: Callable[[str], bool] = lambda text: text.startswith("#")
) -> tuple[dict[str, str], list[Line]]:
    """The comments above a sentence ("# key = value", the value "" where there is none) and its rows.

    Raises:
        DataError: for a comment between rows: most often an empty line is missing above it.
    """
    comments: dict[str, str] = {}
    rows: list[Line] = []
    for line in block:
        if not is_comment(line.text):
            rows.append(line)
        elif rows:
            raise DataError(
                f"{path}, line {line.number}: a comment inside a sentence. Is an empty line missing above it?"
            )
        else:
            key, _, value = line.text[1:].partition("=")
            comments[key.strip(BLANK)] = value.strip(BLANK)
    return comments, rows


def whole_number(text: str) -> int | None:
    """The number that a cell holds, None if it is no number from 0 on."""
    return int(text) if NUMBER.fullmatch(text) else None


def cell(value: str, name: str, where: str, forbidden: str = "\t" + LINE_ENDS) -> str:
    """``value`` as it can stand in a column.

    Raises:
        DataError: if it is empty or holds one of the characters that end a cell.
    """
    if not value or any(mark in value for mark in forbidden):
        raise DataError(
            f"{where}: {name} {value!r} cannot be written: it is empty or holds a tab, space or line end."
        )
    return value


def write_lines(lines: Iterable[str], path: Path) -> None:
    r"""Write lines that end with ``\n``, in UTF-8.

    Raises:
        DataError: if the file cannot be written, or a line holds half of a surrogate pair.
    """
    try:
        path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8"))
    except (OSError, UnicodeEncodeError) as error:
        raise DataError(f"{path} cannot be written: {error}.") from error
