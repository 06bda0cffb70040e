"""Which annotated corpus a run uses, as a setting."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from encoder_atlas.text.layers import Layer

CorpusSource = Literal["files", "generated", "built"]
Size = Annotated[int, Field(ge=1, strict=True)]


class CorpusSpec(BaseModel):
    """Where sentences with layers come from and how many of them are used.

    Attributes:
        name: what the corpus is called in tables, figures and the store.
        source: "files" (on your disk), "generated" (written by a grammar), or "built" (joined from public
            corpora by `atlas data build`).
        corpus: with files their format: "conllu", "iob", "brackets", "conll2012" or "layers"; else
            the name of the corpus.
        path: with files the folder that holds train, dev and test.
        train, dev, test: sentences of each split; None takes all, of generated text a default number.
        seed: seed of the sample, and of the sentences of generated text.
        domain: of generated text, what it is about.
        layers: only sentences that have all of these are used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    source: CorpusSource
    corpus: str = Field(min_length=1)
    path: Path | None = None
    train: Size | None = None
    dev: Size | None = None
    test: Size | None = None
    seed: int = Field(default=0, ge=0, strict=True)
    domain: str | None = Field(default=None, min_length=1)
    layers: tuple[Layer, ...] = ()

    @property
    def sizes(self) -> dict[str, int | None]:
        """Sentences asked for of each split."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    @field_validator("path")
    @classmethod
    def _expand_home(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else None

    @model_validator(mode="after")
    def _fits_the_source(self) -> "CorpusSpec":
        if self.source == "files" and self.path is None:
            raise ValueError("source 'files' needs path: a folder with files of train, dev and test")
        if self.source == "generated" and self.path is not None:
            raise ValueError("path cannot be set with source 'generated'")
        if self.source != "generated" and self.domain is not None:
            raise ValueError(f"domain can be set with source 'generated' only, not {self.source!r}")
        return self
