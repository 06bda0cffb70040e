"""The file of a sweep: which notebook, which values, and what is gathered of the runs."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.settings import Profile, findings

NAME = r"^[a-z0-9]+([_-][a-z0-9]+)*$"


class Gather(BaseModel):
    """One table of the summary: mean, standard deviation and number over all that ``by`` does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, description="its heading")
    table: str = Field(min_length=1, description="what notebooks recorded it as; `claims` is always there")
    by: tuple[str, ...] = Field(min_length=1, description="columns and parameters that make a row")
    units: tuple[str, ...] = Field(
        default=(),
        description="columns within which numbers are averaged first: sd and n are then over these",
    )
    across: str | None = Field(
        default=None, description="one of `by`, whose values stand side by side on the page"
    )
    only: dict[str, tuple[Any, ...]] = Field(
        default={}, description="column: values; other rows are left out"
    )

    @model_validator(mode="after")
    def _across_a_column_of_by(self) -> "Gather":
        if self.across is not None and self.across not in self.by:
            raise ValueError(f"across={self.across} is not in by: {near(self.across, self.by)}")
        return self


class Values(BaseModel):
    """Which jobs there are: every choice of the grid, with every case.

    A value of the grid that is a mapping sets the parameters it names, which go together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: Profile
    parameters: dict[str, Any] = Field(default={}, description="what all jobs have in common")
    grid: dict[str, list[Any]] = Field(default={}, description="parameter: its values; all are combined")
    cases: list[dict[str, Any]] = Field(default=[], description="parameters that go together")
    gather: tuple[Gather, ...] = Field(default=(), description="the tables of its summary")

    @model_validator(mode="after")
    def _some_job(self) -> "Values":
        if not self.grid and not self.cases:
            raise ValueError("there is neither grid nor cases: no job comes of it")
        for name, values in self.grid.items():
            if not values:
                raise ValueError(f"grid: {name} has no values")
        places = Counter(["profile", *self.parameters, *self.cased])
        for axis in self.grid:
            places.update(self.set_by(axis))
        if twice := sorted(name for name, count in places.items() if count > 1):
            raise ValueError(f"{twice[0]} is given in two places: leave it in one")
        return self

    @property
    def cased(self) -> set[str]:
        """The parameters that cases set."""
        return {name for case in self.cases for name in case}

    def set_by(self, axis: str) -> set[str]:
        """The parameters that an axis of the grid sets."""
        return {name for value in self.grid[axis] for name in (value if isinstance(value, dict) else [axis])}

    def combinations(self) -> Iterator[dict[str, Any]]:
        """The parameters of each job, without what all have in common."""
        for case in self.cases or [{}]:
            for chosen in itertools.product(*self.grid.values()):
                values = dict(case)
                for axis, value in zip(self.grid, chosen, strict=True):
                    values |= value if isinstance(value, dict) else {axis: value}
                yield values


class Sweep(Values):
    """A sweep as its file has it; ``tiny`` is a version on toy encoders that takes minutes."""

    name: str = Field(pattern=NAME)
    title: str = Field(min_length=1)
    about: str = Field(min_length=1, description="what it measures, and what it needs; for the page")
    notebook: str = Field(min_length=1)
    tiny: Values | None = None

    def small(self) -> "Sweep":
        """The tiny version. Raises SettingsError where there is none."""
        if self.tiny is None:
            raise SettingsError(f"sweep {self.name} has no tiny version: add a section `tiny` to its file")
        values = {name: getattr(self.tiny, name) for name in Values.model_fields}
        return self.model_copy(update={**values, "name": f"{self.name}-tiny", "tiny": None})

    def with_parameters(self, given: Mapping[str, Any]) -> "Sweep":
        """The same with other values for all jobs, as ``-p`` gives them; a given axis of the grid goes."""
        grid = {name: values for name, values in self.grid.items() if name not in given}
        taken = self.cased.union(*(self.set_by(axis) - {axis} for axis in grid)) & set(given)
        if taken:
            raise SettingsError(f"-p {min(taken)}: jobs of sweep {self.name} differ in it; change its file")
        fixed = {name: value for name, value in given.items() if name != "profile"}
        values = {"parameters": {**self.parameters, **fixed}, "grid": grid}
        if grid != self.grid and not grid and not self.cases:
            values["cases"] = [{}]
        return self.model_copy(update={**values, "profile": given.get("profile", self.profile)})


def load_sweep(file: Path, project: Project) -> Sweep:
    """Read a sweep from its file, or by its name from the project's folder ``sweeps``.

    Raises SettingsError for a file that is missing or is no sweep, and for one that is called like another
    that comes with the project: they would take each other's tables.
    """
    known = shipped(project)
    path = file if file.is_file() else known.get(file.name)
    if path is None:
        raise SettingsError(f"no sweep is called {str(file)!r}, and no file; {near(file.name, known)}")
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _EachNameOnce)
        sweep = Sweep.model_validate(content)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"sweep {path} is no YAML: {error}") from None
    except ValidationError as error:
        raise SettingsError(f"sweep {path}: {findings(error)}") from None
    other = known.get(sweep.name.removesuffix("-tiny"))
    if other is not None and other.resolve() != path.resolve():
        raise SettingsError(f"sweep {path}: its name {sweep.name} is that of {other.name}: give it another")
    return sweep


class _EachNameOnce(yaml.SafeLoader):
    """Of two equal names in one mapping the last would count, and nobody be told."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        counts = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and counts[key.value] > 1:
                raise yaml.MarkedYAMLError(problem=f"{key.value} stands twice", problem_mark=key.start_mark)
        return node


def shipped(project: Project) -> dict[str, Path]:
    """The files of the project's own sweeps, by name."""
    return {path.stem: path for path in sorted(project.sweeps.glob("*.yaml"))}
