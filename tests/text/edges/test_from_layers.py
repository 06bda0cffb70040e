"""Targets read off layers: a sentence by hand, and a slow twin on generated text."""

from dataclasses import replace

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import AnnotatedCorpus, CorpusSpec, load_corpus
from encoder_atlas.text.edges import EDGE_KINDS, EdgeKind, EdgeTask, of_corpus
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

# "Ann said she was seen by Bob": she is Ann.
BY_HAND = Sentence(
    id="1",
    words=("Ann", "said", "she", "was", "seen", "by", "Bob"),
    tags=("NNP", "VBD", "PRP", "VBD", "VBN", "IN", "NNP"),
    heads=(2, 0, 5, 5, 2, 7, 5),
    deprels=("nsubj", "root", "nsubj:pass", "aux:pass", "ccomp", "case", "obl:agent"),
    entities=(Span(0, 1, "PERSON"), Span(6, 7, "PERSON")),
    tree=Tree(
        (
            Span(0, 7, "TOP"),
            Span(0, 7, "S"),
            Span(0, 1, "NP"),
            Span(1, 7, "VP"),
            Span(2, 7, "SBAR"),
            Span(2, 7, "S"),
            Span(2, 3, "NP"),
            Span(3, 7, "VP"),
            Span(4, 7, "VP"),
            Span(5, 7, "PP"),
            Span(6, 7, "NP"),
        ),
        ("NNP", "VBD", "PRP", "VBD", "VBN", "IN", "NNP"),
    ),
    frames=(
        Frame(1, "say.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"), Span(2, 7, "ARG1"))),
        Frame(4, "see.01", (Span(2, 3, "ARG1"), Span(4, 5, "V"), Span(5, 7, "ARG0"))),
    ),
    mentions=(Span(0, 1, "ann"), Span(2, 3, "ann"), Span(6, 7, "bob")),
)
# A sentence that makes every task one in which something can be learnt.
OTHER = Sentence(
    id="2",
    words=("Rome", "fell"),
    tags=("NNP", "VBD"),
    heads=(2, 0),
    deprels=("nsubj", "root"),
    entities=(Span(0, 1, "GPE"),),
    tree=Tree((Span(0, 2, "S"), Span(0, 1, "NP"), Span(1, 2, "VP")), ("NNP", "VBD")),
    frames=(Frame(1, "fall.01", (Span(0, 1, "ARG1"), Span(1, 2, "V"))),),
    mentions=(Span(0, 1, "rome"),),
)


def corpus(*sentences: Sentence) -> AnnotatedCorpus:
    renamed = tuple(replace(one, id=f"dev{one.id}") for one in sentences)
    return AnnotatedCorpus("hand", {"train": sentences, "dev": renamed}, "Made for tests.")


def told(task: EdgeTask) -> set[tuple[str, str, str]]:
    """Words of both spans and the labels of every target of train."""
    content = task.split("train")
    rows = zip(content.span_words(1), content.span_words(2), content.labels, strict=True)
    return {
        (
            " ".join(one),
            " ".join(two),
            "+".join(name for name, held in zip(task.label_names, holds, strict=True) if held),
        )
        for one, two, holds in rows
    }


EXPECTED: dict[EdgeKind, set[tuple[str, str, str]]] = {
    "pos": {
        ("Ann", "", "NNP"),
        ("said", "", "VBD"),
        ("she", "", "PRP"),
        ("was", "", "VBD"),
        ("seen", "", "VBN"),
        ("by", "", "IN"),
        ("Bob", "", "NNP"),
    },
    "dep": {
        ("Ann", "said", "nsubj"),
        ("she", "seen", "nsubj:pass"),
        ("was", "seen", "aux:pass"),
        ("seen", "said", "ccomp"),
        ("by", "Bob", "case"),
        ("Bob", "seen", "obl:agent"),
    },
    "entities": {("Ann", "", "PERSON"), ("Bob", "", "PERSON")},
    "constituents": {
        ("Ann said she was seen by Bob", "", "S+TOP"),
        ("Ann", "", "NP"),
        ("said she was seen by Bob", "", "VP"),
        ("she was seen by Bob", "", "S+SBAR"),
        ("she", "", "NP"),
        ("was seen by Bob", "", "VP"),
        ("seen by Bob", "", "VP"),
        ("by Bob", "", "PP"),
        ("Bob", "", "NP"),
    },
    "coref": {("Ann", "she", "same"), ("Ann", "Bob", "other"), ("she", "Bob", "other")},
    "srl": {
        ("said", "Ann", "ARG0"),
        ("said", "she was seen by Bob", "ARG1"),
        ("seen", "she", "ARG1"),
        ("seen", "by Bob", "ARG0"),
    },
}
FROM_OTHER: dict[EdgeKind, set[tuple[str, str, str]]] = {
    "pos": {("Rome", "", "NNP"), ("fell", "", "VBD")},
    "dep": {("Rome", "fell", "nsubj")},
    "entities": {("Rome", "", "GPE")},
    "constituents": {("Rome fell", "", "S"), ("Rome", "", "NP"), ("fell", "", "VP")},
    "coref": set(),
    "srl": {("fell", "Rome", "ARG1")},
}


@pytest.mark.parametrize("kind", EDGE_KINDS)
def test_a_sentence_by_hand(kind: EdgeKind) -> None:
    task = of_corpus(corpus(BY_HAND, OTHER), kind)
    assert task.name == f"hand-{kind}"
    assert told(task) == EXPECTED[kind] | FROM_OTHER[kind]


def test_subtypes_can_be_dropped() -> None:
    task = of_corpus(corpus(BY_HAND, OTHER), "dep", subtypes=False)
    assert task.label_names == ("aux", "case", "ccomp", "nsubj", "obl")
    assert ("she", "seen", "nsubj") in told(task)


def test_a_sentence_without_the_layer_is_left_out() -> None:
    task = of_corpus(corpus(BY_HAND, replace(OTHER, heads=None, deprels=None)), "dep")
    assert told(task) == EXPECTED["dep"]
    bare = replace(BY_HAND, mentions=None)
    with pytest.raises(DataError, match="has no sentence with coref"):
        of_corpus(corpus(bare), "coref")


def test_a_test_split_without_the_layer_is_left_out() -> None:
    whole = corpus(BY_HAND, OTHER)
    bare = replace(OTHER, id="3", mentions=None)
    with_test = replace(whole, splits=whole.splits | {"test": (bare,)})
    assert list(of_corpus(with_test, "coref").splits) == ["train", "dev"]
    assert list(of_corpus(with_test, "pos").splits) == ["train", "dev", "test"]


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError, match=r"no edges 'entity' .* did you mean 'entities'"):
        of_corpus(corpus(BY_HAND, OTHER), "entity")


@pytest.fixture(scope="module")
def generated() -> AnnotatedCorpus:
    spec = CorpusSpec(name="g", source="generated", corpus="language", train=60, dev=10, test=1)
    return load_corpus(spec)


@pytest.mark.parametrize("kind", EDGE_KINDS)
def test_numbers_agree_with_the_layers(kind: EdgeKind, generated: AnnotatedCorpus) -> None:
    """As many targets as the layer has things, counted apart."""
    train = generated.split("train")
    counts: dict[EdgeKind, int] = {
        "pos": sum(len(one.words) for one in train),
        "dep": sum(len(one.words) - 1 for one in train),
        "entities": sum(len(one.entities or ()) for one in train),
        "constituents": sum(len({span[:2] for span in one.tree.spans}) for one in train if one.tree),
        "coref": sum(len(one.mentions or ()) * (len(one.mentions or ()) - 1) // 2 for one in train),
        "srl": sum(len(frame.arguments) for one in train for frame in one.frames or ()),
    }
    assert len(of_corpus(generated, kind).split("train").targets) == counts[kind]
