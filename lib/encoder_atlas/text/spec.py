"""Which text a run uses, as a setting."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Source = Literal["packaged", "files", "generated"]


class TaskSpec(BaseModel):
    """Where a task's text comes from and how much of it is used.

    Attributes:
        name: what the task is called in tables, figures and the store.
        source: "packaged" (carried by an installed package), "files" (on your disk) or "generated".
        corpus: which corpus of that source; with files a known layout ("sst2", "mnli" and others of GLUE), or
            "own" for any other table.
        path: with files, a folder that holds train.* and dev.*, or one table that is then split.
        train, dev: rows sampled for each split, different texts only; None takes all.
        seed: seed of the sample, of the sentences of generated text, and of the split of a single table.
        text_columns, label_column, label_names: of your own files: the column of the text (two for pairs), of
            the label, and the classes in order; without names the labels found in train are sorted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    source: Source
    corpus: str = Field(default="own", min_length=1)
    path: Path | None = None
    train: int | None = Field(default=None, ge=2, strict=True)
    dev: int | None = Field(default=None, ge=1, strict=True)
    seed: int = Field(default=0, ge=0, strict=True)
    text_columns: tuple[str, ...] | None = Field(default=None, min_length=1, max_length=2)
    label_column: str | None = Field(default=None, min_length=1)
    label_names: tuple[str, ...] | None = Field(default=None, min_length=2)

    @field_validator("path")
    @classmethod
    def _expand_home(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else None

    @model_validator(mode="after")
    def _fits_the_source(self) -> "TaskSpec":
        if self.source == "files":
            if self.path is None:
                raise ValueError("source 'files' needs path: a folder with train.* and dev.*, or one table")
            return self
        of_files = [
            name
            for name in ("path", "text_columns", "label_column", "label_names")
            if getattr(self, name) is not None
        ]
        if of_files:
            raise ValueError(
                f"{', '.join(of_files)} can be set with source 'files' only, not {self.source!r}"
            )
        return self
