"""What the runs of a sweep found, as one tidy table and a summary of it."""

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.progress import note
from encoder_atlas.runs.claims import ClaimRecords
from encoder_atlas.runs.project import write_whole
from encoder_atlas.runs.records import VALUE, read_records
from encoder_atlas.runs.sweeps.jobs import Job
from encoder_atlas.runs.sweeps.spec import Gather, Sweep

CLAIMS = "claims"


def gather(jobs: Sequence[Job]) -> pd.DataFrame:
    """One row a recorded number of every finished job.

    Columns: ``job``, the parameters in which jobs differ, ``table`` (as the notebook recorded it; the claims
    of a chapter are `claims`, with ``claim``, ``low``, ``high`` and ``points``), the columns of that table,
    ``value``. A column of a table that is called like a parameter gets the ending ``_measured``.

    Raises DataError for records that cannot be read.
    """
    parts = [part for job in jobs if job.run.finished for part in _tables(job)]
    if not parts:
        return pd.DataFrame(columns=["job", "table", VALUE])
    table = pd.concat(parts, ignore_index=True)
    return table.reindex(columns=[*(name for name in table if name != VALUE), VALUE])


def summarise(table: pd.DataFrame, wanted: Sequence[Gather]) -> pd.DataFrame:
    """One row a group of each wanted table: ``summary`` (its name), what makes the group, mean, sd, n.

    ``sd`` is the sample standard deviation, missing for one number. Raises SettingsError for a table or
    column that no run recorded, and where ``only`` leaves no row.
    """
    parts = [_summary(table, each) for each in wanted]
    last = ["mean", "sd", "n"]
    if not parts:
        return pd.DataFrame(columns=["summary", *last])
    joined = pd.concat(parts, ignore_index=True)
    return joined.reindex(columns=[*(name for name in joined if name not in last), *last])


def write_tables(sweep: Sweep, jobs: Sequence[Job], folder: Path) -> pd.DataFrame:
    """Write what was gathered: table.csv, table.parquet, sweep.json and summary.csv; gives the summary.

    Each file is there whole, or as it was. What hours of runs found does not hang on how it is summed up: a
    table that cannot be summarised is noted, and missing in the summary.
    """
    table = gather(jobs)
    write_whole(folder / "table.csv", table.to_csv(index=False))
    written = io.BytesIO()
    _plain(table).to_parquet(written, index=False)
    _write_bytes(folder / "table.parquet", written.getvalue())
    done = sum(job.run.finished for job in jobs)
    said = {"name": sweep.name, "profile": sweep.profile, "jobs": len(jobs), "done": done}
    said |= {"parameters": sweep.parameters, "processes": max(job.run.processes for job in jobs)}
    write_whole(folder / "sweep.json", json.dumps(said, indent=1, default=str))
    summary = summarise(table, _usable(table, sweep.gather) if done else [])
    write_whole(folder / "summary.csv", summary.to_csv(index=False))
    return summary


def _usable(table: pd.DataFrame, wanted: Sequence[Gather]) -> list[Gather]:
    """Those that can be summarised; why another cannot is noted."""
    found = []
    for each in wanted:
        try:
            _summary(table, each)
        except SettingsError as error:
            note(f"gather: {each.name!r} is left out: {error}")
        else:
            found.append(each)
    return found


def _summary(table: pd.DataFrame, wanted: Gather) -> pd.DataFrame:
    rows = table[table["table"] == wanted.table]
    if rows.empty:
        raise SettingsError(
            f"no run recorded a table {wanted.table!r}; {near(wanted.table, set(table['table']))}"
        )
    own = rows.dropna(axis="columns", how="all")
    for column in [*wanted.by, *wanted.units, *wanted.only]:
        if column not in own:
            raise SettingsError(
                f"table {wanted.table!r} has no column {column!r}; {near(column, own.columns)}"
            )
    for column, values in wanted.only.items():
        own = own.loc[pd.Series(own[column]).isin(list(values))]
    if own.empty:
        raise SettingsError(f"table {wanted.table!r} has no row with {_said(wanted.only)}")
    if wanted.units:
        units = own.groupby([*wanted.by, *wanted.units], sort=False, dropna=False)[VALUE]
        own = units.agg(**{VALUE: "mean"}).reset_index()
    groups = own.groupby(list(wanted.by), sort=False, dropna=False)[VALUE]
    numbers = groups.agg(mean="mean", sd="std", n="count").reset_index()
    numbers.insert(0, "summary", wanted.name)
    return numbers


def _said(only: Mapping[str, Sequence[Any]]) -> str:
    """What rows were chosen by, as the file of a sweep has it."""
    return ", ".join(f"{name}: [{', '.join(map(str, values))}]" for name, values in only.items())


def _tables(job: Job) -> list[pd.DataFrame]:
    own = {"job": job.name} | {name: _cell(value) for name, value in job.values.items()}
    found = read_records(job.run.tables)
    if job.run.claims.exists() and (recorded := ClaimRecords.load(job.run.claims).records):
        rows = [
            {"claim": claim, "low": kept.low, "high": kept.high, "points": kept.n, VALUE: kept.value}
            for claim, kept in recorded.items()
        ]
        found = {CLAIMS: pd.DataFrame(rows), **found}
    parts = []
    for name, table in found.items():
        table = table.rename(columns={column: f"{column}_measured" for column in table if column in own})
        parts.append(table.assign(**own, table=name)[[*own, "table", *table.columns]])
    return parts


def _cell(value: Any) -> Any:
    """A parameter as a cell of a table: lists become text."""
    return value if isinstance(value, int | float | str) or value is None else json.dumps(value)


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Columns of one type each, as Parquet wants them: where numbers and texts mix, all are texts."""
    mixed = [name for name in table if len({type(value) for value in table[name].dropna()}) > 1]
    return table.assign(
        **{name: table[name].map(lambda value: None if pd.isna(value) else str(value)) for name in mixed}
    )


def _write_bytes(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)
