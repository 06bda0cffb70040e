"""CoNLL-U, the format of Universal Dependencies: a line a word, ten columns, comments above a sentence."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.lines import (
    BLANK,
    LINE_ENDS,
    Line,
    cell,
    read_blocks,
    split_comments,
    whole_number,
    write_lines,
)
from encoder_atlas.text.layers import Sentence, check_sentence

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
UNKNOWN = "_"
RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
EMPTY_NODE = re.compile(r"([0-9]{1,9})\.[0-9]{1,9}")


def read_conllu(path: Path) -> list[Sentence]:
    """Read tags (XPOS), universal tags, heads and relations; lemmas, features and the rest are left out.

    Words are the syntactic words: the lines of multiword tokens (1-2) and of empty nodes (1.1) are skipped. A
    column that is "_" for every word of a sentence is a layer that is not known of it. The id is that of
    "# sent_id", else the file's name and the sentence's number; the document that of "# newdoc id".

    Raises:
        DataError: naming file, line and column of the first thing that is wrong.
    """
    sentences = []
    document = ""
    for block in read_blocks(path):
        comments, rows = split_comments(path, block)
        document = document_after(comments, document)
        if rows:
            name = comments.get("sent_id") or f"{path.stem}:{len(sentences)}"
            sentences.append(_sentence(path, name, document, rows))
    if not sentences:
        raise DataError(f"{path} has no sentences.")
    return sentences


def document_after(comments: dict[str, str], document: str) -> str:
    """The document that a sentence with these comments stands in, where ``document`` was the last."""
    return comments.get("newdoc id", "") if {"newdoc", "newdoc id"} & comments.keys() else document


def word_rows(
    path: Path, rows: Iterable[Line], columns: Sequence[str] = COLUMNS
) -> list[tuple[Line, list[str]]]:
    """The cells of each word, numbered 1, 2, …; multiword tokens and empty nodes are checked and skipped.

    Raises:
        DataError: for a row with more or fewer cells than ``columns``, an empty cell, or an id that is not
            due.
    """
    words: list[tuple[Line, list[str]]] = []
    reach, line = 0, None
    for line in rows:
        cells = line.text.split("\t")
        where = f"{path}, line {line.number}"
        if len(cells) != len(columns):
            raise DataError(f"{where}: {len(cells)} columns separated by tabs where {len(columns)} are due.")
        if "" in cells:
            column = columns[cells.index("")]
            raise DataError(f"{where}, column {column}: the cell is empty; write _ for none.")
        last = len(words)
        if whole_number(cells[0]) == last + 1:
            words.append((line, cells))
        elif (found := RANGE.fullmatch(cells[0])) and int(found[1]) == last + 1 <= int(found[2]):
            reach = int(found[2])
        elif not ((found := EMPTY_NODE.fullmatch(cells[0])) and int(found[1]) == last):
            raise DataError(f"{where}, column {columns[0]}: {cells[0]!r} where word {last + 1} is due.")
    if line and len(words) < max(reach, 1):
        raise DataError(f"{path}, line {line.number}: the sentence ends before word {max(reach, 1)}.")
    return words


def _sentence(path: Path, name: str, document: str, rows: list[Line]) -> Sentence:
    words = word_rows(path, rows)
    forms, upos, xpos, heads, deprels = (
        tuple(cells[COLUMNS.index(column)] for _, cells in words)
        for column in ("FORM", "UPOS", "XPOS", "HEAD", "DEPREL")
    )
    parsed = set(heads) != {UNKNOWN}
    sentence = Sentence(
        id=name,
        words=forms,
        tags=None if set(xpos) == {UNKNOWN} else xpos,
        upos=None if set(upos) == {UNKNOWN} else upos,
        heads=tuple(_head(path, line, cells[6]) for line, cells in words) if parsed else None,
        deprels=deprels if parsed else None,
        document=document,
    )
    check_sentence(sentence, f"{path}, sentence from line {words[0][0].number}")
    return sentence


def _head(path: Path, line: Line, value: str) -> int:
    head = whole_number(value)
    if head is None:
        raise DataError(f"{path}, line {line.number}, column HEAD: {value!r} is no word's number.")
    return head


def write_conllu(sentences: Iterable[Sentence], path: Path) -> None:
    """Write words, tags and dependencies; what else a sentence holds has no column in this format.

    Words are written as separated by spaces ("# text"): a sentence does not say how they were joined.

    Raises:
        DataError: if a value cannot stand in a cell, or the file cannot be written.
    """
    write_lines(_lines(sentences), path)


def _lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    document = ""
    for sentence in sentences:
        yield from heading(sentence, document)
        document = sentence.document
        unknown = (UNKNOWN,) * len(sentence.words)
        columns = zip(
            sentence.words,
            unknown,
            sentence.upos or unknown,
            sentence.tags or unknown,
            unknown,
            map(str, sentence.heads or unknown),
            sentence.deprels or unknown,
            unknown,
            unknown,
            strict=True,
        )
        yield from numbered(columns, COLUMNS, f"Sentence {sentence.id!r}")


def heading(sentence: Sentence, document: str) -> Iterator[str]:
    """The comments above a sentence: its id, its text, and its document where that is not ``document``.

    Raises:
        DataError: if an id or a document's name would not come back as it is.
    """
    names = {"sent_id": sentence.id}
    if sentence.document != document:
        names = {"newdoc id": sentence.document} | names
    for key, name in names.items():
        if name.strip(BLANK) != name:
            raise DataError(f"{key} {name!r} cannot be written: it begins or ends with white space.")
        where = f"Sentence {sentence.id!r}"
        yield f"# {key} = {cell(name, key, where, forbidden=LINE_ENDS)}" if name else f"# {key.split()[0]}"
    yield f"# text = {' '.join(sentence.words)}"


def numbered(rows: Iterable[Sequence[str]], columns: Sequence[str], where: str) -> Iterator[str]:
    """Lines of cells with the word's number before them, and the empty line that ends a sentence.

    Raises:
        DataError: if a value cannot stand in a cell.
    """
    for number, row in enumerate(rows, start=1):
        cells = (cell(value, column, where) for value, column in zip(row, columns[1:], strict=True))
        yield "\t".join((str(number), *cells))
    yield ""
