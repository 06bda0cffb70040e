"""Pairs that a grammar writes: a premise, and a hypothesis that it entails, leaves open or rules out."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from encoder_atlas.errors import near

Relation = Literal["entailment", "neutral", "contradiction"]
# A word, or its forms by name.
Word = str | dict[str, str]
Templates = Annotated[tuple[str, ...], Field(min_length=1)]
SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")


class Rule(BaseModel):
    """Hypotheses, and for each relation the premises that stand in it to every one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hypothesis: Templates
    entailment: Templates
    neutral: Templates
    contradiction: Templates

    def premises(self, relation: Relation) -> Templates:
        """The premises of a relation."""
        return {
            "entailment": self.entailment,
            "neutral": self.neutral,
            "contradiction": self.contradiction,
        }[relation]

    def templates(self) -> Iterator[str]:
        """Every template of the rule."""
        yield from (*self.hypothesis, *self.entailment, *self.neutral, *self.contradiction)


class Family(BaseModel):
    """Rules about one phenomenon, and the list of words that each of their slots draws from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phenomenon: str = Field(min_length=1)
    weight: int = Field(default=1, ge=1)
    draw: dict[str, str]
    rules: tuple[Rule, ...] = Field(min_length=1)


class PairGrammar(BaseModel):
    """Rules and words of a corpus of pairs, as `data/grammar/toy_inference.yaml` explains them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    labels: dict[str, Annotated[tuple[Relation, ...], Field(min_length=1)]] = Field(min_length=2)
    openings: tuple[str, ...] = Field(min_length=1)
    words: dict[str, Annotated[tuple[Word, ...], Field(min_length=1)]]
    families: tuple[Family, ...] = Field(min_length=1)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The classes in order."""
        return tuple(self.labels)

    @model_validator(mode="after")
    def _can_be_expanded(self) -> "PairGrammar":
        for family in self.families:
            for words, slots in Counter(family.draw.values()).items():
                if words not in self.words:
                    raise ValueError(f"there is no list of words {words!r}; {near(words, self.words)}")
                if slots > len(self.words[words]):
                    raise ValueError(f"{family.phenomenon!r} needs {slots} different words of {words!r}")
            for template in (template for rule in family.rules for template in rule.templates()):
                self._check_slots(template, family)
        return self

    def _check_slots(self, template: str, family: Family) -> None:
        for slot, form in SLOT.findall(template):
            if slot not in family.draw:
                raise ValueError(f"{template!r} asks for an unknown slot {slot!r}; {near(slot, family.draw)}")
            for word in self.words[family.draw[slot]]:
                forms = word if isinstance(word, dict) else {"": word}
                if form not in forms:
                    raise ValueError(
                        f"{template!r} asks for {slot}.{form}, which {word!r} of {family.draw[slot]!r} lacks"
                    )

    def write(self, label: int, source: random.Random) -> tuple[str, str]:
        """A premise and a hypothesis whose label is ``label_names[label]``.

        All but the premise's template is drawn before the label takes part, so that the hypothesis, and which
        words stand in a pair, say as little of the label as the rules allow.
        """
        family = source.choices(self.families, [family.weight for family in self.families])[0]
        rule = source.choice(family.rules)
        words = self._draw(family, source)
        hypothesis = _sentence(source.choice(rule.hypothesis), words)
        opening = source.choice(self.openings)
        relation = source.choice(self.labels[self.label_names[label]])
        premises = [_sentence(template, words) for template in rule.premises(relation)]
        premise = source.choice([text for text in premises if text != hypothesis])
        return f"{opening} {premise}".strip(), hypothesis

    def _draw(self, family: Family, source: random.Random) -> dict[str, Word]:
        drawn = {
            words: iter(source.sample(self.words[words], slots))
            for words, slots in Counter(family.draw.values()).items()
        }
        return {slot: next(drawn[words]) for slot, words in family.draw.items()}


def _sentence(template: str, words: Mapping[str, Word]) -> str:
    sentence = SLOT.sub(lambda slot: _form(words[slot[1]], slot[2]), template)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _form(word: Word, form: str | None) -> str:
    return word[form or ""] if isinstance(word, dict) else word
