"""What many runs recorded becomes one tidy table, and its summary is what can be worked out by hand."""

import json
from typing import Any

import pandas as pd
import pytest
from tests.small_project import write_sweep

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.records import TableRecorder, read_records, tidy
from encoder_atlas.runs.sweeps.gather import gather, summarise, write_tables
from encoder_atlas.runs.sweeps.jobs import Job, expand, sweep_folder
from encoder_atlas.runs.sweeps.page import sweeps_page
from encoder_atlas.runs.sweeps.spec import Gather, Sweep, load_sweep

GATHER = [
    {"name": "scores", "table": "scores", "by": ["table", "task"], "across": "task"},
    {"name": "seeds", "table": "scores", "by": ["task"], "units": ["seeds"]},
]

WRITTEN = {"table.csv", "table.parquet", "summary.csv", "sweep.json"}


def swept(project: Project, **changes: Any) -> tuple[Sweep, list[Job]]:
    sweep = load_sweep(write_sweep(project.root, gather=GATHER, **changes), project)
    return sweep, expand(sweep, project)


def record(job: Job, values: dict[str, list[float]]) -> None:
    """What a finished run leaves: its notebook, its record, its tables and its claims."""
    rows = [(task, value) for task, several in values.items() for value in several]
    TableRecorder(job.run.tables).record("scores", pd.DataFrame(rows, columns=["task", "value"]))
    claim = {"value": 0.4, "low": 0.3, "high": 0.5, "n": 7, "seeds": 1}
    recorded = {"profile": "tiny", "records": {"deepview-pt-drop": claim}}
    job.run.claims.write_text(json.dumps(recorded))
    job.run.record.write_text("{}")
    job.run.notebook.write_text("{}")


def test_the_summary_is_the_one_worked_out_by_hand(project: Project) -> None:
    """Seed 0: a 1, 3 and b 5; seed 1: a 5, 7 and b 9; seed 2 is not done."""
    sweep, jobs = swept(project)
    record(jobs[0], {"a": [1, 3], "b": [5]})
    record(jobs[1], {"a": [5, 7], "b": [9]})
    table = gather(jobs)
    assert set(table["table"]) == {"scores", "claims"}
    assert len(table) == 8
    (first, _) = table.query("table == 'claims'")[["claim", "low", "high", "points", "value"]].values.tolist()
    assert first == ["deepview-pt-drop", 0.3, 0.5, 7, 0.4]
    summary = summarise(table, sweep.gather)
    picked = summary[["summary", "task", "mean", "sd", "n"]].to_numpy().tolist()
    rows = {(name, task): rest for name, task, *rest in picked}
    assert rows["scores", "a"] == [4.0, pytest.approx((20 / 3) ** 0.5), 4]
    assert rows["seeds", "a"] == [4.0, pytest.approx(8**0.5), 2]
    assert rows["seeds", "b"] == [7.0, pytest.approx(8**0.5), 2]


def test_tables_are_written_whole_and_read_back(project: Project) -> None:
    sweep, jobs = swept(project, grid={"seeds": [0, [1, 2]]})
    for job in jobs:
        record(job, {"a": [1.0, 2.0]})
    folder = sweep_folder(project, sweep.name)
    folder.mkdir(parents=True)
    write_tables(sweep, jobs, folder)
    assert {path.name for path in folder.iterdir()} == WRITTEN
    table, kept = pd.read_csv(folder / "table.csv"), pd.read_parquet(folder / "table.parquet")
    assert len(table) == len(kept) == 6
    assert set(kept["seeds"]) == {"0", "[1, 2]"}
    assert table["value"].tolist() == kept["value"].tolist()


def test_a_sweep_of_which_nothing_is_done_has_an_empty_table(project: Project) -> None:
    sweep, jobs = swept(project)
    assert list(gather(jobs).columns) == ["job", "table", "value"]
    folder = sweep_folder(project, sweep.name)
    folder.mkdir(parents=True)
    assert write_tables(sweep, jobs, folder).empty


def test_a_column_that_a_table_shares_with_the_grid_keeps_both(project: Project) -> None:
    _, (job, *_) = swept(project)
    record(job, {"a": [1]})
    TableRecorder(job.run.tables).record("other", pd.DataFrame({"seeds": [9], "value": [1.0]}))
    (row,) = gather([job]).query("table == 'other'").to_dict(orient="records")
    assert (row["seeds"], row["seeds_measured"]) == (0, 9)


def test_what_was_not_recorded_is_named(project: Project) -> None:
    _, jobs = swept(project)
    record(jobs[0], {"a": [1]})
    table = gather(jobs)
    for wanted, said in (
        (Gather(name="x", table="score", by=("task",)), "did you mean 'scores'"),
        (Gather(name="x", table="scores", by=("tasks",)), "did you mean 'task'"),
        (Gather(name="x", table="scores", by=("task",), only={"sed": (1,)}), "no column 'sed'"),
        (
            Gather(name="x", table="scores", by=("task",), only={"task": ("b", "c")}),
            r"no row .* task: \[b, c\]",
        ),
    ):
        with pytest.raises(SettingsError, match=said):
            summarise(table, [wanted])
    jobs[0].run.tables.write_text("{")
    with pytest.raises(DataError, match="run the notebook again"):
        gather(jobs)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"table": "scors"}, "did you mean 'scores'"),
        ({"by": ["taks"]}, "did you mean 'task'"),
        ({"by": ["nothing"]}, "no column 'nothing'"),  # a column that is there, but empty
        ({"only": {"task": ["b"]}}, "no row with task"),
    ],
)
def test_what_cannot_be_summed_up_costs_nothing_of_what_runs_found(
    project: Project, capsys: pytest.CaptureFixture[str], wrong: dict[str, Any], said: str
) -> None:
    odd = {"name": "odd", "table": "scores", "by": ["task"], **wrong}
    (project.root / "sweeps").mkdir()
    file = write_sweep(project.root, gather=[odd, *GATHER]).rename(project.root / "sweeps" / "trial.yaml")
    sweep = load_sweep(file, project)
    jobs = expand(sweep, project)
    record(jobs[0], {"a": [1, 3]})
    rows = pd.DataFrame({"task": ["a", "a"], "nothing": [None, None], "value": [1.0, 3.0]})
    TableRecorder(jobs[0].run.tables).record("scores", rows)
    folder = sweep_folder(project, sweep.name)
    summary = write_tables(sweep, jobs, folder)
    assert set(summary["summary"]) == {"scores", "seeds"}
    assert {path.name for path in folder.iterdir()} == WRITTEN
    assert pd.read_csv(folder / "table.csv")["value"].tolist()[-2:] == [1.0, 3.0]
    noted = capsys.readouterr().err
    assert "gather: 'odd' is left out" in noted and said in noted
    page = sweeps_page(project)
    assert "**odd**\n\nThese runs do not give it: " in page
    assert "| task | mean ± sd (n) |\n| --- | --- |\n| a | 2 (1) |" in page


def test_a_table_to_be_recorded_has_numbers(project: Project) -> None:
    path = project.root / "records.json"
    recorder = TableRecorder(path)
    assert read_records(path) == {}
    for table in (pd.DataFrame({"a": [1]}), pd.DataFrame({"value": ["much"]})):
        with pytest.raises(DataError, match="value"):
            recorder.record("odd", table)
    wide = pd.DataFrame({"task": ["a"], "low": [1.0], "high": [2.0]})
    recorder.record("ends", tidy(wide, ["low", "high"]))
    assert read_records(path)["ends"].to_dict(orient="list") == {
        "task": ["a", "a"],
        "measure": ["low", "high"],
        "value": [1.0, 2.0],
    }
    with pytest.raises(DataError, match="did you mean 'low'"):
        tidy(wide, ["lo"])


def test_the_page_lists_every_sweep_and_shows_what_is_there(project: Project) -> None:
    (project.root / "sweeps").mkdir()
    sweep, jobs = swept(project)
    (project.root / "trial.yaml").rename(project.root / "sweeps" / "trial.yaml")
    page = sweeps_page(project)
    assert "## A trial" in page and "atlas sweep trial" in page and "has not been run" in page
    for job in jobs[:2]:
        record(job, {"a|b": [1.0, 2.0], "c": [4.0]})
    folder = sweep_folder(project, sweep.name)
    folder.mkdir(parents=True)
    write_tables(sweep, jobs, folder)
    page = sweeps_page(project)
    assert "2 of 3 jobs" in page
    assert "| table | a\\|b | c |\n| --- | --- | --- |\n| scores | 1.5 ± 0.577 (4) | 4 ± 0 (2) |" in page
    assert "| task | mean ± sd (n) |\n| --- | --- |\n| a\\|b | 1.5 ± 0 (2) |" in page
    assert page == sweeps_page(project)


def test_the_page_says_what_p_and_processes_made_different(project: Project) -> None:
    (project.root / "sweeps").mkdir()
    file = write_sweep(project.root, gather=GATHER, parameters={"epochs": 3, "dev": 60})
    sweep = load_sweep(file.rename(project.root / "sweeps" / "trial.yaml"), project)
    home = project.root / "glue"
    home.mkdir()
    given = {"epochs": 1, "seeds": [0, 1], "dev": 60, "path": str(home), "train": 20}
    changed = sweep.with_parameters(given)
    jobs = expand(changed, project, processes=2)
    record(jobs[0], {"a": [1.0]})
    write_tables(changed, jobs, sweep_folder(project, sweep.name))
    page = sweeps_page(project)
    said = "`epochs=1`, `seeds=[0, 1]`, `path=…/glue`, `train=20`, `--processes 2`"
    assert f"Profile `tiny` with {said}, 1 of 1 jobs:" in page
    assert str(project.root) not in page
    jobs = expand(sweep, project)
    record(jobs[0], {"a": [1.0]})
    write_tables(sweep, jobs, sweep_folder(project, sweep.name))
    assert "Profile `tiny`, 1 of 3 jobs:" in sweeps_page(project)


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "atlas sweep trial --dry-run"),
        ({"profile": "paper"}, "atlas sweep trial -p path=FOLDER --dry-run"),
        ({"profile": "paper", "notebook": "1"}, "atlas sweep trial -p path=FOLDER --dry-run"),
        ({"profile": "paper", "parameters": {"source": "hub"}}, "atlas sweep trial --dry-run"),
        ({"profile": "paper", "grid": {"path": ["glue", "own"]}}, "atlas sweep trial --dry-run"),
        ({"profile": "paper", "cases": [{"source": "hub"}]}, "atlas sweep trial --dry-run"),
    ],
)
def test_the_page_asks_for_a_folder_where_text_is_read_from_files(
    project: Project, changes: dict[str, Any], command: str
) -> None:
    (project.root / "sweeps").mkdir()
    write_sweep(project.root, **changes).rename(project.root / "sweeps" / "trial.yaml")
    assert f"\n{command}\n" in sweeps_page(project)
