"""Closed-class words and times of `data/grammar/language/words.yaml`, shared by all domains."""

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from encoder_atlas.errors import near
from encoder_atlas.text.grammar.forms import VOWELS
from encoder_atlas.text.grammar.rules import Rule
from encoder_atlas.text.grammar.yaml_files import language_file, read_yaml

Tense = Literal["past", "present", "future"]
Strings = Annotated[tuple[str, ...], Field(min_length=1)]
RELATION_OF = {"PP": "obl", "NP": "obl:tmod", "ADVP": "advmod"}


class Tagged(BaseModel):
    """A word with its tag, and its role where it has one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    word: str
    tag: str = "RB"
    role: str = ""


class TimeRule:
    """A way to say when: its rule, and which words of ``time_words`` it is filled with."""

    def __init__(self, template: str) -> None:
        self.rule = Rule(template, template)
        self.relation = RELATION_OF[self.rule.root.label]


class Words(BaseModel):
    """The whole file; what each list is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pronouns: dict[str, tuple[str, str, str]]
    modals: dict[Tense, Strings]
    contractions: Strings
    units: Strings
    small_numbers: Strings
    large_numbers: Strings
    decimals: Strings
    more: tuple[Tagged, ...]
    about: Strings
    quantifiers: dict[str, Strings]
    tags: dict[str, str]
    ordinals: Strings
    degrees: Strings
    titles: Strings
    an_before: tuple[str, ...]
    a_before: tuple[str, ...]
    before_verb: dict[str, tuple[Tagged, ...]]
    connectives: Strings
    subordinators: tuple[Tagged, ...]
    times: dict[Tense, Strings]
    time_words: dict[str, Strings]

    @cached_property
    def time_rules(self) -> dict[Tense, tuple[TimeRule, ...]]:
        """The ways to say when, by tense."""
        return {tense: tuple(map(TimeRule, templates)) for tense, templates in self.times.items()}

    @model_validator(mode="after")
    def _times_can_be_filled(self) -> "Words":
        for time in (time for times in self.time_rules.values() for time in times):
            for slot in time.rule.slots:
                if slot not in self.time_words:
                    raise ValueError(f"{time.rule.name!r} asks for {slot!r}; {near(slot, self.time_words)}")
        return self

    def article(self, following: str) -> str:
        """ "a" or "an", by the word that follows."""
        if following in self.a_before or any(following.startswith(word) for word in self.a_before):
            return "a"
        starts_open = following[:1].lower() in VOWELS or following in self.an_before
        return "an" if starts_open else "a"


def read_words(path: Path) -> Words:
    """Read a file of closed-class words.

    Raises:
        DataError: naming the file and what is wrong with it.
    """
    return read_yaml(path, Words)


@lru_cache(maxsize=1)
def standard_words() -> Words:
    """The project's closed-class words, read once."""
    return read_words(language_file("words.yaml"))
