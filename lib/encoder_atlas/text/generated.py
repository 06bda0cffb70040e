"""Text written by a grammar: the small corpus of invented reviews, for tests and first steps."""

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.project_data import project_data
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import Task

DEFAULT_SIZES = {"train": 1000, "dev": 200}
DRAWS_A_SENTENCE = 50  # a grammar that repeats itself this often has no more to say
SLOT = re.compile(r"\{(\w+)\}")
GRAMMARS = {"toy-reviews": "grammar/toy_reviews.yaml"}

Words = Annotated[tuple[str, ...], Field(min_length=1)]


class Pattern(BaseModel):
    """A sentence with slots, and how often it is chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1)
    weight: int = Field(default=1, ge=1)


class Grammar(BaseModel):
    """Rules and words of a two-class corpus, as its file in `data/grammar/` explains them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    labels: tuple[str, str]
    polar: dict[str, Words]
    slots: dict[str, Words]
    sentences: tuple[Pattern, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _can_be_expanded(self) -> "Grammar":
        if set(self.polar) != set(self.labels):
            raise ValueError(f"polar has words for {sorted(self.polar)}, labels are {sorted(self.labels)}")
        for pattern in self.sentences:
            self._check_slots(pattern.text, ())
        return self

    def _check_slots(self, text: str, inside: tuple[str, ...]) -> None:
        for slot in SLOT.findall(text):
            if slot in inside:
                raise ValueError(f"slot {slot!r} contains itself")
            if slot in ("same", "other"):
                continue
            if slot not in self.slots:
                raise ValueError(f"{text!r} asks for an unknown slot {slot!r}; {near(slot, self.slots)}")
            for filler in self.slots[slot]:
                self._check_slots(filler, (*inside, slot))

    def write(self, label: int, source: random.Random) -> str:
        """One sentence whose label is ``labels[label]``."""
        words = {
            "same": self.polar[self.labels[label]],
            "other": self.polar[self.labels[1 - label]],
        } | self.slots
        weights = [pattern.weight for pattern in self.sentences]
        chosen = source.choices(self.sentences, weights)[0]
        sentence = " ".join(_fill(chosen.text, words, source).split()).replace(" ,", ",")
        return sentence[:1].upper() + sentence[1:] + "."


def _fill(text: str, words: Mapping[str, Words], source: random.Random) -> str:
    return SLOT.sub(lambda slot: _fill(source.choice(words[slot[1]]), words, source), text)


def read_grammar(path: Path) -> Grammar:
    """Read a grammar's YAML file.

    Raises:
        DataError: naming the file and what is wrong with it.
    """
    try:
        return Grammar.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise DataError(f"{path} is no usable grammar: {error}") from error


def write_corpus(grammar: Grammar, sizes: dict[str, int], seed: int) -> dict[str, pd.DataFrame]:
    """Write different sentences for every split, labels in turn so that each split is balanced.

    Each split has a stream of its own, and dev is written first: it does not depend on the size of train.

    Raises:
        DataError: if the grammar has too few different sentences.
    """
    taken: set[str] = set()
    return {split: _write_split(grammar, split, sizes[split], seed, taken) for split in sorted(sizes)}


def _write_split(grammar: Grammar, split: str, size: int, seed: int, taken: set[str]) -> pd.DataFrame:
    source = random.Random(f"{grammar.name}:{split}:{seed}")
    texts: list[str] = []
    while len(texts) < size:
        for _ in range(DRAWS_A_SENTENCE):
            sentence = grammar.write(len(texts) % 2, source)
            if sentence not in taken:
                break
        else:
            raise DataError(
                f"The grammar {grammar.name!r} has too few sentences: {size} are asked for split {split!r}, "
                f"{len(taken)} were found in all. Ask for fewer, or add words to its file in data/grammar/."
            )
        taken.add(sentence)
        texts.append(sentence)
    return pd.DataFrame({"text": texts, "label": [row % 2 for row in range(size)]})


def load_generated(spec: TaskSpec) -> Task:
    """Write the corpus that the spec names: the same seed and sizes give the same sentences on every machine.

    Raises:
        DataError: if there is no such grammar, or its file is missing or unusable.
    """
    if spec.corpus not in GRAMMARS:
        raise DataError(f"There is no generated corpus {spec.corpus!r}; {near(spec.corpus, GRAMMARS)}.")
    grammar = read_grammar(project_data(GRAMMARS[spec.corpus]))
    sizes = {"train": spec.train or DEFAULT_SIZES["train"], "dev": spec.dev or DEFAULT_SIZES["dev"]}
    return Task(
        name=spec.name,
        kind="single",
        text_columns=("text",),
        label_names=grammar.labels,
        metric="accuracy",
        splits=write_corpus(grammar, sizes, spec.seed),
        source_note="Generated text: invented film reviews that a small grammar of this project wrote.",
    )
