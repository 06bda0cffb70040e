"""Plain events to make tasks of: definite participants, past tense; how to say and to change them."""

import random
from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

from encoder_atlas.text.derived.vocabulary import Vocabulary
from encoder_atlas.text.grammar import (
    Event,
    EventSource,
    Form,
    Modifier,
    Name,
    Participant,
    Verb,
    detokenise,
    write,
)
from encoder_atlas.text.grammar.lexicon import ABSTRACT
from encoder_atlas.text.grammar.meaning import PLAIN, Argument

FRAMES = ("transitive", "transitive", "transitive", "giving", "placing", "particle", "prepositional")
PASSIVE_FRAMES = ("transitive", "giving", "placing", "particle")
DRAWS = 100  # after so many draws something is asked for that the words do not give

Kind = TypeVar("Kind")
TIME = "ARGM-TMP"
# How often a word is another of its synonyms: a rare word must not tell that a sentence was reworded.
REWORDED = 0.4
TITLES = {"she": "Ms.", "he": "Mr."}


class NothingFitsError(Exception):
    """A draw that came to nothing: the words drawn so far leave no room for what was to follow."""


class SceneSource:
    """Draws and changes events; all its chance comes from one seeded source.

    Attributes:
        words: how the words of the domain relate.
        source: the source of chance.
        events: draws the parts that events are made of.
        pick: a number from 0 to 1, drawn once a row, that says what kind of row it becomes.
    """

    def __init__(self, words: Vocabulary, source: random.Random) -> None:
        self.words = words
        self.source = source
        self.events = EventSource(words.lexicon, source)
        self.pick = 0.0

    def chance(self, probability: float) -> bool:
        """True with some probability."""
        return self.source.random() < probability

    def of_kind(self, weights: Mapping[Kind, int]) -> Kind:
        """The kind of row that ``pick`` says: drawing a row anew makes no kind rarer."""
        bounds = list(accumulate(weights.values()))
        return list(weights)[bisect(bounds, self.pick * bounds[-1])]

    def fresh(self) -> None:
        """Begin anew: all words are free again."""
        self.events.things.fresh()

    def thing(self, kinds: Collection[str], *, plain: bool = False) -> Participant:
        """Someone or something definite, called like no other of the scene; plain without adjectives."""
        one = self.events.things.participant([kind for kind in kinds if kind not in ABSTRACT], simple=True)
        if one.noun is None or one.also:
            return replace(one, title="")
        article = "the"
        if plain or any(word in self.events.things.words.ordinals for word in one.adjectives):
            one = replace(one, adjectives=(), compound="")
        one = replace(one, article=article, count=())
        others = self._names(one)
        return self.source.choice(others) if others and self.chance(REWORDED) else one

    def another(self, one: Participant) -> Participant:
        """Someone or something else of the same kind, said in the same manner."""
        for _ in range(DRAWS):
            other = self.thing([one.kind])
            if self._replaces(one, other):
                return other if other.noun is None else replace(other, adjectives=one.adjectives, compound="")
        raise NothingFitsError(f"there is nothing else like {one}")

    def _replaces(self, one: Participant, other: Participant) -> bool:
        if (other.noun is None, other.many, len(other.also)) != (one.noun is None, one.many, len(one.also)):
            return False
        if one.noun is not None and other.noun is not None:
            return not self.words.too_close(one.noun, other.noun)
        return not one.amount or other.amount != one.amount

    def event(
        self,
        frames: Sequence[str] = FRAMES,
        *,
        verb: Verb | None = None,
        given: dict[str, Participant] | None = None,
        plain: bool = False,
    ) -> Event:
        """Something that happened, to definite participants; no modifiers."""
        given = given or {}
        verb = verb or self._reworded_verb(self.verb(frames, given))
        found: dict[str, Argument] = {}
        for position in self.events.rules.frames[verb.frame].roles:
            if position in given:
                found[position] = given[position]
            elif position in verb.kinds:
                found[position] = self.thing(verb.kinds[position], plain=plain)
        return Event(verb, tuple(found.items()))

    def verb(self, frames: Sequence[str], given: Mapping[str, Participant] | None = None) -> Verb:
        """A verb of one of some frames (drawn first) that has room for what is given.

        Raises:
            NothingFitsError: if there is none.
        """
        for _ in range(DRAWS):
            verb = self.source.choice(self.words.lexicon.verbs_of(self.source.choice(frames)))
            if can_take(verb, given or {}):
                return verb
        raise NothingFitsError(f"no verb of {sorted(set(frames))} takes {given}")

    def other_verb(self, event: Event) -> Event | None:
        """The same participants in the same positions, and another verb; None where there is none."""
        verbs = [
            verb
            for verb in self.words.lexicon.verbs_of(event.verb.frame)
            if not self.words.same("verbs", verb.base, event.verb.base)
            and verb.prep == event.verb.prep
            and can_take(verb, event.participants())
        ]
        return replace(event, verb=self._reworded_verb(self.source.choice(verbs))) if verbs else None

    def _reworded_verb(self, verb: Verb) -> Verb:
        synonyms = self.words.synonymous(verb)
        return self.source.choice(synonyms) if synonyms and self.chance(REWORDED) else verb

    def time(self) -> Modifier:
        """A time at which something happened: what answers "when"."""
        while True:
            time = self.events.modifiers.time("past")
            if "for:IN" not in time.rule.rule.name:  # "for three days"
                return Modifier(TIME, time)

    def timed(self, event: Event) -> Event:
        """The same event with a time or, where someone acts, perhaps a manner."""
        if self.events.agent(event) is None or self.chance(0.7):
            return replace(event, modifiers=(self.time(),))
        manner = self.source.choice(self.words.lexicon.file.manner)
        return replace(event, modifiers=(Modifier("ARGM-MNR", manner),))

    def form(self, event: Event, *, passive: float = 0.4, agent: float = 1.0, plain: bool = False) -> Form:
        """A way to state an event; who did it stays unsaid with a chance of ``1 - agent``."""
        able = (
            event.verb.frame in PASSIVE_FRAMES and not event.verb.stative and event.get("subject") is not None
        )
        chosen = able and self.chance(passive)
        time = any(one.role == TIME for one in event.modifiers)
        return Form(
            passive=chosen,
            agent=self.chance(agent),
            alternated=self.chance(0.4),
            contracted=self.chance(0.5),
            fronted=TIME if time and not plain and self.chance(0.3) else "",
            inner=Form(
                passive=self.chance(passive), contracted=self.chance(0.5), alternated=self.chance(0.4)
            ),
        )

    def reworded(self, event: Event, probability: float) -> Event:
        """The same meaning in other words: each part that can be reworded is, with some probability."""
        for part in self.rewordable(event):
            if self.chance(probability):
                event = self.with_synonym(event, part)
        return event

    def rewordable(self, event: Event) -> list[str]:
        """The parts that can be said in other words: "verb", and positions of participants."""
        verb = ["verb"] if self.words.synonymous(event.verb) else []
        return verb + [name for name, one in event.participants().items() if self._names(one)]

    def with_synonym(self, event: Event, part: str) -> Event:
        """The same meaning, one rewordable part in other words."""
        if part == "verb":
            return replace(event, verb=self.source.choice(self.words.synonymous(event.verb)))
        return event.put(part, self.source.choice(self._names(event.participants()[part])))

    def with_other(self, event: Event, part: str) -> Event | None:
        """Another meaning, differing in one part; None if no other verb fits."""
        if part == "verb":
            return self.other_verb(event)
        one = event.participants()[part]
        if one.name is not None and one.kind == "person" and len(one.name.words) > 1:
            return event.put(part, self._namesake(one, one.name))
        return event.put(part, self.another(one))

    def _namesake(self, one: Participant, name: Name) -> Participant:
        """Someone else: of the same first or the same family name, or of another, with a title."""
        titled = self.chance(0.4)
        while True:
            other = self.source.choice(self.words.lexicon.names["person"])
            alike = other.short == name.short or other.words[0] == name.words[0]
            if (
                other.gender == name.gender
                and other != name
                and (other.short != name.short if titled else alike)
            ):
                title = TITLES[name.gender] if titled else ""
                return replace(one, key=self.events.things.key(), name=other, title=title)

    def _names(self, one: Participant) -> list[Participant]:
        """Other ways to name the same: a synonym of its noun or adjective, a family name alone."""
        if one.name is not None and one.kind == "person" and len(one.name.words) > 1:
            short = replace(one, name=replace(one.name, words=one.name.short))
            return [short, replace(one, title=TITLES[one.name.gender])]
        if one.noun is None or one.also:
            return []
        nouns = () if one.compound else self.words.named(one.noun)
        found = [replace(one, noun=noun) for noun in nouns]
        for word in one.adjectives:
            others = (other for other in self.words.group("adjectives", word) if other != word)
            found += [replace(one, adjectives=(other,)) for other in others]
        return found

    def swappable(self, event: Event) -> tuple[str, str] | None:
        """Two positions whose participants could change places, if there are any."""
        positions = list(event.participants())
        for one in positions:
            for other in positions[positions.index(one) + 1 :]:
                first, second = event.participants()[one], event.participants()[other]
                if first.kind in event.verb.kinds[other] and second.kind in event.verb.kinds[one]:
                    return one, other
        return None


def can_take(verb: Verb, given: Mapping[str, Participant]) -> bool:
    """Whether a verb has room for participants in their positions."""
    return all(one.kind in verb.kinds.get(position, ()) for position, one in given.items())


def say(event: Event, form: Form = PLAIN) -> str:
    """An event as text."""
    return detokenise(write(event, form).words)
