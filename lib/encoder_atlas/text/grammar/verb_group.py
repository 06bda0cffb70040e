"""The words of a verb group: auxiliaries, "do" where it is needed, and the main verb in its form."""

from typing import Literal, NamedTuple

from encoder_atlas.text.grammar.lexicon import Verb
from encoder_atlas.text.grammar.meaning import Event

Mood = Literal["finite", "infinitive", "gerund", "participle"]
# The form that stands after each auxiliary.
BASE, PARTICIPLE, ING = "VB", "VBN", "VBG"
OF_HAVE = {"VB": "have", "VBD": "had", "VBZ": "has", "VBP": "have", "VBG": "having"}
OF_BE = {"VB": "be", "VBD": "was", "VBZ": "is", "VBP": "are", "VBG": "being", "VBN": "been"}
OF_DO = {"VBD": "did", "VBZ": "does", "VBP": "do"}
SHORT_NOT = {"can": "ca", "will": "wo"}
SHORT_AFTER_PRONOUN = {"is": "'s", "has": "'s", "are": "'re", "have": "'ve", "will": "'ll"}


class VerbWord(NamedTuple):
    """A word of the group: as spelt, its tag, and its relation to the main verb ("" for that itself)."""

    word: str
    tag: str
    relation: str


def verb_words(
    event: Event, *, passive: bool, many: bool, mood: Mood = "finite", needs_aux: bool = False
) -> list[VerbWord]:
    """The verb group of an event, the main verb last.

    Args:
        event: what happens, with its tense, aspect and modal.
        passive: whether it is said in the passive.
        many: whether the subject takes a plural verb.
        mood: of the clause; only a finite one has tense and modal.
        needs_aux: whether "not" or a question needs an auxiliary to hold on to.
    """
    words: list[VerbWord] = []
    tag = _first_tag(event, many, mood)
    if tag == "MD":
        words.append(VerbWord(event.modal, "MD", "aux"))
        tag = BASE
    if event.aspect == "perfect" and mood != "participle":
        words.append(VerbWord(OF_HAVE[tag], tag, "aux"))
        tag = PARTICIPLE
    if event.aspect == "progressive" and mood == "finite":
        words.append(VerbWord(form_of_be(tag, many), tag, "aux"))
        tag = ING
    if passive and mood != "participle":
        words.append(VerbWord(form_of_be(tag, many), tag, "aux:pass"))
        tag = PARTICIPLE
    if needs_aux and not words and event.verb.base != "be":
        words.append(VerbWord(OF_DO[tag], tag, "aux"))
        tag = BASE
    words.append(VerbWord(form_of(event.verb, tag, many), tag, ""))
    return words


def _first_tag(event: Event, many: bool, mood: Mood) -> str:
    if mood != "finite":
        return {"infinitive": BASE, "gerund": ING, "participle": PARTICIPLE}[mood]
    if event.modal:
        return "MD"
    if event.tense == "past":
        return "VBD"
    return "VBP" if many else "VBZ"


def form_of(verb: Verb, tag: str, many: bool) -> str:
    """A verb's form under a tag."""
    if verb.base == "be":
        return form_of_be(tag, many)
    return {
        "VB": verb.base,
        "VBP": verb.base,
        "VBZ": verb.third,
        "VBD": verb.past,
        "VBN": verb.participle,
        "VBG": verb.gerund,
    }[tag]


def form_of_be(tag: str, many: bool) -> str:
    """A form of "be"."""
    return "were" if tag == "VBD" and many else OF_BE[tag]
