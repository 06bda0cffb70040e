"""Spans as one tag a word and back: IOB1, IOB2 and BIOES."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.layers import Span

Scheme = Literal["iob1", "iob2", "bioes"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
PREFIXES: dict[Scheme, str] = {"iob1": "OIB", "iob2": "OIB", "bioes": "OIBES"}
TAG = re.compile(r"([BIES])-(.+)", re.DOTALL)

# Makes the error for a word, counted from 0, and what is wrong there.
Fault = Callable[[int, str], DataError]


class Tag(NamedTuple):
    """A tag in its two parts; O has no label."""

    prefix: str
    label: str

    def __str__(self) -> str:
        return f"{self.prefix}-{self.label}" if self.label else self.prefix


OUTSIDE = Tag("O", "")


def split_tags(tags: Sequence[str], fault: Fault) -> list[Tag]:
    """Each tag as its prefix and its label.

    Raises:
        DataError: through ``fault``, for a tag of another form.
    """
    split = []
    for word, tag in enumerate(tags):
        found = TAG.fullmatch(tag)
        if tag != "O" and not found:
            raise fault(word, f"{tag!r} is no tag: O, or B, I, E or S with a label, such as B-PER")
        split.append(Tag(*found.groups()) if found else OUTSIDE)
    return split


def follows(before: Tag, tag: Tag, scheme: Scheme) -> bool:
    """Whether a tag can stand after another; OUTSIDE stands before the first word and after the last."""
    if scheme == "iob1":
        return True
    goes_on = tag.prefix in "IE"
    if scheme == "bioes" and goes_on != (before.prefix in "BI"):
        return False
    return not goes_on or before.label == tag.label


def spans_of(tags: Sequence[str], scheme: Scheme, fault: Fault) -> tuple[Span, ...]:
    """The spans that tags spell out.

    In IOB2 every span begins with B; in IOB1 only where it touches another of the same label, else with I; in
    BIOES a span of one word is S, a longer one runs from B to E.

    Raises:
        DataError: through ``fault``, at the first tag that is not of the scheme or cannot stand where it is.
    """
    check_scheme(scheme)
    split = split_tags(tags, fault)
    spans: list[Span] = []
    for word, (before, tag) in enumerate(pairwise([OUTSIDE, *split, OUTSIDE])):
        if tag.prefix not in PREFIXES[scheme] or not follows(before, tag, scheme):
            raise fault(
                min(word, len(tags) - 1), _reason(before if word else None, tag, scheme, word == len(tags))
            )
        if tag.prefix in "IE" and before.label == tag.label:
            spans[-1] = spans[-1]._replace(end=word + 1)
        elif tag != OUTSIDE:
            spans.append(Span(word, word + 1, tag.label))
    return tuple(spans)


def _reason(before: Tag | None, tag: Tag, scheme: Scheme, ended: bool) -> str:
    """What is wrong with a tag, and the way out."""
    if tag.prefix not in PREFIXES[scheme]:
        return f"{tag} does not belong to {scheme}; for BIOES give scheme='bioes'"
    if scheme == "iob2":
        place = f"after {before}" if before else "at the beginning"
        return f"{tag} {place}: in IOB2 a span begins with B-{tag.label}; for IOB1 give scheme='iob1'"
    if before and before.prefix in "BI":
        after = "the end of the sentence" if ended else tag
        wrong, way = f"{before} before {after}", f"a span ends with E-{before.label}, or is S-{before.label}"
    else:
        wrong = f"{tag} after {before or 'nothing'}"
        way = f"a span begins with B-{tag.label}, or is S-{tag.label}"
    return f"{wrong}: in BIOES {way}; for IOB2 give scheme='iob2'"


def recognised(sentences: Iterable[Sequence[Tag]]) -> Scheme:
    """The scheme of a file: BIOES if there is an E or S; IOB1 if a span begins with I; else IOB2.

    In IOB1 B stands only between spans of one label. A file that has spans beginning with I, and B elsewhere
    too, is none of the three and taken for IOB2, whose reading then says what is wrong.
    """
    pairs = [pair for sentence in sentences for pair in pairwise([OUTSIDE, *sentence])]
    if any(tag.prefix in "ES" for _, tag in pairs):
        return "bioes"
    iob2 = all(follows(before, tag, "iob2") for before, tag in pairs)
    iob1 = all(tag.prefix != "B" or before.label == tag.label for before, tag in pairs)
    return "iob1" if iob1 and not iob2 else "iob2"


def tags_of(spans: Iterable[Span], size: int, scheme: Scheme = "iob2") -> list[str]:
    """One tag a word for spans that do not overlap; ``spans_of`` finds them again.

    Raises:
        DataError: if the scheme is not known.
    """
    check_scheme(scheme)
    tags = ["O"] * size
    before = Span(0, 0, "")
    for span in sorted(spans):
        tags[span.start : span.end] = [f"I-{span.label}"] * (span.end - span.start)
        if scheme != "iob1" or (before.end, before.label) == (span.start, span.label):
            tags[span.start] = f"B-{span.label}"
        if scheme == "bioes":
            tags[span.end - 1] = f"{'E' if span.end - span.start > 1 else 'S'}-{span.label}"
        before = span
    return tags


def check_scheme(scheme: str) -> None:
    """Refuse a scheme that is not known.

    Raises:
        DataError: naming the nearest.
    """
    if scheme not in SCHEMES:
        raise DataError(f"There is no tagging scheme {scheme!r}; {near(scheme, SCHEMES)}.")
