"""Sentences of the grammar with what is known of their events: which words are whose."""

import random
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from encoder_atlas.text.edges.build import Words
from encoder_atlas.text.grammar import Event, EventSource, Form, Participant, Verb, draw_form, lexicon_of
from encoder_atlas.text.grammar.corpus import SPLITS
from encoder_atlas.text.grammar.draft import Draft
from encoder_atlas.text.grammar.meaning import PLAIN
from encoder_atlas.text.grammar.sentences import derivation
from encoder_atlas.text.grammar.tree import Node

NEVER = ("never", "ARGM-NEG")


class Clause(NamedTuple):
    """A clause of a sentence.

    Attributes:
        event: what it says.
        verb: the word of its verb.
        nominals: the head word of each participant that is named in it by a noun or name, by key; those that
            are left out, or called by a pronoun or a question word, are not there.
    """

    event: Event
    verb: Words
    nominals: dict[int, Words]


class Said(NamedTuple):
    """A sentence.

    Attributes:
        words: as written.
        clauses: those that say that something happens or is so; what is denied, and "be", is left out.
        named_once: the head word of everyone that is mentioned in it once, and by a noun or name, by key.
    """

    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    named_once: dict[int, Words]


class SaidSource:
    """Draws sentences of one domain and split, all different, about events that stand alone.

    A sentence belongs to a split by its words, as in the generated corpus "language": none of train stands in
    dev or test, there or here.

    Attributes:
        chance: the only source of chance.
    """

    def __init__(self, domain: str, split: str, seed: str) -> None:
        self.chance = random.Random(f"{seed}:{domain}:{split}")
        self.lexicon = lexicon_of(domain)
        self._events = EventSource(self.lexicon, self.chance)
        self._share = SPLITS[split]
        self._written: set[str] = set()

    def draw(self, verb: Verb | None = None) -> Said | None:
        """A sentence, of a verb if one is given; None where the draw is not of this split or not new."""
        self._events.things.fresh()
        event = self._events.event(verb=verb)
        said = said_of(event, draw_form(event, self.chance, self._events.rules))
        text = " ".join(said.words).lower()
        if text in self._written or zlib.crc32(text.encode()) % 100 not in self._share:
            return None
        self._written.add(text)
        return said


def said_of(event: Event, form: Form = PLAIN) -> Said:
    """An event as a sentence, and which words are whose."""
    draft = Draft(form)
    words = draft.finished(derivation(event, draft)).words
    return Said(words, tuple(_clauses(draft)), _named_once(draft))


def single(one: object) -> bool:
    """Whether it is one participant by itself, not several joined by "and", and no amount."""
    return isinstance(one, Participant) and not one.also and not one.amount


def _clauses(draft: Draft) -> Iterator[Clause]:
    for event, verb, by_key in draft.said:
        if event.negated or event.adverb == NEVER or event.verb.base == "be":
            continue
        nominals = {key: _head(node) for key, node in by_key.items() if _is_nominal(node)}
        yield Clause(event, (verb.start, verb.end), nominals)


def _named_once(draft: Draft) -> dict[int, Words]:
    keys = [key for key, _ in draft.mentions]
    return {key: _head(node) for key, node in draft.mentions if keys.count(key) == 1 and _is_nominal(node)}


def _is_nominal(node: Node) -> bool:
    return node.main_word.label.startswith("NN")


def _head(node: Node) -> Words:
    return node.main_word.start, node.main_word.end
