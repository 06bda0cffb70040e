"""Sentences that are English, and sentences with one fault.

For every phenomenon the words that show the fault are as frequent in sentences without it: what is wrong is
only that they stand together. Word order is the exception: there the faulty sentence has the very words of a
good one.
"""

from collections.abc import Callable
from dataclasses import replace

from encoder_atlas.text.derived import corruptions
from encoder_atlas.text.derived.rows import Row
from encoder_atlas.text.derived.scenes import SceneSource, say
from encoder_atlas.text.grammar import (
    Event,
    Form,
    Modifier,
    Participant,
    Time,
    Verb,
    describe,
    draw_form,
    write,
)
from encoder_atlas.text.grammar.words import Tense
from encoder_atlas.text.layers import Sentence

LABEL_NAMES = ("unacceptable", "acceptable")
DRAWS_A_SENTENCE = 400
LONGEST = 22
REFLEXIVES = {"he": "himself", "she": "herself", "they": "themselves"}
CASES = {"he": "him", "she": "her", "they": "them"}
Phenomenon = Callable[[SceneSource, bool], str | None]


def write_acceptability(scenes: SceneSource, label: int) -> Row | None:
    """A sentence that is acceptable (1) or not (0)."""
    text = scenes.of_kind(PHENOMENA)(scenes, label == 1)
    return None if text is None else Row((text,), {"label": label})


def _by_sites(find: corruptions.Finder) -> Phenomenon:
    """Sentences with a place for a fault; what the place shows is drawn before the label counts."""

    def write_one(scenes: SceneSource, good: bool) -> str | None:
        shown = scenes.source.choice(corruptions.SHOWN[find])
        for _ in range(DRAWS_A_SENTENCE):
            sentence = _sentence(scenes, scenes.source.choice(corruptions.TENSES[find]))
            sites = [
                site for site in find(sentence, scenes.words) if (site.was if good else site.shown) == shown
            ]
            if sites:
                site = scenes.source.choice(sites)
                return corruptions.text_of(sentence, None if good else site)
        return None

    write_one.__name__ = find.__name__
    return write_one


def _sentence(scenes: SceneSource, tense: Tense | None) -> Sentence:
    """Any statement of the grammar that is not too long, in a tense or in any."""
    while True:
        scenes.fresh()
        event = scenes.events.event(inner=scenes.chance(0.6), tense=tense)
        form = replace(draw_form(event, scenes.source, scenes.events.rules), ask="")
        sentence = write(event, form)
        if len(sentence.words) <= LONGEST:
            return sentence


def _question(scenes: SceneSource, good: bool) -> str | None:
    """ "What did the bank buy?", not "What the bank did buy?" """
    event = scenes.event()
    event = scenes.timed(event) if scenes.chance(0.5) else event
    positions = [name for name, one in event.participants().items() if name != "subject" and not one.amount]
    if not positions:
        return None
    form = Form(ask=scenes.source.choice(positions), which=scenes.chance(0.4))
    sentence = write(event, form)
    return corruptions.text_of(sentence, None if good else corruptions.uninverted(sentence))


def _object(scenes: SceneSource, good: bool) -> str | None:
    """Verbs that ask for an object with one, verbs that cannot have one without; or the other way round."""
    file, verbs = scenes.words.file, {verb.base: verb for verb in scenes.words.lexicon.verbs}
    with_object = verbs[scenes.source.choice(file.with_object)]
    without = verbs[scenes.source.choice(file.without_object)]
    has_object = scenes.chance(0.5)
    event = scenes.event(verb=with_object)
    if not has_object:
        event = replace(event, arguments=event.arguments[:1])
    fitting = with_object if has_object == good else without
    event = event.put("subject", scenes.thing(fitting.kinds["subject"]))
    event = replace(event, verb=_spelt(with_object if has_object else without, fitting))
    event = scenes.timed(event) if scenes.chance(0.7) else event
    return None if any(map(_like_an_object, event.modifiers)) else say(event)


def _like_an_object(modifier: Modifier) -> bool:
    """Whether it is a noun phrase: "financed that year"."""
    return isinstance(modifier.what, Time) and modifier.what.rule.relation == "obl:tmod"


def _spelt(frame_of: Verb, forms_of: Verb) -> Verb:
    """A verb that stands like one and is written like another."""
    names = ("base", "past", "participle", "third", "gerund")
    return replace(frame_of, **{name: getattr(forms_of, name) for name in names})


def _between_people(scenes: SceneSource) -> Event:
    """What one person did to another."""
    verbs = [
        verb
        for verb in scenes.words.lexicon.verbs_of("transitive")
        if "person" in verb.kinds["subject"] and "person" in verb.kinds["object"]
    ]
    people = {position: _person(scenes) for position in ("subject", "object")}
    event = scenes.event(verb=scenes.source.choice(verbs), given=people)
    return scenes.timed(event) if scenes.chance(0.7) else event


def _person(scenes: SceneSource) -> Participant:
    while True:
        one = scenes.thing(["person"])
        if not one.also:
            return one


def _case(scenes: SceneSource, good: bool) -> str | None:
    """ "He praised the clerk", not "him praised the clerk"."""
    event = _between_people(scenes)
    pronoun = scenes.source.choice(list(CASES))
    as_subject = scenes.chance(0.5)
    word = pronoun if as_subject else CASES[pronoun]
    position = "subject" if as_subject == good else "object"
    return corruptions.put_words(say(event), describe(event.participants()[position]), word)


def _reflexive(scenes: SceneSource, good: bool) -> str | None:
    """ "The clerks praised themselves", not "the clerks praised himself"."""
    shown = scenes.source.choice(list(REFLEXIVES))
    doer = shown if good else scenes.source.choice([one for one in REFLEXIVES if one != shown])
    event = _between_people(scenes)
    subject = event.participants()["subject"]
    is_one = subject.plural if doer == "they" else subject.name is not None and subject.pronoun == doer
    if not is_one:
        return None
    return corruptions.put_words(say(event), describe(event.participants()["object"]), REFLEXIVES[shown])


PHENOMENA: dict[Phenomenon, int] = {
    _by_sites(corruptions.agreement): 20,
    _by_sites(corruptions.verb_form): 20,
    _by_sites(corruptions.determiner): 15,
    _by_sites(corruptions.order): 15,
    _question: 6,
    _object: 8,
    _case: 8,
    _reflexive: 8,
}
