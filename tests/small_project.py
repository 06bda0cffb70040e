"""A small project whose one chapter does what a test wants, so that sweeps can be run for real."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import yaml

from encoder_atlas.runs.project import Project

ROOT = Path(__file__).parents[1]


def write_notebook(root: Path, *code: str) -> None:
    """Chapter 1 with its own cell of parameters, and then this code."""
    source = nbformat.read(ROOT / "notebooks" / "01_deepview.ipynb", as_version=4)
    (parameters,) = [cell for cell in source.cells if "parameters" in cell.metadata.get("tags", [])]
    cells = [parameters, *(nbformat.v4.new_code_cell(each) for each in code)]
    path = root / "notebooks" / "01_deepview.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=source.metadata), path)


def write_sweep(root: Path, **changes: Any) -> Path:
    """A sweep of chapter 1 over seeds, with ``changes``."""
    content: dict[str, Any] = {
        "name": "trial",
        "title": "A trial",
        "about": "For tests.",
        "notebook": "01_deepview",
        "profile": "tiny",
        "grid": {"seeds": [0, 1, 2]},
    }
    path = root / "trial.yaml"
    path.write_text(yaml.safe_dump({**content, **changes}, sort_keys=False))
    return path


def make_project(root: Path, *code: str) -> Project:
    """A project whose chapter 1 is this code."""
    (root / "notebooks").mkdir(parents=True)
    shutil.copytree(ROOT / "notebooks" / "profiles", root / "notebooks" / "profiles")
    (root / "book").mkdir()
    shutil.copy(ROOT / "book" / "claims.yaml", root / "book")
    shutil.copy(ROOT / "_toc.yml", root)
    write_notebook(root, *code)
    return Project(root)


def environment() -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name != "ENCODER_ATLAS_STORE"}
    return {**plain, "PYTHONPATH": str(ROOT / "lib"), "NO_COLOR": "1", "COLUMNS": "120"}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "encoder_atlas.cli", "sweep", *map(str, arguments)]


# A driver as `atlas sweep` has it, of jobs as `atlas run` has them but for the look at encoder and text:
# that takes seconds of torch.
DRIVER = """
import sys
from pathlib import Path
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.sweeps.drive import drive
from encoder_atlas.runs.sweeps.jobs import expand, sweep_strays
from encoder_atlas.runs.sweeps.local import LocalEngine
from encoder_atlas.runs.sweeps.slurm import SlurmEngine, SlurmSettings
from encoder_atlas.runs.sweeps.spec import load_sweep
project, engine = Project(Path(sys.argv[1])), sys.argv[2]
jobs = expand(load_sweep(project.root / "trial.yaml", project), project)
how = {"command": lambda job: [sys.executable, "-c", sys.argv[3], *job.command()[3:]]}
asked = SlurmSettings(partition="all", cpus=1, gpus=1, minutes=10, flags={"comment": "trial"})
folder = project.root / "_build" / "sweeps" / "trial"
local = engine == "local"
engine = LocalEngine(folder / "logs", 4, **how) if local else SlurmEngine(folder, asked, seconds=2, **how)
sweep_strays(project.runs)
print(drive("trial", jobs, engine, 1))
"""
RUN = """
from encoder_atlas import cli
from encoder_atlas.runs import chapter_runs
from encoder_atlas.runs.execute import Execution, execute
def only_execute(run, project):
    parameters = {**run.overrides, "profile": "tiny"}
    return execute(Execution(run.source, parameters, run.notebook, run.claims, project.store))
chapter_runs._execute = only_execute
cli.main()
"""


def driver_command(project: Project, engine: str) -> list[str]:
    """What drives the sweep trial.yaml of a small project; prints how many jobs are done and failed."""
    return [sys.executable, "-c", DRIVER, str(project.root), engine, RUN]


def finished_runs(project: Project) -> dict[str, int]:
    """How often each job of trial.yaml was run to its end, as it told its log; its name without the key.

    A notebook whose machine is lost after its last cell, and before its one rename, has not come to its end.
    """
    logs = sorted((project.root / "_build" / "sweeps" / "trial" / "logs").glob("*.log"))
    counts = {log.stem: log.read_text(errors="replace").count(f"{log.stem}: finished, in") for log in logs}
    return {name: count for name, count in counts.items() if count}
