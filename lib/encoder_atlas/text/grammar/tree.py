"""A derivation: the one tree from which tags, phrases, dependencies and entities of a sentence are read."""

from collections.abc import Iterator

from encoder_atlas.text.layers import ROOT, Span, Tree


class Node:
    """A phrase, or a word with its tag, in a derivation.

    Attributes:
        label: of a phrase such as NP, or a word's part-of-speech tag.
        word: of a word; None for a phrase.
        kids: the parts of a phrase, in order.
        head: the part of a phrase that is its head.
        relation: to the head of the phrase around it, a dependency label.
        governor: whose head it depends on, where that is not the phrase around it.
        entity: what it names, if it names something.
        start, end: the words it spans, once its sentence is ``numbered``.
    """

    __slots__ = ("end", "entity", "governor", "head", "kids", "label", "relation", "start", "word")

    def __init__(self, label: str, word: str | None = None, relation: str = "", entity: str = "") -> None:
        self.label = label
        self.word = word
        self.kids: list[Node] = []
        self.head: Node | None = None
        self.relation = relation
        self.governor: Node | None = None
        self.entity = entity
        self.start = self.end = -1

    @property
    def main_word(self) -> "Node":
        """The word that heads it."""
        node = self
        while node.head is not None:
            node = node.head
        return node

    def nodes(self) -> Iterator["Node"]:
        """Itself and all below it, in pre-order."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.kids))

    def words(self) -> list["Node"]:
        """The words below it, in order."""
        return [node for node in self.nodes() if node.word is not None]


def numbered(root: Node) -> list[Node]:
    """Set ``start`` and ``end`` of all nodes; return the words."""
    words: list[Node] = []
    _number(root, words)
    return words


def _number(node: Node, words: list[Node]) -> None:
    node.start = len(words)
    if node.word is not None:
        words.append(node)
    else:
        for kid in node.kids:
            _number(kid, words)
    node.end = len(words)


def phrases(root: Node, words: list[Node]) -> Tree:
    """The constituency tree of a numbered derivation."""
    spans = tuple(Span(node.start, node.end, node.label) for node in root.nodes() if node.word is None)
    return Tree(spans, tuple(word.label for word in words))


def dependencies(root: Node, size: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Heads (from 1, ROOT for the root) and relations of a numbered derivation's words.

    A part that is not the head of its phrase depends, through its own head, on the head of the phrase, or on that
    of its governor where it has one.
    """
    heads, relations = [ROOT] * size, ["root"] * size
    for phrase in root.nodes():
        for kid in phrase.kids:
            if kid is not phrase.head:
                word = kid.main_word.start
                heads[word] = (kid.governor or phrase).main_word.start + 1
                relations[word] = kid.relation
    return tuple(heads), tuple(relations)


def entities(root: Node) -> tuple[Span, ...]:
    """The named entities of a numbered derivation."""
    return tuple(Span(node.start, node.end, node.entity) for node in root.nodes() if node.entity)
