"""What the runs of a sweep found, as one tidy table and a summary of it."""

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from encoder_atlas.errors import SettingsError, near
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
    column that no run recorded.
    """
    parts = []
    for each in wanted:
        rows = table[table["table"] == each.table]
        if rows.empty:
            raise SettingsError(
                f"no run recorded a table {each.table!r}; {near(each.table, set(table['table']))}"
            )
        own = rows.dropna(axis="columns", how="all")
        for column in [*each.by, *each.units, *each.only]:
            if column not in own:
                raise SettingsError(
                    f"table {each.table!r} has no column {column!r}; {near(column, own.columns)}"
                )
        for column, values in each.only.items():
            own = own.loc[pd.Series(own[column]).isin(list(values))]
        if each.units:
            units = own.groupby([*each.by, *each.units], sort=False, dropna=False)[VALUE]
            own = units.agg(**{VALUE: "mean"}).reset_index()
        groups = own.groupby(list(each.by), sort=False, dropna=False)[VALUE]
        numbers = groups.agg(mean="mean", sd="std", n="count").reset_index()
        numbers.insert(0, "summary", each.name)
        parts.append(numbers)
    if not parts:
        return pd.DataFrame(columns=["summary", "mean", "sd", "n"])
    joined = pd.concat(parts, ignore_index=True)
    last = ["mean", "sd", "n"]
    return joined.reindex(columns=[*(name for name in joined if name not in last), *last])


def write_tables(sweep: Sweep, jobs: Sequence[Job], folder: Path) -> pd.DataFrame:
    """Write what was gathered: table.csv, table.parquet, summary.csv and sweep.json; gives the summary.

    Each file is there whole, or as it was.
    """
    table = gather(jobs)
    summary = summarise(table, sweep.gather) if len(table) else summarise(table, [])
    write_whole(folder / "table.csv", table.to_csv(index=False))
    written = io.BytesIO()
    _plain(table).to_parquet(written, index=False)
    _write_bytes(folder / "table.parquet", written.getvalue())
    write_whole(folder / "summary.csv", summary.to_csv(index=False))
    done = sum(job.run.finished for job in jobs)
    said = {"name": sweep.name, "profile": sweep.profile, "jobs": len(jobs), "done": done}
    write_whole(folder / "sweep.json", json.dumps(said, indent=1))
    return summary


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
