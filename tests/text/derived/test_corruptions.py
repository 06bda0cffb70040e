"""Faults in hand-made sentences, each found where it can be and nowhere else."""

from dataclasses import replace

import pytest
from tests.text.derived.events import LEXICON, WORDS, event, org, the

from encoder_atlas.text.derived import corruptions
from encoder_atlas.text.derived.corruptions import Finder, Site
from encoder_atlas.text.grammar import Event, Form, Participant, write
from encoder_atlas.text.grammar.meaning import PLAIN

CLERK, CLERKS = the(1, "clerk"), replace(the(1, "clerk"), plural=True, pronoun="they")
SHOP, SHOPS = the(2, "shop", article="a"), replace(the(2, "shop", article="several"), plural=True)
ZENOVA = org(3, "Zenova")


def faults(find: Finder, what: Event, form: Form = PLAIN) -> set[tuple[str, str, str]]:
    sentence = write(what, form)
    return {(site.was, site.shown, corruptions.text_of(sentence, site)) for site in find(sentence, WORDS)}


def bought(who: Participant, what: Participant, **time: str) -> Event:
    return replace(event(who, "buy", what), **time)


def test_agreement() -> None:
    perfect = {"tense": "present", "aspect": "perfect"}
    assert faults(corruptions.agreement, bought(CLERK, SHOP, **perfect)) == {
        ("one", "many", "The clerk have bought a shop.")
    }
    assert faults(corruptions.agreement, bought(CLERKS, SHOP, **perfect)) == {
        ("many", "one", "The clerks has bought a shop.")
    }
    assert faults(corruptions.agreement, bought(CLERK, SHOPS), Form(passive=True)) == {
        ("many", "one", "Several shops was bought by the clerk.")
    }
    # The past tense has no number, and in British English a company may have agreed or has.
    assert faults(corruptions.agreement, bought(CLERK, SHOP)) == set()
    assert faults(corruptions.agreement, bought(ZENOVA, SHOP, **perfect)) == set()


def test_verb_form() -> None:
    cases = [
        ({"tense": "future", "modal": "must"}, ("VB", "VBN", "The clerk must bought a shop.")),
        ({"tense": "present", "aspect": "perfect"}, ("VBN", "VBG", "The clerk has buying a shop.")),
        ({"tense": "past", "aspect": "progressive"}, ("VBG", "VB", "The clerk was buy a shop.")),
    ]
    for time, fault in cases:
        assert faults(corruptions.verb_form, bought(CLERK, SHOP, **time)) == {fault}
    # "was bought" could become "was buying", which is English.
    assert faults(corruptions.verb_form, bought(CLERK, SHOP), Form(passive=True)) == set()
    # "must set up" has the form of "has set up".
    alike = Event(LEXICON.verb("cut"), (("subject", ZENOVA), ("object", the(5, "price"))), modal="must")
    assert faults(corruptions.verb_form, alike) == set()


def test_determiner() -> None:
    assert faults(corruptions.determiner, bought(CLERK, SHOP)) == {
        ("one", "many", "The clerk bought a shops.")
    }
    assert faults(corruptions.determiner, bought(CLERK, SHOPS)) == {
        ("many", "one", "The clerk bought several shop.")
    }
    assert faults(corruptions.determiner, bought(CLERK, the(2, "shop"))) == set()


def test_order() -> None:
    found = {
        text
        for _, _, text in faults(corruptions.order, bought(CLERK, the(2, "shop", "modern"), modal="must"))
    }
    assert found == {
        "Clerk the must buy the modern shop.",
        "The clerk buy must the modern shop.",
        "The clerk must buy modern the shop.",
        "The clerk must buy the shop modern.",
    }


def test_question() -> None:
    question = write(bought(CLERK, SHOP), Form(ask="object"))
    fault = corruptions.uninverted(question)
    assert corruptions.text_of(question, None) == "What did the clerk buy?"
    assert corruptions.text_of(question, fault) == "What the clerk did buy?"
    long = write(bought(the(1, "clerk", "young"), SHOP), Form(ask="object", which=True))
    assert corruptions.text_of(long, corruptions.uninverted(long)) == "Which shop the young clerk did buy?"


@pytest.mark.parametrize(
    ("text", "phrase", "words", "expected"),
    [
        ("The clerk praised Keller.", "the clerk", "him", "Him praised Keller."),
        ("The clerk praised Keller.", "Keller", "he", "The clerk praised he."),
        ("The clerks praised the clerk.", "the clerk", "him", "The clerks praised him."),
        ("The clerk praised the clerk.", "the clerk", "him", None),
        ("Keller slept.", "the clerk", "him", None),
    ],
)
def test_words_for_a_phrase(text: str, phrase: str, words: str, expected: str | None) -> None:
    assert corruptions.put_words(text, phrase, words) == expected


def test_names_keep_their_capitals() -> None:
    sentence = write(bought(ZENOVA, SHOP))
    assert corruptions.text_of(
        sentence, Site("", "", ("yesterday", *corruptions._lower_first(sentence)))
    ) == ("Yesterday Zenova bought a shop.")
