"""Events as values: changed, taken apart, drawn with constraints, and refused where a form cannot fit."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.grammar.said import (
    BANK,
    BUSINESS,
    BUY,
    CLERK,
    GIVE,
    MANAGER,
    PERSUADE,
    SAY,
    SHOP,
    SHOP_VISITED,
)

from encoder_atlas.text.grammar import (
    DOMAINS,
    EventSource,
    Form,
    describe,
    detokenise,
    draw_form,
    lexicon_of,
    write,
)
from encoder_atlas.text.layers import check_sentence


def test_changed_events_leave_the_first_as_it_was() -> None:
    other = GIVE.put("subject", CLERK)
    assert GIVE.get("subject") == MANAGER and other.get("subject") == CLERK
    assert (
        detokenise(write(GIVE.swapped("subject", "oblique")).words)
        == "The bank gave a report to the manager."
    )
    with pytest.raises(ValueError, match=r"'give' has .* not 'predicate'"):
        GIVE.put("predicate", CLERK)


def test_events_inside_events() -> None:
    assert [event.verb.base for event in SAY.events()] == ["say", "buy"]
    assert [event.verb.base for event in BUY.put("object", SHOP_VISITED).events()] == ["buy", "visit"]
    assert [event.verb.base for event in PERSUADE.events()] == ["persuade", "buy"]


def test_descriptions() -> None:
    assert describe(replace(SHOP, adjectives=("busy",), article="the")) == "the busy shop"
    assert describe(SHOP_VISITED) == "a shop which the manager visited"


@pytest.mark.parametrize(
    ("ask", "fault"), [("goal", "no participant 'goal'"), ("clause.object", "takes no clause")]
)
def test_what_cannot_be_asked(ask: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        write(BUY, Form(ask=ask))


def test_a_form_without_room_is_said_plainly() -> None:
    retired = BUY.put("object", SHOP)
    assert write(retired, Form(fronted="ARGM-TMP", extraposed=False)) == write(retired)


def test_related_words() -> None:
    assert BUSINESS.opposites("rise") == ("fall",)
    assert set(BUSINESS.synonyms("fall")) == {"drop", "decline"}
    assert [noun.word for noun in BUSINESS.broader(BUSINESS.noun("airline"))] == ["company", "organisation"]


@given(st.integers(0, 10**6), st.sampled_from(DOMAINS))
@settings(deadline=None, max_examples=25)
def test_any_drawn_event_can_be_said_in_any_drawn_form(seed: int, domain: str) -> None:
    events = EventSource(lexicon_of(domain), random.Random(f"any:{seed}"))
    event = events.event()
    for _ in range(3):
        form = draw_form(event, events.source, events.rules)
        sentence = write(event, form)
        check_sentence(sentence, f"{event} {form}")
        assert write(event, form) == sentence


def test_drawn_with_constraints() -> None:
    events = EventSource(BUSINESS, random.Random("constrained"))
    event = events.event(frames=["giving"], given={"subject": BANK}, plain=True)
    assert event.verb.frame == "giving" and event.get("subject") == BANK
    assert not event.modifiers and not event.negated
    assert events.event(verb=BUSINESS.verb("sign")).verb.base == "sign"
