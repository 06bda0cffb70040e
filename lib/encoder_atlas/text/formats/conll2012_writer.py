"""Sentences as the columns of CoNLL-2012."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.brackets import safe_word
from encoder_atlas.text.formats.columns import write_mentions, write_spans
from encoder_atlas.text.formats.conll2012 import NONE, SPOKEN, UNKNOWN, document_name
from encoder_atlas.text.formats.lines import LINE_ENDS, SPACE, cell, write_lines
from encoder_atlas.text.layers import Frame, Sentence, Span

PART = re.compile(r"(.*); part ([0-9]{3,9})")
ROLESET = re.compile(r"([^ \t\r\n]+)\.([^ \t\r\n.]+)")
LABEL = re.compile(r"[^ \t\r\n()*]+")


def write_conll2012(sentences: Iterable[Sentence], path: Path) -> None:
    """Write every layer but "dep" and the universal tags, which have no column in this format.

    A layer that is not known is written as "_" in every row. An id that the reader would not give by itself
    stands in a comment above its sentence.

    Raises:
        DataError: if a value has no place in the format (a word with a space; a tree whose tags are not the
            layer "pos"; two predicates on one word; a roleset that is not "lemma.number"), or if the file
            cannot be written.
    """
    write_lines(_lines(sentences, path.stem), path)


def _lines(sentences: Iterable[Sentence], stem: str) -> Iterator[str]:
    numbers: Counter[str] = Counter()
    for document, members in groupby(sentences, key=lambda sentence: sentence.document):
        name, part = _name_and_part(document)
        yield f"#begin document ({name}); part {part:03d}"
        for sentence in members:
            if sentence.id != f"{document or stem}:{numbers[document]}":
                yield f"# sent_id = {cell(sentence.id, 'id', f'Sentence {sentence.id!r}', LINE_ENDS)}"
            numbers[document] += 1
            for number, row in enumerate(zip(*_columns(sentence), strict=True)):
                yield "\t".join((name or NONE[0], str(part), str(number), *row))
            yield ""
        yield "#end document"


def _name_and_part(document: str) -> tuple[str, int]:
    found = PART.fullmatch(document)
    name, part = (found[1], found[2]) if found else (document, "0")
    if document_name(name, part) != document or name.startswith("#") or set(name) & set(SPACE):
        raise DataError(
            f"Document {document!r} cannot be written: a name has no white space and does not begin "
            "with '#'; after it may stand '; part 001'."
        )
    return name, int(part)


def _columns(sentence: Sentence) -> list[list[str]]:
    """All columns from the word on."""
    where = f"Sentence {sentence.id!r}"
    size = len(sentence.words)
    unknown = [UNKNOWN] * size
    words = [safe_word(word, where) for word in sentence.words]
    for word in words:
        if word in SPOKEN:
            raise DataError(
                f"{where}: word {word!r} would be read as {SPOKEN[word]!r}: it cannot be written."
            )
    if sentence.tree is not None and sentence.tree.tags != sentence.tags:
        raise DataError(
            f"{where}: the format has one column of tags, but those of the tree are not those of the layer "
            "'pos'. Give one of them up first: replace(sentence, tags=sentence.tree.tags)."
        )
    tags = unknown if sentence.tags is None else [cell(tag, "tag", where, SPACE) for tag in sentence.tags]
    phrases = unknown if sentence.tree is None else _spans(sentence.tree.spans, size, where)
    entities = unknown if sentence.entities is None else _spans(sorted(sentence.entities), size, where)
    lemmas, framesets, roles = _predicates(sentence.frames, size, where)
    mentions = unknown if sentence.mentions is None else write_mentions(sentence.mentions, size, where)
    nothing = [NONE[0]] * size
    return [words, tags, phrases, lemmas, framesets, nothing, nothing, entities, *roles, mentions]


def _spans(spans: Iterable[Span], size: int, where: str) -> list[str]:
    spans = list(spans)
    for span in spans:
        if not LABEL.fullmatch(span.label):
            raise DataError(f"{where}: label {span.label!r} cannot be written in a column.")
    return write_spans(spans, size)


def _predicates(
    frames: tuple[Frame, ...] | None, size: int, where: str
) -> tuple[list[str], list[str], list[list[str]]]:
    """The columns of lemma and frameset, and one of roles a predicate."""
    if frames is None:
        return [UNKNOWN] * size, [UNKNOWN] * size, []
    if any(left.predicate >= right.predicate for left, right in pairwise(frames)):
        raise DataError(f"{where}: its predicates must be in order, one a word.")
    lemmas, framesets = [NONE[0]] * size, [NONE[0]] * size
    for frame in frames:
        found = ROLESET.fullmatch(frame.roleset)
        if not found or found[2] in NONE:
            raise DataError(f"{where}: roleset {frame.roleset!r} is not of the form lemma.number.")
        lemmas[frame.predicate], framesets[frame.predicate] = found.groups()
    return lemmas, framesets, [_spans(sorted(frame.roles), size, where) for frame in frames]
