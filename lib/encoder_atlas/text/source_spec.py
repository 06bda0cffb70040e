"""What settings of annotated text have in common: a source, a corpus, a size of each split."""

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, Field, model_validator

HomePath = Annotated[Path, AfterValidator(Path.expanduser)]
"""A path that may begin with ~."""

Size = Annotated[int, Field(ge=1, strict=True)]


class SourceSpec(BaseModel, frozen=True, extra="forbid"):
    """Base of `CorpusSpec` and `EdgeSpec`, which say what the fields mean and which sources there are."""

    FOLDER: ClassVar[str]  # what ``path`` leads to

    name: str = Field(min_length=1)
    source: str
    corpus: str = Field(min_length=1)
    path: HomePath | None = None
    train: Size | None = None
    dev: Size | None = None
    test: Size | None = None
    seed: int = Field(default=0, ge=0, strict=True)
    domain: str | None = Field(default=None, min_length=1)

    @property
    def sizes(self) -> dict[str, int | None]:
        """What is asked for of each split."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    @model_validator(mode="after")
    def _fits_the_source(self) -> "SourceSpec":
        if self.source == "files" and self.path is None:
            raise ValueError(f"source 'files' needs path: {self.FOLDER}")
        if self.source == "generated" and self.path is not None:
            raise ValueError("path cannot be set with source 'generated'")
        if self.source != "generated" and self.domain is not None:
            raise ValueError(f"domain can be set with source 'generated' only, not {self.source!r}")
        return self
