"""What a domain's file of content words holds; `data/grammar/language/business.yaml` explains each list."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Strings = Annotated[tuple[str, ...], Field(min_length=1)]


class Entry(BaseModel):
    """Common settings of all parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NounGroup(Entry):
    """Nouns of one kind."""

    general: str
    count: Strings
    mass: tuple[str, ...] = ()
    numbered: Literal["no", "small", "large"] = "small"


class VerbEntry(Entry):
    """One sense of a verb; each position names its kinds, separated by spaces."""

    forms: Annotated[str, Field(min_length=1)]
    frame: str
    subject: str = Field(min_length=1)
    object: str = ""
    oblique: str = ""
    clause: str = ""
    predicate: str = ""
    prep: str = ""
    particle: str = ""
    roleset: str = ""
    roles: dict[str, str] = {}
    stative: bool = False
    instruments: str = Field(default="", alias="with")


class LexiconFile(Entry):
    """The whole file."""

    domain: str
    nouns: dict[str, NounGroup]
    names: dict[str, Strings]
    adjectives: dict[str, Strings]
    compounds: dict[str, Strings]
    attached: dict[str, Strings]
    adjectives_with: dict[str, Strings]
    clear: Strings
    claims: Strings
    intentions: Strings
    manner: Strings
    places: dict[str, str]
    agents: Strings
    owned: Strings
    amounts: Strings
    verbs: Annotated[tuple[VerbEntry, ...], Field(min_length=1)]
    synonyms: tuple[Strings, ...] = ()
    opposites: tuple[Strings, ...] = ()
    broader: dict[str, str] = {}
