"""A sentence and its topic: what is acted on, or changes, in the event that it tells of.

Some sentences have a subordinate clause about another topic: the topic is that of the main clause.
"""

from dataclasses import replace

from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import DRAWS, NothingFitsError, SceneSource, say
from encoder_atlas.text.grammar import Event, Modifier

FRAMES = ("transitive", "giving", "particle", "changing")
ASIDE = 0.35  # share of sentences with a clause about another topic


def topics_of(scenes: SceneSource) -> tuple[str, ...]:
    """The topics of the domain, in the order of its file."""
    return tuple(scenes.words.file.topics)


def write_topics(scenes: SceneSource, label: int) -> Row | None:
    """A sentence whose topic is number ``label`` of the domain's."""
    topic = topics_of(scenes)[label]
    event = about(scenes, topic)
    if scenes.chance(ASIDE):
        aside = about(scenes, scenes.source.choice([name for name in topics_of(scenes) if name != topic]))
        event = replace(
            event, modifiers=(Modifier("ARGM-TMP", aside, scenes.source.choice(("after", "before"))),)
        )
    elif scenes.chance(0.8):
        event = scenes.timed(event)
    return Row((say(event, scenes.form(event, agent=0.8)),), {"label": label})


def about(scenes: SceneSource, topic: str) -> Event:
    """An event of a topic."""
    kinds = scenes.words.file.topics[topic]
    verbs = [
        verb
        for verb in scenes.words.lexicon.verbs_of(*FRAMES)
        if any(kind in verb.kinds[_acted_on(verb.frame)] for kind in kinds)
    ]
    for _ in range(DRAWS):
        event = scenes.event(verb=scenes.source.choice(verbs))
        if topic_of(event, scenes) == topic:
            return event
    raise NothingFitsError(f"no event about {topic}")


def topic_of(event: Event, scenes: SceneSource) -> str | None:
    """The topic of an event, if it has one."""
    one = event.participants()[_acted_on(event.verb.frame)]
    return next((name for name, kinds in scenes.words.file.topics.items() if one.kind in kinds), None)


def _acted_on(frame: str) -> str:
    return "subject" if frame == "changing" else "object"
