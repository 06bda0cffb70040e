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
def run_in() -> Callable[[Project], Atlas]:
    """``atlas sweep …`` in a project."""

    def of(project: Project) -> Atlas:
        def run(*arguments: str | Path, **more: str) -> "subprocess.CompletedProcess[str]":
            told = {**environment(), **more}
            return subprocess.run(
                command(*arguments), cwd=project.root, env=told, capture_output=True, text=True, timeout=800
            )

        return run

    return of


@pytest.fixture
def sweep(project: Project, run_in: Callable[[Project], Atlas]) -> Atlas:
    """``atlas sweep …`` in the small project."""
    return run_in(project)
