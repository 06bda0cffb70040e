"""Chapter 1 on GLUE's seven tasks and AdvGLUE's rows, as profile open runs it: small slices, toy encoder."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from encoder_atlas.runs.chapter import open_chapter

ROOT = Path(__file__).parents[2]
TASKS = ("sst2", "cola", "mrpc", "qqp", "qnli", "mnli", "rte")
SMALL = {
    "encoder": "tiny:bert", "pooling": "mean", "epochs": 1, "seeds": 0, "train": 200, "dev": 200,
    "points": 60, "samples": 2, "lambdas": "[1.0, 0.8, 0.0]", "segments": 4, "n_neighbors": 10,
    "search_points": 250, "draws": 2,
}  # fmt: skip


@pytest.mark.real
@pytest.mark.parametrize("profile", ["open", "paper"])
def test_every_task_has_the_points_that_the_profile_wants(profile: str, real_data: Path) -> None:
    chapter = open_chapter("01_deepview", {"profile": profile, "path": real_data})
    assert [task.name for task in chapter.tasks] == list(TASKS)
    assert all(len(task.split("dev")) >= chapter.settings.points for task in chapter.tasks)


@pytest.mark.real
@pytest.mark.slow
def test_the_notebook_runs_on_seven_tasks(real_data: Path, tmp_path: Path) -> None:
    values = {"profile": "open", "path": str(real_data), **SMALL}
    given = [word for name, value in values.items() for word in ("-p", f"{name}={value}")]
    output = tmp_path / "executed.ipynb"
    command = [sys.executable, "-m", "encoder_atlas.cli", "run", "01", *given, "--output", str(output)]
    paths = {**os.environ, "ENCODER_ATLAS_STORE": str(tmp_path / "store")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=paths)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = {cell["id"]: str(cell.get("outputs")) for cell in nbformat.read(output, as_version=4).cells}
    assert all(task in shown["deepview-07"] for task in TASKS), "the table of scores"
    assert "131 by AdvGLUE" in shown["deepview-37"]
    assert "200 of train, which the model was taught" in shown["deepview-37"]
    assert "words in common" in shown["deepview-44"]
