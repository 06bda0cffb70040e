"""Text written by a grammar of the project: invented reviews, and pairs of premise and hypothesis."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.derived import DERIVED, load_derived
from encoder_atlas.text.pairs import PairGrammar
from encoder_atlas.text.project_data import project_data
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import KIND_OF_TEXTS, Task

DRAWS_A_SENTENCE = 50  # a grammar that repeats itself this often has no more to say
SLOT = re.compile(r"\{(\w+)\}")

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

    @property
    def label_names(self) -> tuple[str, ...]:
        """The classes in order."""
        return self.labels

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


Model = TypeVar("Model", bound=BaseModel)


def read_grammar(path: Path, model: type[Model] = Grammar) -> Model:
    """Read a grammar's YAML file.

    Raises:
        DataError: naming the file and what is wrong with it.
    """
    try:
        return model.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise DataError(f"{path} is no usable grammar: {error}") from error


def write_corpus(
    grammar: Grammar | PairGrammar,
    sizes: dict[str, int],
    seed: int,
    *,
    columns: tuple[str, ...] = ("text",),
    classes: int = 2,
) -> dict[str, pd.DataFrame]:
    """Write different sentences, or pairs, for every split, labels in turn so that each split is balanced.

    Each split has a stream of its own, and dev is written first: it does not depend on the size of train.

    Raises:
        DataError: if the grammar has too few different sentences.
    """
    taken: set[str | tuple[str, str]] = set()
    frames = {}
    for split in sorted(sizes):
        source = random.Random(f"{grammar.name}:{split}:{seed}")
        labels = [row % classes for row in range(sizes[split])]
        rows = [_unseen(grammar, label, source, taken, split) for label in labels]
        frames[split] = pd.DataFrame(rows, columns=pd.Index(columns)).assign(label=labels)
    return frames


def _unseen(
    grammar: Grammar | PairGrammar,
    label: int,
    source: random.Random,
    taken: set[str | tuple[str, str]],
    split: str,
) -> str | tuple[str, str]:
    """A sentence or pair that is not yet taken; from then on it is."""
    for _ in range(DRAWS_A_SENTENCE):
        found = grammar.write(label, source)
        if found not in taken:
            taken.add(found)
            return found
    raise DataError(
        f"The grammar {grammar.name!r} has too few sentences: more are asked for split {split!r}, "
        f"{len(taken)} were found in all. Ask for fewer, or add words to its file in data/grammar/."
    )


@dataclass(frozen=True)
class Corpus:
    """A corpus written on the spot: its grammar, its default sizes, and what the reader is told."""

    file: str
    grammar: type[Grammar] | type[PairGrammar]
    text_columns: tuple[str, ...]
    note: str
    sizes: dict[str, int] = field(default_factory=lambda: {"train": 1000, "dev": 200})


GRAMMARS = {
    "toy-reviews": Corpus(
        "grammar/toy_reviews.yaml",
        Grammar,
        ("text",),
        "Generated text: invented film reviews that a small grammar of this project wrote.",
    ),
    "toy-inference": Corpus(
        "grammar/toy_inference.yaml",
        PairGrammar,
        ("premise", "hypothesis"),
        "Generated text: premises and hypotheses that a grammar of this project wrote.",
        {"train": 4000, "dev": 600},
    ),
    "toy-entailment": Corpus(
        "grammar/toy_entailment.yaml",
        PairGrammar,
        ("premise", "hypothesis"),
        "Generated text: premises and hypotheses that a grammar of this project wrote, with other words and "
        "partly other rules than toy-inference.",
        {"train": 300, "dev": 300},
    ),
}


def load_generated(spec: TaskSpec) -> Task:
    """Write the corpus that the spec names: the same seed and sizes give the same sentences on every machine.

    Raises:
        DataError: if there is no such grammar, or its file is missing or unusable.
    """
    if spec.corpus in DERIVED:
        return load_derived(spec)
    if spec.corpus not in GRAMMARS:
        known = near(spec.corpus, [*GRAMMARS, *DERIVED])
        raise DataError(f"There is no generated corpus {spec.corpus!r}; {known}.")
    if spec.domain is not None:
        raise DataError(f"The generated corpus {spec.corpus!r} has no domains: leave domain out.")
    corpus = GRAMMARS[spec.corpus]
    grammar = read_grammar(project_data(corpus.file), corpus.grammar)
    labels = grammar.label_names
    sizes = {"train": spec.train or corpus.sizes["train"], "dev": spec.dev or corpus.sizes["dev"]}
    return Task(
        name=spec.name,
        kind=KIND_OF_TEXTS[len(corpus.text_columns)],
        text_columns=corpus.text_columns,
        label_names=labels,
        metric="accuracy",
        splits=write_corpus(grammar, sizes, spec.seed, columns=corpus.text_columns, classes=len(labels)),
        source_note=corpus.note,
    )
