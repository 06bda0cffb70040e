"""Modifiers drawn for an event: when, where, how, why, and what else was the case."""

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from encoder_atlas.text.grammar.meaning import Event, Modifier, Participant, Quality, Time
from encoder_atlas.text.grammar.words import Tense, TimeRule

if TYPE_CHECKING:
    from encoder_atlas.text.grammar.draw_events import EventSource

WEIGHTS = {
    "time": 42,
    "place": 18,
    "manner": 14,
    "tool": 8,
    "cause": 4,
    "purpose": 6,
    "gerund": 4,
    "clause": 12,
}
BEFORE_CLAUSE = ("time", "place", "cause", "clause")  # what can stand before a verb that takes a clause
HOW_MANY = (0, 0, 1, 1, 1, 1, 2, 2)
AFTER_SHAPE = {
    "manner": 0,
    "tool": 1,
    "place": 2,
    "time": 3,
    "cause": 4,
    "gerund": 5,
    "purpose": 6,
    "clause": 7,
}
CLAUSAL = ("gerund", "purpose", "clause")
IN_FUTURE = ("after", "before", "when", "if", "as")


class ModifierSource:
    """Draws modifiers that fit an event's tense, verb and subject."""

    def __init__(self, events: "EventSource") -> None:
        self.events = events
        self.source = events.source
        self.words = events.things.words
        self.names = tuple(WEIGHTS)
        self.weights = tuple(accumulate(WEIGHTS.values()))
        self.before_clause = BEFORE_CLAUSE, tuple(accumulate(WEIGHTS[name] for name in BEFORE_CLAUSE))

    def add(self, event: Event, inner: bool) -> Event:
        """The event with modifiers and an adverb, perhaps."""
        event = self._with_adverb(event)
        if event.verb.frame in ("being-clear", "existing", "becoming"):
            return event
        wanted = self.source.choice(HOW_MANY)
        if inner:
            wanted = min(1, wanted) if self.events.chance(0.4) else 0
        names, weights = (self.names, self.weights) if event.get("clause") is None else self.before_clause
        if event.get("clause") is not None:
            wanted = min(1, wanted) if self.events.chance(0.5) else 0
        found: dict[str, Modifier] = {}
        for _ in range(wanted):
            name = self.source.choices(names, cum_weights=weights)[0]
            if name in found or (name in CLAUSAL and (inner or any(other in found for other in CLAUSAL))):
                continue
            modifier = getattr(self, f"_{name}")(event)
            if modifier is not None:
                found[name] = modifier
        ordered = sorted(found, key=AFTER_SHAPE.__getitem__)
        return replace(event, modifiers=tuple(found[name] for name in ordered))

    def _with_adverb(self, event: Event) -> Event:
        dynamic_present = event.tense == "present" and event.aspect == "simple" and not event.modal
        often = 1.0 if dynamic_present and not event.verb.stative else 0.1
        if event.verb.frame in ("existing", "being-clear") or not self.events.chance(often):
            return event
        group = "perfect" if event.aspect == "perfect" else "future" if event.modal else event.tense
        if group == "past" and event.verb.roles.get("subject") != "ARG0":
            group = "state"
        if event.aspect == "progressive" or event.negated:
            return event
        chosen = self.source.choice(self.words.before_verb[group])
        return replace(event, adverb=(chosen.word, chosen.role))

    def _time(self, event: Event) -> Modifier | None:
        tense: Tense = "future" if event.modal else event.tense
        no_time = event.verb.frame == "being" and (
            tense != "past" or not isinstance(event.get("predicate"), Quality)
        )
        if event.aspect == "perfect" or event.adverb is not None or no_time:
            return None
        return Modifier("ARGM-TMP", self.time(tense))

    def time(self, tense: Tense) -> Time:
        """A time that fits a tense."""
        rule: TimeRule = self.source.choice(self.words.time_rules[tense])
        fillers = tuple((slot, self.source.choice(self.words.time_words[slot])) for slot in rule.rule.slots)
        return Time(rule, fillers)

    def _place(self, event: Event) -> Modifier | None:
        places = self.events.lexicon.file.places
        if event.verb.frame in ("being", "changing") or self.events.agent(event) is None:
            return None
        kind = self.source.choice(tuple(places))
        last = event.arguments[-1][1]
        if isinstance(last, Participant) and self._takes(last, places[kind], kind):
            return None
        return Modifier("ARGM-LOC", self.events.things.place(kind), places[kind])

    def _takes(self, one: Participant, by: str, kind: str) -> bool:
        """Whether a prepositional phrase after someone would be read as theirs."""
        return f"{by} {kind}" in self.events.lexicon.file.attached.get(one.kind, ())

    def _manner(self, event: Event) -> Modifier | None:
        if self.events.agent(event) is None or event.get("clause") is not None:
            return None
        last = event.arguments[-1][1]
        if isinstance(last, Participant) and (last.attached or last.clause or last.content):
            return None
        return Modifier("ARGM-MNR", self.source.choice(self.events.lexicon.file.manner))

    def _tool(self, event: Event) -> Modifier | None:
        if not event.verb.instruments:
            return None
        kind = self.source.choice(event.verb.instruments)
        return Modifier("ARGM-MNR", self.events.things.participant([kind], simple=True), "with")

    def _cause(self, event: Event) -> Modifier | None:
        subject = event.get("subject")
        if isinstance(subject, Participant) and subject.kind == "problem":
            return None
        return Modifier("ARGM-CAU", self.events.things.participant(["problem"], simple=True), "because of")

    def _same_subject(self, event: Event) -> Event | None:
        agent = self.events.agent(event)
        takes = event.verb.frame in ("transitive", "giving", "placing", "prepositional", "particle")
        return self.events.doing(agent) if agent is not None and takes else None

    def _purpose(self, event: Event) -> Modifier | None:
        goal = self._same_subject(event)
        by = "in order to" if self.events.chance(0.3) else "to"
        return None if goal is None else Modifier("ARGM-PRP", goal, by)

    def _gerund(self, event: Event) -> Modifier | None:
        means = self._same_subject(event)
        if means is None:
            return None
        by = self.source.choice(("by", "without", "after", "before"))
        role = "ARGM-MNR" if by in ("by", "without") else "ARGM-TMP"
        return Modifier(role, means, by, "gerund")

    def _clause(self, event: Event) -> Modifier | None:
        joining = self.source.choice(self.words.subordinators)
        when = joining.word in IN_FUTURE
        if when and ((event.tense == "present" and not event.modal) or event.verb.stative):
            return None
        subject = event.get("subject")
        known = isinstance(subject, Participant) and self.events.chance(0.6)
        tense = event.tense if not when else "past" if event.tense == "past" else "present"
        given = {"subject": subject} if known and isinstance(subject, Participant) else None
        other = self.events.event(inner=True, given=given, tense=tense)
        if when and other.verb.stative:
            return None
        if when:
            other = replace(
                other, modal="", aspect="simple" if other.aspect == "progressive" else other.aspect
            )
        return Modifier(joining.role, other, joining.word, joining.tag)
