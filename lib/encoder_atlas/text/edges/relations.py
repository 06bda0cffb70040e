"""Generated relations: how two nominals of a sentence are related, in the terms of SemEval-2010 Task 8."""

import random
from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import chain, combinations
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from encoder_atlas.errors import near
from encoder_atlas.text.edges.build import Edge, Words
from encoder_atlas.text.edges.said import Clause, Said, single
from encoder_atlas.text.edges.semeval import DIRECTIONS, OTHER, RELATIONS
from encoder_atlas.text.grammar import Event, Lexicon, Modifier, Participant, Verb
from encoder_atlas.text.grammar.yaml_files import read_yaml
from encoder_atlas.text.project_data import project_data

Position = Literal["subject", "object", "oblique"]
POSITIONS: tuple[Position, ...] = ("subject", "object", "oblique")
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class OfVerbs(BaseModel):
    """Verbs between two of whose participants a relation holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: str
    first: Position
    second: Position
    verbs: Names


class OfPhrases(BaseModel):
    """A preposition behind a noun of some kinds; ``first`` is what the relation's name begins with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: str
    noun: Names
    by: str
    first: Literal["noun", "phrase"]


class Relations(BaseModel):
    """The readings; `data/grammar/edges/relations.yaml` explains each list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: tuple[OfVerbs, ...]
    attached: tuple[OfPhrases, ...]
    instruments: str
    unclear: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _names_are_known(self) -> "Relations":
        for name in (self.instruments, *(one.relation for one in chain(self.verbs, self.attached))):
            if name not in RELATIONS:
                raise ValueError(f"there is no relation {name!r}; {near(name, RELATIONS)}")
        return self


@lru_cache(maxsize=1)
def relations() -> Relations:
    """The readings, read once.

    Raises:
        DataError: naming what is wrong with the file.
    """
    return read_yaml(project_data("grammar/edges/relations.yaml"), Relations)


class Related(NamedTuple):
    """Two nominals that are related: which words, of which kinds; ``relation`` "Other" has no direction."""

    relation: str
    first: Words
    second: Words
    kinds: tuple[str, str]

    def edge(self) -> Edge:
        """The target: the nominal that stands first in the sentence is the first span."""
        e1, e2 = sorted((self.first, self.second))
        direction = "" if self.relation == OTHER else DIRECTIONS[e1 != self.first]
        return Edge(e1, e2, (self.relation + direction,))

    @property
    def kinds_in_order(self) -> tuple[str, str]:
        """The kinds of the two nominals, that of the first in the sentence first."""
        return self.kinds if self.first < self.second else (self.kinds[1], self.kinds[0])


def related_candidates(said: Said, source: random.Random) -> Iterator[tuple[Hashable, Edge]]:
    """One pair of nominals of a sentence, as in SemEval; none where nothing is known of any.

    One that is related in a way that has a name goes before "Other". What words tell is the kinds of the two
    nominals, in their order.
    """
    every = list(related(said))
    if every:
        one = source.choice([one for one in every if one.relation != OTHER] or every)
        yield one.kinds_in_order, one.edge()


def relating_verbs(lexicon: Lexicon) -> list[list[Verb]]:
    """For each reading the verbs that it is about, and the verbs that have instruments."""
    readings = relations()
    groups = [[verb for verb in lexicon.verbs if _stem(verb) in reading.verbs] for reading in readings.verbs]
    groups.append([verb for verb in lexicon.verbs if verb.instruments])
    return [group for group in groups if group]


def related(said: Said) -> Iterator[Related]:
    """Every pair of nominals of a sentence of which it is known whether and how they are related.

    These are two participants of one clause, a participant and what the event is done with, and a noun with
    the noun of its own prepositional phrase. "Other" are participants of a verb that the readings do not
    name.
    """
    for clause in said.clauses:
        yield from _of_clause(clause)
        yield from _with_instruments(clause, said.named_once)
        for one in clause.event.participants().values():
            yield from _with_phrase(one, said.named_once)


def _of_clause(clause: Clause) -> Iterator[Related]:
    event = clause.event
    stem = _stem(event.verb)
    if stem in relations().unclear:
        return
    there = [(name, one) for name in POSITIONS if (one := _nominal(event, name, clause.nominals))]
    for (name, one), (other_name, other) in combinations(there, 2):
        found = _reading(stem, name, other_name)
        if found and found.first == other_name:
            one, other = other, one
        words = clause.nominals[one.key], clause.nominals[other.key]
        yield Related(found.relation if found else OTHER, *words, (one.kind, other.kind))


def _stem(verb: Verb) -> str:
    return verb.roleset.partition(".")[0]


def _nominal(event: Event, position: str, nominals: dict[int, Words]) -> Participant | None:
    one = event.participants().get(position)
    return one if one is not None and single(one) and one.key in nominals else None


def _reading(stem: str, one: str, other: str) -> OfVerbs | None:
    return next(
        (r for r in relations().verbs if stem in r.verbs and {r.first, r.second} == {one, other}), None
    )


def _with_instruments(clause: Clause, named: dict[int, Words]) -> Iterator[Related]:
    agent = _nominal(clause.event, "subject", clause.nominals)
    for modifier in clause.event.modifiers:
        tool = modifier.what if modifier.by == "with" else None
        if agent is not None and isinstance(tool, Participant) and single(tool) and tool.key in named:
            words = named[tool.key], clause.nominals[agent.key]
            yield Related(relations().instruments, *words, (tool.kind, agent.kind))


def _with_phrase(one: Participant, named: dict[int, Words]) -> Iterator[Related]:
    phrase = one.attached
    if not isinstance(phrase, Modifier) or not isinstance(phrase.what, Participant) or not single(one):
        return
    other = phrase.what
    if not single(other) or one.key not in named or other.key not in named:
        return
    for reading in relations().attached:
        if one.kind in reading.noun and phrase.by == reading.by:
            first, second = (one, other) if reading.first == "noun" else (other, one)
            yield Related(reading.relation, named[first.key], named[second.key], (first.kind, second.kind))
