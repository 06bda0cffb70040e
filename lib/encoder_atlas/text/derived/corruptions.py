"""Places in a sentence where one change makes it unacceptable, found by its tags and dependencies."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from encoder_atlas.text.derived.vocabulary import Vocabulary
from encoder_atlas.text.grammar import detokenise
from encoder_atlas.text.grammar.words import Tense
from encoder_atlas.text.layers import Sentence

NUMBER = {"was": "were", "is": "are", "has": "have", "does": "do"}
ONE_DETERMINER = ("a", "an", "every", "each", "another", "this", "that")
MANY_DETERMINERS = ("several", "many", "few", "these", "those", "both")
# Their nouns and names can take a plural verb in British English: "the bank have agreed".
GROUPS = ("org", "body", "gpe", "place", "event")
AS_GROUPS = ("population", "headquarters", "series", "congress", "symposium", "committee")
AUXILIARIES = ("aux", "aux:pass", "cop")


class Site(NamedTuple):
    """What stands in a place now, what the fault shows, and the words of the sentence with the fault."""

    was: str
    shown: str
    words: tuple[str, ...]


Finder = Callable[[Sentence, Vocabulary], Iterator[Site]]


def text_of(sentence: Sentence, site: Site | None) -> str:
    """The sentence as text, with the fault of a site or as it is."""
    text = detokenise(_lower_first(sentence) if site is None else site.words)
    return text[:1].upper() + text[1:]


def put_words(text: str, phrase: str, words: str) -> str | None:
    """``text`` with other words for a phrase; None where it does not stand there just once."""
    found = list(re.finditer(rf"\b{re.escape(phrase)}(?!\w)", text, re.IGNORECASE))
    if len(found) != 1:
        return None
    changed = text[: found[0].start()] + words + text[found[0].end() :]
    return changed[:1].upper() + changed[1:]


def agreement(sentence: Sentence, vocabulary: Vocabulary) -> Iterator[Site]:
    """A finite verb whose subject has a number: the verb takes the other."""
    words, tags = _lower_first(sentence), sentence.tags or ()
    if "if" in words:  # "if the price were lower"
        return
    other = _other_number(vocabulary)
    for place, tag in enumerate(tags):
        is_past_be = words[place] in ("was", "were")
        if (
            (tag in ("VBZ", "VBP") or is_past_be)
            and words[place] in other
            and _has_number(sentence, place, vocabulary)
        ):
            many = tag == "VBP" or words[place] == "were"
            names = ("many", "one") if many else ("one", "many")
            yield Site(*names, _changed(words, place, other[words[place]]))


def _has_number(sentence: Sentence, place: int, vocabulary: Vocabulary) -> bool:
    heads, relations, tags = sentence.heads or (), sentence.deprels or (), sentence.tags or ()
    clause = heads[place] - 1 if relations[place] in AUXILIARIES else place
    subjects = [
        word
        for word, (head, relation) in enumerate(zip(heads, relations, strict=True))
        if head - 1 == clause and relation in ("nsubj", "nsubj:pass")
    ]
    if len(subjects) != 1 or any(
        head - 1 == clause and relation == "expl" for head, relation in zip(heads, relations, strict=True)
    ):
        return False
    word, tag = sentence.words[subjects[0]], tags[subjects[0]]
    if tag == "PRP":
        return word.lower() in ("he", "she", "they")
    if tag in ("NN", "NNS"):
        return word.lower() in _numbered_nouns(vocabulary)
    return any(
        one.label == "PERSON" and one.start <= subjects[0] < one.end for one in sentence.entities or ()
    )


@lru_cache
def _numbered_nouns(vocabulary: Vocabulary) -> frozenset[str]:
    nouns = [
        noun
        for kind, of_kind in vocabulary.lexicon.nouns.items()
        for noun in of_kind
        if kind not in GROUPS and noun.word not in AS_GROUPS and (noun.mass or noun.plural != noun.word)
    ]
    return frozenset(word for noun in nouns for word in (noun.word, noun.plural))


@lru_cache
def _other_number(vocabulary: Vocabulary) -> dict[str, str]:
    found = {verb.third: verb.base for verb in vocabulary.lexicon.verbs if verb.third != verb.base} | NUMBER
    return found | {many: one for one, many in found.items()}


def verb_form(sentence: Sentence, vocabulary: Vocabulary) -> Iterator[Site]:
    """A verb after its only auxiliary: "must bought", "has buying", "is buy"."""
    words, heads, relations, tags = _parts(sentence)
    verbs = {verb.base: verb for verb in vocabulary.lexicon.verbs}
    by_form = {form: verb for verb in verbs.values() for form in (verb.base, verb.participle, verb.gerund)}
    for main in range(len(words)):
        auxiliaries = [
            place for place, head in enumerate(heads) if head - 1 == main and relations[place] in AUXILIARIES
        ]
        verb = by_form.get(words[main])
        if (
            len(auxiliaries) != 1
            or relations[auxiliaries[0]] != "aux"
            or verb is None
            or verb.base == verb.participle
        ):
            continue
        aux, was = words[auxiliaries[0]], tags[main]
        if tags[auxiliaries[0]] == "MD" and was == "VB":
            yield Site("VB", "VBN", _changed(words, main, verb.participle))
        elif aux in ("has", "have", "had") and was == "VBN":
            yield Site("VBN", "VBG", _changed(words, main, verb.gerund))
        elif aux in ("is", "are", "was", "were") and was == "VBG":
            yield Site("VBG", "VB", _changed(words, main, verb.base))


def determiner(sentence: Sentence, vocabulary: Vocabulary) -> Iterator[Site]:
    """A noun after a word that tells its number: "every shops", "several shop"."""
    words, heads, relations, tags = _parts(sentence)
    other = _other_noun(vocabulary)
    for place, word in enumerate(words):
        noun = heads[place] - 1
        if relations[place] not in ("det", "amod", "nummod") or words[noun] not in other:
            continue
        if word in ONE_DETERMINER and tags[noun] == "NN":
            yield Site("one", "many", _changed(words, noun, other[words[noun]]))
        elif (word in MANY_DETERMINERS or tags[place] == "CD") and tags[noun] == "NNS":
            yield Site("many", "one", _changed(words, noun, other[words[noun]]))


@lru_cache
def _other_noun(vocabulary: Vocabulary) -> dict[str, str]:
    nouns = [noun for of_kind in vocabulary.lexicon.nouns.values() for noun in of_kind]
    pairs = [(noun.word, noun.plural) for noun in nouns if not noun.mass and noun.word != noun.plural]
    return dict(pairs) | {many: one for one, many in pairs}


def order(sentence: Sentence, vocabulary: Vocabulary) -> Iterator[Site]:
    """Two neighbours that can only stand in one order: "shop the", "bought has", "harbour the in"."""
    words, heads, relations, tags = _parts(sentence)
    for place in range(len(words) - 1):
        after = place + 1
        first = (
            tags[place] in ("DT", "JJ")
            and relations[place] in ("det", "amod")
            and words[place] not in ("some", "both")
        )
        noun = tags[after] in ("NN", "NNS", "JJ")
        verb = relations[place] == "aux" and tags[place] != "TO" and heads[place] == after + 1
        case = relations[place] == "case" and tags[after] in ("DT", "NNP", "NNS") and tags[place] == "IN"
        if (first and noun) or verb or case:
            changed = [*words]
            changed[place], changed[after] = words[after], words[place]
            yield Site("order", "order", tuple(changed))


def uninverted(sentence: Sentence) -> Site:
    """A question whose auxiliary stands after its subject."""
    words, heads, relations, _ = _parts(sentence)
    aux = next(place for place, relation in enumerate(relations) if relation in AUXILIARIES)
    main = heads[aux] - 1
    rest = [*words]
    rest.insert(main - 1, rest.pop(aux))
    return Site("question", "question", tuple(rest))


def _parts(sentence: Sentence) -> tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...], tuple[str, ...]]:
    return _lower_first(sentence), sentence.heads or (), sentence.deprels or (), sentence.tags or ()


def _lower_first(sentence: Sentence) -> tuple[str, ...]:
    first, tags = sentence.words[0], sentence.tags or ("",)
    return sentence.words if tags[0] == "NNP" else (first[:1].lower() + first[1:], *sentence.words[1:])


def _changed(words: tuple[str, ...], place: int, word: str) -> tuple[str, ...]:
    return (*words[:place], word, *words[place + 1 :])


# What a place can show, with a fault or without; drawn evenly, whatever the label.
SHOWN: dict[Finder, tuple[str, ...]] = {
    agreement: ("one", "many"),
    verb_form: ("VB", "VBN", "VBG"),
    determiner: ("one", "many"),
    order: ("order",),
}
# The tenses in which such places are common; None for any tense.
TENSES: dict[Finder, tuple[Tense | None, ...]] = {
    agreement: ("present", "past"),
    verb_form: ("present", "future", "past"),
    determiner: (None,),
    order: (None,),
}
