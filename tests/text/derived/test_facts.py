"""What follows from what: by hand, and against all worlds in which the premise is true."""

from collections.abc import Collection
from dataclasses import replace
from itertools import product

import pytest
from tests.text.derived.events import WORDS, being, both, event, org, said, the

from encoder_atlas.text.derived.facts import Relation, facts, relation, same_meaning, told
from encoder_atlas.text.derived.scenes import say
from encoder_atlas.text.grammar import Event, Form, Modifier

ZENOVA, TOLMAR, CORVEX = org(1, "Zenova"), org(2, "Tolmar"), org(3, "Corvex")
PLAN, MODERN_SHOP, SHOP = the(4, "plan"), the(5, "shop", "modern"), the(5, "shop")
CLERK = the(6, "clerk")
BUYS = event(ZENOVA, "acquire", TOLMAR)
SOON = Modifier("ARGM-MNR", "quickly")

BY_HAND: list[tuple[Event, Event, Relation]] = [
    (BUYS, BUYS, "entailment"),
    (BUYS, event(TOLMAR, "acquire", ZENOVA), "neutral"),
    (BUYS, event(ZENOVA, "acquire", CORVEX), "neutral"),
    (BUYS, replace(BUYS, negated=True), "contradiction"),
    (replace(BUYS, negated=True), BUYS, "contradiction"),
    (replace(BUYS, negated=True), replace(BUYS, negated=True), "entailment"),
    (replace(BUYS, modifiers=(SOON,)), BUYS, "entailment"),
    (BUYS, replace(BUYS, modifiers=(SOON,)), "neutral"),
    (replace(BUYS, modifiers=(SOON,), negated=True), BUYS, "neutral"),
    (event(ZENOVA, "buy", MODERN_SHOP), event(ZENOVA, "purchase", SHOP), "entailment"),
    (event(ZENOVA, "buy", SHOP), event(ZENOVA, "purchase", MODERN_SHOP), "neutral"),
    (event(ZENOVA, "approve", PLAN), event(ZENOVA, "reject", PLAN), "contradiction"),
    (event(ZENOVA, "approve", PLAN), event(ZENOVA, "reject", PLAN, negated=True), "entailment"),
    (event(ZENOVA, "approve", PLAN, negated=True), event(ZENOVA, "reject", PLAN), "neutral"),
    (event(ZENOVA, "approve", PLAN), event(TOLMAR, "reject", PLAN), "neutral"),
    (being(SHOP, "modern"), being(SHOP, "outdated"), "contradiction"),
    (being(SHOP, "modern", negated=True), being(SHOP, "outdated"), "neutral"),
    (being(SHOP, "large"), being(SHOP, "big"), "entailment"),
    (being(SHOP, "large"), being(SHOP, "little", negated=True), "entailment"),
    (said(CLERK, "admit", "saying", BUYS), BUYS, "entailment"),
    (said(CLERK, "fear", "saying", BUYS), BUYS, "neutral"),
    (said(CLERK, "admit", "saying", replace(BUYS, negated=True)), BUYS, "contradiction"),
    (said(ZENOVA, "refuse", "wanting", BUYS), BUYS, "contradiction"),
    (said(ZENOVA, "refuse", "wanting", BUYS), replace(BUYS, negated=True), "entailment"),
    (said(ZENOVA, "want", "wanting", BUYS), BUYS, "neutral"),
    (said(CLERK, "force", "asking", BUYS, ZENOVA), BUYS, "entailment"),
    (both(event(CORVEX, "acquire", TOLMAR), replace(BUYS, negated=True)), BUYS, "contradiction"),
    (both(event(CORVEX, "acquire", TOLMAR), BUYS), BUYS, "entailment"),
]


@pytest.mark.parametrize(("premise", "hypothesis", "expected"), BY_HAND)
def test_by_hand(premise: Event, hypothesis: Event, expected: Relation) -> None:
    assert relation(premise, hypothesis, WORDS) == expected, f"{say(premise)} / {say(hypothesis)}"


def test_a_passive_without_its_agent_says_less() -> None:
    silent = told(BUYS, Form(passive=True, agent=False))
    assert silent.get("subject") is None
    assert told(BUYS, Form(passive=True)) == BUYS
    assert told(BUYS, Form(agent=False)) == BUYS
    assert relation(BUYS, silent, WORDS) == "entailment"
    assert relation(silent, BUYS, WORDS) == "neutral"
    # That Zenova did not buy it does not mean that nobody did; that nobody did means that Zenova did not.
    assert relation(replace(BUYS, negated=True), replace(silent, negated=True), WORDS) == "neutral"
    assert relation(replace(silent, negated=True), replace(BUYS, negated=True), WORDS) == "entailment"


def test_facts_are_what_a_statement_commits_to() -> None:
    found = list(
        facts(both(said(CLERK, "fear", "saying", BUYS), said(ZENOVA, "refuse", "wanting", BUYS)), WORDS)
    )
    assert [(fact.verb.base, fact.negated) for fact in found] == [
        ("fear", False),
        ("refuse", False),
        ("acquire", True),
    ]


def test_same_meaning_goes_both_ways() -> None:
    assert same_meaning(event(ZENOVA, "buy", SHOP), event(ZENOVA, "purchase", SHOP), WORDS)
    assert not same_meaning(event(ZENOVA, "buy", MODERN_SHOP), event(ZENOVA, "buy", SHOP), WORDS)
    assert same_meaning(both(BUYS, being(SHOP, "large")), both(being(SHOP, "big"), BUYS), WORDS)
    assert not same_meaning(both(BUYS, being(SHOP, "large")), BUYS, WORDS)


NOUNS = {"phone": ("phone",), "printer": ("printer",), "item": ("phone", "printer", "chair")}
BUYERS = {"Zenova": ZENOVA, "Corvex": CORVEX}
POSSIBLE = list(product(BUYERS, NOUNS["item"]))
WORLDS = [
    {deed for deed, done in zip(POSSIBLE, which, strict=True) if done}
    for which in product((False, True), repeat=len(POSSIBLE))
]
Claim = tuple[str, str, bool]  # who, what, negated
CLAIMS: list[Claim] = list(product(BUYERS, NOUNS, (False, True)))


def true_in(world: Collection[tuple[str, ...]], claim: Claim) -> bool:
    """Whether "Zenova bought a phone", or that it did not, is true in a world."""
    who, what, negated = claim
    return any((who, kind) in world for kind in NOUNS[what]) != negated


def by_worlds(premises: tuple[Claim, ...], hypothesis: Claim) -> Relation:
    """The relation as logic has it: what is true in every world of the premise, in none, or in some."""
    worlds = [world for world in WORLDS if all(true_in(world, claim) for claim in premises)]
    found = {true_in(world, hypothesis) for world in worlds}
    return "neutral" if len(found) == 2 else "entailment" if found == {True} else "contradiction"


def as_event(claim: Claim) -> Event:
    who, what, negated = claim
    return event(BUYERS[who], "buy", the(9, what, article="a"), negated)


def test_one_statement_against_all_worlds() -> None:
    for premise, hypothesis in product(CLAIMS, CLAIMS):
        expected = by_worlds((premise,), hypothesis)
        assert relation(as_event(premise), as_event(hypothesis), WORDS) == expected, (premise, hypothesis)


def test_two_statements_against_all_worlds() -> None:
    for one, other, hypothesis in product(CLAIMS, CLAIMS, CLAIMS):
        consistent = any(true_in(world, one) and true_in(world, other) for world in WORLDS)
        if one[0] == other[0] or not consistent:  # the grammar joins what different ones did
            continue
        expected = by_worlds((one, other), hypothesis)
        assert relation(both(as_event(one), as_event(other)), as_event(hypothesis), WORDS) == expected
