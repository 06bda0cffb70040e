"""A sentence's layers must fit its words: checked against slow, literal twins."""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree, check_sentence

WORDS = ("Ann", "saw", "Bob")
GOOD = Sentence(
    id="s",
    words=WORDS,
    tags=("NNP", "VBD", "NNP"),
    upos=("PROPN", "VERB", "PROPN"),
    heads=(2, 0, 2),
    deprels=("nsubj", "root", "obj"),
    entities=(Span(0, 1, "PER"), Span(2, 3, "PER")),
    tree=Tree((Span(0, 3, "TOP"), Span(0, 3, "S"), Span(1, 3, "VP")), ("NNP", "VBD", "NNP")),
    frames=(Frame(1, "see.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"), Span(2, 3, "ARG1"))),),
    mentions=(Span(0, 3, "1"), Span(0, 2, "2"), Span(1, 3, "2")),
)


def accepted(**layers: Any) -> bool:
    try:
        check_sentence(Sentence("s", WORDS, **layers), "here")
    except DataError:
        return False
    return True


def test_layers_that_are_known() -> None:
    check_sentence(GOOD, "here")
    assert GOOD.layers == ("pos", "dep", "ner", "con", "srl", "coref")
    assert Sentence("s", WORDS, entities=(), upos=("X", "X", "X")).layers == ("ner",)
    assert GOOD.frames
    assert [role.label for role in GOOD.frames[0].arguments] == ["ARG0", "ARG1"]


def is_tree(heads: tuple[int, ...]) -> bool:
    """One word hangs from 0, and climbing from any word reaches 0."""
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return heads.count(0) == 1


def test_heads_are_accepted_exactly_where_they_are_a_tree() -> None:
    for heads in product(range(4), repeat=3):
        assert accepted(heads=heads, deprels=("a", "b", "c")) == is_tree(heads)


def nests(spans: tuple[Span, ...]) -> bool:
    """The first phrase is the whole sentence, they stand in pre-order, and no two cross."""
    crossing = any(
        left.start < right.start < left.end < right.end or right.start < left.start < right.end < left.end
        for left, right in combinations(spans, 2)
    )
    in_order = list(spans) == sorted(spans, key=lambda span: (span.start, -span.end))
    return bool(spans) and spans[0][:2] == (0, 3) and in_order and not crossing


def test_phrases_are_accepted_exactly_where_they_nest_in_pre_order() -> None:
    possible = [Span(start, end, "X") for start in range(3) for end in range(start + 1, 4)]
    for size in range(4):
        for spans in product(possible, repeat=size):
            assert accepted(tree=Tree(spans, WORDS)) == nests(spans), spans


def test_flat_spans_are_accepted_exactly_where_no_two_share_a_word() -> None:
    possible = [Span(start, end, "X") for start in range(3) for end in range(start + 1, 4)]
    for spans in product(possible, repeat=2):
        apart = not set(range(*spans[0][:2])) & set(range(*spans[1][:2]))
        assert accepted(entities=spans) == apart
        assert accepted(frames=(Frame(0, "x.01", spans),)) == apart
        assert accepted(mentions=spans)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": ()}, "here: the sentence has no words"),
        ({"words": ("a", "\u2028", "b")}, "here: word 1 is empty"),
        ({"tags": ("X",)}, "here: 1 tags for 3 words"),
        ({"upos": ("X",) * 4}, "here: 4 upos for 3 words"),
        ({"heads": (0,), "deprels": ("a",) * 3}, "here: 1 heads for 3 words"),
        ({"deprels": None}, "here: heads and deprels are one layer"),
        ({"heads": (2, 0, 4)}, "here: word 3 has head 4, outside the 3 words"),
        ({"heads": (2, 0, -1)}, "here: word 3 has head -1"),
        ({"heads": (0, 0, 1)}, "here: 2 words have head 0"),
        ({"heads": (0, 3, 2)}, r"here: the heads of words \[2, 3\] go round in a circle"),
        ({"entities": (Span(2, 4, "PER"),)}, r"here, entities: PER \[2, 4\) is empty or outside the 3 words"),
        ({"entities": (Span(1, 1, "PER"),)}, "here, entities: PER .* is empty"),
        ({"entities": (Span(-1, 1, "PER"),)}, "here, entities: PER .* is empty or outside"),
        ({"entities": (Span(1, 3, "A"), Span(0, 2, "B"))}, r"entities: B \[0, 2\) and A \[1, 3\) overlap"),
        ({"tree": Tree((Span(0, 3, "S"),), ("X",))}, "here: the tree has 1 words, the sentence 3"),
        ({"tree": Tree((Span(0, 2, "S"),), WORDS)}, "here: the tree's first phrase must span all 3 words"),
        (
            {"tree": Tree((Span(0, 3, "S"), Span(0, 2, "A"), Span(1, 3, "B")), WORDS)},
            "phrase B .* crosses",
        ),
        ({"frames": (Frame(3, "x.01", ()),)}, "here: predicate 3 is outside the 3 words"),
        ({"frames": (Frame(0, "x.01", (Span(0, 9, "V"),)),)}, r"here, roles of 'x.01': V \[0, 9\) is empty"),
        ({"mentions": (Span(3, 3, "1"),)}, r"here, mentions: 1 \[3, 3\) is empty"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_sentence(replace(GOOD, **change), "here")
