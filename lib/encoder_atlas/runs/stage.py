"""The staging tree: sources, executed notebooks and written pages, laid out as the project is.

A page keeps its path, so links between pages hold, and the clean notebook can be had beside the executed one.
"""

import copy
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import nbformat

from encoder_atlas.runs import offline
from encoder_atlas.runs.chapter_runs import ChapterRun, code_cells
from encoder_atlas.runs.claims import Claims, claims_page
from encoder_atlas.runs.corpus_examples import examples
from encoder_atlas.runs.pages import corpora_page
from encoder_atlas.runs.project import Project, digest
from encoder_atlas.runs.sweeps.page import sweeps_page
from encoder_atlas.text import corpus_cards

SOURCES = ("_config.yml", "_toc.yml", "book")


def stage(project: Project, runs: Iterable[ChapterRun], target: Path) -> None:
    """Fill ``target`` with all that the book is built from; what was there goes."""
    runs = list(runs)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in SOURCES:
        source = project.root / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__", "offline"))
        else:
            shutil.copy(source, target / name)
    for run in runs:
        _place(run, target)
    claims = Claims.load(project.claims)
    records = {run.chapter: run.claims for run in runs if run.claims.exists()}
    cards = corpus_cards()
    corpora = corpora_page(cards, examples(cards))
    pages = {
        "claims.md": claims_page(claims, records),
        "corpora.md": corpora,
        "sweeps.md": sweeps_page(project),
    }
    _write(target / "book", pages)
    offline.install(target / "book" / "_static" / "offline", project.work / "npm")


def _place(run: ChapterRun, target: Path) -> None:
    """The notebook with the run's outputs as the page, the clean source as a download."""
    source, executed = (nbformat.read(path, as_version=4) for path in (run.source, run.notebook))
    page = target / "notebooks" / f"{run.chapter}.ipynb"
    page.parent.mkdir(exist_ok=True)
    nbformat.write(woven(source, executed), page)
    clean = target / "book" / "_static" / "notebooks" / page.name
    clean.parent.mkdir(exist_ok=True)
    shutil.copy(run.source, clean)


def woven(source: nbformat.NotebookNode, executed: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The source's cells with the outputs that its code cells had when they were run.

    Prose and tags are those of the source, so that a word can be mended without running anything; the cell of
    parameters that papermill put in stays out.
    """
    page = copy.deepcopy(source)
    page.metadata["widgets"] = executed.metadata.get("widgets", {})
    ran = [
        cell for cell in code_cells(executed) if "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    for cell, done in zip(code_cells(page), ran, strict=True):
        # Warnings are for who runs the notebook, and may name paths of that machine.
        cell.outputs = [output for output in done.outputs if output.get("name") != "stderr"]
        cell.execution_count = done.execution_count
    return page


def _write(folder: Path, pages: Mapping[str, str]) -> None:
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


def tree_digest(folder: Path) -> str:
    """The names and contents of all files under ``folder``."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return digest(*(part for file in files for part in (str(file.relative_to(folder)), file.read_bytes())))
