"""The command as a reader meets it: a process, its output and its exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def atlas(
    *arguments: str, folder: Path = ROOT, store: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "encoder_atlas.cli", *arguments]
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "lib"), "NO_COLOR": "1", "COLUMNS": "120"}
    if store:
        paths["ENCODER_ATLAS_STORE"] = str(store)
    return subprocess.run(command, cwd=folder, env=paths, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["run"],
        ["book"],
        ["doctor"],
        ["parameters"],
        ["store"],
        ["store", "ls"],
        ["sweep"],
        ["sweep", "run"],
    ],
)
def test_every_command_has_help(command: list[str]) -> None:
    done = atlas(*command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "01", "-p", "lamda_=0.4"], "did you mean 'lambda_'"),
        (["run", "01", "-p", "lambda_=1.4"], "less than or equal to 1"),
        (["run", "01", "-p", "points=many"], "valid integer"),
        (["run", "01", "-p", "points=20"], "more than n_neighbors"),
        (["run", "01", "-p", "path=no/such.csv"], "does not exist"),
        (["run", "01", "-p", "points"], "name=value"),
        (["run", "07"], "no notebook is called '07'"),
        (["book", "--profile", "quik"], "did you mean 'quick'"),
    ],
)
def test_bad_parameters_are_exit_2_with_one_line(arguments: list[str], said: str) -> None:
    done = atlas(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_parameters_are_listed_with_the_profiles_values() -> None:
    done = atlas("parameters", "01", "--profile", "tiny")
    assert done.returncode == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "tiny:bert" in lines["encoder"]
    assert "60" in lines["points"]


def test_a_folder_outside_the_project_still_finds_it(tmp_path: Path) -> None:
    assert atlas("parameters", "01", folder=tmp_path).returncode == 0


def test_the_store_is_listed_and_cleared(tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert "0 entries" in atlas("store", "ls", store=store).stdout
    assert atlas("store", "check", store=store).returncode == 0
    assert atlas("store", "clear", "--yes", store=store).returncode == 0
    missing = atlas("store", "rm", "abc", store=store)
    assert missing.returncode == 5
    assert "atlas store ls" in missing.stderr


def test_a_store_that_cannot_be_is_named(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.write_text("a file")
    done = atlas("store", "ls", store=store)
    assert done.returncode != 0
    assert str(store) in done.stderr
    assert "Traceback" not in done.stderr
