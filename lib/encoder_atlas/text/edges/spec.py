"""Which edge task a run uses, as a setting."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

EdgeSource = Literal["files", "generated"]
Size = Annotated[int, Field(ge=1, strict=True)]


class EdgeSpec(BaseModel):
    """Where an edge task comes from and how many targets of it are used.

    Tasks of annotated sentences need no spec of their own: ``of_corpus`` makes them of a corpus.

    Attributes:
        name: what the task is called in tables, figures and the store.
        source: "files" (on your disk) or "generated" (written by a grammar).
        corpus: with files "edges" (JSON, one sentence a line) or "semeval-2010-8"; with generated
            "proto-roles" or "relations".
        path: with files the folder that holds them.
        train, dev, test: targets of each split; None takes all, of generated text a default number.
        seed: seed of the sample, and of the sentences of generated text.
        domain: of generated text, what it is about; None takes "business".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    source: EdgeSource
    corpus: str = Field(min_length=1)
    path: Path | None = None
    train: Size | None = None
    dev: Size | None = None
    test: Size | None = None
    seed: int = Field(default=0, ge=0, strict=True)
    domain: Literal["business", "science"] | None = None

    @property
    def sizes(self) -> dict[str, int | None]:
        """Targets asked for of each split."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    @field_validator("path")
    @classmethod
    def _expand_home(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else None

    @model_validator(mode="after")
    def _fits_the_source(self) -> "EdgeSpec":
        if self.source == "files" and self.path is None:
            raise ValueError("source 'files' needs path: the folder that holds the files")
        if self.source == "generated" and self.path is not None:
            raise ValueError("path cannot be set with source 'generated'")
        if self.source == "files" and self.domain is not None:
            raise ValueError("domain can be set with source 'generated' only, not 'files'")
        return self
