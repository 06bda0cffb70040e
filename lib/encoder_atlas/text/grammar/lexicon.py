"""Content words of a domain, read from `data/grammar/language/<domain>.yaml`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.grammar import forms
from encoder_atlas.text.grammar.lexicon_file import LexiconFile, VerbEntry
from encoder_atlas.text.grammar.rules import Frame, Rules, standard_rules
from encoder_atlas.text.grammar.yaml_files import language_file, read_yaml

DOMAINS = ("business", "science")
QUANTITIES = ("money", "percent")  # kinds without nouns: they are written as numbers
ABSTRACT = ("claim", "intention")  # kinds whose nouns stand in lists of their own: they come with a clause


@dataclass(frozen=True, slots=True)
class Noun:
    """A common noun of a kind ("person", "org", …)."""

    word: str
    plural: str
    kind: str
    mass: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name.

    Attributes:
        words: all of it.
        short: the part by which it is called again.
        gender: "he" or "she" for a person, else "it".
    """

    words: tuple[str, ...]
    kind: str
    short: tuple[str, ...]
    gender: str = "it"


@dataclass(frozen=True, slots=True)
class Verb:
    """One sense of a verb.

    Attributes:
        base, past, participle, third, gerund: its forms.
        roleset: the sense, such as "give.01".
        frame: its name among the frames of the rules.
        kinds: for each position ("subject", "object", …) the kinds that can stand there.
        roles: for each position its role, such as ARG0.
        prep: the preposition of the position "oblique".
        particle: of a particle verb.
        stative: has no progressive, and stands in the simple present.
        instruments: kinds that it is done with.
    """

    base: str
    past: str
    participle: str
    third: str
    gerund: str
    roleset: str
    frame: str
    kinds: dict[str, tuple[str, ...]] = field(hash=False, default_factory=dict)
    roles: dict[str, str] = field(hash=False, default_factory=dict)
    prep: str = ""
    particle: str = ""
    stative: bool = False
    instruments: tuple[str, ...] = ()


def be(frame: Frame, name: str) -> Verb:
    """The verb "be" in one of its frames."""
    sense = "be.02" if name == "existing" else "be.01"
    return Verb("be", "was", "been", "is", "being", sense, name, {}, frame.roles, stative=True)


class Lexicon:
    """Words of a domain, by what they are needed for, and what is known of their meanings."""

    def __init__(self, file: LexiconFile, rules: Rules) -> None:
        """Inflect all words.

        Raises:
            ValueError: naming the entry at fault.
        """
        self.file = file
        self.domain = file.domain
        self.nouns = {
            kind: tuple(_nouns(kind, group.count, group.mass)) for kind, group in file.nouns.items()
        }
        self.nouns["claim"] = tuple(_nouns("claim", file.claims, ()))
        self.nouns["intention"] = tuple(_nouns("intention", file.intentions, ()))
        self.general = {kind: Noun(*_number(group.general), kind) for kind, group in file.nouns.items()}
        self.compounds = _compounds(file.compounds)
        self.names = _names(file.names)
        self.verbs = tuple(_verb(entry, rules) for entry in file.verbs)
        self._check_kinds()
        self._check_related()
        self._related = {
            "synonym": _groups(file.synonyms),
            "opposite": _groups(file.opposites),
        }

    def verbs_of(self, *frames: str) -> tuple[Verb, ...]:
        """The verbs of some frames."""
        return tuple(verb for verb in self.verbs if verb.frame in frames)

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Words of the same meaning."""
        return self._related["synonym"].get(word, ())

    def opposites(self, word: str) -> tuple[str, ...]:
        """Words that cannot be true of the same thing at once."""
        return self._related["opposite"].get(word, ())

    def broader(self, noun: Noun) -> tuple[Noun, ...]:
        """Nouns that are true of whatever ``noun`` is true of, the nearest first."""
        found, word = [], noun.word
        while word in self.file.broader:
            word = self.file.broader[word]
            found.append(self.noun(word))
        general = self.general.get(noun.kind)
        if general is not None and general.word not in (noun.word, *(one.word for one in found)):
            found.append(general)
        return tuple(found)

    def noun(self, word: str) -> Noun:
        """The noun that is spelt so.

        Raises:
            DataError: if there is none.
        """
        known = {noun.word: noun for noun in chain(*self.nouns.values(), self.general.values())}
        if word not in known:
            raise DataError(f"{self.domain!r} has no noun {word!r}; {near(word, known)}.")
        return known[word]

    def verb(self, base: str, frame: str | None = None) -> Verb:
        """The first verb that is spelt so, of a frame if one is named.

        Raises:
            DataError: if there is none.
        """
        for verb in self.verbs:
            if verb.base == base and frame in (None, verb.frame):
                return verb
        raise DataError(f"{self.domain!r} has no verb {base!r}; {near(base, {v.base for v in self.verbs})}.")

    def content_words(self) -> set[str]:
        """Every content word in its base form; names word by word."""
        adjectives = chain(*self.file.adjectives.values(), self.file.clear)
        phrases = (phrase.split()[0] for phrase in chain(*self.file.adjectives_with.values()))
        names = (word for name in chain(*self.names.values()) for word in name.words)
        return {
            *(noun.word for noun in chain(*self.nouns.values(), self.general.values())),
            *chain(*self.compounds.values()),
            *(verb.base for verb in self.verbs),
            *adjectives,
            *phrases,
            *self.file.manner,
            *names,
        }

    def _check_related(self) -> None:
        known = self.content_words()
        lists = (*self.file.synonyms, *self.file.opposites, *self.file.broader.items(), self.compounds)
        for word in chain(*lists):
            if word not in known:
                raise ValueError(
                    f"synonyms, opposites, broader or compounds name {word!r}; {near(word, known)}"
                )

    def _check_kinds(self) -> None:
        known = {*self.nouns, *self.names, *QUANTITIES, *ABSTRACT}
        for where, kind in self._kinds_named():
            if kind not in known:
                raise ValueError(f"{where} names the kind {kind!r}; {near(kind, known)}")

    def _kinds_named(self) -> Iterator[tuple[str, str]]:
        for verb in self.verbs:
            for position, kinds in verb.kinds.items():
                yield from (
                    (f"verb {verb.base!r}, {position},", kind) for kind in kinds if position != "clause"
                )
            yield from ((f"verb {verb.base!r}, with,", kind) for kind in verb.instruments)
        for section in ("adjectives", "compounds", "attached", "adjectives_with"):
            yield from ((section, kind) for kind in getattr(self.file, section))
        for section in ("attached", "adjectives_with"):
            for phrase in chain(*getattr(self.file, section).values()):
                yield f"{section}, {phrase!r},", phrase.split()[-1]


def _number(entry: str) -> tuple[str, str]:
    word, _, many = entry.partition("/")
    return word, many or forms.plural(word)


def _nouns(kind: str, count: tuple[str, ...], mass: tuple[str, ...]) -> Iterator[Noun]:
    yield from (Noun(*_number(entry), kind) for entry in count)
    yield from (Noun(word, word, kind, mass=True) for word in mass)


def _names(lists: dict[str, tuple[str, ...]]) -> dict[str, tuple[Name, ...]]:
    names = {
        kind: tuple(Name(tuple(one.split()), kind, tuple(one.split())) for one in lists[kind])
        for kind in ("org", "gpe")
    }
    names["person"] = tuple(
        Name((first, family), "person", (family,), gender)
        for family in lists["family"]
        for gender, firsts in (("she", lists["female"]), ("he", lists["male"]))
        for first in firsts
    )
    return names


def _compounds(lists: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for compound in chain(*lists.values()):
        first, noun = compound.split()
        found[noun] = (*found.get(noun, ()), first)
    return found


def _verb(entry: VerbEntry, rules: Rules) -> Verb:
    base, *rest = entry.forms.split()
    past = rest[0] if rest else forms.past(base)
    participle = rest[1] if len(rest) > 1 else past
    ing = rest[2] if len(rest) > 2 else forms.gerund(base, past)
    if entry.frame not in rules.frames:
        raise ValueError(f"verb {base!r} has the frame {entry.frame!r}; {near(entry.frame, rules.frames)}")
    frame = rules.frames[entry.frame]
    kinds = {name: tuple(value.split()) for name in frame.roles if (value := getattr(entry, name, None))}
    return Verb(
        base,
        past,
        participle,
        forms.third_person(base),
        ing,
        entry.roleset or f"{base}.01",
        entry.frame,
        kinds,
        {**frame.roles, **entry.roles},
        entry.prep,
        entry.particle,
        entry.stative,
        tuple(entry.instruments.split()),
    )


def _groups(groups: tuple[tuple[str, ...], ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for word in group:
            found[word] = (*found.get(word, ()), *(other for other in group if other != word))
    return found


def read_lexicon(path: Path, rules: Rules) -> Lexicon:
    """Read the words of a domain.

    Raises:
        DataError: naming the file and the entry at fault.
    """
    file = read_yaml(path, LexiconFile)
    try:
        return Lexicon(file, rules)
    except ValueError as error:
        raise DataError(f"{path} is no usable lexicon: {error}") from error


@lru_cache(maxsize=len(DOMAINS))
def lexicon_of(domain: str) -> Lexicon:
    """The words of "business" or "science", read once.

    Raises:
        DataError: if there is no such domain.
    """
    if domain not in DOMAINS:
        raise DataError(f"There is no domain {domain!r}; {near(domain, DOMAINS)}.")
    return read_lexicon(language_file(f"{domain}.yaml"), standard_rules())
