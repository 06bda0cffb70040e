"""Build the static book: run what has not been run, stage, draw the pages, check that they are there."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from sphinx_external_toc.parsing import parse_toc_yaml

from encoder_atlas.errors import AtlasError, SettingsError
from encoder_atlas.runs.chapter_runs import ChapterRun, plan
from encoder_atlas.runs.execute import BAD_PARAMETERS, RunFailedError
from encoder_atlas.runs.project import Project, alone
from encoder_atlas.runs.resolve import shares
from encoder_atlas.runs.stage import stage, tree_digest
from encoder_atlas.runs.sweeps.drive import drive, tail
from encoder_atlas.runs.sweeps.jobs import Job
from encoder_atlas.runs.sweeps.local import LocalEngine, cores, visible_gpus
from encoder_atlas.runs.worker import CELL_RAISED, KERNEL_DIED, RUNNER_FAILED

STAMP = "atlas-site.json"
# Its console script, of this interpreter.
JUPYTER_BOOK = ["-c", "from jupyter_book.cli.main import main; main()"]
# What a chapter of profile quick needs at most, with room to spare.
BYTES_A_CHAPTER = 4e9


class BookError(AtlasError):
    """The pages could not be built."""


@dataclass
class Timings:
    """What took how long, in seconds; ``note`` says what was not done again.

    ``total`` can be less than the sum: chapters run side by side.
    """

    rows: list[tuple[str, float, str]] = field(default_factory=list)
    total: float = 0.0


def build_book(
    project: Project,
    overrides: Mapping[str, Any],
    output: Path,
    *,
    force: bool = False,
    jobs: int | None = None,
) -> Timings:
    """Bring the pages in ``output`` up to date with the sources; seconds where nothing changed.

    ``overrides`` names the profile, and whatever else shall differ from it; a chapter is told of those
    parameters that it has. ``jobs`` chapters run at once: by default what cores and memory, or GPUs, allow.

    Raises RunFailedError where a notebook fails and BookError where the pages cannot be built. Pages that
    stood before stay until the new ones are whole.
    """
    started = time.monotonic()
    check_output(output)
    profile = overrides["profile"]
    runs = [plan(project, chapter, share) for chapter, share in shares(overrides).items()]
    project.work.mkdir(exist_ok=True)
    with alone(project.work / f"book-{profile}.lock", f"the book of profile {profile} is being built"):
        timings = Timings()
        executed = _finish(project, [run for run in runs if force or not run.finished], jobs)
        for run in runs:
            note = "" if run in executed else f"unchanged; it took {run.seconds:.0f} s"
            timings.rows.append((f"notebook {run.chapter}", 0.0 if note else run.seconds, note))
        drawing = time.monotonic()
        note = "" if _draw(project, profile, runs, output) else "unchanged"
        timings.rows.append(("pages", time.monotonic() - drawing, note))
        timings.total = time.monotonic() - started
    return timings


def _finish(project: Project, runs: list[ChapterRun], jobs: int | None) -> list[ChapterRun]:
    """Execute runs, so many at once; what one has finished stays where another fails."""
    for run in runs:
        run.record.unlink(missing_ok=True)  # it is what says "finished": only --force finds one
        run.failure_file.unlink(missing_ok=True)
    if not runs:
        return []
    logs = project.work / "logs" / runs[0].settings.profile
    shutil.rmtree(logs, ignore_errors=True)
    engine = LocalEngine(logs, jobs or chapters_at_once(len(runs)), project=project)
    to_do = {run.name: Job({"profile": run.settings.profile}, run.overrides, run) for run in runs}
    drive("notebooks", list(to_do.values()), engine, doing=lambda names: _said(names, to_do, engine))
    for failure in (run.failure for run in runs):
        if failure is not None and failure.code == BAD_PARAMETERS:
            raise SettingsError(failure.message)
        if failure is not None:
            known = failure.code in (CELL_RAISED, KERNEL_DIED)
            raise RunFailedError(failure.message, failure.code if known else RUNNER_FAILED, failure.cell)
    return runs


def chapters_at_once(chapters: int) -> int | None:
    """One for each core that has the memory for it; where there are GPUs the engine gives one to each."""
    if visible_gpus():
        return None
    return max(1, min(chapters, cores(), int(psutil.virtual_memory().available / BYTES_A_CHAPTER)))


def _said(names: Collection[str], jobs: Mapping[str, Job], engine: LocalEngine) -> str:
    """The stage that each running chapter is at, from the last of its bars."""
    bars = {jobs[name].run.chapter: tail(engine.log(jobs[name]), 400).rpartition("\n")[2] for name in names}
    stages = {chapter: shown.partition("|")[0].strip(" :") for chapter, shown in bars.items() if "|" in shown}
    return "".join(f"; {chapter}: {stage}" for chapter, stage in stages.items())


def _draw(project: Project, profile: str, runs: list[ChapterRun], output: Path) -> bool:
    """Draw the pages; False where those that stand are of the same sources."""
    tree = project.work / "stage" / profile
    stage(project, runs, tree)
    wanted = tree_digest(tree)
    stamp = output / STAMP
    if stamp.exists() and json.loads(stamp.read_text())["sources"] == wanted and not missing(project, output):
        return False
    built = project.work / "site" / profile
    shutil.rmtree(built, ignore_errors=True)
    command = [sys.executable, *JUPYTER_BOOK, "build", str(tree), "--path-output", str(built)]
    command += ["-W", "--keep-going", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    pages = built / "_build" / "html"
    # jupyter-book 2 ignores these sources and still exits 0: only the pages themselves count.
    absent = missing(project, pages)
    if done.returncode != 0 or absent:
        why = f"missing pages: {', '.join(absent)}" if absent else "warnings count as errors"
        raise BookError(f"jupyter-book failed ({why}):\n{(done.stdout + done.stderr)[-4000:]}")
    (pages / STAMP).write_text(json.dumps({"profile": profile, "sources": wanted}))
    shutil.rmtree(output, ignore_errors=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(pages, output)
    return True


def missing(project: Project, pages: Path) -> list[str]:
    """The pages of the table of contents that are not there."""
    names = parse_toc_yaml(project.root / "_toc.yml")
    return [f"{name}.html" for name in names if not (pages / f"{name}.html").is_file()]


def check_output(output: Path) -> None:
    """Raise SettingsError where drawing the pages would remove something that is not a book of ours."""
    if output.exists() and not (output.is_dir() and (not any(output.iterdir()) or (output / STAMP).exists())):
        raise SettingsError(f"{output} holds something else than this book: give a new or empty folder")
