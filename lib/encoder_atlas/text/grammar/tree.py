"""A derivation: the one tree from which tags, phrases, dependencies and entities of a sentence are read."""

from itertools import pairwise

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
        start, end: the words it spans, once its sentence is read.
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

    def words(self) -> list["Node"]:
        """The words below it, in order."""
        found: list[Node] = []
        _collect_words(self, found)
        return found


def _collect_words(node: Node, found: list[Node]) -> None:
    if node.word is not None:
        found.append(node)
    for kid in node.kids:
        _collect_words(kid, found)


def without_double_stops(root: Node) -> Node:
    """A derivation without commas that another mark follows: "Keller, a lawyer," at the end of a sentence."""
    for word, after in pairwise(root.words()):
        if word.word == "," and str(after.word) in ",.?":
            _remove(root, word)
    return root


def _remove(node: Node, word: Node) -> None:
    if word in node.kids:
        node.kids.remove(word)
    for kid in node.kids:
        _remove(kid, word)


class Reading:
    """What a whole derivation says of its words.

    Attributes:
        words: in order; from now on every node knows its ``start`` and ``end``.
        heads, relations: a part that is not the head of its phrase depends, through its own head, on the head
            of the phrase, or on that of its governor where it has one. Heads count from 1, or are ROOT.
        entities: the phrases and words that name something.
        tree: the phrases.
    """

    def __init__(self, root: Node) -> None:
        self.words: list[Node] = []
        self._phrases: list[Node] = []
        self._named: list[Node] = []
        self._visit(root)
        self.heads, self.relations = self._dependencies()
        self.entities = tuple(Span(node.start, node.end, node.entity) for node in self._named)
        self.tree = Tree(
            tuple(Span(node.start, node.end, node.label) for node in self._phrases),
            tuple(word.label for word in self.words),
        )

    def _visit(self, node: Node) -> None:
        node.start = len(self.words)
        if node.entity:
            self._named.append(node)
        if node.word is not None:
            self.words.append(node)
        else:
            self._phrases.append(node)
            for kid in node.kids:
                self._visit(kid)
        node.end = len(self.words)

    def _dependencies(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        heads, relations = [ROOT] * len(self.words), ["root"] * len(self.words)
        for phrase in self._phrases:
            head = phrase.main_word.start + 1
            for kid in phrase.kids:
                if kid is not phrase.head:
                    word = kid.main_word.start
                    heads[word] = head if kid.governor is None else kid.governor.main_word.start + 1
                    relations[word] = kid.relation
        return tuple(heads), tuple(relations)
