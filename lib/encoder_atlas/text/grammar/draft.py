"""A sentence being written: its discourse, and what is to be read off once its tree is whole."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from encoder_atlas.text.grammar.meaning import Event, Form, Participant
from encoder_atlas.text.grammar.rules import Rules, standard_rules
from encoder_atlas.text.grammar.tree import Node, Reading
from encoder_atlas.text.grammar.words import Words, standard_words
from encoder_atlas.text.layers import Frame, Sentence, Span

UPOS = {
    **dict.fromkeys(("NN", "NNS"), "NOUN"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "ADJ"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "VERB"),
    **dict.fromkeys(("EX", "PRP", "PRP$", "WDT", "WP"), "PRON"),
    **dict.fromkeys(("DT", "PDT"), "DET"),
    **dict.fromkeys(("RB", "WRB"), "ADV"),
    **dict.fromkeys(("IN", "RP"), "ADP"),
    **dict.fromkeys(("POS", "TO"), "PART"),
    **dict.fromkeys((".", ","), "PUNCT"),
    "NNP": "PROPN",
    "CC": "CCONJ",
    "CD": "NUM",
    "MD": "AUX",
    "$": "SYM",
}
AUXILIARY = {"aux", "aux:pass", "cop"}


@dataclass
class Discourse:
    """Who was spoken of, so that a sentence can say "it" or "the bank".

    Attributes:
        known: everyone that was mentioned so far.
        topics: whom the sentence before and this one are about, their subjects.
        subject: that of the clause that is being written.
        before, now: those of the sentence before and of this one, with their pronouns.
    """

    known: set[int] = field(default_factory=set)
    topics: tuple[int, int] = (0, 0)
    subject: int = 0
    before: dict[int, frozenset[str]] = field(default_factory=dict)
    now: dict[int, frozenset[str]] = field(default_factory=dict)

    def style(self, one: Participant) -> str:
        """How someone is to be called: "full", "short" or "pronoun".

        A pronoun is used only where nobody else of this sentence and the one before could be called the same,
        or for the one that this sentence, or before it has a subject the last one, is about.
        """
        if one.key not in self.known:
            return "full"
        in_reach = self.before | self.now
        rivals = (pronouns for key, pronouns in in_reach.items() if key != one.key)
        clear = one.key == self.topic or not any(one.pronoun in pronouns for pronouns in rivals)
        return "pronoun" if clear and one.key in in_reach else "short"

    @property
    def topic(self) -> int:
        """Whom this sentence is about, or, as long as it has no subject, the one before."""
        return self.topics[1] or self.topics[0]

    def about(self, one: Participant) -> None:
        """Someone is the subject of a clause; the first of a sentence is whom it is about."""
        self.subject = one.key
        if not self.topics[1]:
            self.topics = (self.topics[0], one.key)

    def note(self, one: Participant) -> None:
        """Someone was mentioned."""
        self.known.add(one.key)
        self.now[one.key] = pronouns_of(one)

    def copy(self) -> "Discourse":
        """The same discourse, to be tried with one more sentence."""
        return Discourse(set(self.known), self.topics, 0, dict(self.before), dict(self.now))

    def next_sentence(self) -> "Discourse":
        """The discourse as the next sentence finds it."""
        return Discourse(set(self.known), (self.topics[1], 0), 0, dict(self.now))


def pronouns_of(one: Participant) -> frozenset[str]:
    """The pronouns that a reader could take for someone: "the manager" may be he or she."""
    unknown = one.kind == "person" and one.name is None and not one.many
    return frozenset(("he", "she")) if unknown else frozenset((one.pronoun,))


@dataclass
class Draft:
    """What is gathered while the tree of one sentence grows.

    Attributes:
        frames: the verbs, with their rolesets and roles.
        mentions: who is mentioned, by key, and where.
        said: every clause: its event, its verb, and where each participant stands, by key.
    """

    form: Form
    discourse: Discourse = field(default_factory=Discourse)
    rules: Rules = field(default_factory=standard_rules)
    words: Words = field(default_factory=standard_words)
    frames: list[tuple[Node, str, list[tuple[str, Node]]]] = field(default_factory=list)
    mentions: list[tuple[int, Node]] = field(default_factory=list)
    said: list[tuple[Event, Node, dict[int, Node]]] = field(default_factory=list)

    def finished(self, root: Node, name: str = "", document: str = "") -> Sentence:
        """The sentence with all its layers; every mention is kept (see ``told_apart``)."""
        reading = Reading(root)
        words = tuple(str(word.word) for word in reading.words)
        pairs = zip(reading.words, reading.relations, strict=True)
        return Sentence(
            id=name,
            words=(words[0][:1].upper() + words[0][1:], *words[1:]),
            tags=reading.tree.tags,
            upos=tuple(_upos(word, relation) for word, relation in pairs),
            heads=reading.heads,
            deprels=reading.relations,
            entities=reading.entities,
            tree=reading.tree,
            frames=tuple(sorted(_frame(*frame) for frame in self.frames)),
            mentions=tuple(sorted(Span(node.start, node.end, str(key)) for key, node in self.mentions)),
            document=document,
        )


def _upos(word: Node, relation: str) -> str:
    if word.label[0] == "V" and relation in AUXILIARY:
        return "AUX"
    if word.label == "IN" and relation == "mark":
        return "SCONJ"
    if word.word in ("not", "n't"):
        return "PART"
    if word.label == "WDT" and relation == "det":
        return "DET"
    return "SYM" if word.word == "%" else UPOS[word.label]


def _frame(verb: Node, roleset: str, roles: list[tuple[str, Node]]) -> Frame:
    spans = [Span(node.start, node.end, label) for label, node in roles]
    spans.append(Span(verb.start, verb.end, "V"))
    return Frame(verb.start, roleset, tuple(sorted(spans)))


def told_apart(sentences: Sequence[Sentence]) -> list[Sentence]:
    """A document whose mentions are those that have a partner in it: who is named once is no coreference."""
    counts = Counter(mention.label for sentence in sentences for mention in sentence.mentions or ())
    return [replace(one, mentions=tuple(_repeated(one.mentions or (), counts))) for one in sentences]


def _repeated(mentions: Iterable[Span], counts: Counter[str]) -> Iterable[Span]:
    return (mention for mention in mentions if counts[mention.label] > 1)
