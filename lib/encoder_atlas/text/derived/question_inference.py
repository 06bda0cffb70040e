"""A question and a sentence: does the sentence answer it?

The question is drawn before the label takes part. A sentence that does not answer still speaks of what is
asked about: it leaves the asked part out, has someone else in it or the same in each other's place, or tells
of something else that they did.
"""

from dataclasses import replace

from encoder_atlas.text.derived.facts import facts, implies, told
from encoder_atlas.text.derived.inference import exchanged, joined
from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import TIME, SceneSource, say
from encoder_atlas.text.derived.vocabulary import Vocabulary
from encoder_atlas.text.grammar import Event, Form, Participant

LABEL_NAMES = ("entailment", "not_entailment")
DRAWS_A_SENTENCE = 6
WAYS = {"word": 56, "place": 12, "part": 18, "beside": 14}


def write_question_inference(scenes: SceneSource, label: int) -> Row | None:
    """A question and a sentence whose label is ``LABEL_NAMES[label]``."""
    event = scenes.event()
    timed = scenes.chance(0.55)
    event = scenes.timed(event) if timed else event
    asked = scenes.source.choice(askable(event))
    question = question_form(scenes, event, asked)
    known = told(event, question)
    found: dict[bool, tuple[Event, Form]] = {}
    for _ in range(DRAWS_A_SENTENCE):
        sentence, form = _sentence(scenes, event, known, asked)
        found.setdefault(answers(told(sentence, form), known, asked, scenes.words), (sentence, form))
        if len(found) == 2:  # a question to which only one label is possible would give it away
            return Row((say(event, question), say(*found[label == 0])), {"label": label})
    return None


def askable(event: Event) -> list[str]:
    """What can be asked for: participants that are someone or something, and a time."""
    found = [name for name, one in event.participants().items() if not one.amount and not one.also]
    return found + [modifier.role for modifier in event.modifiers if modifier.role == TIME]


def question_form(scenes: SceneSource, event: Event, asked: str) -> Form:
    """A way to ask for a part of an event."""
    form = scenes.form(event, passive=0.15 if asked == "subject" else 0.5, plain=True)
    form = replace(form, agent=asked == "subject" or scenes.chance(0.4))
    one = event.get(asked)
    # Of a union or a court neither "who" nor "what" is asked.
    which = isinstance(one, Participant) and (one.kind == "body" or scenes.chance(0.3))
    return replace(form, ask=asked, which=which, contracted=False, inner=None)


def answers(statement: Event, event: Event, asked: str, words: Vocabulary) -> bool:
    """Whether a statement says what stands in one part of ``event``, the rest of which is known."""
    rest = tuple(one for one in event.arguments if one[0] != asked)
    known = replace(event, arguments=rest, modifiers=tuple(m for m in event.modifiers if m.role != asked))
    return any(
        not fact.negated and implies(fact, known, words) and _tells(fact, asked)
        for fact in facts(statement, words)
    )


def _tells(fact: Event, asked: str) -> bool:
    if asked == TIME:
        return any(modifier.role == TIME for modifier in fact.modifiers)
    return isinstance(fact.get(asked), Participant)


def _sentence(scenes: SceneSource, event: Event, known: Event, asked: str) -> tuple[Event, Form]:
    """Something about the event, whether it answers or not."""
    way = scenes.of_kind(WAYS)
    if way == "word":
        event = _with_a_word(scenes, event, asked)
    elif way == "place":
        places = scenes.swappable(event)
        event = event.swapped(*places) if places is not None and scenes.chance(0.5) else event
    elif way == "part":
        return _without(scenes, event, known, asked)
    else:
        return _beside(scenes, event)
    event = scenes.reworded(event, 0.1)
    return event, scenes.form(event)


def _with_a_word(scenes: SceneSource, event: Event, asked: str) -> Event:
    """Something that the question names in other words, or something else in its place; once or twice."""
    parts = [part for part in scenes.rewordable(event) if part != asked]
    other = scenes.chance(0.5)
    for part in scenes.source.sample(parts, min(len(parts), 2)):
        changed = scenes.with_other(event, part) if other else scenes.with_synonym(event, part)
        event = event if changed is None else changed
    return event


def _without(scenes: SceneSource, event: Event, known: Event, asked: str) -> tuple[Event, Form]:
    """The event without its time or manner, or with one, and perhaps without who did it.

    Who did it stays unsaid where that is asked, or where the question does not say it either: a passive
    without its agent answers as often as not.
    """
    if event.modifiers and scenes.chance(0.5):
        event = replace(event, modifiers=())
    elif not event.modifiers:
        event = scenes.timed(event)
    form = scenes.form(event, passive=0.7)
    unsaid = 0.35 if asked == "subject" else 0.0 if known.get("subject") else 0.7
    return event, replace(form, agent=not scenes.chance(unsaid))


def _beside(scenes: SceneSource, event: Event) -> tuple[Event, Form]:
    """The event and another, each done by who did it or by who did the other."""
    one = event.participants()["subject"]
    other = scenes.another(one)
    pair = event, scenes.event(given={"subject": other}, plain=True)
    if scenes.chance(0.5):
        pair = exchanged(*pair)
    found = joined(scenes, *pair)
    return found, replace(scenes.form(found), fronted="")
