"""Spans in columns: "(NP*", "*", "*)" for phrases, entities and roles, "(7", "-", "7)" for mentions."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.tags import Fault
from encoder_atlas.text.formats.trees import OpenSpans
from encoder_atlas.text.layers import Span

CELL = re.compile(r"((?:\([^()*]+)*)(\*?)(\)*)")
MENTION = re.compile(r"(\(?)([^()|]+)(\)?)")
NO_MENTION = ("-", "_")


def read_spans(cells: Sequence[str], fault: Fault) -> tuple[Span, ...]:
    """The spans of a column, in pre-order; "*" is the word itself, and may be left out: "(GPE)".

    Raises:
        DataError: through ``fault``, at the word whose cell is malformed, closes what is not open, or opens
            what is never closed.
    """
    spans = OpenSpans()
    last_open = 0
    for word, cell in enumerate(cells):
        if cell == "*":  # most of them
            continue
        found = CELL.fullmatch(cell)
        if not cell or not found:
            raise fault(word, f"{cell!r} is no part of a bracketing such as (NP*, * or *)")
        for label in found[1].split("(")[1:]:
            spans.open(word, label)
            last_open = word
        if len(found[3]) > spans.depth:
            raise fault(word, f"{cell!r} closes more brackets than are open")
        for _ in found[3]:
            spans.close(word + 1)
    if spans.depth:
        raise fault(last_open, f"{spans.depth} brackets of this column are never closed")
    return spans.spans()


def write_spans(spans: Iterable[Span], size: int) -> list[str]:
    """A cell a word for spans in pre-order, which nest or lie apart."""
    opening, closing = [""] * size, [""] * size
    for span in spans:
        opening[span.start] += f"({span.label}"
        closing[span.end - 1] += ")"
    return [f"{opened}*{closed}" for opened, closed in zip(opening, closing, strict=True)]


def read_mentions(cells: Sequence[str], fault: Fault) -> tuple[Span, ...]:
    """The mentions of a column: "(7" begins one of entity 7, "7)" ends it, "(7)" is one word; "|" parts them.

    Mentions of different entities may cross. They are given sorted: by first word, then by last.

    Raises:
        DataError: through ``fault``, at the word whose cell is malformed or does not match another.
    """
    mentions: list[Span] = []
    begun: defaultdict[str, list[int]] = defaultdict(list)
    for word, cell in enumerate(cells):
        for part in [] if cell in NO_MENTION else cell.split("|"):
            found = MENTION.fullmatch(part)
            if not found or not (found[1] or found[3]):
                raise fault(word, f"{cell!r} is no part of a mention such as (7, 7) or (7)")
            if found[1]:
                begun[found[2]].append(word)
            if found[3]:
                if not begun[found[2]]:
                    raise fault(word, f"{cell!r} ends a mention of {found[2]} that has not begun")
                mentions.append(Span(begun[found[2]].pop(), word + 1, found[2]))
    for label, words in begun.items():
        if words:
            raise fault(words[-1], f"this mention of {label} never ends in its sentence")
    return tuple(sorted(mentions))


def write_mentions(mentions: Sequence[Span], size: int, where: str) -> list[str]:
    """A cell a word for the mentions of a sentence.

    Raises:
        DataError: for a label that is empty or holds white space or one of "()|", and for mentions of one
            entity that cross: where one ends, it could not be told which.
    """
    for mention in mentions:
        if not re.fullmatch(r"[^ \t\r\n()|]+", mention.label):
            raise DataError(f"{where}: a mention of {mention.label!r} cannot be written in a column.")
    ordered = sorted(mentions, key=lambda mention: (mention.start, -mention.end, mention.label))
    for left, right in combinations(ordered, 2):
        if left.label == right.label and left.start < right.start < left.end < right.end:
            raise DataError(
                f"{where}: two mentions of {left.label} cross; the column cannot tell them apart."
            )
    parts: list[list[str]] = [[] for _ in range(size)]
    for mention in ordered:
        single = mention.end == mention.start + 1
        parts[mention.start].append(f"({mention.label}{')' if single else ''}")
        if not single:
            parts[mention.end - 1].append(f"{mention.label})")
    return ["|".join(part) or "-" for part in parts]
