"""How words of a domain relate in meaning: synonyms, opposites, and what verbs say of their clauses."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.grammar import Lexicon, Noun, Verb, forms, lexicon_of
from encoder_atlas.text.grammar.rules import standard_rules
from encoder_atlas.text.grammar.yaml_files import read_yaml
from encoder_atlas.text.project_data import project_data

Groups = tuple[tuple[str, ...], ...]
Kind = Literal["verbs", "nouns", "adjectives"]


class VocabularyFile(BaseModel):
    """The file of a domain in `data/grammar/derived/`, which says what each list is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    synonyms: dict[Kind, Groups]
    opposites: dict[Kind, Groups]
    close: Groups
    factive: tuple[str, ...]
    open: tuple[str, ...]
    meant: tuple[str, ...]
    not_done: tuple[str, ...]
    done: tuple[str, ...]
    with_object: tuple[str, ...]
    without_object: tuple[str, ...]
    topics: dict[str, tuple[str, ...]]


class Vocabulary:
    """The relations between the words of one lexicon.

    Attributes:
        lexicon: the words.
        file: the relations as they are written down.
    """

    def __init__(self, lexicon: Lexicon, file: VocabularyFile) -> None:
        """Look every word up.

        Raises:
            ValueError: naming a word that stands in two groups, or a list whose word the lexicon lacks.
        """
        self.lexicon = lexicon
        self.file = file
        self._groups = {kind: _by_word(groups, f"synonyms, {kind}") for kind, groups in file.synonyms.items()}
        self._opposites = {kind: set(self._opposed(kind)) for kind in file.opposites}
        self._close = [frozenset(group) for group in file.close]
        self._verbs = {verb.base: verb for verb in lexicon.verbs}
        self._entries = {entry.split()[0]: entry for entry in chain(*file.synonyms["verbs"])}
        for base in (*file.with_object, *file.without_object):
            if base not in self._verbs:
                raise ValueError(f"with_object or without_object: {base!r}; {near(base, self._verbs)}")
        for topic, kinds in file.topics.items():
            for kind in kinds:
                if kind not in lexicon.nouns:
                    raise ValueError(f"topic {topic!r}: the kind {kind!r}; {near(kind, lexicon.nouns)}")

    def _opposed(self, kind: Kind) -> Iterator[tuple[str, str]]:
        for one, other in self.file.opposites[kind]:
            for first in self.group(kind, one):
                for second in self.group(kind, other):
                    yield from ((first, second), (second, first))

    def group(self, kind: Kind, word: str) -> tuple[str, ...]:
        """A word with all its synonyms, itself included."""
        return self._groups[kind].get(word, (word,))

    def same(self, kind: Kind, one: str, other: str) -> bool:
        """Whether two words mean the same."""
        return other in self.group(kind, one)

    def opposite(self, kind: Kind, one: str, other: str) -> bool:
        """Whether two words cannot be true of the same thing at once."""
        return (one, other) in self._opposites[kind]

    def opposites(self, kind: Kind, word: str) -> tuple[str, ...]:
        """All words that cannot be true of what ``word`` is true of."""
        return tuple(sorted(second for first, second in self._opposites[kind] if first == word))

    def synonymous(self, verb: Verb) -> tuple[Verb, ...]:
        """Verbs that say the same in the same frame; of a verb with a particle none are known."""
        if verb.particle:
            return ()
        others = (word for word in self.group("verbs", verb.base) if word != verb.base)
        return tuple(self._spelt(verb, word) for word in others)

    def reversed(self, verb: Verb) -> tuple[Verb, ...]:
        """Verbs that say the opposite in the same frame."""
        if verb.particle:
            return ()
        found = (self._verbs.get(word) for word in self.opposites("verbs", verb.base))
        return tuple(other for other in found if other is not None and other.frame == verb.frame)

    def named(self, noun: Noun) -> tuple[Noun, ...]:
        """Nouns that name the same."""
        others = (word for word in self.group("nouns", noun.word) if word != noun.word)
        return tuple(Noun(word, forms.plural(word), noun.kind) for word in others)

    def too_close(self, one: Noun, other: Noun) -> bool:
        """Whether two nouns may name the same thing, or nearly so."""
        related = {noun.word for noun in (*self.lexicon.broader(one), *self.lexicon.broader(other))}
        return (
            self.same("nouns", one.word, other.word)
            or {one.word, other.word} & related != set()
            or any(one.word in group and other.word in group for group in self._close)
        )

    def taking_clause(self, word: str, frame: str) -> Verb:
        """A verb of "saying", "wanting" or "asking" by its file entry, whether the lexicon has it or not."""
        roles = dict(standard_rules().frames[frame].roles)
        return self._spelt(Verb("", "", "", "", "", f"{word.split()[0]}.01", frame, {}, roles), word)

    def _spelt(self, verb: Verb, word: str) -> Verb:
        """The same verb in other words: forms of the lexicon if it has the word, else of the file."""
        known = self._verbs.get(word)
        if known is not None:
            forms_of = {
                name: getattr(known, name) for name in ("base", "past", "participle", "third", "gerund")
            }
            return replace(verb, **forms_of)
        base, *rest = self._entries.get(word, word).split()
        past = rest[0] if rest else forms.past(base)
        participle = rest[1] if len(rest) > 1 else past
        gerund = rest[2] if len(rest) > 2 else forms.gerund(base, past)
        third = forms.third_person(base)
        return replace(verb, base=base, past=past, participle=participle, third=third, gerund=gerund)


def _by_word(groups: Groups, where: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        words = tuple(entry.split()[0] for entry in group)
        for word in words:
            if word in found:
                raise ValueError(f"{where}: {word!r} stands in two groups")
            found[word] = words
    return found


def read_vocabulary(path: Path, lexicon: Lexicon) -> Vocabulary:
    """Read the relations between the words of ``lexicon``.

    Raises:
        DataError: naming the file and the entry at fault.
    """
    file = read_yaml(path, VocabularyFile)
    try:
        return Vocabulary(lexicon, file)
    except ValueError as error:
        raise DataError(f"{path} is no usable vocabulary: {error}") from error


@lru_cache
def vocabulary_of(domain: str) -> Vocabulary:
    """The relations of "business" or "science", read once.

    Raises:
        DataError: if there is no such domain.
    """
    lexicon = lexicon_of(domain)
    return read_vocabulary(project_data(f"grammar/derived/{domain}.yaml"), lexicon)
