"""Where the parts of a built corpus come from, and what a right build counts: read from `data/built/`."""

from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.project_data import project_data

Part = Literal["ud", "ner", "propbank"]


class Repository(BaseModel):
    """A part of the corpus on GitHub, pinned.

    Attributes:
        files: what of it is needed, as shell patterns of paths.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    files: tuple[str, ...] = Field(min_length=1)
    licence: str
    cite: str

    @property
    def name(self) -> str:
        """The name without its owner."""
        return self.repository.split("/")[1]


class Release(BaseModel):
    """What is counted when the treebank is that of one commit, and the other parts are as pinned.

    Attributes:
        dev_sha256: hash of the treebank's dev file, by which the commit is known.
        counts: for each split the numbers of a ``Report``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    commit: str
    dev_sha256: str
    counts: dict[str, dict[str, int]]


class Recipe(BaseModel):
    """A built corpus: its parts and its known releases, the one that the parts are pinned to first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    parts: dict[Part, Repository]
    releases: tuple[Release, ...] = Field(min_length=1)

    def release(self, dev_sha256: str) -> Release | None:
        """The release whose dev file has this hash."""
        return next((release for release in self.releases if release.dev_sha256 == dev_sha256), None)


def read_recipe(name: str) -> Recipe:
    """The recipe of a corpus.

    Raises:
        DataError: naming its file and what is wrong with it.
    """
    path = project_data(f"built/{name}.yaml")
    try:
        return Recipe.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise DataError(f"{path} is no usable recipe: {error}") from error
