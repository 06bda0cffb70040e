"""Run a chapter once for given settings: what has finished is not done again."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.chapter import Chapter
from encoder_atlas.runs.chapters import CHAPTERS, chapter_name
from encoder_atlas.runs.execute import Execution, execute
from encoder_atlas.runs.project import Project, alone, digest, write_whole
from encoder_atlas.runs.resolve import resolve
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
    for name in ("path", "adversarial"):
        if given.get(name) is not None:
            given[name] = str(Path(str(given[name])).expanduser().resolve())
    if given.get("encoder") is not None and Path(str(given["encoder"])).expanduser().is_dir():
        given["encoder"] = str(Path(str(given["encoder"])).expanduser().resolve())
    settings = resolve(chapter, given, project.profiles)
    source = project.notebook(chapter)
    notebook = nbformat.read(source, as_version=4)
    check_parameters_cell(chapter, notebook)
    key = digest(
        json.dumps([cell.source for cell in code_cells(notebook)]),
        settings.model_dump_json(),
        files_digest(settings.path),
        files_digest(getattr(settings, "adversarial", None)),
        files_digest(Path(settings.encoder) if Path(settings.encoder).is_absolute() else None),
        code_digest(["encoder_atlas"]),
        *(f"{package}=={metadata.version(package)}" for package in COMPUTING),
    )
    return ChapterRun(chapter, settings, given, source, key, project.runs)


def finish(run: ChapterRun, project: Project, *, force: bool = False) -> bool:
    """Execute the run unless its finished notebook stands; True where it was executed now.

    Raises SettingsError, DataError or EncoderError for what cannot be used before a kernel is started.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    with alone(run.folder / f".{run.name}.lock", f"{run.name} is being run"):
        if run.notebook.exists() and run.record.exists() and not force:
            return False
        Chapter(run.chapter, run.settings, project).check()
        parameters = {**run.overrides, "profile": run.settings.profile}
        seconds = execute(Execution(run.source, parameters, run.notebook, run.claims, project.store))
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


def files_digest(path: Path | None) -> str:
    """What a reader's own file, or a folder with its folders, holds: other content is another run."""
    if path is None or not path.exists():
        return ""
    inside = [*path.glob("*"), *path.glob("*/*")]
    files = [path] if path.is_file() else sorted(file for file in inside if file.is_file())
    parts = []
    for file in files:
        with file.open("rb") as stream:
            parts += [file.name, hashlib.file_digest(stream, "sha256").hexdigest()]
    return digest(*parts)
