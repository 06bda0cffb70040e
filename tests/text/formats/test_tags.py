"""IOB1, IOB2 and BIOES: spans found as seqeval finds them, and everything else refused."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.scheme import IOB1, IOB2, IOBES, Entities
from tests.text.drawn import flat

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.tags import (
    SCHEMES,
    Scheme,
    check_scheme,
    recognised,
    spans_of,
    split_tags,
    tags_of,
)
from encoder_atlas.text.layers import Span

THEIRS = {"iob1": IOB1, "iob2": IOB2, "bioes": IOBES}
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def fault(word: int, what: str) -> DataError:
    return DataError(f"word {word}: {what}.")


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("iob1", "I-A B-A I-A I-B O I-A B-A"),
        ("iob2", "B-A B-A I-A B-B O B-A B-A"),
        ("bioes", "S-A B-A E-A S-B O S-A S-A"),
    ],
)
def test_by_hand(scheme: Scheme, tags: str) -> None:
    spans = (Span(0, 1, "A"), Span(1, 3, "A"), Span(3, 4, "B"), Span(5, 6, "A"), Span(6, 7, "A"))
    assert spans_of(tags.split(), scheme, fault) == spans
    assert tags_of(spans, 7, scheme) == tags.split()
    assert recognised([split_tags(tags.split(), fault)]) == scheme


@given(st.integers(1, 8).flatmap(lambda size: st.tuples(st.just(size), flat(size))), st.sampled_from(SCHEMES))
@settings(deadline=None)
def test_seqeval_finds_the_same_spans(drawn: tuple[int, tuple[Span, ...]], scheme: Scheme) -> None:
    size, spans = drawn
    tags = tags_of(spans, size, scheme)
    theirs = Entities([tags], THEIRS[scheme]).entities[0]
    assert [(one.start, one.end, one.tag) for one in theirs] == [tuple(span) for span in spans]
    assert spans_of(tags, scheme, fault) == spans


def all_flat(size: int) -> list[tuple[Span, ...]]:
    """Every set of spans over so many words that do not overlap, under two labels."""
    if size == 0:
        return [()]
    found = list(all_flat(size - 1))  # the last word stands outside
    for start in range(size):
        found += [(*rest, Span(start, size, label)) for rest in all_flat(start) for label in "AB"]
    return found


@pytest.mark.parametrize(("scheme", "prefixes"), [("iob2", "BI"), ("bioes", "BIES")])
def test_exactly_the_sequences_that_spell_spans_are_read(scheme: Scheme, prefixes: str) -> None:
    right = {tuple(tags_of(spans, 3, scheme)): spans for spans in all_flat(3)}
    tags = ["O"] + [f"{prefix}-{label}" for prefix in prefixes for label in "AB"]
    for sequence in product(tags, repeat=3):
        if sequence in right:
            assert spans_of(sequence, scheme, fault) == right[sequence]
        else:
            with pytest.raises(DataError):
                spans_of(sequence, scheme, fault)


@pytest.mark.parametrize(
    ("scheme", "tags", "message"),
    [
        ("iob2", "O I-A", "word 1: I-A after O: in IOB2 a span begins with B-A; for IOB1 give scheme='iob1'"),
        ("iob2", "I-A", "word 0: I-A at the beginning: in IOB2"),
        ("iob2", "B-B I-A", "word 1: I-A after B-B"),
        ("iob2", "B-A E-A", "word 1: E-A does not belong to iob2; for BIOES give scheme='bioes'"),
        ("iob1", "I-A S-A", "word 1: S-A does not belong to iob1"),
        ("bioes", "B-A", "word 0: B-A before the end of the sentence: in BIOES a span ends with E-A"),
        ("bioes", "B-A O", "word 1: B-A before O: in BIOES a span ends with E-A, or is S-A"),
        ("bioes", "B-A E-B", "word 1: B-A before E-B"),
        ("bioes", "O E-B", "word 1: E-B after O: in BIOES a span begins with B-B, or is S-B; for IOB2 give"),
        ("bioes", "I-B", "word 0: I-B after nothing: in BIOES"),
        ("iob2", "O B-", "word 1: 'B-' is no tag: O, or B, I, E or S with a label"),
        ("iob2", "PER", "word 0: 'PER' is no tag"),
    ],
)
def test_wrong_sequences_are_refused_with_the_way_out(scheme: Scheme, tags: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        spans_of(tags.split(), scheme, fault)


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("O O", "iob2"),
        ("B-A O", "iob2"),
        ("O I-A", "iob1"),
        ("B-A O I-A", "iob2"),  # none of the three: reading it says so
        ("B-A O S-A", "bioes"),
    ],
)
def test_how_a_scheme_is_recognised(tags: str, scheme: Scheme) -> None:
    assert recognised([split_tags(tags.split(), fault)]) == scheme


def test_a_scheme_that_is_not_known_is_refused() -> None:
    with pytest.raises(DataError, match="no tagging scheme 'iobes'; did you mean 'bioes'"):
        check_scheme("iobes")
