"""Trees in brackets, "(TOP (NP (DT the) (NN dog)))", as spans over words and back."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.tags import Fault
from encoder_atlas.text.layers import Span, Tree

OUTER = "TOP"  # the label of an outer bracket that has none, "( (S …))"
TRACE = "-NONE-"
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
CHARACTERS = {escape: character for character, escape in ESCAPES.items()}
ESCAPE = re.compile("|".join(CHARACTERS))
# A leaf with tag and word, an opening bracket with a label or none, a closing one, anything else; white space
# is that of ASCII only, since others occur inside words.
TOKEN = re.compile(
    r"\([ \t\r\n]*([^ \t\r\n()]++)[ \t\r\n]++([^ \t\r\n()]++)[ \t\r\n]*\)"
    r"|\([ \t\r\n]*([^ \t\r\n()]*)"
    r"|(\))"
    r"|([^ \t\r\n()]+)"
)


class Grown(NamedTuple):
    """A tree as read: where it begins in the text, its words as written, and the tree over them."""

    begin: int
    words: tuple[str, ...]
    tree: Tree


class OpenSpans:
    """Spans in the order they open, while brackets open and close.

    Attributes:
        depth: how many are open.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._spans: list[Span | None] = []
        self._open: list[tuple[int, int, str]] = []

    def open(self, start: int, label: str) -> None:
        """Begin a span at a word."""
        self.depth += 1
        self._open.append((len(self._spans), start, label))
        self._spans.append(None)

    def close(self, end: int) -> None:
        """End the span that opened last before a word; one without words is forgotten."""
        self.depth -= 1
        slot, start, label = self._open.pop()
        self._spans[slot] = Span(start, end, label) if end > start else None

    def spans(self) -> tuple[Span, ...]:
        """The closed spans, so that of spans over the same words the outer stands first."""
        return tuple(span for span in self._spans if span)


def parse_trees(
    text: str, fault: Fault, *, keep_functions: bool = False, keep_traces: bool = False
) -> Iterator[Grown]:
    """The trees of a text, one after the other, over any number of lines.

    An outer bracket without a label is called TOP. Without ``keep_functions`` a phrase label ends before the
    first "-", "=" or "|" ("NP-SBJ-1" is NP); without ``keep_traces`` words tagged -NONE- are removed with the
    phrases that have no others, and a tree of nothing else is passed over. Words stay as written.

    Raises:
        DataError: through ``fault``, at the character (from 0) where the brackets go wrong.
    """
    grown = OpenSpans()
    words: list[str] = []
    tags: list[str] = []
    begin, just_opened = 0, False
    for token in TOKEN.finditer(text):
        tag, word, label, close, stray = token.groups()
        if stray or (label is None and not grown.depth):
            raise fault(token.start(), _reason(stray, close))
        if label is not None:
            if not grown.depth:
                begin, grown, words, tags = token.start(), OpenSpans(), [], []
            elif not label:
                raise fault(token.start(), "a bracket without a label; only the outermost may have none")
            grown.open(len(words), (label if keep_functions else phrase_label(label)) or OUTER)
        elif close:
            if just_opened:
                raise fault(token.start(), "a phrase without words; a word is written (tag word)")
            grown.close(len(words))
            if not grown.depth and words:
                yield Grown(begin, tuple(words), Tree(grown.spans(), tuple(tags)))
        elif keep_traces or tag != TRACE:
            words.append(word)
            tags.append(tag)
        just_opened = label is not None
    if grown.depth:
        raise fault(begin, f"this tree is not closed: {grown.depth} more ) are due")


def _reason(stray: str | None, close: str | None) -> str:
    if stray:
        return f"{stray!r} where a bracket is due; a word is written (tag word)"
    if close:
        return "a bracket closes that was not opened"
    return "a word outside of a tree; the smallest tree is (TOP (tag word))"


def phrase_label(label: str) -> str:
    """A label without functions and indices: NP of "NP-SBJ-1", "NP=2" or "NP|X"; "-NONE-" stays."""
    return label if label.startswith(("-", "=", "|")) else re.split("[-=|]", label, maxsplit=1)[0]


def bracketed(words: Sequence[str], tree: Tree) -> str:
    """The tree on one line; words must already be as they are written (``escaped``)."""
    opening = [""] * (len(words) + 1)
    for span in tree.spans:
        opening[span.start] += f"({span.label} "
    closing = Counter(span.end for span in tree.spans)
    leaves = zip(opening, tree.tags, words, strict=False)
    return " ".join(
        f"{opened}({tag} {word}){')' * closing[number]}"
        for number, (opened, tag, word) in enumerate(leaves, start=1)
    )


def unescaped(word: str) -> str:
    """A word with the brackets that -LRB-, -RRB-, -LSB-, -RSB-, -LCB- and -RCB- stand for."""
    return ESCAPE.sub(lambda found: CHARACTERS[found[0]], word) if "B-" in word else word


def escaped(word: str) -> str:
    """A word without round brackets, which would be read as those of the tree."""
    return word.replace("(", ESCAPES["("]).replace(")", ESCAPES[")"])


def check_labels(labels: Iterable[str], where: str) -> None:
    """Refuse labels that brackets cannot hold.

    Raises:
        DataError: for one that is empty or holds a bracket or white space.
    """
    for label in labels:
        if not re.fullmatch(r"[^ \t\r\n()]+", label):
            raise DataError(f"{where}: label {label!r} cannot be written in brackets.")
