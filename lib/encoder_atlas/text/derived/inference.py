"""Premise and hypothesis: entailment, neutral or contradiction, as events compared say.

The hypothesis is drawn before the label takes part, and the premises of all labels are drawn in the same way
until one has the label: words, length and construction say little of it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from encoder_atlas.text.derived.facts import RELATIONS, Relation, relation, told
from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import NothingFitsError, SceneSource, say
from encoder_atlas.text.grammar import Event, Participant, Quality, Verb
from encoder_atlas.text.grammar.lexicon import be

DRAWS_A_PREMISE = 60
DOERS = ("transitive", "transitive", "giving", "placing", "particle")


class Drawn(NamedTuple):
    """A hypothesis, and how premises for it are drawn."""

    hypothesis: Event
    premise: Callable[[], Event]


Construction = Callable[[SceneSource], Drawn]


def write_inference(scenes: SceneSource, label: int) -> Row | None:
    """A pair whose label is ``RELATIONS[label]``."""
    return _pair(scenes, (RELATIONS[label],), label)


def write_entailment(scenes: SceneSource, label: int) -> Row | None:
    """A pair of "entailment" (0), or "not_entailment" (1), which is neutral or a contradiction."""
    wanted: tuple[Relation, ...] = ("entailment",) if label == 0 else (scenes.source.choice(RELATIONS[1:]),)
    return _pair(scenes, wanted, label)


def _pair(scenes: SceneSource, wanted: tuple[Relation, ...], label: int) -> Row | None:
    hypothesis, premise_of = scenes.of_kind(CONSTRUCTIONS)(scenes)
    form = scenes.form(hypothesis, agent=0.7)
    said = told(hypothesis, form)
    for _ in range(DRAWS_A_PREMISE):
        premise = premise_of()
        if relation(premise, said, scenes.words) in wanted:
            passive = 0.0 if _indefinite(premise) else 0.4
            return Row(
                (say(premise, scenes.form(premise, passive=passive)), say(hypothesis, form)), {"label": label}
            )
    return None


def _indefinite(event: Event) -> bool:
    """Whether "a phone was not bought" would be read as of one certain phone."""
    return event.negated and any(one.article == "a" for one in event.participants().values())


def _changed(scenes: SceneSource, event: Event) -> Event:
    """Someone else, or the same in each other's place."""
    places = scenes.swappable(event)
    if places is not None and scenes.chance(0.6):
        return scenes.reworded(event.swapped(*places), 0.5)
    parts = scenes.rewordable(event) or list(event.participants())
    other = scenes.with_other(event, scenes.source.choice(parts))
    return scenes.reworded(event if other is None else other, 0.2)


def _simple(scenes: SceneSource) -> Drawn:
    """One event, the same or changed, so or not so."""
    event = replace(scenes.event(), negated=scenes.chance(0.5))

    def premise() -> Event:
        found = _changed(scenes, event) if scenes.chance(0.45) else scenes.reworded(event, 0.5)
        found = replace(found, negated=scenes.chance(0.5))
        return found if found.negated or scenes.chance(0.5) else scenes.timed(found)

    return Drawn(event, premise)


def _opposite(scenes: SceneSource) -> Drawn:
    """A verb or quality, or its opposite, so or not so."""
    words = scenes.words
    verbs = [
        verb
        for verb in words.lexicon.verbs
        if words.reversed(verb) and verb.frame in ("transitive", "changing")
    ]
    if scenes.chance(0.5):
        event, others = looking(scenes)
    else:
        verb = scenes.source.choice(verbs)
        event = scenes.event(verb=verb)
        others = [replace(event, verb=other) for other in words.reversed(verb)]
    event = replace(event, negated=scenes.chance(0.5))

    def premise() -> Event:
        found = scenes.source.choice(others) if scenes.chance(0.5) else event
        found = scenes.reworded(found, 0.5)
        if scenes.chance(0.15):
            found = found.put("subject", scenes.another(found.participants()["subject"]))
        return replace(found, negated=scenes.chance(0.5))

    return Drawn(event, premise)


def looking(scenes: SceneSource) -> tuple[Event, list[Event]]:
    """That something has a quality, and that it has an opposite one."""
    words, file = scenes.words, scenes.words.lexicon.file
    kinds = [
        kind
        for kind in file.adjectives
        if any(words.opposites("adjectives", one) for one in file.adjectives[kind])
    ]
    kind = scenes.source.choice(kinds)
    adjective = scenes.source.choice(
        [one for one in file.adjectives[kind] if words.opposites("adjectives", one)]
    )
    verb = be(scenes.events.rules.frames["being"], "being")
    event = Event(verb, (("subject", scenes.thing([kind], plain=True)), ("predicate", Quality(adjective))))
    opposites = words.opposites("adjectives", adjective)
    found = [event.put("predicate", Quality(one)) for one in opposites]
    if scenes.chance(0.5):
        return scenes.source.choice(found), [event]
    return event, found


def _kinds(scenes: SceneSource) -> Drawn:
    """A narrower or a broader word for something new, so or not so."""
    words = scenes.words
    event = scenes.event(("transitive",))
    one = event.participants()["object"]
    noun = one.noun
    if noun is None or one.also or noun.mass or not words.lexicon.broader(noun):
        raise NothingFitsError(f"no broader word for {one}")
    one = replace(one, article="a", plural=False, compound="", adjectives=())
    nouns = [noun, words.lexicon.broader(noun)[0]]
    negated = scenes.chance(0.5)
    event = replace(event.put("object", replace(one, noun=scenes.source.choice(nouns))), negated=negated)

    def premise() -> Event:
        found = event.put("object", replace(one, noun=scenes.source.choice(nouns)))
        if scenes.chance(0.2):
            found = found.put("subject", scenes.another(found.participants()["subject"]))
        return replace(scenes.reworded(found, 0.3), negated=scenes.chance(0.5))

    return Drawn(event, premise)


def _two(scenes: SceneSource) -> Drawn:
    """Two events, one so and one not, told apart by who takes part in which."""
    first, second = side_by_side(scenes)
    event = replace(first, negated=scenes.chance(0.5))

    def premise() -> Event:
        one, other = exchanged(first, second) if scenes.chance(0.35) else (first, second)
        negated = scenes.chance(0.5)
        return joined(scenes, replace(one, negated=negated), replace(other, negated=not negated))

    return Drawn(event, premise)


def _attitude(scenes: SceneSource) -> Drawn:
    """What someone admits is so; what someone fears may be so or not."""
    file = scenes.words.file
    first, second = side_by_side(scenes)
    event = replace(first, negated=scenes.chance(0.5))
    people = [scenes.thing(["person"], plain=True) for _ in range(2)]
    while people[0].kind != people[1].kind:
        people[1] = scenes.thing(["person"], plain=True)
    verbs = [
        scenes.words.taking_clause(scenes.source.choice(list_), "saying")
        for list_ in (file.factive, file.open)
    ]

    def premise() -> Event:
        clauses = [
            replace(one, negated=scenes.chance(0.5)) for one in scenes.source.sample([first, second], 2)
        ]
        told_by = [
            Event(verb, (("subject", one), ("clause", clause)))
            for verb, one, clause in zip(verbs, people, clauses, strict=True)
        ]
        return joined(scenes, *told_by)

    return Drawn(event, premise)


def _intended(scenes: SceneSource) -> Drawn:
    """What someone was forced to do happened; what they refused did not; what they wanted may have."""
    first, second = side_by_side(scenes)
    event = replace(first, negated=scenes.chance(0.5))
    boss = scenes.thing(["person"], plain=True)

    def premise() -> Event:
        one, other = exchanged(first, second) if scenes.chance(0.3) else (first, second)
        ways = scenes.source.sample(("done", "not_done", "meant", ""), 2)
        return joined(
            scenes, *(_carried_out(scenes, *pair, boss) for pair in zip((one, other), ways, strict=True))
        )

    return Drawn(event, premise)


def _carried_out(scenes: SceneSource, event: Event, way: str, boss: Participant) -> Event:
    if not way:
        return event
    word = scenes.source.choice(getattr(scenes.words.file, way))
    doer = event.participants()["subject"]
    verb: Verb = scenes.words.taking_clause(word, "asking" if way == "done" else "wanting")
    clause = replace(event, tense="future")
    if way == "done":
        return Event(verb, (("subject", boss), ("object", doer), ("clause", clause)))
    return Event(verb, (("subject", doer), ("clause", clause)))


def side_by_side(scenes: SceneSource) -> tuple[Event, Event]:
    """Two events with different verbs whose subjects could each stand in the other."""
    while True:
        first = scenes.event(DOERS, plain=True)
        one = first.participants()["subject"]
        if one.kind not in scenes.words.lexicon.file.agents or first.verb.stative or one.also:
            continue
        other = scenes.another(one)
        verb = scenes.verb(DOERS, {"subject": other})
        if not verb.stative and not scenes.words.same("verbs", verb.base, first.verb.base):
            return first, scenes.event(verb=verb, given={"subject": other}, plain=True)


def exchanged(first: Event, second: Event) -> tuple[Event, Event]:
    """The same two events, each done by who did the other."""
    one, other = first.participants()["subject"], second.participants()["subject"]
    return first.put("subject", other), second.put("subject", one)


def joined(scenes: SceneSource, one: Event, other: Event) -> Event:
    """Both as one statement, in either order."""
    if scenes.chance(0.5):
        one, other = other, one
    return replace(one, beside=(scenes.source.choice(("and", "but")), other))


CONSTRUCTIONS: dict[Construction, int] = {
    _simple: 40,
    _opposite: 15,
    _kinds: 10,
    _two: 12,
    _attitude: 8,
    _intended: 15,
}
