"""Two sentences that say the same, or differ in who did what to whom, in one participant, or in what is so.

Pairs of both labels are reworded: synonyms hide a paraphrase from those who only count words, and a
participant in another's place hides a difference.
"""

from collections.abc import Callable
from dataclasses import replace

from encoder_atlas.text.derived.facts import same_meaning
from encoder_atlas.text.derived.inference import exchanged, joined, looking, side_by_side
from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import SceneSource, say
from encoder_atlas.text.grammar import Event, Quality

LABEL_NAMES = ("not_paraphrase", "paraphrase")
# Gives an event and another that differs from it (label 0), or not in meaning (label 1).
Pairing = Callable[[SceneSource, int], tuple[Event, Event] | None]


def write_paraphrase(scenes: SceneSource, label: int) -> Row | None:
    """A pair whose label is ``LABEL_NAMES[label]``."""
    found = scenes.of_kind(PAIRINGS)(scenes, label)
    if found is None or same_meaning(*found, scenes.words) != bool(label):
        return None
    one, other = found if scenes.chance(0.5) else (found[1], found[0])
    first, second = scenes.form(one), scenes.form(other)
    if first.passive == second.passive and scenes.chance(0.5):
        second = scenes.form(other, passive=0.0 if first.passive else 1.0)
    return Row((say(one, first), say(other, second)), {"label": label})


def _places(scenes: SceneSource, label: int) -> tuple[Event, Event] | None:
    """Two participants that could change places."""
    event = scenes.event()
    places = scenes.swappable(event)
    if places is None:
        return None
    event = scenes.timed(event) if scenes.chance(0.5) else event
    return event, scenes.reworded(event if label else event.swapped(*places), 0.2)


def _parts(scenes: SceneSource, label: int) -> tuple[Event, Event] | None:
    """A verb and participants that have synonyms: one to three are reworded, or are others."""
    event = scenes.event()
    event = scenes.timed(event) if scenes.chance(0.5) else event
    parts = scenes.rewordable(event)
    if not parts:
        return None
    other: Event | None = event
    for part in scenes.source.sample(parts, min(len(parts), scenes.source.choice((1, 2, 2, 3)))):
        other = scenes.with_synonym(other, part) if label else scenes.with_other(other, part)
        if other is None:
            return None
    return event, scenes.reworded(other, 0.1)


def _qualities(scenes: SceneSource, label: int) -> tuple[Event, Event] | None:
    """What something is like in other words, or the opposite; so or not so."""
    event, opposites = looking(scenes)
    event = replace(event, negated=scenes.chance(0.3))
    synonyms, others = _reworded_qualities(scenes, [event]), _reworded_qualities(scenes, opposites)
    if not synonyms or not others:
        return None
    other = scenes.source.choice(synonyms if label else others)
    return event, scenes.reworded(replace(other, negated=event.negated), 0.2)


def _reworded_qualities(scenes: SceneSource, events: list[Event]) -> list[Event]:
    """The events with their adjectives in other words."""
    found = []
    for event in events:
        quality = event.get("predicate")
        assert isinstance(quality, Quality)
        group = scenes.words.group("adjectives", quality.adjective)
        found += [event.put("predicate", Quality(one)) for one in group if one != quality.adjective]
    return found


def _two(scenes: SceneSource, label: int) -> tuple[Event, Event]:
    """Two events, one so and one not; in the other sentence the same, or exchanged."""
    first, second = side_by_side(scenes)
    changed = (first, second)
    negated = [True, False]
    sentence = joined(scenes, replace(first, negated=True), second)
    if not label and scenes.chance(0.5):
        negated = [False, True]
    elif not label:
        changed = exchanged(first, second)
    parts = [scenes.reworded(replace(e, negated=n), 0.2) for e, n in zip(changed, negated, strict=True)]
    return sentence, joined(scenes, *parts)


PAIRINGS: dict[Pairing, int] = {_places: 13, _parts: 60, _qualities: 14, _two: 13}
