"""Two sentences and how much of what they say is the same, from 0 to 5.

The rule: an event of this task has five parts, who did something, what was done, to whom or what, to or about
whom or what, and when. One point for each part that both sentences share in the same position, half a point
where one says it less exactly ("a printer", "an item"). Synonyms, family names and the order of words make no
difference.
"""

from dataclasses import replace

from encoder_atlas.text.derived.facts import covers
from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import SceneSource, say
from encoder_atlas.text.derived.vocabulary import Vocabulary
from encoder_atlas.text.grammar import Event, Participant

FRAMES = ("giving", "placing")
POSITIONS = ("subject", "object", "oblique")
PARTS = ("verb", *POSITIONS, "time")


def write_similarity(scenes: SceneSource, steps: int) -> Row | None:
    """A pair whose score is ``steps`` halves of a point."""
    event = _timed(scenes, scenes.event(FRAMES))
    parts = scenes.source.sample(PARTS, len(PARTS))
    wanted = steps / 2
    other, places = event, scenes.swappable(event)
    if places is not None and wanted <= 3 and scenes.chance(0.6):
        # The same words, and two parts fewer in common.
        other = event.swapped(*places)
        parts = [part for part in parts if part not in places] + list(places)
    while parts and score(event, other, scenes.words) > wanted:
        found = _less(scenes, other, parts.pop(0), score(event, other, scenes.words) - wanted)
        other = other if found is None else found
    other = scenes.reworded(other, 0.7)
    found = score(event, other, scenes.words)
    if found != wanted:
        return None
    one, other = (event, other) if scenes.chance(0.5) else (other, event)
    return Row((say(one, scenes.form(one)), say(other, scenes.form(other))), {"label": found})


def score(one: Event, other: Event, words: Vocabulary) -> float:
    """How much of two events is the same, by the rule of this module."""
    found = float(words.same("verbs", one.verb.base, other.verb.base) and one.verb.frame == other.verb.frame)
    for position in POSITIONS:
        mine, theirs = one.get(position), other.get(position)
        forth, back = covers(mine, theirs, words), covers(theirs, mine, words)
        found += (forth + back) / 2
    return found + (one.modifiers == other.modifiers)


def _timed(scenes: SceneSource, event: Event) -> Event:
    return replace(event, modifiers=(scenes.time(),))


def _less(scenes: SceneSource, event: Event, part: str, too_much: float) -> Event | None:
    """The event with another thing in one part, or, for half a point, with a broader word."""
    if part == "time":
        return _timed(scenes, event) if too_much >= 1 else None
    if part == "verb":
        return scenes.other_verb(event) if too_much >= 1 else None
    one = event.participants()[part]
    if too_much >= 1:
        return event.put(part, scenes.another(one))
    broader = _broader(scenes, one)
    return None if broader is None else event.put(part, broader)


def _broader(scenes: SceneSource, one: Participant) -> Participant | None:
    """The same one, said less exactly."""
    if one.adjectives:
        return replace(one, adjectives=())
    nouns = scenes.words.lexicon.broader(one.noun) if one.noun is not None and not one.noun.mass else ()
    return replace(one, noun=nouns[0], compound="") if nouns and not one.also else None
