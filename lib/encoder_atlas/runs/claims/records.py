"""What a run found out about the claims: values with intervals, and the verdicts that follow."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsFloat

import numpy as np
import pandas as pd
from jaxtyping import Shaped
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, PositiveInt, ValidationError, model_validator
from scipy.stats import bootstrap

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Estimate
from encoder_atlas.runs.claims.statements import Claim, Claims, Verdict
from encoder_atlas.runs.settings import Profile, findings

# Resampled numbers held at once: 32 MB, however many samples there are.
BOOTSTRAP_NUMBERS = 4_000_000


class ClaimRecord(BaseModel):
    """One measured value in its interval, from ``n`` points, texts or models and ``seeds`` seeds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    n: PositiveInt
    seeds: PositiveInt
    level: float = Field(default=0.95, gt=0, lt=1)
    note: str = ""

    @model_validator(mode="after")
    def _value_within(self) -> "ClaimRecord":
        if self.low > self.high:
            raise ValueError(f"low={self.low} is above high={self.high}")
        if not self.low <= self.value <= self.high:
            raise ValueError(f"value={self.value} is outside its interval [{self.low}, {self.high}]")
        return self

    def __str__(self) -> str:
        interval = f"{number(self.value)} [{number(self.low)}, {number(self.high)}]"
        return interval if self.level == 0.95 else f"{interval} ({self.level:.0%})"


class ClaimRecords(BaseModel):
    """All that one run of one notebook recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: Profile
    records: dict[str, ClaimRecord]

    @classmethod
    def load(cls, path: Path) -> "ClaimRecords":
        """Raises DataError for a file that is missing or holds something else."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise DataError(
                f"recorded claims {path} cannot be read: {error}; run the notebook again"
            ) from None
        except ValidationError as error:
            raise DataError(f"recorded claims {path}: {findings(error)}; run the notebook again") from None

    def verdict(self, claim: Claim) -> Verdict:
        """Not tested where nothing was recorded or the profile is too small, else as the rule decides."""
        record = self.records.get(claim.id)
        if record is None or not claim.testable(self.profile):
            return Verdict.NOT_TESTED
        return claim.rule.verdict(record.low, record.high)


class ClaimRecorder:
    """Takes down what a notebook measures for its claims; as the value of a cell, shows their table."""

    def __init__(self, claims: Claims, profile: Profile, path: Path) -> None:
        """Start the file at ``path`` anew: what an earlier run recorded there does not count for this one."""
        self.claims = claims
        self.path = path
        self._save(ClaimRecords(profile=profile, records={}))

    def record(
        self,
        claim_id: str,
        value: SupportsFloat,
        low: SupportsFloat,
        high: SupportsFloat,
        n: int,
        seeds: int,
        note: str = "",
        *,
        level: float = 0.95,
    ) -> Verdict:
        """Record a value, in the unit of the claim's rule, with the interval that holds it at ``level``.

        ``n`` counts what the interval is over: points, texts or models. A claim recorded twice keeps the
        second. Raises SettingsError for an unknown claim, DataError for a NaN, for ``low`` above ``high`` and
        for a value outside its interval.
        """
        claim = self.claims[claim_id]
        measured = {"value": float(value), "low": float(low), "high": float(high)}
        try:
            record = ClaimRecord(**measured, n=n, seeds=seeds, level=level, note=note)
        except ValidationError as error:
            raise DataError(f"claim {claim_id}: {findings(error)}") from None
        records = {**self.recorded.records, claim_id: record}
        self._save(self.recorded.model_copy(update={"records": records}))
        return self.recorded.verdict(claim)

    def record_samples(
        self,
        claim_id: str,
        samples: Shaped[np.ndarray, " points"] | Sequence[float],
        statistic: Callable[..., Any] = np.mean,
        seed: int = 0,
        *,
        seeds: int = 1,
        note: str = "",
        level: float = 0.95,
    ) -> Verdict:
        """Record a statistic of samples with its percentile bootstrap interval (9,999 resamples).

        For a contrast give the differences of pairs. Few samples make intervals too narrow, and samples that
        are all alike make one of no width: ``n`` stands beside the verdict for that reason.
        """
        try:
            value, low, high = interval(samples, statistic, seed, level)
        except DataError as error:
            raise DataError(f"claim {claim_id}: {error}") from None
        return self.record(claim_id, value, low, high, len(samples), seeds, note, level=level)

    def record_all(
        self,
        found: Mapping[str, Estimate] | Mapping[str, Shaped[np.ndarray, " points"]],
        *,
        seeds: int,
    ) -> None:
        """Record what was found for several claims: estimates as they are, samples by their mean.

        One sample alone has no interval: its claim stays untested.
        """
        for claim_id, value in found.items():
            if isinstance(value, Estimate):
                self.record(claim_id, value.value, value.low, value.high, value.n, seeds)
            elif len(value) > 1:
                self.record_samples(claim_id, value, seeds=seeds)

    def table(self) -> pd.DataFrame:
        """All claims of the recorder: claim, paper, printed, ours with its interval, n / seeds, verdict."""
        return claims_table(self.claims, self.recorded)

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            return self.table().to_html(index=False, border=0, justify="left", classes="claims")

    def _save(self, recorded: ClaimRecords) -> None:
        self.recorded = recorded
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        unfinished.write_text(recorded.model_dump_json(indent=1), encoding="utf-8")
        unfinished.replace(self.path)


def interval(
    samples: Shaped[np.ndarray, " points"] | Sequence[float],
    statistic: Callable[..., Any] = np.mean,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """A statistic of samples with the ends of its percentile bootstrap interval (9,999 resamples).

    Raises DataError for fewer than two samples, and for one that is NaN or infinite.
    """
    values = np.asarray(samples, dtype=float)
    if len(values) < 2 or not np.isfinite(values).all():
        raise DataError("an interval needs at least two samples, none of them NaN or infinite")
    options: dict[str, Any] = {"method": "percentile", "rng": np.random.default_rng(seed)}
    options["batch"] = max(1, BOOTSTRAP_NUMBERS // len(values))
    found = bootstrap((values,), statistic, confidence_level=level, **options).confidence_interval
    value = float(statistic(values))
    # A skewed statistic can lie outside its own percentile interval; rounding alone can put it there too.
    return value, float(min(found.low, value)), float(max(found.high, value))


def claims_table(claims: Claims, recorded: ClaimRecords) -> pd.DataFrame:
    """One row a claim, as text: what is said, what was printed, what came out, and the verdict."""
    rows = []
    for claim in claims.claims:
        record = recorded.records.get(claim.id)
        paper = claims.papers[claim.paper].name
        rows.append(
            {
                "claim": claim.statement,
                "paper": f"{paper}, {claim.where}" if claim.source == "paper" else "ours, a control",
                "printed": str(claim.printed or "–"),
                "rule": str(claim.rule),
                "ours": str(record or "–"),
                "n / seeds": f"{record.n} / {record.seeds}" if record else "–",
                "verdict": recorded.verdict(claim).label,
            }
        )
    return pd.DataFrame(rows)


def number(value: float) -> str:
    """Three decimals, or one from ten on.

    >>> number(0.0412), number(27.04)
    ('0.041', '27.0')
    """
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
