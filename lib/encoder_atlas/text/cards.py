"""Cards of corpora: what a text is, where it lives, what may be done with it, what simple models score."""

import hashlib
from pathlib import Path
from typing import Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.layers import Layer
from encoder_atlas.text.project_data import project_data

Kind = Literal["task", "test", "annotated", "edges", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# The sources of a TaskSpec, and "built": joined by `atlas data build` from public repositories.
WaySource = Literal["packaged", "files", "hub", "generated", "built"]


class Baseline(BaseModel):
    """A measured baseline: a score in percent on all of dev, after training on ``train`` rows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    train: int = Field(ge=1)
    dev: int = Field(ge=1)
    seed: int | None = None
    accuracy_percent: float = Field(ge=0, le=100)


class EdgeBaseline(BaseModel):
    """A measured baseline of an edge task: micro F1 in percent on dev, in numbers of targets."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    train: int = Field(ge=1)
    dev: int = Field(ge=1)
    seed: int = 0
    f1_percent: float = Field(ge=0, le=100)


class LayerBaseline(BaseModel):
    """A measured baseline of a layer of annotated sentences, by a rule that looks words up.

    Attributes:
        model: the rule, as `encoder_atlas.training.layer_baselines` names it.
        measure: "accuracy", "uas", "las" or "f1", as the decoder of the layer has it.
        train, dev: sentences.
        percent: the score on all of dev, by domain.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layer: Layer
    model: str
    measure: str
    train: int = Field(ge=1)
    dev: int = Field(ge=1)
    seed: int = 0
    percent: dict[str, float]


class Way(BaseModel):
    """One way to come by a corpus.

    Attributes:
        source: the source as a TaskSpec, CorpusSpec or EdgeSpec names it.
        where: where the text lies, in a sentence.
        use: the spec that loads it, as YAML fields; empty where no spec does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: WaySource
    where: str = Field(min_length=1)
    use: dict[str, str] = Field(default_factory=dict)


class CorpusFile(BaseModel):
    """A file that a corpus is read from.

    Attributes:
        split: what it is read as. Of several files of one split the first that is there counts.
        rows: rows (or sentences) of the split when it is read from this file; None where nobody counted.
        sha256: hash of the content, in hexadecimal; None where nobody here has held the file.
        sample: whether it is a part of the split only.
        optional: whether the corpus is whole without it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    split: str = Field(min_length=1)
    rows: int | None = Field(default=None, ge=1)
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    sample: bool = False
    optional: bool = False


class CorpusCard(BaseModel):
    """One corpus as its file in `data/corpora/` describes it; the book shows these.

    Attributes:
        name: the corpus as a TaskSpec, CorpusSpec or EdgeSpec names it.
        kind: "task" (text with labels, scores or answers), "test" (rows that only test a model of such a
            task), "annotated" (sentences with linguistic layers), "edges" (spans for a probe to label) or
            "text" (nothing but text).
        sizes: rows, sentences or targets a split as loaded without sampling; of files that nobody here has
            held, as their makers state; empty where nobody does.
        layers: of annotated sentences: for each split, how many tokens there are, and how many sentences have
            each layer.
        ways: how to come by it; the first is what a run takes that names the corpus and no source.
        files: what the ways "files" and "packaged" read.
        baselines: what models that cannot read score.
        edge_baselines: the same of "edges".
        layer_baselines: the same of the layers of "annotated".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    title: str
    kind: Kind = "task"
    what: str
    label_names: tuple[str, ...] = ()
    sizes: dict[str, int]
    layers: dict[str, dict[str, int]] = Field(default_factory=dict)
    split: str
    licence: str
    cite: str
    ways: tuple[Way, ...] = Field(min_length=1)
    files: tuple[CorpusFile, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    edge_baselines: tuple[EdgeBaseline, ...] = ()
    layer_baselines: tuple[LayerBaseline, ...] = ()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> "CorpusCard":
        sources = [way.source for way in self.ways]
        if len(set(sources)) < len(sources):
            raise ValueError("each source can be one way only")
        if set(self.layers) - set(self.sizes):
            raise ValueError("layers are counted for splits that sizes does not have")
        return self

    @property
    def source(self) -> WaySource:
        """The source of the first way."""
        return self.ways[0].source

    def way(self, source: str) -> Way | None:
        """The way of this source, if there is one."""
        return next((way for way in self.ways if way.source == source), None)


def corpus_cards() -> list[CorpusCard]:
    """Every card of the project, sorted by name.

    Raises:
        DataError: naming the card that cannot be read and what is wrong with it.
    """
    cards = [read_card(path) for path in project_data("corpora").glob("*.yaml")]
    return sorted(cards, key=lambda card: card.name)


def corpus_card(name: str) -> CorpusCard:
    """The card of one corpus.

    Raises:
        DataError: if there is none; names the nearest.
    """
    cards = {card.name: card for card in corpus_cards()}
    if name not in cards:
        raise DataError(f"No corpus is called {name!r}; {near(name, cards)}.")
    return cards[name]


def read_card(path: Path) -> CorpusCard:
    """Read one card.

    Raises:
        DataError: naming the file and what is wrong with it.
    """
    try:
        return CorpusCard.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise DataError(f"{path} is no usable card of a corpus: {error}") from error


def sha256(path: Path) -> str:
    """The hash of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
