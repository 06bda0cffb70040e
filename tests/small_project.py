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
    path.write_text(yaml.safe_dump({**content, **changes}))
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
