"""Build the static book: run what has not been run, stage, draw the pages, check that they are there."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sphinx_external_toc.parsing import parse_toc_yaml

from encoder_atlas.errors import AtlasError, SettingsError
from encoder_atlas.runs.chapter_runs import ChapterRun, finish, plan
from encoder_atlas.runs.project import Project, alone
from encoder_atlas.runs.resolve import shares
from encoder_atlas.runs.stage import stage, tree_digest

STAMP = "atlas-site.json"
# Its console script, of this interpreter.
JUPYTER_BOOK = ["-c", "from jupyter_book.cli.main import main; main()"]


class BookError(AtlasError):
    """The pages could not be built."""


@dataclass
class Timings:
    """What took how long, in seconds; ``note`` says what was not done again."""

    rows: list[tuple[str, float, str]] = field(default_factory=list)

    @property
    def total(self) -> float:
        return sum(seconds for _, seconds, _ in self.rows)

    @contextmanager
    def of(self, what: str) -> Iterator[Callable[[str], None]]:
        notes: list[str] = []
        started = time.monotonic()
        yield notes.append
        self.rows.append((what, time.monotonic() - started, " ".join(notes)))


def build_book(
    project: Project, overrides: Mapping[str, Any], output: Path, *, force: bool = False
) -> Timings:
    """Bring the pages in ``output`` up to date with the sources; seconds where nothing changed.

    ``overrides`` names the profile, and whatever else shall differ from it; a chapter is told of those
    parameters that it has.

    Raises RunFailedError where a notebook fails and BookError where the pages cannot be built. Pages that
    stood before stay until the new ones are whole.
    """
    timings = Timings()
    check_output(output)
    profile = overrides["profile"]
    runs = [plan(project, chapter, share) for chapter, share in shares(overrides).items()]
    project.work.mkdir(exist_ok=True)
    with alone(project.work / f"book-{profile}.lock", f"the book of profile {profile} is being built"):
        for run in runs:
            with timings.of(f"notebook {run.chapter}") as note:
                if not finish(run, project, force=force):
                    note(f"unchanged; it took {run.seconds:.0f} s")
        with timings.of("pages") as note:
            if not _draw(project, profile, runs, output):
                note("unchanged")
    return timings


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
