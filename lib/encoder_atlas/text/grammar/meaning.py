"""What a sentence says: events with their participants, apart from how it is said."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from encoder_atlas.text.grammar.lexicon import Name, Noun, Verb
from encoder_atlas.text.grammar.words import Tense, TimeRule

Aspect = Literal["simple", "perfect", "progressive"]


@dataclass(frozen=True, slots=True)
class Participant:
    """Someone or something, and how it is described when it is first mentioned.

    Attributes:
        key: who it is: the same number is the same one, in every event and sentence.
        kind: of the lexicon: "person", "org", "money", …
        noun, name: what it is called: one of the two, or neither for an amount.
        plural: several of them.
        article: "a", "the", "no", "every", "several", …; "" for none.
        count: how many, as words: ("three",), ("more", "than", "200").
        adjectives, compound: words before the noun.
        owner: whose it is.
        attached: a prepositional phrase that belongs to it.
        clause: an event that it takes part in, said as a relative clause or participle; the event's own copy
            of it has the same key.
        content: what a claim claims or an intention intends.
        other_name: its name, said behind it, or its noun behind its name.
        also: others that are named with it, joined by ``joined``.
        amount: the words of an amount of money or percent.
        pronoun: how it is referred to again: "he", "she", "it" or "they".
        title: before a name.
    """

    key: int
    kind: str
    noun: Noun | None = None
    name: Name | None = None
    plural: bool = False
    article: str = ""
    count: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    compound: str = ""
    owner: "Participant | None" = None
    attached: "Modifier | None" = None
    clause: "Event | None" = None
    content: "Event | None" = None
    other_name: "Participant | None" = None
    also: tuple["Participant", ...] = ()
    joined: str = "and"
    amount: tuple[str, ...] = ()
    pronoun: str = "it"
    title: str = ""

    @property
    def bare(self) -> "Participant":
        """The same one without all that is said of it: "the manager", "Keller"."""
        article = "the" if self.noun is not None else ""
        return Participant(
            self.key,
            self.kind,
            self.noun,
            self.name,
            self.plural,
            article,
            also=self.also,
            joined=self.joined,
            amount=self.amount,
            pronoun=self.pronoun,
        )

    @property
    def many(self) -> bool:
        """Whether it takes a plural verb."""
        return self.plural or (bool(self.also) and self.joined == "and")


@dataclass(frozen=True, slots=True)
class Time:
    """When: a rule of the closed-class words, and what fills its slots."""

    rule: TimeRule
    fillers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Modifier:
    """What is said of an event, or of a participant, beside its participants.

    Attributes:
        role: such as ARGM-TMP.
        what: an adverb, someone or something, a time, or another event.
        by: the preposition or subordinating word; "to" with an event is a purpose.
        tag: of the subordinating word.
    """

    role: str
    what: "str | Participant | Time | Event"
    by: str = ""
    tag: str = "IN"


@dataclass(frozen=True, slots=True)
class Quality:
    """What something is: an adjective, with a degree ("very") and what it is about ("proud of the plan")."""

    adjective: str
    degree: str = ""
    by: str = ""
    what: "Participant | None" = None
    also: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens, or is so.

    Attributes:
        verb: a sense of a verb, or "be" in one of its frames.
        arguments: what stands in each position of the verb's frame; an event for a clause; with
            "be" also a quality, or a modifier for where something is.
        modifiers: in the order in which they are said.
        negated: it is not so.
        modal: "can", "must", "will", …; "" for none.
        tense, aspect: when.
        adverb: before the verb, with its role: ("often", "ARGM-TMP").
        connective: joins it to what was said before: "however".
        joined: another event with the same subject, said with "and".
        beside: another event, said as a second main clause, and the word that joins it.
    """

    verb: Verb
    arguments: tuple[tuple[str, "Argument"], ...]
    modifiers: tuple[Modifier, ...] = ()
    negated: bool = False
    modal: str = ""
    tense: Tense = "past"
    aspect: Aspect = "simple"
    adverb: tuple[str, str] | None = None
    connective: str = ""
    joined: "Event | None" = None
    beside: "tuple[str, Event] | None" = None

    def get(self, position: str) -> "Argument | None":
        """What stands in a position, or None."""
        for name, argument in self.arguments:
            if name == position:
                return argument
        return None

    def participants(self) -> dict[str, Participant]:
        """The participants by position, events and adjectives left out."""
        return {name: one for name, one in self.arguments if isinstance(one, Participant)}

    def role(self, position: str) -> str:
        """The role of a position, such as ARG0."""
        return self.verb.roles[position]

    def put(self, position: str, argument: "Argument") -> "Event":
        """The same event with something else in a position.

        Raises:
            ValueError: if the event has no such position.
        """
        if self.get(position) is None:
            raise ValueError(
                f"{self.verb.base!r} has {[name for name, _ in self.arguments]}, not {position!r}"
            )
        changed = tuple((name, argument if name == position else one) for name, one in self.arguments)
        return replace(self, arguments=changed)

    def swapped(self, one: str, other: str) -> "Event":
        """The same event with what stands in two positions exchanged."""
        first, second = self.get(one), self.get(other)
        if first is None or second is None:
            raise ValueError(f"{self.verb.base!r} lacks {one!r} or {other!r}")
        return self.put(one, second).put(other, first)

    def bare(self) -> "Event":
        """The same event without modifiers, adverbs and connectives."""
        return replace(self, modifiers=(), adverb=None, connective="", joined=None, beside=None)

    def events(self) -> Iterator["Event"]:
        """Itself and all events inside it: of clauses, modifiers, and descriptions of participants."""
        yield self
        for inner in self._inside():
            yield from inner.events()

    def _inside(self) -> Iterator["Event"]:
        whats = [argument for _, argument in self.arguments] + [modifier.what for modifier in self.modifiers]
        for what in whats:
            if isinstance(what, Event):
                yield what
            elif isinstance(what, Participant):
                yield from (event for event in (what.clause, what.content) if event is not None)
        if self.joined is not None:
            yield self.joined
        if self.beside is not None:
            yield self.beside[1]


Argument = Participant | Event | Quality | Modifier


@dataclass(frozen=True, slots=True)
class Form:
    """How an event is said.

    Attributes:
        passive: what is done stands first; without ``agent`` it is left open who did it.
        alternated: the other order: "gave the bank the plan", "set the office up".
        ask: "" says it; "whether" asks whether it is so; a position ("subject", "clause.object") or a role
            ("ARGM-TMP", "ARGM-LOC", "ARGM-MNR", "ARGM-CAU") asks for what stands there.
        which: asks with the noun: "which bank", "how many banks".
        fronted: the role of the modifier that stands first.
        cleft: the position that is singled out: "it was the bank that …".
        extraposed: a relative clause of the subject stands last.
        contracted: "did n't".
        that: "that" is said before a complement clause and a relative clause of the object.
        reduced: a relative clause of a passive subject is a participle.
        inner: how events inside it are said; None for the plain form.
    """

    passive: bool = False
    agent: bool = True
    alternated: bool = False
    ask: str = ""
    which: bool = False
    fronted: str = ""
    cleft: str = ""
    extraposed: bool = False
    contracted: bool = False
    that: bool = True
    reduced: bool = False
    inner: "Form | None" = None


PLAIN = Form()
