"""Short documents: a few sentences about the same people and things."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from encoder_atlas.errors import DataError
from encoder_atlas.text.grammar.draft import Discourse, Draft, told_apart
from encoder_atlas.text.grammar.draw_events import EventSource
from encoder_atlas.text.grammar.draw_forms import draw_form
from encoder_atlas.text.grammar.lexicon import Lexicon
from encoder_atlas.text.grammar.meaning import Event, Participant
from encoder_atlas.text.grammar.rules import Rules
from encoder_atlas.text.grammar.sentences import derivation
from encoder_atlas.text.grammar.tree import Node
from encoder_atlas.text.layers import Sentence

ABOUT_THE_SAME = 0.6
CONNECTED = 0.12
DRAWS_A_SENTENCE = 400
LENGTHS = (2, 3, 3, 4, 4, 5)


class DocumentSource:
    """Writes documents one after the other."""

    def __init__(
        self, lexicon: Lexicon, source: random.Random, rules: Rules, belongs: Callable[[list[str]], bool]
    ) -> None:
        self.source = source
        self.rules = rules
        self.events = EventSource(lexicon, source, rules)
        self.belongs = belongs
        self.domain = lexicon.domain

    def documents(self, name: str) -> Iterator[list[Sentence]]:
        """Documents without end, their sentences named after ``name``."""
        number = 0
        while True:
            yield self._document(f"{name}:{number}")
            number += 1

    def _document(self, name: str) -> list[Sentence]:
        self.events.things.fresh()
        discourse, cast, sentences = Discourse(), [], []
        for place in range(self.source.choice(LENGTHS)):
            event, draft, root = self._sentence(discourse, cast, place)
            sentences.append(draft.finished(root, f"{name}.{place}", name))
            discourse = draft.discourse.next_sentence()
            cast = _cast_after(event, draft, cast)
        return told_apart(sentences)

    def _sentence(
        self, discourse: Discourse, cast: list[Participant], place: int
    ) -> tuple[Event, Draft, Node]:
        """A sentence of this split, drawn until it is one."""
        taken = self.events.things.taken()
        for _ in range(DRAWS_A_SENTENCE):
            self.events.things.restore(taken)
            event = self._event(cast)
            form = draw_form(event, self.source, self.rules)
            if place and not form.ask and self.source.random() < CONNECTED:
                event = replace(event, connective=self.source.choice(self.events.things.words.connectives))
            draft = Draft(form, discourse.copy())
            root = derivation(event, draft)
            if self.belongs([str(word.word) for word in root.words()]):
                return event, draft, root
        raise DataError(
            f"The grammar of {self.domain!r} finds no more sentences for this split; add words to it."
        )

    def _event(self, cast: list[Participant]) -> Event:
        given = {}
        actors = [one for one in cast if self.events.can_act(one)]
        if actors and self.source.random() < ABOUT_THE_SAME:
            given["subject"] = self.source.choice(actors[-4:])
        return self.events.event(given=given, cast=cast)


def _cast_after(event: Event, draft: Draft, cast: list[Participant]) -> list[Participant]:
    """Those that can take part in the next sentence: everyone named so far, the last named last."""
    mentioned = {key for key, _ in draft.mentions}
    new = [one for inner in event.events() for one in inner.participants().values() if one.key in mentioned]
    by_key = {one.key: one for one in (*cast, *new)}
    last = [key for key, _ in draft.mentions if key in by_key]
    order = [key for key in by_key if key not in last] + list(dict.fromkeys(last))
    return [by_key[key] for key in order]
