"""CoNLL-2012, the columns of OntoNotes 5: tags, trees, predicates with roles, entities and coreference."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.columns import read_mentions, read_spans
from encoder_atlas.text.formats.lines import BLANK, Line, read_lines, whole_number
from encoder_atlas.text.formats.trees import unescaped
from encoder_atlas.text.layers import Frame, Sentence, Tree, check_sentence

# The columns before those of the predicates' roles; the mentions are the last column.
DOCUMENT, PART, NUMBER, WORD, TAG, PHRASES, LEMMA, FRAMESET, SENSE, SPEAKER, ENTITIES = range(11)
NAMES = {PHRASES: "parse", FRAMESET: "frameset", ENTITIES: "entities"}
ROLES = ENTITIES + 1
UNKNOWN = "_"  # in every row: a layer that is not known
NONE = ("-", UNKNOWN)
BEGIN = re.compile(r"#begin document \((.*)\)(?:;[ \t]*part[ \t]+([0-9]{1,9}))?[ \t]*")
SENT_ID = re.compile(r"# sent_id = (.+)")
# In transcripts of speech OntoNotes writes a final full stop or question mark so.
SPOKEN = {"/.": ".", "/?": "?"}


def read_conll2012(path: Path) -> list[Sentence]:
    """Read all layers that the format has: tags, trees, roles, entities and mentions; there is no "dep".

    The document is the name in "#begin document", else that of the first column; of one in several parts,
    parts after the first are documents of their own, "name; part 001". Ids are the document and the
    sentence's number in it, unless a comment "# sent_id = …" gives one. In words -LRB- and its like are read
    as brackets, "/." and "/?" as "." and "?". Senses and speakers are left out.

    A column without a mark may mean that there is nothing or that nobody looked; OntoNotes does not tell
    these apart, and it is read as nothing. Only a column that is "_" in every row is a layer that is not
    known; ``write_conll2012`` writes it so.

    Raises:
        DataError: naming file, line and column of the first thing that is wrong.
    """
    sentences = []
    numbers: Counter[str] = Counter()
    for document, name, rows in _groups(path):
        cells = [_cells(path, row) for row in rows]
        document = document_name(cells[0][DOCUMENT], cells[0][PART]) if document is None else document
        name = name or f"{document or path.stem}:{numbers[document]}"
        numbers[document] += 1
        sentences.append(_sentence(path, name, document, rows, cells))
    if not sentences:
        raise DataError(f"{path} has no sentences.")
    return sentences


def _groups(path: Path) -> Iterator[tuple[str | None, str, list[Line]]]:
    """The rows of each sentence with the document that a "#begin" line names and the id of a comment."""
    document: str | None = None
    name = ""
    rows: list[Line] = []
    for line in [*read_lines(path), Line(0, "")]:
        is_row = line.text.strip(BLANK) and not line.text.startswith("#")
        if is_row:
            rows.append(line)
            continue
        if rows:
            yield document, name, rows
            name, rows = "", []
        if found := BEGIN.fullmatch(line.text):
            document = document_name(found[1], found[2] or "0")
        elif line.text.startswith("#begin"):
            raise DataError(f"{path}, line {line.number}: write '#begin document (name); part 000'.")
        elif line.text.startswith("#end"):
            document = None
        elif found := SENT_ID.fullmatch(line.text):
            name = found[1]


def document_name(name: str, part: str) -> str:
    """A document's name with its part, where that is not the first."""
    name = "" if name in NONE else name
    number = whole_number(part) or 0
    return f"{name}; part {number:03d}" if number else name


def _cells(path: Path, row: Line) -> list[str]:
    cells = re.split("[ \t]+", row.text.strip(BLANK))
    if len(cells) <= ROLES:
        raise DataError(
            f"{path}, line {row.number}: {len(cells)} columns; "
            f"CoNLL-2012 has {ROLES + 1}, and one more a predicate."
        )
    return cells


def _sentence(path: Path, name: str, document: str, rows: list[Line], cells: list[list[str]]) -> Sentence:
    _check_rows(path, rows, cells)
    columns = list(zip(*cells, strict=True))
    fault = partial(_fault, path, rows, len(columns))
    known = [set(column) != {UNKNOWN} for column in columns]
    last = len(columns) - 1
    phrases = read_spans(columns[PHRASES], partial(fault, PHRASES)) if known[PHRASES] else None
    sentence = Sentence(
        id=name,
        words=tuple(SPOKEN.get(word, unescaped(word)) for word in columns[WORD]),
        tags=columns[TAG] if known[TAG] else None,
        tree=None if phrases is None else Tree(phrases, columns[TAG]),
        entities=read_spans(columns[ENTITIES], partial(fault, ENTITIES)) if known[ENTITIES] else None,
        frames=_frames(columns, fault) if known[LEMMA] or known[FRAMESET] else None,
        mentions=read_mentions(columns[last], partial(fault, last)) if known[last] else None,
        document=document,
    )
    check_sentence(sentence, f"{path}, sentence from line {rows[0].number}")
    return sentence


def _fault(path: Path, rows: list[Line], size: int, column: int, word: int, what: str) -> DataError:
    """The error for what is wrong at a word in a column."""
    title = NAMES.get(column, "mentions" if column == size - 1 else "roles")
    return DataError(f"{path}, line {rows[word].number}, column {column + 1} ({title}): {what}.")


def _check_rows(path: Path, rows: list[Line], cells: list[list[str]]) -> None:
    before = -1
    for row, found in zip(rows, cells, strict=True):
        number = whole_number(found[NUMBER])
        if number is None or number <= before:
            raise DataError(
                f"{path}, line {row.number}, column {NUMBER + 1} (number): {found[NUMBER]!r} does not "
                "count on; an empty line separates sentences."
            )
        if len(found) != len(cells[0]):
            raise DataError(
                f"{path}, line {row.number}: {len(found)} columns where the first row "
                f"of its sentence has {len(cells[0])}."
            )
        before = number


def _frames(columns: list[tuple[str, ...]], fault: Callable[[int, int, str], DataError]) -> tuple[Frame, ...]:
    """The predicates are the rows with a frameset; their columns of roles stand in the same order."""
    predicates = [word for word, frameset in enumerate(columns[FRAMESET]) if frameset not in NONE]
    roles = [read_spans(columns[at], partial(fault, at)) for at in range(ROLES, len(columns) - 1)]
    if not predicates and not any(roles):
        return ()
    if len(predicates) != len(roles):
        word = predicates[0] if predicates else 0
        raise fault(
            FRAMESET, word, f"{len(predicates)} predicates in the sentence, {len(roles)} columns of roles"
        )
    return tuple(
        Frame(word, _roleset(columns[LEMMA][word], columns[FRAMESET][word]), spans)
        for word, spans in zip(predicates, roles, strict=True)
    )


def _roleset(lemma: str, frameset: str) -> str:
    """ "give.01"; releases of PropBank write it whole in the column of the frameset."""
    return frameset if "." in frameset else f"{lemma}.{frameset}"
