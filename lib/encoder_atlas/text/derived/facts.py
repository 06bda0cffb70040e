"""What follows from what: events compared by their verbs, participants, modifiers and polarity.

A sentence asserts facts; an event inside it is one of them or not, as the verb around it says. Of facts with
one and the same meaning, "a fact entails another" is decided position by position. Labels of the generated
tasks are what these functions say, never what the construction of a sentence intended.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from encoder_atlas.text.derived.vocabulary import Vocabulary
from encoder_atlas.text.grammar import Event, Form, Participant, Quality
from encoder_atlas.text.grammar.meaning import Argument

Relation = Literal["entailment", "neutral", "contradiction"]
RELATIONS: tuple[Relation, ...] = ("entailment", "neutral", "contradiction")


def told(event: Event, form: Form) -> Event:
    """What a form leaves of an event: a passive without its agent does not say who did it."""
    if (
        form.passive
        and not form.agent
        and event.verb.frame in ("transitive", "giving", "placing", "particle")
    ):
        return replace(event, arguments=tuple(one for one in event.arguments if one[0] != "subject"))
    return event


def facts(event: Event, words: Vocabulary) -> Iterator[Event]:
    """The facts that a statement of ``event`` commits to, each an event with its polarity."""
    yield event
    if event.beside is not None:
        yield from facts(event.beside[1], words)
    inner = event.get("clause")
    if isinstance(inner, Event) and not event.negated:
        if event.verb.base in (*words.file.factive, *words.file.done):
            yield from facts(inner, words)
        elif event.verb.base in words.file.not_done:
            yield replace(inner, negated=not inner.negated)


def relation(premise: Event, hypothesis: Event, words: Vocabulary) -> Relation:
    """Whether ``hypothesis`` must be so, cannot be so, or may be so, given ``premise``.

    The same participant in both is the same one. What is not said is left open: an event is not taken to
    exclude another, except that something cannot at once be, rise or be approved, and be or do the opposite.
    """
    found = {_of_fact(fact, hypothesis, words) for fact in facts(premise, words)}
    if "entailment" in found:
        return "entailment"
    return "contradiction" if "contradiction" in found else "neutral"


def same_meaning(one: Event, other: Event, words: Vocabulary) -> bool:
    """Whether two statements say the same: the facts of each follow from the other."""
    return all(relation(one, fact, words) == "entailment" for fact in facts(other, words)) and all(
        relation(other, fact, words) == "entailment" for fact in facts(one, words)
    )


def _of_fact(fact: Event, hypothesis: Event, words: Vocabulary) -> Relation:
    narrower, broader = (hypothesis, fact) if fact.negated else (fact, hypothesis)
    if implies(narrower, broader, words):
        return "entailment" if fact.negated == hypothesis.negated else "contradiction"
    if not fact.negated and _excludes(fact, hypothesis, words):
        return "entailment" if hypothesis.negated else "contradiction"
    return "neutral"


def implies(one: Event, other: Event, words: Vocabulary) -> bool:
    """Whether ``one`` taking place means that ``other`` does, polarity aside."""
    return (
        (one.verb.particle, one.verb.prep) == (other.verb.particle, other.verb.prep)
        and words.same("verbs", one.verb.base, other.verb.base)
        and _circumstances(one, other, words)
        and all(covers(one.get(position), argument, words) for position, argument in other.arguments)
    )


def _excludes(one: Event, other: Event, words: Vocabulary) -> bool:
    """Whether ``one`` taking place means that ``other`` does not: opposite verbs or qualities."""
    if not _circumstances(one, other, words):
        return False
    mine, theirs = one.get("predicate"), other.get("predicate")
    if isinstance(mine, Quality) and isinstance(theirs, Quality):
        return words.opposite("adjectives", mine.adjective, theirs.adjective) and covers(
            one.get("subject"), other.get("subject"), words
        )
    return (
        not (one.verb.particle or other.verb.particle)
        and words.opposite("verbs", one.verb.base, other.verb.base)
        and all(covers(one.get(position), argument, words) for position, argument in other.arguments)
    )


def _circumstances(one: Event, other: Event, words: Vocabulary) -> bool:
    """Whether all that is said of the circumstances of ``other`` is said of those of ``one``."""
    return all(modifier in one.modifiers for modifier in other.modifiers)


def covers(one: "Argument | None", other: "Argument | None", words: Vocabulary) -> bool:
    """Whether what ``one`` describes is what ``other`` describes, in as many words or fewer."""
    if isinstance(one, Participant) and isinstance(other, Participant):
        return one.key == other.key and _describes(one, other, words)
    if isinstance(one, Event) and isinstance(other, Event):
        return one.negated == other.negated and implies(one, other, words) and implies(other, one, words)
    if isinstance(one, Quality) and isinstance(other, Quality):
        return words.same("adjectives", one.adjective, other.adjective) and other.degree in ("", one.degree)
    return one is not None and one == other


def _describes(one: Participant, other: Participant, words: Vocabulary) -> bool:
    if one.noun is None or other.noun is None:
        return (one.noun is None) == (other.noun is None) and one.amount == other.amount
    nouns = (one.noun, *words.lexicon.broader(one.noun))
    return (
        any(words.same("nouns", noun.word, other.noun.word) for noun in nouns)
        and other.compound in ("", one.compound)
        and all(
            any(words.same("adjectives", adjective, mine) for mine in one.adjectives)
            for adjective in other.adjectives
        )
    )
