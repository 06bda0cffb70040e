"""The commands as a reader gives them, and every shipped sweep in its tiny version."""

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from tests.runs.sweeps.conftest import Atlas
from tests.small_project import ROOT, write_sweep
from typer.testing import CliRunner

from encoder_atlas.cli_sweep import sweep_app
from encoder_atlas.runs.failures import Failure, keep_failure
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.sweeps.drive import Counts
from encoder_atlas.runs.sweeps.jobs import expand
from encoder_atlas.runs.sweeps.spec import load_sweep, shipped


def test_a_dry_run_lists_jobs_and_keys_and_runs_nothing(project: Project, sweep: Atlas) -> None:
    done = sweep(write_sweep(project.root), "--dry-run")
    assert done.returncode == 0
    *jobs, last = done.stdout.splitlines()
    assert [line.split()[2:] for line in jobs] == [["waiting", f"seeds={seed}"] for seed in range(3)]
    assert all(len(line.split()[1]) == 64 for line in jobs)
    assert last == "3 jobs"
    assert not (project.root / "_build").exists()
    said = sweep("status", "trial.yaml").stdout
    assert said == "sweep trial, 3 jobs: 0 done, 0 running, 0 failed, 3 waiting\n"


@pytest.mark.parametrize(
    ("changes", "options", "said"),
    [
        ({"grid": {}}, [], "no job comes of it"),
        ({"grid": {"seds": [1]}}, [], "did you mean 'seeds'"),
        ({}, ["--engine", "slum"], "did you mean 'slurm'"),
        ({}, ["--engine", "slurm"], "Slurm is not installed here"),
        ({}, ["--flag", "constraint"], "--flag NAME=VALUE"),
        ({}, ["-p", "seds=1"], "did you mean 'seeds'"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_exit_2(
    project: Project, sweep: Atlas, changes: dict[str, object], options: list[str], said: str
) -> None:
    done = sweep(write_sweep(project.root, **changes), *options, PATH=str(Path(sys.executable).parent))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_output_folder_that_cannot_be_is_exit_2(project: Project, sweep: Atlas) -> None:
    (project.root / "_build").write_text("a file")
    done = sweep(write_sweep(project.root))
    assert done.returncode == 2
    assert "cannot be written to" in done.stderr
    nothing = sweep("table", "trial.yaml")
    assert nothing.returncode == 2 and "no job of sweep trial is done yet" in nothing.stderr


def test_the_command_that_is_suggested_names_the_same_jobs(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other options are other jobs: `atlas sweep failures NAME` alone would find none of these."""
    file = write_sweep(project.root, tiny={"profile": "tiny", "grid": {"seeds": [0]}})
    options = ["--tiny", "-p", "lambdas=[0.4, 1]", "-p", "epochs=1", "--processes", "2"]
    said = "trial.yaml --tiny -p 'lambdas=[0.4, 1]' -p epochs=1 --processes 2"
    monkeypatch.chdir(project.root)
    monkeypatch.setattr("encoder_atlas.runs.sweeps.drive.drive", lambda *_: Counts(1, failed=1))
    (job,) = expand(
        load_sweep(file, project).small().with_parameters({"lambdas": [0.4, 1], "epochs": 1}), project, 2
    )
    failure = Failure(code=3, notebook="01_deepview", message="it raised")
    invoke = CliRunner().invoke

    ran = invoke(sweep_app, ["run", "trial.yaml", *options])
    assert ran.exit_code == 1 and f"atlas sweep failures {said}\n" in ran.output
    keep_failure(job.run.failure_file, failure)
    shown = invoke(sweep_app, shlex.split(f"failures {said}"))
    assert "1 of 1 jobs have failed" in shown.output and "it raised" in shown.output
    assert "0 of 1 jobs have failed" in invoke(sweep_app, ["failures", "trial.yaml", "--tiny"]).output
    assert f"by: atlas sweep {said}\n" in invoke(sweep_app, ["retry", "trial.yaml", *options]).output
    assert not job.run.failure_file.exists()
    none = invoke(sweep_app, ["table", "trial.yaml", *options])
    assert str(none.exception).endswith(f"is done yet: atlas sweep {said}")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project's own notebooks and sweeps, with runs and a store apart."""
    root = tmp_path_factory.mktemp("whole")
    for name in ("notebooks", "sweeps", "book", "data", "_toc.yml"):
        (root / name).symlink_to(ROOT / name)
    return Project(root)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped(Project(ROOT)))
def test_the_tiny_version_of_a_shipped_sweep_runs(
    name: str, whole: Project, run_in: Callable[..., Atlas]
) -> None:
    sweep = run_in(whole)
    tiny = load_sweep(Path(name), whole).small()
    jobs = sum(1 for _ in tiny.combinations())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    done = sweep(name, "--tiny", "--jobs", str(min(jobs, cores)))
    assert done.returncode == 0, done.stderr
    assert f"sweep {name}-tiny: {jobs} of {jobs} jobs done, 0 failed" in done.stdout
    folder = whole.root / "_build" / "sweeps" / tiny.name
    summary = pd.read_csv(folder / "summary.csv")
    assert set(summary["summary"]) == {each.name for each in tiny.gather}
    assert not summary["mean"].isna().to_numpy().any()
    table = pd.read_parquet(folder / "table.parquet")
    assert len(set(table["job"])) == jobs and not table["value"].isna().to_numpy().any()
    again = sweep("status", name, "--tiny").stdout
    assert f"{jobs} done, 0 running, 0 failed, 0 waiting" in again
