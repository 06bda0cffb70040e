"""From a sweep to its jobs, all checked before any starts, and what has become of each."""

import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.chapter_runs import ChapterRun, plan
from encoder_atlas.runs.lease import is_held
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.sweeps.spec import Sweep

State = Literal["done", "running", "failed", "waiting"]
# Less room than this in the output folder is a sweep that will not end well.
NEEDED_BYTES = 50_000_000
STRAY_SECONDS = 3600


@dataclass(frozen=True)
class Job:
    """One run of the sweep's notebook.

    Attributes:
        values: the parameters in which it differs from others.
        parameters: all that the notebook is told.
    """

    values: Mapping[str, Any]
    parameters: Mapping[str, Any]
    run: ChapterRun

    @property
    def name(self) -> str:
        return self.run.name

    @property
    def said(self) -> str:
        """Its own values on one line."""
        return " ".join(f"{name}={value}" for name, value in self.values.items())

    def command(self) -> list[str]:
        """What runs it: the command that a reader would give."""
        options = [as_option(name, value) for name, value in self.parameters.items()]
        processes = ["--processes", str(self.run.processes)] if self.run.processes > 1 else []
        chosen = [part for option in options for part in ("-p", option)]
        return [sys.executable, "-m", "encoder_atlas.cli", "run", self.run.chapter, *processes, *chosen]

    def state(self, retries: int = 0) -> State:
        """What has become of it, as its files say; failed: often enough, or in a way that will not change."""
        if self.run.finished:
            return "done"
        failure = self.run.failure
        if failure is not None and (failure.final or failure.attempts > retries):
            return "failed"
        return "running" if is_held(self.run.lock) else "waiting"


def expand(sweep: Sweep, project: Project, processes: int = 1) -> list[Job]:
    """All jobs of a sweep.

    Raises SettingsError for parameters that the notebook cannot use, and for two jobs that would be one and
    the same run.
    """
    jobs: list[Job] = []
    by_key: dict[str, str] = {}
    for number, values in enumerate(sweep.combinations(), start=1):
        parameters = {"profile": sweep.profile, **sweep.parameters, **values}
        try:
            job = Job(values, parameters, plan(project, sweep.notebook, parameters, processes))
        except SettingsError as error:
            said = " ".join(f"{name}={value}" for name, value in values.items())
            raise SettingsError(f"sweep {sweep.name}, job {number} ({said}): {error}") from None
        if job.run.key in by_key:
            raise SettingsError(
                f"sweep {sweep.name}: jobs {by_key[job.run.key]!r} and {job.said!r} are one and the same "
                "run: take one of them out"
            )
        by_key[job.run.key] = job.said
        jobs.append(job)
    return jobs


def sweep_folder(project: Project, name: str) -> Path:
    """Where the tables and logs of a sweep are."""
    return project.root / "_build" / "sweeps" / name


def check_output(folder: Path) -> None:
    """Raise SettingsError where nothing can be written to ``folder``, or there is hardly any room."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.write_bytes(b"here")
        probe.unlink()
    except OSError as error:
        raise SettingsError(
            f"{folder} cannot be written to ({error.strerror}): sweeps put their results there"
        ) from None
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise SettingsError(
            f"{folder}: {free / 1e6:.0f} MB are free, too few for a sweep's results: make room"
        )


def sweep_strays(folder: Path) -> int:
    """Remove what killed runs have left half-made in ``folder``, and nobody holds any more. How many."""
    removed = 0
    for stray in folder.glob(".*-*"):
        name, _, scratch = stray.name[1:].rpartition("-")
        if scratch and stray.is_dir() and not is_held(folder / f".{name}.lock"):
            shutil.rmtree(stray, ignore_errors=True)
            removed += 1
    # Files of a temporary name live for moments, but nobody holds a lock on them: only their age tells.
    for stray in folder.glob(".*"):
        with suppress(OSError):
            old = time.time() - stray.stat().st_mtime > STRAY_SECONDS
            if old and stray.is_file() and stray.suffix not in (".lock", ".lease"):
                stray.unlink()
                removed += 1
    return removed


def states(jobs: Sequence[Job], retries: int = 0) -> dict[str, State]:
    """The state of each job by its name."""
    return {job.name: job.state(retries) for job in jobs}


def as_option(name: str, value: Any) -> str:
    """``NAME=VALUE`` as ``-p`` takes it: the value on one line of YAML."""
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**9)
    return f"{name}={text.strip().removesuffix('...').strip()}"
