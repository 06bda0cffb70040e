"""The claims of ``book/claims.yaml``: statements in our words, and the rule that decides each of them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.runs.settings import PROFILES, Profile, findings

Line = Annotated[str, Field(min_length=1)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Verdict(StrEnum):
    """What a run says about a claim, in words that stand without colour."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    WITHIN_NOISE = "within noise"
    NOT_TESTED = "not tested here"

    @property
    def label(self) -> str:
        """The verdict with a symbol before it."""
        return f"{_SYMBOLS[self]} {self}"


_SYMBOLS = {
    Verdict.REPRODUCED: "✔",
    Verdict.NOT_REPRODUCED: "✘",
    Verdict.WITHIN_NOISE: "≈",
    Verdict.NOT_TESTED: "○",
}


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Rule(_Row):
    """The values that bear a claim out: beyond one threshold, or between two of them (both included)."""

    op: Literal[">", ">=", "<", "<=", "between"]
    threshold: FiniteFloat | tuple[FiniteFloat, FiniteFloat]

    @model_validator(mode="after")
    def _thresholds_fit(self) -> "Rule":
        if isinstance(self.threshold, tuple) != (self.op == "between"):
            raise ValueError("'between' needs two thresholds, every other rule one")
        if isinstance(self.threshold, tuple) and self.threshold[0] >= self.threshold[1]:
            raise ValueError(f"between: {self.threshold[0]} is not below {self.threshold[1]}")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Both thresholds; the same one twice where there is only one."""
        return self.threshold if isinstance(self.threshold, tuple) else (self.threshold, self.threshold)

    def holds(self, value: float) -> bool:
        """Whether one exact value satisfies the rule."""
        low, high = self.bounds
        return {
            ">": value > high,
            ">=": value >= high,
            "<": value < low,
            "<=": value <= low,
            "between": low <= value <= high,
        }[self.op]

    def verdict(self, low: float, high: float) -> Verdict:
        """Judge an interval: reproduced if all of it satisfies the rule, not reproduced if none does."""
        ends = [self.holds(low), self.holds(high)]
        if all(ends):  # the values that satisfy a rule have no gap
            return Verdict.REPRODUCED
        around = self.op == "between" and low < self.bounds[0] and self.bounds[1] < high
        return Verdict.WITHIN_NOISE if any(ends) or around else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        low, high = self.bounds
        sign = {"<=": "≤", ">=": "≥"}.get(self.op, self.op)
        return f"between {low:g} and {high:g}" if self.op == "between" else f"{sign} {low:g}"


class Printed(_Row):
    """A number as the paper prints it."""

    value: FiniteFloat
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}".strip()


class Paper(_Row):
    """A paper by its short name, its key in ``book/references.bib`` and the chapter that tests its claims."""

    name: Line
    reference: Slug
    notebook: Line


class Claim(_Row):
    """One row of ``book/claims.yaml``.

    Attributes:
        id: what a notebook calls it.
        where: table, figure or section of the paper.
        statement: the claim in our words, with the measured quantity in it.
        printed: the number that the paper prints for it, if any.
        rule: decides from the recorded value; written down before anything was measured.
        why: where the rule's threshold comes from.
        profile: the smallest profile that can test the claim.
        source: whether the paper says so, or we added it as a control.
    """

    id: Slug
    paper: Slug
    where: Line
    statement: Line
    printed: Printed | None = None
    rule: Rule
    why: Line
    profile: Profile
    source: Literal["paper", "ours"] = "paper"

    @model_validator(mode="after")
    def _ours_is_not_printed(self) -> "Claim":
        if self.source == "ours" and self.printed is not None:
            raise ValueError("a claim of ours has no printed number")
        return self

    def testable(self, profile: Profile) -> bool:
        """Whether a run of this profile is large enough to decide."""
        return PROFILES.index(profile) >= PROFILES.index(self.profile)


class Claims(_Row):
    """All claims, in the order of the file."""

    papers: dict[Slug, Paper]
    claims: tuple[Claim, ...]

    @model_validator(mode="after")
    def _names_fit(self) -> "Claims":
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"two claims are called {claim.id!r}")
            if claim.paper not in self.papers:
                raise ValueError(f"{claim.id}: no paper {claim.paper!r}; {near(claim.paper, self.papers)}")
            seen.add(claim.id)
        return self

    @classmethod
    def load(cls, path: Path) -> "Claims":
        """Read and check the file. Raises SettingsError that names the row and what is wrong with it."""
        try:
            return cls.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise SettingsError(f"claims file {path} cannot be read: {error}") from None
        except yaml.YAMLError as error:
            raise SettingsError(f"claims file {path} is no YAML: {error}") from None
        except ValidationError as error:
            raise SettingsError(f"claims file {path}: {findings(error)}") from None

    def of(self, notebook: str) -> "Claims":
        """The claims of the papers that one notebook is about."""
        chosen = tuple(claim for claim in self.claims if self.papers[claim.paper].notebook == notebook)
        return self.model_copy(update={"claims": chosen})

    def __getitem__(self, claim_id: str) -> Claim:
        """The claim of this id; SettingsError with the near match where there is none."""
        known = {claim.id: claim for claim in self.claims}
        if claim_id not in known:
            raise SettingsError(f"no claim is called {claim_id!r}; {near(claim_id, known)}")
        return known[claim_id]
