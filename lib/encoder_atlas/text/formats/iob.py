"""Named entities as columns: Universal NER's .iob2 files, CoNLL-2003 and others with a tag a word."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.conllu import document_after, heading, numbered, word_rows
from encoder_atlas.text.formats.lines import Line, read_blocks, split_comments, write_lines
from encoder_atlas.text.formats.tags import Scheme, check_scheme, recognised, spans_of, split_tags, tags_of
from encoder_atlas.text.layers import Sentence, check_sentence

NUMBERED = ("ID", "FORM", "TAG", "OTHER", "ANNOTATOR")  # the columns of Universal NER
DOCUMENT = "-DOCSTART-"  # in CoNLL-2003 the first cell of a row that begins a document
# Where rows are not numbered, a row may begin with the word "#": only these are comments.
COMMENT = re.compile(r"# ?(?:sent_id|text|newdoc|newdoc id|newpar|newpar id)(?: =.*)?")

Columns = tuple[int, int]  # of word and tag, from 0, or with a minus sign from the end


class Tagged(NamedTuple):
    """A sentence as read, its tags not yet spans, and the line of each word."""

    sentence: Sentence
    tags: tuple[str, ...]
    lines: tuple[Line, ...]

    def fault(self, path: Path, word: int, what: str) -> DataError:
        """The error for what is wrong at a word."""
        return DataError(f"{path}, line {self.lines[word].number}: {what}.")


def read_iob(path: Path, scheme: Scheme | None = None, columns: Columns | None = None) -> list[Sentence]:
    """Read words and entities.

    Two layouts are told apart by the first row: that of Universal NER (five columns with tabs: number, word,
    tag and two more), and rows with the word first and the tag last, whatever stands between (CoNLL-2003),
    separated by tabs or, in a row that has none, by spaces. Comments are read as in CoNLL-U.

    Args:
        path: the file.
        scheme: how spans are written; recognised from the whole file if None (see ``tags.recognised``).
        columns: where word and tag stand in a file of another layout.

    Raises:
        DataError: naming file, line and tag of the first thing that is wrong.
    """
    if scheme is not None:
        check_scheme(scheme)
    blocks = list(read_blocks(path))
    first = next((line.text for block in blocks for line in block if not line.text.startswith("#")), "")
    by_number = (
        columns is None and re.match(r"1(-[0-9]+)?\t", first) and first.count("\t") == len(NUMBERED) - 1
    )
    found = list(_tagged(path, blocks, None if by_number else columns or (0, -1)))
    if not found:
        raise DataError(f"{path} has no sentences.")
    if scheme is None:
        scheme = recognised(split_tags(one.tags, partial(one.fault, path)) for one in found)
    return [_with_entities(path, one, scheme) for one in found]


def _tagged(path: Path, blocks: Iterable[list[Line]], columns: Columns | None) -> Iterator[Tagged]:
    document, sentences, documents = "", 0, 0
    is_comment = _is_comment if columns else lambda text: text.startswith("#")
    for block in blocks:
        comments, rows = split_comments(path, block, is_comment)
        document = document_after(comments, document)
        if rows and re.split(r"[ \t]", rows[0].text)[0] == DOCUMENT:
            document, rows = f"{path.stem}/{documents}", rows[1:]
            documents += 1
        if rows:
            lines, words, tags = zip(*_cells(path, rows, columns), strict=True)
            name = comments.get("sent_id") or f"{path.stem}:{sentences}"
            yield Tagged(Sentence(name, words, document=document), tags, lines)
            sentences += 1


def _is_comment(text: str) -> bool:
    return COMMENT.fullmatch(text) is not None


def _cells(path: Path, rows: list[Line], columns: Columns | None) -> list[tuple[Line, str, str]]:
    """Line, word and tag of each word; where ``columns`` is None, of numbered rows."""
    if columns is None:
        return [(line, cells[1], cells[2]) for line, cells in word_rows(path, rows, NUMBERED)]
    found = []
    for line in rows:
        cells = line.text.split("\t") if "\t" in line.text else re.split(" +", line.text.strip(" "))
        try:
            found.append((line, cells[columns[0]], cells[columns[1]]))
        except IndexError:
            raise DataError(
                f"{path}, line {line.number}: {len(cells)} columns, too few for word and tag in {columns}."
            ) from None
    return found


def _with_entities(path: Path, one: Tagged, scheme: Scheme) -> Sentence:
    spans = spans_of(one.tags, scheme, partial(one.fault, path))
    sentence = replace(one.sentence, entities=spans)
    check_sentence(sentence, f"{path}, sentence from line {one.lines[0].number}")
    return sentence


def write_iob(sentences: Iterable[Sentence], path: Path, scheme: Scheme = "iob2") -> None:
    """Write words and entities in the layout of Universal NER; other layers have no column in this format.

    Raises:
        DataError: if a sentence has no layer of entities, a value cannot stand in a cell, or the file cannot
            be written.
    """
    check_scheme(scheme)
    write_lines(_lines(sentences, scheme), path)


def _lines(sentences: Iterable[Sentence], scheme: Scheme) -> Iterator[str]:
    document = ""
    for sentence in sentences:
        where = f"Sentence {sentence.id!r}"
        if sentence.entities is None:
            raise DataError(
                f"{where}: its entities are not known. Write only sentences that have the layer 'ner'."
            )
        yield from heading(sentence, document)
        document = sentence.document
        tags = tags_of(sentence.entities, len(sentence.words), scheme)
        yield from numbered(
            ((word, tag, "-", "-") for word, tag in zip(sentence.words, tags, strict=True)), NUMBERED, where
        )
