"""A sentence and its topic: what is acted on, or changes, in the event that it tells of."""

from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import SceneSource, say
from encoder_atlas.text.grammar import Event

FRAMES = ("transitive", "giving", "particle", "changing")


def topics_of(scenes: SceneSource) -> tuple[str, ...]:
    """The topics of the domain, in the order of its file."""
    return tuple(scenes.words.file.topics)


def write_topics(scenes: SceneSource, label: int) -> Row | None:
    """A sentence whose topic is number ``label`` of the domain's."""
    topic = topics_of(scenes)[label]
    kinds = scenes.words.file.topics[topic]
    verbs = [
        verb
        for verb in scenes.words.lexicon.verbs_of(*FRAMES)
        if any(kind in verb.kinds[_acted_on(verb.frame)] for kind in kinds)
    ]
    verb = scenes.source.choice(verbs)
    event = scenes.event(verb=verb)
    if topic_of(event, scenes) != topic:
        return None
    event = scenes.timed(event) if scenes.chance(0.8) else event
    form = scenes.form(event, agent=0.8)
    return Row((say(event, form),), {"label": label})


def topic_of(event: Event, scenes: SceneSource) -> str | None:
    """The topic of an event, if it has one."""
    one = event.participants()[_acted_on(event.verb.frame)]
    return next((name for name, kinds in scenes.words.file.topics.items() if one.kind in kinds), None)


def _acted_on(frame: str) -> str:
    return "subject" if frame == "changing" else "object"
