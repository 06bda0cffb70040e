"""A small project in which sweeps can be run for real."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.small_project import command, environment, make_project

from encoder_atlas.runs.project import Project

Atlas = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project", "seeds")


@pytest.fixture
def sweep(project: Project) -> Atlas:
    """``atlas sweep …`` in the small project."""

    def run(*arguments: str | Path, **more: str) -> "subprocess.CompletedProcess[str]":
        told = {**environment(), **more}
        return subprocess.run(
            command(*arguments), cwd=project.root, env=told, capture_output=True, text=True, timeout=300
        )

    return run
