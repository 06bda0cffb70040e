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
from encoder_atlas.text.grammar import Event

LABEL_NAMES = ("not_paraphrase", "paraphrase")
# Gives an event and another that differs from it (label 0), or not in meaning (label 1).
Pairing = Callable[[SceneSource, int], tuple[Event, Event] | None]


def write_paraphrase(scenes: SceneSource, label: int) -> Row | None:
    """A pair whose label is ``LABEL_NAMES[label]``."""
    pairing = scenes.source.choices(list(PAIRINGS), list(PAIRINGS.values()))[0]
    found = pairing(scenes, label)
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
    return event, scenes.reworded(event if label else event.swapped(*places), 0.5)


def _parts(scenes: SceneSource, label: int) -> tuple[Event, Event] | None:
    """A verb and participants that have synonyms: one of them is reworded, or is another."""
    event = scenes.event()
    event = scenes.timed(event) if scenes.chance(0.5) else event
    parts = scenes.rewordable(event)
    if not parts:
        return None
    part = scenes.source.choice(parts)
    other = scenes.with_synonym(event, part) if label else scenes.with_other(event, part)
    return None if other is None else (event, scenes.reworded(other, 0.15))


def _qualities(scenes: SceneSource, label: int) -> tuple[Event, Event] | None:
    """What something is like, or the opposite; so or not so."""
    event, opposites = looking(scenes)
    event = replace(event, negated=scenes.chance(0.3))
    other = event if label else replace(scenes.source.choice(opposites), negated=event.negated)
    return event, scenes.reworded(other, 0.6)


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
    parts = [scenes.reworded(replace(e, negated=n), 0.4) for e, n in zip(changed, negated, strict=True)]
    return sentence, joined(scenes, *parts)


PAIRINGS: dict[Pairing, int] = {_places: 30, _parts: 40, _qualities: 10, _two: 20}
