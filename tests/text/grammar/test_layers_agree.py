"""Thousands of sentences: the layers are proper, and each says what the others say."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from tests.text.grammar.written import written

from encoder_atlas.text.grammar import DOMAINS
from encoder_atlas.text.layers import Sentence, Span, Tree, check_sentence

SENTENCES = 2500
AUXILIARIES = {"aux", "aux:pass"}
TAG_OF_UPOS = {"NOUN": {"NN", "NNS"}, "PROPN": {"NNP"}, "NUM": {"CD"}, "AUX": {"MD"}}


@pytest.fixture(scope="module", params=DOMAINS)
def sentences(request: pytest.FixtureRequest) -> list[Sentence]:
    return written(SENTENCES, 11, request.param)


def tree_of(sentence: Sentence) -> Tree:
    assert sentence.tree is not None
    return sentence.tree


def units(sentence: Sentence) -> set[tuple[int, int]]:
    """What phrases and single words span."""
    words = {(place, place + 1) for place in range(len(sentence.words))}
    return words | {span[:2] for span in tree_of(sentence).spans}


def words_from_outside(sentence: Sentence, span: Span) -> int:
    """How many words of a span depend on a word outside it."""
    heads = (sentence.heads or ())[span.start : span.end]
    return sum(not span.start < head <= span.end for head in heads)


def arcs_cross(sentence: Sentence) -> bool:
    arcs = sorted(
        (min(word, head), max(word, head)) for word, head in enumerate(sentence.heads or (), 1) if head
    )
    return any(a < c < b < d for place, (a, b) in enumerate(arcs) for c, d in arcs[place + 1 :])


def test_every_sentence_has_every_layer_and_each_is_proper(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        assert sentence.layers == ("pos", "dep", "ner", "con", "srl", "coref")
        check_sentence(sentence, sentence.id)
        assert tree_of(sentence).tags == sentence.tags
        assert tree_of(sentence).spans[0].label == "TOP"
        assert all(sentence.deprels or ())


def test_a_phrase_has_one_head(sentences: list[Sentence]) -> None:
    """Where no dependencies cross, exactly one word of each phrase depends on a word outside it."""
    checked = 0
    for sentence in sentences:
        if not arcs_cross(sentence):
            for span in tree_of(sentence).spans:
                assert words_from_outside(sentence, span) == 1, (sentence.words, span)
                checked += 1
    assert checked > 10 * SENTENCES / 2


def test_entities_and_mentions_are_phrases(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        for span in (*(sentence.entities or ()), *(sentence.mentions or ())):
            assert span[:2] in units(sentence), (sentence.words, span)


def test_names_are_entities(sentences: list[Sentence]) -> None:
    """Every proper noun is part of an entity, but for the titles before names."""
    for sentence in sentences:
        covered = {place for span in sentence.entities or () for place in range(span.start, span.end)}
        for place, (word, tag) in enumerate(zip(sentence.words, sentence.tags or (), strict=True)):
            if tag == "NNP" and word not in ("Dr.", "Mr.", "Ms.", "Professor"):
                assert place in covered, sentence.words


def test_every_main_verb_has_a_frame(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        tagged = enumerate(zip(sentence.tags or (), sentence.deprels or (), strict=True))
        verbs = [place for place, (tag, label) in tagged if tag[0] == "V" and label not in AUXILIARIES]
        assert [frame.predicate for frame in sentence.frames or ()] == verbs


def test_roles_are_phrases_and_the_verb_is_v(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        for frame in sentence.frames or ():
            assert all(role[:2] in units(sentence) for role in frame.roles), (sentence.words, frame)
            assert Span(frame.predicate, frame.predicate + 1, "V") in frame.roles
            labels = [
                role.label
                for role in frame.arguments
                if role.label.startswith("ARG") and "M" not in role.label
            ]
            assert len(set(labels)) == len(labels), (sentence.words, frame)


def test_subjects_and_objects_have_roles(sentences: list[Sentence]) -> None:
    """The head of each subject and object is the head of a role of the verb that it depends on."""
    for sentence in sentences:
        roles = {frame.predicate: frame.roles for frame in sentence.frames or ()}
        for place, head, label in of_verbs(sentence, {"nsubj", "nsubj:pass", "obj", "iobj", "obl:agent"}):
            found = [role for role in roles[head] if role.start <= place < role.end and role.label != "V"]
            assert found, (sentence.words, sentence.words[place], label)


def of_verbs(sentence: Sentence, labels: set[str]) -> Iterator[tuple[int, int, str]]:
    """Words under a relation to a verb: their place, the verb's, and the relation."""
    for place, (head, label) in enumerate(zip(sentence.heads or (), sentence.deprels or (), strict=True)):
        if label in labels and any(frame.predicate == head - 1 for frame in sentence.frames or ()):
            yield place, head - 1, label


def test_relative_pronouns_have_the_role_of_what_they_stand_for(sentences: list[Sentence]) -> None:
    found = 0
    for sentence in sentences:
        for frame in sentence.frames or ():
            labels = {role.label for role in frame.arguments}
            for label in labels:
                if label.startswith("R-"):
                    assert label[2:] in labels, (sentence.words, frame)
                    found += 1
    assert found > SENTENCES / 100


def test_universal_tags_follow_the_others(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        triples = zip(sentence.upos or (), sentence.tags or (), sentence.deprels or (), strict=True)
        for upos, tag, label in triples:
            if tag in ("NN", "NNS", "NNP", "CD", "MD") and upos != "SYM":
                assert tag in TAG_OF_UPOS[upos]
            if tag[0] == "V":
                assert (upos == "AUX") == (label in {"aux", "aux:pass", "cop"})


def test_a_name_and_its_pronouns_agree(sentences: list[Sentence]) -> None:
    """Within a document the mentions of one participant are never both "he" and "she", or "it" and "they"."""
    sets = ({"he", "him", "his"}, {"she", "her"}, {"it", "its"}, {"they", "them", "their"})
    for document in documents(sentences):
        used: dict[str, set[int]] = {}
        for sentence in document:
            for span in sentence.mentions or ():
                word = sentence.words[span.start].lower()
                if span.end == span.start + 1:
                    used.setdefault(span.label, set()).update(
                        place for place, one in enumerate(sets) if word in one
                    )
        assert all(len(places) <= 1 for places in used.values())


def test_mentions_come_at_least_twice_in_a_document(sentences: list[Sentence]) -> None:
    for document in documents(sentences)[:-1]:  # the last may be cut off
        labels = [span.label for sentence in document for span in sentence.mentions or ()]
        assert all(labels.count(label) > 1 for label in labels)


def documents(sentences: list[Sentence]) -> list[list[Sentence]]:
    """Sentences by document; those of one document follow each other."""
    found = [[sentences[0]]]
    for before, after in pairwise(sentences):
        if before.document == after.document:
            found[-1].append(after)
        else:
            found.append([after])
    return found
