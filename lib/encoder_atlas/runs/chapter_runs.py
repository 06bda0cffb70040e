"""Run a chapter once for given settings: what has finished is not done again."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat
from filelock import FileLock, Timeout

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.execute import Execution, execute
from encoder_atlas.runs.project import Project, digest, write_whole
from encoder_atlas.runs.settings import CHAPTERS, ChapterSettings, chapter_name, resolve
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
    """One chapter with one set of settings, finished or to be."""

    chapter: str
    settings: ChapterSettings
    overrides: Mapping[str, Any]
    source: Path
    key: str
    folder: Path

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
    def record(self) -> Path:
        return self.folder / f"{self.name}.run.json"

    @property
    def seconds(self) -> float:
        """How long the finished run took."""
        return json.loads(self.record.read_text(encoding="utf-8"))["seconds"]


def plan(project: Project, name: str, overrides: Mapping[str, Any]) -> ChapterRun:
    """Check the parameters and say which run they mean; nothing is computed.

    Raises SettingsError for parameters that cannot be used, and for a notebook whose parameters cell does not
    name just those that the chapter has.
    """
    chapter = chapter_name(name)
    given = dict(overrides)
    if given.get("path") is not None:
        given["path"] = str(Path(str(given["path"])).expanduser().resolve())
    settings = resolve(chapter, given, project.profiles)
    source = project.notebook(chapter)
    notebook = nbformat.read(source, as_version=4)
    check_parameters_cell(chapter, notebook)
    key = digest(
        json.dumps([cell.source for cell in code_cells(notebook)]),
        settings.model_dump_json(),
        text_digest(settings.path),
        code_digest(["encoder_atlas"]),
        *(f"{package}=={metadata.version(package)}" for package in COMPUTING),
    )
    return ChapterRun(chapter, settings, given, source, key, project.runs)


def finish(run: ChapterRun, store: Path, *, force: bool = False) -> bool:
    """Execute the run unless its finished notebook stands; True where it was executed now."""
    run.folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(run.folder / f".{run.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise SettingsError(f"{run.name} is being run by another process: wait for it, or stop it") from None
    with lock:
        if run.notebook.exists() and run.record.exists() and not force:
            return False
        parameters = {**run.overrides, "profile": run.settings.profile}
        seconds = execute(Execution(run.source, parameters, run.notebook, run.claims, store))
        record = {
            "chapter": run.chapter,
            "settings": run.settings.model_dump(mode="json"),
            "key": run.key,
            "seconds": round(seconds, 1),
            "versions": {package: metadata.version(package) for package in COMPUTING},
        }
        write_whole(run.record, json.dumps(record, indent=1))
        return True


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that run; a notebook's results depend on no others."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def check_parameters_cell(chapter: str, notebook: nbformat.NotebookNode) -> None:
    """One cell is tagged ``parameters`` and assigns every parameter of the chapter once, and nothing else."""
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(cells) != 1:
        raise SettingsError(f"{chapter}: {len(cells)} cells are tagged 'parameters', one is needed")
    assigned = re.findall(r"^(\w+)\s*=", cells[0].source, flags=re.MULTILINE)
    wanted = list(CHAPTERS[chapter].model_fields)
    if sorted(assigned) != sorted(wanted):
        odd = sorted(set(assigned) ^ set(wanted)) or "a name given twice"
        raise SettingsError(f"{chapter}: the parameters cell and the chapter's settings differ in {odd}")


def text_digest(path: Path | None) -> str:
    """What the reader's own file, or each file of the folder, holds."""
    if path is None:
        return ""
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    return digest(*(part for file in files for part in (file.name, file.read_bytes())))
