"""Cards of corpora: what a text is, where it lives, what may be done with it, what simple models score."""

import hashlib
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.project_data import project_data
from encoder_atlas.text.spec import Source


class Baseline(BaseModel):
    """A measured baseline: accuracy in percent on all of dev, after training on ``train`` rows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    train: int = Field(ge=1)
    dev: int = Field(ge=1)
    seed: int | None = None
    accuracy_percent: float = Field(ge=0, le=100)


class CorpusCard(BaseModel):
    """One corpus as its file in `data/corpora/` describes it; the book shows these.

    Attributes:
        name: the corpus as a TaskSpec names it.
        source: the source as a TaskSpec names it.
        sizes: rows a split as loaded without sampling.
        sha256: for each file, by name, the hash of its content; empty where text is written on the spot.
        use: a TaskSpec that loads it, as YAML fields.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    title: str
    source: Source
    what: str
    label_names: tuple[str, ...]
    sizes: dict[str, int]
    split: str
    licence: str
    where: str
    cite: str
    sha256: dict[str, str] = Field(default_factory=dict)
    use: dict[str, str]
    baselines: tuple[Baseline, ...]
    notes: tuple[str, ...] = ()

    def differing_files(self, folder: Path) -> list[str]:
        """Names of the card's files that are missing from ``folder`` or have other content."""
        return [name for name, expected in self.sha256.items() if _sha256(folder / name) != expected]


def corpus_cards() -> list[CorpusCard]:
    """Every card of the project, sorted by name.

    Raises:
        DataError: naming the card that cannot be read and what is wrong with it.
    """
    cards = [read_card(path) for path in project_data("corpora").glob("*.yaml")]
    return sorted(cards, key=lambda card: card.name)


def read_card(path: Path) -> CorpusCard:
    """Read one card.

    Raises:
        DataError: naming the file and what is wrong with it.
    """
    try:
        return CorpusCard.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise DataError(f"{path} is no usable card of a corpus: {error}") from error


def _sha256(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
