"""Events drawn from a lexicon: verbs, who takes part in them, when, how and why."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from encoder_atlas.text.grammar.draw_modifiers import ModifierSource
from encoder_atlas.text.grammar.draw_participants import ParticipantSource
from encoder_atlas.text.grammar.lexicon import ABSTRACT, Lexicon, Verb, be
from encoder_atlas.text.grammar.meaning import Argument, Aspect, Event, Modifier, Participant, Quality
from encoder_atlas.text.grammar.rules import Rules, standard_rules
from encoder_atlas.text.grammar.words import Tense, standard_words

INNER_FRAMES = frozenset(
    (
        "alone",
        "transitive",
        "giving",
        "placing",
        "prepositional",
        "particle",
        "particle-alone",
        "changing",
        "being",
    )
)
EXISTING = ("problem", "event", "site", "place", "phenomenon")  # what "there is"
AGENT_FRAMES = frozenset(("transitive", "giving", "placing", "prepositional", "particle"))
OWN = 0.2  # how often what is done concerns something of the subject's own
AGAIN = 0.35  # how often a position is filled by someone who was mentioned before
NEGATED = 0.09
Given = Mapping[str, Argument]
# Tense, aspect and whether a modal stands before it, with weights: of what happens, and of what is so.
TIMES_OF_ACTION: tuple[tuple[tuple[Tense, Aspect, bool], int], ...] = (
    (("past", "simple", False), 50),
    (("present", "perfect", False), 12),
    (("present", "progressive", False), 7),
    (("past", "progressive", False), 5),
    (("past", "perfect", False), 4),
    (("future", "simple", True), 12),
    (("present", "simple", True), 7),
    (("present", "simple", False), 3),
)
TIMES_OF_STATE: tuple[tuple[tuple[Tense, Aspect, bool], int], ...] = (
    (("present", "simple", False), 50),
    (("past", "simple", False), 35),
    (("future", "simple", True), 8),
    (("present", "simple", True), 7),
)


def _times(stative: bool, tense: Tense | None) -> tuple[list[tuple[Tense, Aspect, bool]], list[int]]:
    times = TIMES_OF_STATE if stative else TIMES_OF_ACTION
    fitting = [(time, weight) for time, weight in times if tense in (None, time[0])]
    return [time for time, _ in fitting], list(accumulate(weight for _, weight in fitting))


TIMES = {
    (stative, tense): _times(stative, tense)
    for stative in (False, True)
    for tense in (None, "past", "present", "future")
}


class EventSource:
    """Draws events of one domain; the same lexicon and the same state of the source give the same event."""

    def __init__(self, lexicon: Lexicon, source: random.Random, rules: Rules | None = None) -> None:
        self.rules = rules or standard_rules()
        self.lexicon = lexicon
        self.source = source
        self.things = ParticipantSource(lexicon, source, standard_words())
        self.modifiers = ModifierSource(self)
        described = tuple(lexicon.file.adjectives)
        self._be = {
            name: replace(
                be(self.rules.frames[name], name), kinds={"subject": described} if name == "being" else {}
            )
            for name in ("being", "being-clear", "existing")
        }
        self._acting = {kind for verb in lexicon.verbs for kind in verb.kinds.get("subject", ())}
        self._pools: dict[tuple[str, str, bool], tuple[list[Verb], list[float]]] = {}

    def chance(self, probability: float) -> bool:
        """True with some probability."""
        return self.source.random() < probability

    def event(
        self,
        *,
        verb: Verb | None = None,
        frames: Collection[str] | None = None,
        given: Given | None = None,
        cast: Sequence[Participant] = (),
        inner: bool = False,
        tense: Tense | None = None,
        plain: bool = False,
    ) -> Event:
        """An event.

        Args:
            verb: its verb; else one is drawn whose subject can be what ``given`` says.
            frames: only verbs of these frames.
            given: what stands in some positions.
            cast: participants that are known and may take part again.
            inner: it stands inside another: nothing stands inside it in turn.
            tense: asked for by the event around it.
            plain: no modifiers, negation or adverbs.
        """
        given = dict(given or {})
        if verb is None:
            verb = self._verb(frames, given, inner)
        event = Event(verb, self._arguments(verb, given, cast, inner))
        event = self._timed(event, tense)
        if not inner and not plain and self.chance(0.4 if verb.frame == "alone" else 0.2):
            event = self._with_clause(event)
        if plain:
            return event
        if verb.frame != "existing" and self.chance(NEGATED):
            event = replace(event, negated=True)
        event = self.modifiers.add(event, inner)
        return event if inner else self._coordinated(event)

    def _verb(self, frames: Collection[str] | None, given: Given, inner: bool) -> Verb:
        subject = given.get("subject")
        kind = subject.kind if isinstance(subject, Participant) else ""
        if frames is not None:
            verbs = [
                verb
                for verb in (*self.lexicon.verbs, *self._be.values())
                if verb.frame in frames and (not kind or kind in verb.kinds.get("subject", ()))
            ]
            return self.source.choice(verbs)
        return self._drawn("subject", kind, inner)

    def _drawn(self, position: str, kind: str, inner: bool) -> Verb:
        """A verb in which ``kind`` ("" for any) can stand in a position, frames by their weight."""
        verbs, weights = self._drawn_from(position, kind, inner)
        return self.source.choices(verbs, cum_weights=weights)[0]

    def _drawn_from(self, position: str, kind: str, inner: bool) -> tuple[list[Verb], list[float]]:
        pool = self._pools.get((position, kind, inner))
        if pool is None:
            pool = self._pools[position, kind, inner] = self._pool(position, kind, inner)
        return pool

    def can_act(self, one: Participant) -> bool:
        """Whether it can be the subject of an event."""
        return not one.amount and one.kind in self._acting

    def _pool(self, position: str, kind: str, inner: bool) -> tuple[list[Verb], list[float]]:
        every = (*self.lexicon.verbs, *self._be.values())
        verbs = [
            verb
            for verb in every
            if (not kind or kind in verb.kinds.get(position, ()))
            and (verb.frame in INNER_FRAMES or not inner)
            and (position != "object" or self.rules.frames[verb.frame].promoted == position)
        ]
        sizes = {verb.frame: sum(other.frame == verb.frame for other in every) for verb in verbs}
        return verbs, list(
            accumulate(self.rules.frames[verb.frame].weight / sizes[verb.frame] for verb in verbs)
        )

    def _arguments(
        self, verb: Verb, given: Given, cast: Sequence[Participant], inner: bool
    ) -> tuple[tuple[str, Argument], ...]:
        arguments: dict[str, Argument] = {}
        for position in self.rules.frames[verb.frame].roles:
            if position in given:
                arguments[position] = given[position]
            elif position in ("amount", "start", "goal"):
                if self.chance({"amount": 0.5, "start": 0.15, "goal": 0.3}[position]):
                    kinds = ("percent",) if position == "amount" else self.lexicon.file.amounts
                    arguments[position] = self.things.participant(kinds)
            elif position == "clause":
                arguments[position] = self._clause(verb, arguments)
            elif position == "predicate":
                arguments[position] = self._predicate(verb, arguments.get("subject"))
            elif verb.frame == "existing":
                arguments[position] = self._existing()
            else:
                arguments[position] = self._participant(verb.kinds[position], arguments, cast, inner)
        return tuple(arguments.items())

    def _participant(
        self, kinds: tuple[str, ...], taken: Given, cast: Sequence[Participant], inner: bool
    ) -> Participant:
        keys = {one.key for one in taken.values() if isinstance(one, Participant)}
        known = [one for one in cast if one.kind in kinds and one.key not in keys]
        if known and self.chance(AGAIN):
            return self.source.choice(known)
        kind = self.source.choice(kinds)
        if kind in ABSTRACT:
            return self._abstract(kind)
        subject = taken.get("subject")
        able = (
            isinstance(subject, Participant) and subject.kind in self.lexicon.file.agents and not subject.also
        )
        if able and kind in self.lexicon.file.owned and self.chance(OWN):
            own = self.things.participant((kind,), simple=True)
            return replace(own, owner=subject, article="", count=())
        return self.things.participant((kind,), simple=inner)

    def _abstract(self, kind: str) -> Participant:
        """A claim that something is so, or someone's intention to do something."""
        one = Participant(self.things.key(), kind, self.things.noun(kind), article="the")
        if kind == "claim":
            return replace(one, content=self.event(inner=True))
        owner = self.things.owner(self.lexicon.file.agents)
        return replace(one, owner=owner, article="", content=self.doing(owner))

    def _clause(self, verb: Verb, arguments: Given) -> Event:
        subject = arguments.get("object" if verb.frame in ("telling", "asking") else "subject")
        if verb.frame in ("wanting", "asking"):
            assert isinstance(subject, Participant)
            return self.doing(subject)
        known = [one for one in arguments.values() if isinstance(one, Participant) and self.can_act(one)]
        if known and self.chance(0.4):
            one = self.source.choice(known)
            return self.event(inner=True, given={"subject": one})
        return self.event(inner=True)

    def doing(self, one: Participant) -> Event:
        """Something that one could do, apart from when: "to sell the shop"."""
        event = self.event(inner=True, given={"subject": one}, frames=AGENT_FRAMES, plain=True)
        while event.verb.stative:
            event = self.event(inner=True, given={"subject": one}, frames=AGENT_FRAMES, plain=True)
        return replace(event, tense="future", aspect="simple", modal="")

    def _predicate(self, verb: Verb, subject: Argument | None) -> Argument:
        file, choose = self.lexicon.file, self.source.choice
        if verb.frame == "being-clear":
            return Quality(
                choose(file.clear), choose(self.things.words.degrees[:3]) if self.chance(0.2) else ""
            )
        assert isinstance(subject, Participant)
        if verb.frame == "becoming":
            return self._same_kind(subject)
        draw = self.source.random()
        if draw < 0.2 and subject.kind in ("person", "org") and subject.name is not None:
            return self._same_kind(subject)
        if draw < 0.35 and file.places.get("gpe") and subject.kind in ("site", "org", "place"):
            return Modifier("ARG2", self.things.participant(["gpe"]), "in")
        if draw < 0.6 and subject.kind in file.adjectives_with:
            adjective, by, kind = choose(file.adjectives_with[subject.kind]).split()
            return Quality(adjective, by=by, what=self.things.participant([kind], simple=True))
        adjectives = file.adjectives[subject.kind]
        if draw > 0.93:
            one, other = self.source.sample(adjectives, 2)
            return Quality(one, also=other)
        return Quality(choose(adjectives), choose(self.things.words.degrees) if self.chance(0.35) else "")

    def _same_kind(self, subject: Participant) -> Participant:
        noun = self.things.noun(subject.kind, count=True)
        file = self.lexicon.file
        adjectives = (self.source.choice(file.adjectives[subject.kind]),) if self.chance(0.6) else ()
        article = "" if subject.many else "a"
        return Participant(self.things.key(), subject.kind, noun, None, subject.many, article, (), adjectives)

    def _existing(self) -> Participant:
        kind = self.source.choice(tuple(kind for kind in EXISTING if kind in self.lexicon.nouns))
        one = self.things.participant([kind], new=True, simple=True)
        by, other = self.source.choice(self.lexicon.file.attached[kind]).split()
        return replace(one, attached=Modifier("", self.things.participant([other], simple=True), by))

    def _timed(self, event: Event, tense: Tense | None) -> Event:
        times, weights = TIMES[event.verb.stative, tense]
        chosen = self.source.choices(times, cum_weights=weights)[0]
        modals = self.things.words.modals[chosen[0]]
        modal = self.source.choice(modals) if chosen[2] else ""
        return replace(event, tense=chosen[0], aspect=chosen[1], modal=modal)

    def _with_clause(self, event: Event) -> Event:
        """One of the participants is described by an event of its own."""
        able = [
            (position, one)
            for position, one in event.participants().items()
            if one.noun is not None
            and one.article in ("the", "a")
            and not (one.attached or one.owner or one.content or one.also)
        ]
        if not able or event.verb.frame in ("existing", "being"):
            return event
        position, one = self.source.choice(able)
        return event.put(position, replace(one, clause=self.describing(one)))

    def describing(self, one: Participant) -> Event:
        """An event that one takes part in, in a position where a relative clause can begin."""
        position = self.source.choices(("subject", "object", "oblique"), (55, 33, 12))[0]
        if position != "subject" and not self._drawn_from(position, one.kind, True)[0]:
            position = "subject"
        verb = self._drawn(position, one.kind, True)
        return replace(self.event(inner=True, verb=verb, given={position: one.bare}), negated=False)

    def agent(self, event: Event) -> Participant | None:
        """Its subject, if that is someone who does something on purpose."""
        one = event.get("subject")
        able = event.verb.roles.get("subject") == "ARG0" and not event.verb.stative
        if able and isinstance(one, Participant) and one.kind in self.lexicon.file.agents:
            return one
        return None

    def _coordinated(self, event: Event) -> Event:
        agent = self.agent(event)
        same = {"tense": event.tense, "aspect": event.aspect, "modal": event.modal}
        if agent is not None and event.verb.frame in AGENT_FRAMES and self.chance(0.06):
            joined = self.event(inner=True, given={"subject": agent}, frames=AGENT_FRAMES, plain=True)
            return replace(event, joined=replace(joined, **same), modifiers=())
        if self.chance(0.05):
            word = self.source.choice(("and", "but", "and"))
            return replace(event, beside=(word, self.event(inner=True, tense=event.tense)))
        return event
