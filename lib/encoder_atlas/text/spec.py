"""Which text a run uses, as a setting."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from encoder_atlas.text.hub_corpora import HUB
from encoder_atlas.text.source_spec import HomePath

Source = Literal["packaged", "files", "hub", "generated"]
OF_FILES = ("text_columns", "label_column", "label_names")
OF_OWN = ("target", "score_range")


class TaskSpec(BaseModel):
    """Where a task's text comes from and how much of it is used.

    Attributes:
        name: what the task is called in tables, figures and the store.
        source: "packaged" (carried by an installed package), "files" (on your disk), "hub" (fetched by the
            library `datasets`) or "generated".
        corpus: which corpus of that source; with files a known layout ("sst2" and others of GLUE, "agnews",
            "imdb", "scitail", "squad"), or "own" for any other table; with hub one of the same names, or an
            id, "owner/name" or "owner/name:configuration".
        path: with files, a folder that holds train.* and dev.*, or one table that is then split; with hub, a
            local copy of the repository.
        revision: with hub, the commit, branch or tag of the repository; None takes the newest.
        train, dev: rows sampled for each split, different texts only; None takes all.
        seed: seed of the sample, of the sentences of generated text, and of the split of a single table.
        text_columns, label_column, label_names: of your own files or id: the column of the text (two for
            pairs), of the label, and the classes in order; without names those of the hub, or the labels
            found in train, sorted.
        domain: with generated, what the sentences are about, in corpora that have domains; None takes
            "business".
        target, score_range: of your own files or id, where the label is a number to be predicted and no
            class: target "score", and the lowest and highest it can be (0 to 5 where none is given).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    source: Source
    corpus: str = Field(default="own", min_length=1)
    path: HomePath | None = None
    revision: str | None = Field(default=None, min_length=1)
    train: int | None = Field(default=None, ge=2, strict=True)
    dev: int | None = Field(default=None, ge=1, strict=True)
    seed: int = Field(default=0, ge=0, strict=True)
    text_columns: tuple[str, ...] | None = Field(default=None, min_length=1, max_length=2)
    label_column: str | None = Field(default=None, min_length=1)
    label_names: tuple[str, ...] | None = Field(default=None, min_length=2)
    domain: Literal["business", "science"] | None = None
    target: Literal["class", "score"] | None = None
    score_range: tuple[FiniteFloat, FiniteFloat] | None = None

    @model_validator(mode="after")
    def _fits_the_source(self) -> "TaskSpec":
        if self.source == "files" and self.path is None:
            raise ValueError("source 'files' needs path: a folder with train.* and dev.*, or one table")
        if self.source not in ("files", "hub") and (given := self._given("path", *OF_FILES, *OF_OWN)):
            raise ValueError(f"{given} can be set with source 'files' or 'hub' only, not {self.source!r}")
        if self.domain and self.source != "generated":
            raise ValueError(f"domain can be set with source 'generated' only, not {self.source!r}")
        if self.revision and (self.source != "hub" or self.path):
            raise ValueError("revision can be set with source 'hub' only, and not for a local copy")
        own = self.corpus == "own" or (self.source == "hub" and self.corpus not in HUB)
        if self.source == "hub" and not own and (given := self._given(*OF_FILES)):
            raise ValueError(f"{given} can be set for an id of your own (owner/name), not {self.corpus!r}")
        if not own and (given := self._given(*OF_OWN)):
            raise ValueError(
                f"{given} can be set for your own files only (corpus 'own'), not {self.corpus!r}"
            )
        if self.target == "score" and self.label_names:
            raise ValueError("target 'score' has no classes: leave label_names out")
        if self.score_range and (self.target != "score" or self.score_range[0] >= self.score_range[1]):
            raise ValueError("score_range is (lowest, highest) of target 'score'")
        return self

    def _given(self, *names: str) -> str:
        """Those of the fields that are set, as an error lists them."""
        return ", ".join(name for name in names if getattr(self, name) is not None)
