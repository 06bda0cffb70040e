"""Generated proto-roles: what holds of the participants of an event, by our own judgments of our verbs."""

import random
from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.edges.build import Edge
from encoder_atlas.text.edges.said import Said, single
from encoder_atlas.text.grammar import Lexicon, Verb
from encoder_atlas.text.grammar.yaml_files import read_yaml
from encoder_atlas.text.project_data import project_data

POSITIONS = ("subject", "object", "oblique")
NOT = "not "
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class VerbClass(BaseModel):
    """Verbs and what holds of a participant in each position; "not …" takes back what always holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: Names
    subject: tuple[str, ...] = ()
    object: tuple[str, ...] = ()
    oblique: tuple[str, ...] = ()

    def said(self, position: str) -> tuple[str, ...]:
        """What the class says of a position."""
        return getattr(self, position)


class ProtoRoles(BaseModel):
    """The judgments; `data/grammar/edges/proto_roles.yaml` explains each list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    properties: dict[str, str]
    feeling: Names
    minds: Names
    physical: Names
    of_minds: Names
    of_physical: Names
    always: Names
    classes: Annotated[tuple[VerbClass, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_are_known(self) -> "ProtoRoles":
        said = (one.said(position) for one in self.classes for position in POSITIONS)
        for name in chain(self.of_minds, self.of_physical, self.always, *said):
            if name.removeprefix(NOT) not in self.properties:
                raise ValueError(f"there is no property {name!r}; {near(name, self.properties)}")
        verbs = [verb for one in self.classes for verb in one.verbs]
        if twice := {verb for verb in verbs if verbs.count(verb) > 1}:
            raise ValueError(f"in two classes: {', '.join(sorted(twice))}")
        return self

    def class_of(self, verb: Verb) -> VerbClass:
        """The class of a verb.

        Raises:
            DataError: if it is in none.
        """
        stem = verb.roleset.partition(".")[0]
        for name in (f"{stem} {verb.frame}", stem):
            for one in self.classes:
                if name in one.verbs:
                    return one
        raise DataError(f"proto_roles.yaml has no class for the verb {stem!r} of the frame {verb.frame!r}.")

    def of(self, verb: Verb, position: str, kind: str) -> tuple[str, ...]:
        """The properties of a participant of a kind in a position, in the order of ``properties``."""
        said = self.class_of(verb).said(position)
        held = {*self.always, *said}
        held |= {"sentient"} if kind in self.feeling else set()
        held |= {"exists_as_physical"} if kind in self.physical else set()
        held -= {name.removeprefix(NOT) for name in said if name.startswith(NOT)}
        held -= set() if kind in self.minds else set(self.of_minds)
        held -= set() if kind in self.physical else set(self.of_physical)
        return tuple(name for name in self.properties if name in held)


@lru_cache(maxsize=1)
def proto_roles() -> ProtoRoles:
    """The judgments, read once.

    Raises:
        DataError: naming what is wrong with the file.
    """
    return read_yaml(project_data("grammar/edges/proto_roles.yaml"), ProtoRoles)


def role_candidates(said: Said, source: random.Random) -> Iterator[tuple[Hashable, Edge]]:
    """Of each clause: its verb, the head word of each participant, and what holds of it.

    Left out are participants that are joined by "and", not mentioned, or called by a pronoun. What words tell
    is the verb as it is written, and the kind of the participant.
    """
    del source
    for event, verb, nominals in said.clauses:
        for position in POSITIONS:
            one = event.participants().get(position)
            if one is not None and single(one) and one.key in nominals:
                properties = proto_roles().of(event.verb, position, one.kind)
                yield (said.words[verb[0]], one.kind), Edge(verb, nominals[one.key], properties)


def turning_verbs(lexicon: Lexicon) -> list[list[Verb]]:
    """One group: verbs of which a kind of participant can stand in two positions, with other properties."""
    judged = proto_roles()

    def turns(verb: Verb) -> bool:
        places = [(kind, position) for position in POSITIONS for kind in verb.kinds.get(position, ())]
        told = {(kind, judged.of(verb, position, kind)) for kind, position in places}
        return len(told) > len({kind for kind, _ in told})

    return [[verb for verb in lexicon.verbs if turns(verb)]]
