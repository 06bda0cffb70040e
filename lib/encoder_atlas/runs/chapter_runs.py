"""Run a chapter once for given settings: what has finished is not done again."""

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat

from encoder_atlas.errors import AtlasError, SettingsError
from encoder_atlas.runs.chapters import NOTEBOOKS, chapter_name
from encoder_atlas.runs.execute import Execution, execute, records_path
from encoder_atlas.runs.failures import Failure, failure_of, keep_failure, read_failure
from encoder_atlas.runs.project import Project, alone, digest, write_whole
from encoder_atlas.runs.resolve import profile_sizes, resolve
from encoder_atlas.runs.settings import ChapterSettings
from encoder_atlas.runs.sources import code_digest

# Numbers can change with these; the rest of the lock only draws pages.
COMPUTING = (
    "torch",
    "transformers",
    "tokenizers",
    "accelerate",
    "umap-learn",
    "numba",
    "scikit-learn",
    "numpy",
    "scipy",
)


@dataclass(frozen=True)
class ChapterRun:
    """One chapter with one set of settings, finished or to be; ``processes`` fit each model together."""

    chapter: str
    settings: ChapterSettings
    overrides: Mapping[str, Any]
    source: Path
    key: str
    folder: Path
    processes: int = 1

    @property
    def name(self) -> str:
        return f"{self.chapter}-{self.settings.profile}-{self.key[:8]}"

    @property
    def notebook(self) -> Path:
        """The executed notebook; it exists only if every cell ended well."""
        return self.folder / f"{self.name}.ipynb"

    @property
    def claims(self) -> Path:
        return self.folder / f"{self.name}.claims.json"

    @property
    def tables(self) -> Path:
        return records_path(self.claims)

    @property
    def record(self) -> Path:
        return self.folder / f"{self.name}.run.json"

    @property
    def failure_file(self) -> Path:
        return self.folder / f"{self.name}.failure.json"

    @property
    def lock(self) -> Path:
        return self.folder / f".{self.name}.lock"

    @property
    def finished(self) -> bool:
        return self.notebook.exists() and self.record.exists()

    @property
    def failure(self) -> Failure | None:
        """How it failed when it was last tried; None once it has finished."""
        return None if self.finished else read_failure(self.failure_file)

    @property
    def seconds(self) -> float:
        """How long the finished run took."""
        return json.loads(self.record.read_text(encoding="utf-8"))["seconds"]


def plan(project: Project, name: str, overrides: Mapping[str, Any], processes: int = 1) -> ChapterRun:
    """Check the parameters and say which run they mean; nothing is computed.

    Raises SettingsError for parameters that cannot be used, and for a notebook whose parameters cell does not
    name just those that the chapter has.
    """
    chapter = chapter_name(name)
    if processes < 1:
        raise SettingsError(f"processes={processes}: give 1 or more")
    if processes > 1 and not NOTEBOOKS[chapter].fits_together:
        raise SettingsError(
            f"--processes {processes}: the models of {chapter} are fitted by one process each; leave it out "
            "(jobs of a sweep may run side by side instead: --jobs)"
        )
    given = dict(overrides)
    for name in ("path", "adversarial", "submissions"):
        if given.get(name) is not None:
            given[name] = str(Path(str(given[name])).expanduser().resolve())
    if given.get("encoder") is not None and Path(str(given["encoder"])).expanduser().is_dir():
        given["encoder"] = str(Path(str(given["encoder"])).expanduser().resolve())
    settings = resolve(chapter, given, project.profiles)
    source = project.notebook(chapter)
    key = digest(
        _checked_code(chapter, source, source.stat().st_mtime_ns),
        settings.model_dump_json(),
        json.dumps(profile_sizes(chapter, settings.profile, project.profiles)),
        files_digest(settings.path),
        files_digest(getattr(settings, "adversarial", None)),
        files_digest(Path(settings.encoder) if Path(settings.encoder).is_absolute() else None),
        code_digest(["encoder_atlas"]),
        *_versions(),
        *([f"processes={processes}"] if processes > 1 else []),
    )
    return ChapterRun(chapter, settings, given, source, key, project.runs, processes)


def finish(run: ChapterRun, project: Project, *, force: bool = False) -> bool:
    """Execute the run unless its finished notebook stands; True where it was executed now.

    How it failed, where it does, is kept beside where the notebook would be. Raises BusyError where another
    process is at it, and SettingsError, DataError or EncoderError for what cannot be used before a kernel is
    started.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    with alone(run.lock, f"{run.name} is being run"):
        if run.finished and not force:
            return False
        try:
            seconds = _execute(run, project)
        except AtlasError as error:
            keep_failure(run.failure_file, failure_of(error, run.source))
            raise
        record = {
            "chapter": run.chapter,
            "settings": run.settings.model_dump(mode="json"),
            "key": run.key,
            "seconds": round(seconds, 1),
            "versions": {package: _version(package) for package in COMPUTING},
        }
        write_whole(run.record, json.dumps(record, indent=1))
        run.failure_file.unlink(missing_ok=True)
        return True


def _execute(run: ChapterRun, project: Project) -> float:
    # Who only plans runs need not wait for torch.
    from encoder_atlas.runs.chapter import Chapter
    from encoder_atlas.runs.chapter_text import check_text

    chapter = Chapter(run.chapter, run.settings, project)
    chapter.check()
    check_text(chapter)
    parameters = {**run.overrides, "profile": run.settings.profile}
    work = Execution(run.source, parameters, run.notebook, run.claims, project.store, run.processes)
    return execute(work)


@functools.lru_cache(maxsize=64)
def _checked_code(chapter: str, source: Path, changed: int) -> str:
    """The code of a notebook whose cell of parameters is right, read anew when the file has ``changed``."""
    notebook = nbformat.read(source, as_version=4)
    check_parameters_cell(chapter, notebook)
    return json.dumps([cell.source for cell in code_cells(notebook)])


@functools.cache
def _version(package: str) -> str:
    return metadata.version(package)


def _versions() -> list[str]:
    return [f"{package}=={_version(package)}" for package in COMPUTING]


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that run; a notebook's results depend on no others."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def check_parameters_cell(chapter: str, notebook: nbformat.NotebookNode) -> None:
    """One cell is tagged ``parameters`` and assigns every parameter of the chapter once, and nothing else."""
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(cells) != 1:
        raise SettingsError(f"{chapter}: {len(cells)} cells are tagged 'parameters', one is needed")
    assigned = re.findall(r"^(\w+)\s*=", cells[0].source, flags=re.MULTILINE)
    wanted = list(NOTEBOOKS[chapter].model_fields)
    if sorted(assigned) != sorted(wanted):
        odd = sorted(set(assigned) ^ set(wanted)) or "a name given twice"
        raise SettingsError(f"{chapter}: the parameters cell and the chapter's settings differ in {odd}")


def files_digest(path: Path | None) -> str:
    """What a reader's own file, or a folder with its folders, holds: other content is another run."""
    if path is None or not path.exists():
        return ""
    inside = [*path.glob("*"), *path.glob("*/*")]
    files = [path] if path.is_file() else sorted(file for file in inside if file.is_file())
    return digest(*(part for file in files for part in (file.name, _contents(file, *_state(file)))))


def _state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns


@functools.lru_cache(maxsize=4096)
def _contents(file: Path, size: int, changed: int) -> str:
    """sha256 of a file, read anew when its size or time has changed: many runs may read one corpus."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
