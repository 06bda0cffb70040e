"""Edge tasks read off the layers of annotated sentences, after Tenney et al. (2019)."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Literal, get_args

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.edges.build import Edge, EdgeSentence, edge_task
from encoder_atlas.text.edges.task import EdgeTask
from encoder_atlas.text.layers import ROOT, Layer, Sentence, Span

EdgeKind = Literal["pos", "dep", "entities", "constituents", "coref", "srl"]
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
SAME, OTHER = "same", "other"  # the labels of "coref"

LAYER_OF: dict[str, Layer] = {
    "pos": "pos",
    "dep": "dep",
    "entities": "ner",
    "constituents": "con",
    "coref": "coref",
    "srl": "srl",
}


def of_corpus(corpus: AnnotatedCorpus, kind: str, *, subtypes: bool = True) -> EdgeTask:
    """What a probe is asked of the sentences that have a layer.

    ==============  ==============================  ============================  =====================
    kind            first span                      second span                   label
    ==============  ==============================  ============================  =====================
    "pos"           every word                                                    its tag
    "dep"           every word but the root         its head, as annotated        its relation
    "entities"      every entity                                                  its type
    "constituents"  every phrase                                                  its label
    "coref"         a mention                       a later one of the sentence   "same" or "other"
    "srl"           the predicate                   every argument of it          its role
    ==============  ==============================  ============================  =====================

    Spans are given and labelled, none has to be found. Phrases are those of the tree, words no phrases; where
    two phrases span the same words, both labels hold of the one span (the authors' code makes two targets of
    it, of which a probe can never have both right). "coref" takes every pair of mentions of a sentence and
    balances nothing, as the authors' code does. A probe sees one sentence, so pairs over two sentences are
    left out, and so is a mention that is alone in its sentence. Our generated text and OntoNotes annotate
    only mentions that come again in the document: an "other" pair joins two things that both come again.

    For comparison with printed numbers: the authors report "coref" by the F1 of the label "same" alone, and
    "srl" without the roles R-… and C-….

    Args:
        corpus: annotated sentences; those without the layer are left out, and so is a split other than train
            and dev in which nothing is left.
        kind: which of the tasks, one of ``EDGE_KINDS``.
        subtypes: of "dep", whether "nsubj:pass" is a label of its own or counts as "nsubj".

    Raises:
        DataError: if there is no such kind, a split has no sentence with the layer, or as ``EdgeTask``.
    """
    if kind not in EDGE_KINDS:
        raise DataError(f"There are no edges {kind!r} of annotated sentences; {near(kind, EDGE_KINDS)}.")
    layer = LAYER_OF[kind]
    edges_of = partial(_dependencies, subtypes=subtypes) if kind == "dep" else EDGES[kind]
    splits: dict[str, list[EdgeSentence]] = {}
    for split in corpus.splits:
        needed = split in ("train", "dev")
        every = corpus.sentences(split, [layer]) if needed else corpus.split(split)
        found = [EdgeSentence(one.id, one.words, tuple(edges_of(one))) for one in every]
        if needed or any(one.edges for one in found):
            splits[split] = found
    return edge_task(f"{corpus.name}-{kind}", splits, corpus.source_note)


def _tags(sentence: Sentence) -> Iterator[Edge]:
    for word, tag in enumerate(sentence.tags or ()):
        yield Edge((word, word + 1), None, (tag,))


def _dependencies(sentence: Sentence, subtypes: bool) -> Iterator[Edge]:
    pairs = zip(sentence.heads or (), sentence.deprels or (), strict=True)
    for word, (head, relation) in enumerate(pairs):
        if head != ROOT:
            label = relation if subtypes else relation.partition(":")[0]
            yield Edge((word, word + 1), (head - 1, head), (label,))


def _entities(sentence: Sentence) -> Iterator[Edge]:
    for entity in sentence.entities or ():
        yield Edge(_words(entity), None, (entity.label,))


def _phrases(sentence: Sentence) -> Iterator[Edge]:
    labels: dict[tuple[int, int], list[str]] = {}
    for phrase in sentence.tree.spans if sentence.tree else ():
        labels.setdefault(_words(phrase), []).append(phrase.label)
    for span, found in labels.items():
        yield Edge(span, None, tuple(dict.fromkeys(found)))


def _coreferences(sentence: Sentence) -> Iterator[Edge]:
    for first, second in combinations(sorted(sentence.mentions or ()), 2):
        label = SAME if first.label == second.label else OTHER
        yield Edge(_words(first), _words(second), (label,))


def _roles(sentence: Sentence) -> Iterator[Edge]:
    for frame in sentence.frames or ():
        predicate = (frame.predicate, frame.predicate + 1)
        for role in frame.arguments:
            yield Edge(predicate, _words(role), (role.label,))


def _words(span: Span) -> tuple[int, int]:
    return span.start, span.end


EDGES: dict[str, Callable[[Sentence], Iterator[Edge]]] = {
    "pos": _tags,
    "entities": _entities,
    "constituents": _phrases,
    "coref": _coreferences,
    "srl": _roles,
}
