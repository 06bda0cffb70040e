"""A sentence with layers: words, and what annotators (or a grammar) say of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from encoder_atlas.errors import DataError

Layer = Literal["pos", "dep", "ner", "con", "srl", "coref"]
LAYERS: tuple[Layer, ...] = get_args(Layer)
ROOT = 0  # the head of a sentence's root; words count from 1 there, as in CoNLL-U


class Span(NamedTuple):
    """Words ``start`` to ``end`` (from 0, end exclusive) under a label."""

    start: int
    end: int
    label: str


class Tree(NamedTuple):
    """A constituency tree as spans.

    Attributes:
        spans: the phrases in pre-order, so that of phrases over the same words the outer stands first; the
            root first of all. Words themselves are no spans.
        tags: the part-of-speech tag of each word as the tree has it, not always that of the "pos" layer.
    """

    spans: tuple[Span, ...]
    tags: tuple[str, ...]


class Frame(NamedTuple):
    """A predicate and its roles, after PropBank.

    Attributes:
        predicate: its word, from 0.
        roleset: such as "give.01".
        roles: spans under ARG0 … ARG5, ARGM-TMP, R-ARG0, C-ARG1, …, and V for the predicate itself.
    """

    predicate: int
    roleset: str
    roles: tuple[Span, ...]

    @property
    def arguments(self) -> tuple[Span, ...]:
        """The roles without those of the predicate itself (V, C-V)."""
        return tuple(role for role in self.roles if role.label not in ("V", "C-V"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words with the layers that are known of them; None is a layer that is not known, () one that is empty.

    Attributes:
        id: its name, different for every sentence of a corpus.
        words: as written, one token each.
        tags: "pos": a part-of-speech tag a word, Penn Treebank.
        upos: universal part-of-speech tags, where the source has them.
        heads: "dep": for each word the number of its head, counted from 1; ROOT (0) for the root.
        deprels: "dep": for each word the relation to its head.
        entities: "ner": flat named entities in order.
        tree: "con".
        frames: "srl": in order of their predicates.
        mentions: "coref": spans whose label names what they refer to, the same name all over a document.
        document: the text it stands in; sentences of one document follow each other.
    """

    id: str
    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None
    upos: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    deprels: tuple[str, ...] | None = None
    entities: tuple[Span, ...] | None = None
    tree: Tree | None = None
    frames: tuple[Frame, ...] | None = None
    mentions: tuple[Span, ...] | None = None
    document: str = ""

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers that are known, in the order of LAYERS."""
        known = (self.tags, self.heads, self.entities, self.tree, self.frames, self.mentions)
        return tuple(layer for layer, value in zip(LAYERS, known, strict=True) if value is not None)


def check_sentence(sentence: Sentence, where: str) -> None:
    """Refuse a sentence whose layers do not fit its words or are no proper trees.

    Checked: no empty word; one tag, head and relation a word; exactly one root and no cycle; spans inside the
    sentence and not empty; entities that do not overlap; phrases that nest, in pre-order, under one root over
    all words; predicates inside the sentence; roles of a predicate that do not overlap.

    Raises:
        DataError: beginning with ``where``, naming layer, word and value of the first fault.
    """
    size = len(sentence.words)
    if not size:
        raise DataError(f"{where}: the sentence has no words.")
    for number, word in enumerate(sentence.words):
        if not word.strip():
            raise DataError(f"{where}: word {number} is empty.")
    for name in ("tags", "upos", "heads", "deprels"):
        values = getattr(sentence, name)
        if values is not None and len(values) != size:
            raise DataError(f"{where}: {len(values)} {name} for {size} words.")
    if (sentence.heads is None) != (sentence.deprels is None):
        raise DataError(f"{where}: heads and deprels are one layer: give both or neither.")
    if sentence.heads is not None:
        _check_heads(sentence.heads, where)
    if sentence.tree is not None:
        _check_tree(sentence.tree, size, where)
    _check_flat(sentence.entities or (), size, f"{where}, entities")
    for frame in sentence.frames or ():
        if not 0 <= frame.predicate < size:
            raise DataError(f"{where}: predicate {frame.predicate} is outside the {size} words.")
        _check_flat(frame.roles, size, f"{where}, roles of {frame.roleset!r}")
    for mention in sentence.mentions or ():
        _check_inside(mention, size, f"{where}, mentions")


def _check_heads(heads: Sequence[int], where: str) -> None:
    roots = [word for word, head in enumerate(heads, start=1) if head == ROOT]
    if len(roots) != 1:
        raise DataError(f"{where}: {len(roots)} words have head 0; a sentence has exactly one root.")
    for word, head in enumerate(heads, start=1):
        if not 0 <= head <= len(heads):
            raise DataError(f"{where}: word {word} has head {head}, outside the {len(heads)} words.")
    rooted = set(roots) | {ROOT}
    for word in range(1, len(heads) + 1):
        path = []
        while word not in rooted:
            if word in path:
                raise DataError(f"{where}: the heads of words {sorted(path)} go round in a circle.")
            path.append(word)
            word = heads[word - 1]
        rooted.update(path)


def _check_tree(tree: Tree, size: int, where: str) -> None:
    if len(tree.tags) != size:
        raise DataError(f"{where}: the tree has {len(tree.tags)} words, the sentence {size}.")
    if not tree.spans or tree.spans[0][:2] != (0, size):
        raise DataError(f"{where}: the tree's first phrase must span all {size} words.")
    open_spans: list[Span] = []
    previous = tree.spans[0]
    for span in tree.spans:
        _check_inside(span, size, f"{where}, tree")
        while open_spans and open_spans[-1].end <= span.start:
            open_spans.pop()
        if (open_spans and span.end > open_spans[-1].end) or span.start < previous.start:
            raise DataError(f"{where}: phrase {_shown(span)} crosses another or is out of pre-order.")
        open_spans.append(span)
        previous = span


def _check_flat(spans: Sequence[Span], size: int, where: str) -> None:
    for span in spans:
        _check_inside(span, size, where)
    for left, right in pairwise(sorted(spans)):
        if right.start < left.end:
            raise DataError(f"{where}: {_shown(left)} and {_shown(right)} overlap.")


def _check_inside(span: Span, size: int, where: str) -> None:
    if not 0 <= span.start < span.end <= size:
        raise DataError(f"{where}: {_shown(span)} is empty or outside the {size} words.")


def _shown(span: Span) -> str:
    return f"{span.label} [{span.start}, {span.end})"
