"""A paragraph about several events, and a question whose answer is a phrase of it.

Every paragraph tells of another event with the same verb, and of another with one of the same participants,
so that the question's words are found in several sentences, and of others of the answer's kind.
"""

from encoder_atlas.text.derived.facts import told
from encoder_atlas.text.derived.question_inference import answers, askable, question_form
from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import SceneSource, say
from encoder_atlas.text.grammar import Event, describe

SENTENCES = (4, 5, 6)


def write_question_answering(scenes: SceneSource, turn: int) -> Row | None:
    """A question and a paragraph; turns change nothing."""
    event = scenes.event()
    positions = [position for position in askable(event) if position in event.participants()]
    if not positions:
        return None
    asked = scenes.source.choice(positions)
    answer = describe(event.participants()[asked])
    form = question_form(scenes, event, asked)
    known = told(event, form)
    others = _beside(scenes, event, asked)
    if any(answers(other, known, asked, scenes.words) for other in others):
        return None
    events = [event, *others]
    scenes.source.shuffle(events)
    sentences = [_told(scenes, one) for one in events]
    start = _start(sentences, events.index(event), answer)
    if start is None:
        return None
    context = " ".join(sentences)
    text = context[start : start + len(answer)]
    return Row((say(event, form), context), {"answer_start": start, "answer_text": text, "answers": (text,)})


def _told(scenes: SceneSource, event: Event) -> str:
    event = scenes.timed(event) if not event.modifiers and scenes.chance(0.4) else event
    return say(event, scenes.form(event))


def _beside(scenes: SceneSource, event: Event, asked: str) -> list[Event]:
    """Other events of the paragraph, none of which answers the question."""
    participants = event.participants()
    known = [position for position in participants if position != asked]
    # The same verb with all others, so that what is known must be looked at, not only the verb.
    found = [scenes.event(verb=event.verb)]
    if known:
        # One that is known does something else; what is asked happens between others.
        position = scenes.source.choice(known)
        found.append(_with(scenes, position, event))
        other = event.put(position, scenes.another(participants[position]))
        found.append(other.put(asked, scenes.another(participants[asked])))
    while len(found) + 1 < scenes.source.choice(SENTENCES):
        found.append(scenes.event())
    return found


def _with(scenes: SceneSource, position: str, event: Event) -> Event:
    one = event.participants()[position]
    where = position if position in ("subject", "object") else "object"
    for frames in (("transitive", "particle"), ("giving", "placing", "prepositional")):
        for _ in range(20):
            verb = scenes.verb(frames)
            if verb.base != event.verb.base and one.kind in verb.kinds.get(where, ()):
                return scenes.event(verb=verb, given={where: one})
    return scenes.event()


def _start(sentences: list[str], place: int, answer: str) -> int | None:
    """Where the answer begins in the paragraph; None where it stands there twice, or not word for word."""
    context = " ".join(sentences).casefold()
    if context.count(answer.casefold()) != 1:
        return None
    start = context.index(answer.casefold())
    before = sum(len(sentence) + 1 for sentence in sentences[:place])
    return start if before <= start < before + len(sentences[place]) else None
