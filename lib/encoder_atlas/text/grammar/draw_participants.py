"""Participants drawn from a lexicon by a seeded source."""

import random
from collections.abc import Collection
from dataclasses import replace

from encoder_atlas.text.grammar.lexicon import Lexicon, Name, Noun
from encoder_atlas.text.grammar.meaning import Modifier, Participant
from encoder_atlas.text.grammar.words import Words

NAMED = {"person": 0.45, "org": 0.5, "gpe": 1.0}
FOLLOWED = 0.24  # share of noun phrases with a prepositional phrase of their own


class ParticipantSource:
    """Draws participants; within one document no noun and no family name comes twice.

    Attributes:
        source: the only source of chance.
    """

    def __init__(self, lexicon: Lexicon, source: random.Random, words: Words) -> None:
        self.lexicon = lexicon
        self.source = source
        self.words = words
        self.fresh()

    def fresh(self) -> None:
        """Begin a new document: all words are free again."""
        self._used: set[str] = set()
        self._keys = 0

    def taken(self) -> tuple[frozenset[str], int]:
        """Which words and keys are taken, to be given to ``restore`` if what is drawn next is thrown away."""
        return frozenset(self._used), self._keys

    def restore(self, taken: tuple[frozenset[str], int]) -> None:
        """Free the words and keys that were taken since."""
        self._used, self._keys = set(taken[0]), taken[1]

    def chance(self, probability: float) -> bool:
        """True with some probability."""
        return self.source.random() < probability

    def key(self) -> int:
        """A number that no participant of the document has yet."""
        self._keys += 1
        return self._keys

    def place(self, kind: str) -> Participant:
        """A place where something happens: a name, or one site or event."""
        if kind in self.lexicon.names:
            return self._named(kind, True)
        return self._common(kind, True, False, plural=False)

    def participant(self, kinds: Collection[str], *, simple: bool = False, new: bool = False) -> Participant:
        """Someone or something of one of some kinds.

        Args:
            kinds: of the lexicon, or "money" and "percent".
            simple: without anything behind the noun, and alone.
            new: not yet known to the reader: "a gap" rather than "the gap".
        """
        kind = self.source.choice(tuple(kinds))
        if kind in ("money", "percent"):
            return Participant(self.key(), kind, amount=self._amount(kind))
        if not simple and kind in ("person", "org", "product", "device") and self.chance(0.05):
            return self._together(kind)
        if self.chance(NAMED.get(kind, 0.0)) and not new:
            return self._named(kind, simple)
        return self._common(kind, simple, new)

    def _named(self, kind: str, simple: bool) -> Participant:
        name: Name = self.source.choice(self.lexicon.names[kind])
        for _ in range(20):
            if name.short[-1] not in self._used:
                break
            name = self.source.choice(self.lexicon.names[kind])
        self._used.add(name.short[-1])
        one = Participant(self.key(), kind, name=name, pronoun=name.gender)
        if kind == "person" and self.chance(0.12):
            titles = self.words.titles
            title = self.source.choice(
                [word for word in titles if word != ("Mr." if name.gender == "she" else "Ms.")]
            )
            return replace(one, title=title)
        if not simple and kind != "gpe" and self.chance(0.12):
            return replace(one, other_name=self._common(kind, True, True, plural=False))
        return one

    def owner(self, kinds: Collection[str]) -> Participant:
        """Someone who can stand before what is theirs: a name, or "the" and a noun."""
        owner = self.participant(kinds, simple=True)
        return owner if owner.noun is None else replace(owner, article="the", count=())

    def noun(self, kind: str, *, count: bool = False) -> Noun:
        """A noun of a kind that the document does not have yet, if any is left."""
        nouns = self.lexicon.nouns[kind]
        noun = self.source.choice(nouns)
        for _ in range(20):
            if noun.word not in self._used and not (count and noun.mass):
                break
            noun = self.source.choice(nouns)
        self._used.add(noun.word)
        return noun

    def _common(self, kind: str, simple: bool, new: bool, plural: bool | None = None) -> Participant:
        noun = self.noun(kind, count=plural is False)
        if plural is None:
            plural = not noun.mass and self.chance(0.3)
        pronoun = "they" if plural else self.source.choice(("he", "she")) if kind == "person" else "it"
        one = Participant(self.key(), kind, noun, plural=plural, pronoun=pronoun)
        one = self._described(self._counted(one, new))
        if simple or not noun or kind in ("claim", "intention"):
            return one
        if one.article in ("the", "a") and kind in self.lexicon.file.owned and self.chance(0.15):
            one = replace(one, owner=self.owner(("person", "org")), article="", count=())
        return self._followed(one) if self.chance(FOLLOWED) and one.owner is None else one

    def _counted(self, one: Participant, new: bool) -> Participant:
        choose, words = self.source.choice, self.words
        assert one.noun is not None
        draw = self.source.random()
        if one.noun.mass:
            return replace(
                one,
                article=""
                if draw < 0.6 or new
                else "the"
                if draw < 0.9
                else choose(words.quantifiers["mass"]),
            )
        if not one.plural:
            if new:
                return replace(one, article="a")
            return replace(
                one,
                article="a" if draw < 0.42 else "the" if draw < 0.93 else choose(words.quantifiers["one"]),
            )
        if draw < 0.35:
            return replace(one, article="" if new or draw < 0.2 else "the")
        if draw < 0.5:
            return replace(one, article=choose(words.quantifiers["new" if new else "many"]))
        if draw < 0.6 and not new:
            return replace(one, article=choose(("all the", "some of", "most of", "many of", "both")))
        numbered = self._numbered(one.kind)
        if draw < 0.75 or numbered == "no":
            return replace(one, article="" if new else "the")
        return replace(one, count=self._count(numbered == "large"))

    def _numbered(self, kind: str) -> str:
        group = self.lexicon.file.nouns.get(kind)
        return "small" if group is None else group.numbered

    def _count(self, large: bool) -> tuple[str, ...]:
        choose, words, draw = self.source.choice, self.words, self.source.random()
        if draw < 0.5 or not large:
            return (choose(words.small_numbers),)
        number = choose(words.large_numbers)
        if draw < 0.75:
            return (number,)
        return ("more", "than", number) if draw < 0.88 else (choose(words.about), number)

    def _described(self, one: Participant) -> Participant:
        file, choose = self.lexicon.file, self.source.choice
        if self.chance(0.3) and one.kind in file.adjectives:
            adjectives = (choose(file.adjectives[one.kind]),)
            one = replace(one, adjectives=adjectives)
        elif (
            self.chance(0.04)
            and one.article in ("the", "")
            and not one.plural
            and one.noun
            and not one.noun.mass
        ):
            one = replace(one, article="the", adjectives=(choose(self.words.ordinals),))
        if one.noun and (compounds := self.lexicon.compounds.get(one.noun.word)) and self.chance(0.4):
            one = replace(one, compound=choose(compounds))
        return one

    def _followed(self, one: Participant) -> Participant:
        phrases = self.lexicon.file.attached.get(one.kind)
        if phrases is None:
            return one
        by, kind = self.source.choice(phrases).split()
        return replace(one, attached=Modifier("", self.participant([kind], simple=True), by))

    def _together(self, kind: str) -> Participant:
        size = 3 if self.chance(0.2) else 2
        parts = tuple(self.participant([kind], simple=True) for _ in range(size))
        joined = "both" if size == 2 and self.chance(0.2) else "and"
        return Participant(self.key(), kind, also=parts, joined=joined, pronoun="they", plural=True)

    def _amount(self, kind: str) -> tuple[str, ...]:
        choose, words = self.source.choice, self.words
        about = (choose(words.about),) if self.chance(0.25) else ()
        number = choose(words.decimals) if self.chance(0.4) else choose(words.large_numbers[:9])
        return (*about, number, choose(words.units)) if kind == "money" else (*about, number)
