"""The page of the project's sweeps: what each measures, how to run it, and what came out where it was run."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.chapters import chapter_name
from encoder_atlas.runs.claims.page import escape
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.resolve import profile_values
from encoder_atlas.runs.sweeps.gather import summarise
from encoder_atlas.runs.sweeps.jobs import as_option, sweep_folder
from encoder_atlas.runs.sweeps.spec import Gather, Sweep, load_sweep, shipped

HEAD = """# The papers' tables

A chapter runs once, with one encoder and a few seeds. The papers' tables are larger: ten pairs of tasks,
seven encoders, three seeds. Each *sweep* below is such a table: a file in `sweeps/` that says which notebook
is run with which parameters. The first command of each lists its jobs; without `--dry-run` it runs what has
not been run yet and gathers all of it, on this machine or {ref}`on a cluster <sweeps-howto>`. `--tiny` tries
the same on toy encoders, in minutes, with numbers that mean nothing. `FOLDER` holds your corpora; `-p` takes
{ref}`other parameters <parameters>` of the notebook as well.

Cells are mean ± standard deviation (n), over what the heading says.
"""

CELL = "mean ± sd (n)"


def sweeps_page(project: Project) -> str:
    """The page of all shipped sweeps, as MyST markdown; equal results give an equal page.

    Raises SettingsError for a file that is no sweep.
    """
    sweeps = [load_sweep(path, project) for path in shipped(project).values()]
    return "\n".join([HEAD, *(_section(sweep, project) for sweep in sweeps)])


def _section(sweep: Sweep, project: Project) -> str:
    lines = [f"(sweep-{sweep.name})=", f"## {escape(sweep.title)}", "", sweep.about, ""]
    large = (
        f"atlas sweep {sweep.name}{' -p path=FOLDER' if _asks_for_a_path(sweep, project) else ''} --dry-run"
    )
    lines += ["```bash", large, f"atlas sweep {sweep.name} --tiny", "```", ""]
    shown = [part for each in _versions(sweep) for part in _results(each, sweep_folder(project, each.name))]
    return "\n".join([*lines, *(shown or ["It has not been run here.", ""])])


def _asks_for_a_path(sweep: Sweep, project: Project) -> bool:
    """Whether its text is a reader's own files, and only ``-p`` can say where they are."""
    values = profile_values(chapter_name(sweep.notebook), sweep.profile, project.profiles) | sweep.parameters
    varied = sweep.cased.union(*map(sweep.set_by, sweep.grid))
    return values.get("source") == "files" and not {"path", "source"} & {*sweep.parameters, *varied}


def _versions(sweep: Sweep) -> list[Sweep]:
    return [sweep, sweep.small()] if sweep.tiny else [sweep]


def _results(sweep: Sweep, folder: Path) -> list[str]:
    """What a sweep found, where its tables are."""
    try:
        said = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
        table = pd.read_parquet(folder / "table.parquet")
    except (OSError, ValueError):
        return []
    if table.empty:
        return []
    lines = [f"{_profile(sweep, said)}, {said['done']} of {said['jobs']} jobs:", ""]
    for wanted in sweep.gather:
        try:
            shown = _as_markdown(summarise(table, [wanted]), wanted)
        except SettingsError as error:
            shown = escape(f"These runs do not give it: {error}")
        lines += [f"**{escape(wanted.name)}**", "", shown, ""]
    return lines


def _profile(sweep: Sweep, said: dict[str, Any]) -> str:
    """The profile that was run, with whatever ``-p`` and ``--processes`` made different from the file."""
    given = said.get("parameters", {})
    changed = {name: value for name, value in given.items() if sweep.parameters.get(name) != value}
    told = [as_option(name, _without_home(value)) for name, value in changed.items()]
    told += [f"--processes {said['processes']}"] if said.get("processes", 1) > 1 else []
    changes = f" with {', '.join(f'`{each}`' for each in told)}" if told else ""
    return f"Profile `{said['profile']}`{changes}"


def _without_home(value: Any) -> Any:
    """A page may be published: of a reader's folder it shows the name, not where it lies."""
    path = Path(value) if isinstance(value, str) else Path()
    return f"…/{path.name}" if path.is_absolute() or path.parts[:1] == ("~",) else value


def _as_markdown(summary: pd.DataFrame, wanted: Gather) -> str:
    """A summary as a table, the values of ``across`` side by side."""
    rows = summary[list(wanted.by)].map(_text).rename(escape, axis="columns")
    rows[CELL] = [_cell(*row) for row in summary[["mean", "sd", "n"]].itertuples(index=False)]
    kept = [escape(name) for name in wanted.by if name != wanted.across]
    if kept and wanted.across is not None:
        side = escape(wanted.across)
        order = list(dict.fromkeys(rows[side]))
        wide = rows.pivot_table(CELL, kept, side, aggfunc="first", sort=False)
        rows = wide[order].fillna("–").reset_index()
    body = [f"| {' | '.join(map(str, row))} |" for row in rows.to_numpy()]
    return "\n".join([f"| {' | '.join(map(str, rows.columns))} |", "|" + " --- |" * rows.shape[1], *body])


def _text(value: object) -> str:
    return escape(f"{value:g}" if isinstance(value, float) else str(value))


def _cell(mean: float, sd: float, n: int) -> str:
    """Three significant digits; no spread where there is one number only."""
    spread = "" if math.isnan(sd) else f" ± {sd:.3g}"
    return f"{mean:.3g}{spread} ({n})"
