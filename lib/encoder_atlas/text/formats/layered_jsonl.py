"""One JSON object a line and sentence, with every layer: what the five-layer corpus is kept in."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.formats.brackets import tree_line
from encoder_atlas.text.formats.lines import Line, read_lines, write_lines
from encoder_atlas.text.formats.tags import spans_of, tags_of
from encoder_atlas.text.formats.trees import parse_trees, unescaped
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree, check_sentence

NUMBERED_ID = re.compile(r"(.+)-[0-9]+")  # in English Web Treebank: the document and the sentence's number


class Predicate(BaseModel):
    """A predicate: its word from 0, its roleset, and its roles as [start, end exclusive, label]."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    pred: int
    frame: str
    args: list[tuple[int, int, str]]


class Record(BaseModel):
    """A line: heads count from 1 with 0 for the root, entities are IOB2 tags, the tree is in brackets.

    "document" is written only where it is not the id without its number, "coref" where it is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sent_id: str = Field(min_length=1)
    tokens: list[str] = Field(min_length=1)
    upos: list[str] | None = None
    xpos: list[str] | None = None
    head: list[int] | None = None
    deprel: list[str] | None = None
    ner: list[str] | None = None
    const: str | None = None
    srl: list[Predicate] | None = None
    coref: list[tuple[int, int, str]] | None = None
    document: str | None = None


def read_layered_jsonl(path: Path) -> list[Sentence]:
    """Read sentences with all their layers; null, or a field left out, is a layer that is not known.

    Raises:
        DataError: naming file, line and field of the first thing that is wrong.
    """
    sentences = [_sentence(path, line) for line in read_lines(path) if line.text.strip(" \t")]
    if not sentences:
        raise DataError(f"{path} has no sentences.")
    return sentences


def _sentence(path: Path, line: Line) -> Sentence:
    where = f"{path}, line {line.number}"
    try:
        record = Record.model_validate_json(line.text)
    except ValidationError as error:
        raise DataError(f"{where}{_complaint(error)}.") from error
    sentence = Sentence(
        id=record.sent_id,
        words=tuple(record.tokens),
        tags=_tuple(record.xpos),
        upos=_tuple(record.upos),
        heads=_tuple(record.head),
        deprels=_tuple(record.deprel),
        entities=None if record.ner is None else _entities(record.ner, len(record.tokens), where),
        tree=None if record.const is None else _tree(record.const, record.tokens, where),
        frames=None if record.srl is None else tuple(map(_frame, record.srl)),
        mentions=None if record.coref is None else tuple(Span(*mention) for mention in record.coref),
        document=document_of(record.sent_id) if record.document is None else record.document,
    )
    check_sentence(sentence, where)
    return sentence


def _complaint(error: ValidationError) -> str:
    """A complaint of pydantic as the tail of a message: a misspelt field if there is one, else the first."""
    first, *others = error.errors(include_url=False)
    first = next((one for one in (first, *others) if one["type"] == "extra_forbidden"), first)
    field = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        model = Predicate if first["loc"][0] == "srl" else Record
        return f": there is no field {field!r}; {near(str(first['loc'][-1]), model.model_fields)}"
    return f", field {field!r}: {first['msg']}" if field else f": {first['msg']}"


def document_of(sent_id: str) -> str:
    """The document that an id of English Web Treebank names: what stands before the number at its end."""
    found = NUMBERED_ID.fullmatch(sent_id)
    return found[1] if found else ""


def _tuple(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


def _entities(tags: Sequence[str], size: int, where: str) -> tuple[Span, ...]:
    if len(tags) != size:
        raise DataError(f"{where}, field 'ner': {len(tags)} tags for {size} words.")
    return spans_of(tags, "iob2", lambda word, what: DataError(f"{where}, field 'ner', word {word}: {what}."))


def _tree(text: str, tokens: Sequence[str], where: str) -> Tree:
    fault = partial(_tree_fault, where)
    found = list(parse_trees(text, fault, keep_functions=True, keep_traces=True))
    if len(found) != 1:
        raise fault(0, f"{len(found)} trees; a sentence has one, or null")
    words = found[0].words
    if len(words) != len(tokens):
        raise fault(0, f"the tree has {len(words)} words, the sentence {len(tokens)}")
    for number, (word, token) in enumerate(zip(words, tokens, strict=True)):
        if token not in (word, unescaped(word)):
            raise fault(0, f"word {number} is {word!r} in the tree and {token!r} in the sentence")
    return found[0].tree


def _tree_fault(where: str, at: int, what: str) -> DataError:
    return DataError(f"{where}, field 'const', character {at}: {what}.")


def _frame(predicate: Predicate) -> Frame:
    return Frame(predicate.pred, predicate.frame, tuple(Span(*role) for role in predicate.args))


def write_layered_jsonl(sentences: Iterable[Sentence], path: Path) -> None:
    """Write every layer; what is read again is the same in all of them.

    Raises:
        DataError: if a tree's word or label cannot stand in brackets, or the file cannot be written.
    """
    write_lines(
        (json.dumps(_record(sentence), ensure_ascii=False, separators=(",", ":")) for sentence in sentences),
        path,
    )


def _record(sentence: Sentence) -> dict[str, Any]:
    size = len(sentence.words)
    record: dict[str, Any] = {
        "sent_id": sentence.id,
        "tokens": sentence.words,
        "upos": sentence.upos,
        "xpos": sentence.tags,
        "head": sentence.heads,
        "deprel": sentence.deprels,
        "ner": None if sentence.entities is None else tags_of(sentence.entities, size),
        "const": None if sentence.tree is None else tree_line(sentence),
        "srl": None
        if sentence.frames is None
        else [
            {"pred": frame.predicate, "frame": frame.roleset, "args": frame.roles}
            for frame in sentence.frames
        ],
    }
    if sentence.mentions is not None:
        record["coref"] = sentence.mentions
    if sentence.document != document_of(sentence.id):
        record["document"] = sentence.document
    return record
