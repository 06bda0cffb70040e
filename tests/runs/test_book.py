"""The book is brought up to date: what has not changed is not done again, and old pages outlive a failure."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from filelock import FileLock

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs import book as book_module
from encoder_atlas.runs.book import STAMP, BookError, Timings, build_book, chapters_at_once, missing
from encoder_atlas.runs.chapter_runs import plan
from encoder_atlas.runs.chapters import CHAPTERS
from encoder_atlas.runs.execute import RunFailedError
from encoder_atlas.runs.project import Project

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project's own sources, with a chapter that takes no time; page assets are those already fetched."""
    root = tmp_path_factory.mktemp("project")
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / "book", root / "book", ignore=shutil.ignore_patterns("offline"))
    shutil.copytree(ROOT / "notebooks" / "profiles", root / "notebooks" / "profiles")
    if (ROOT / ".atlas" / "npm").is_dir():
        shutil.copytree(ROOT / ".atlas" / "npm", root / ".atlas" / "npm")
    for chapter in CHAPTERS:
        write_chapter(root, "print('first words')", chapter=chapter)
    return Project(root)


def write_chapter(root: Path, code: str, title: str = "# A chapter", chapter: str = "01_deepview") -> None:
    source = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4)
    (parameters,) = [cell for cell in source.cells if "parameters" in cell.metadata.get("tags", [])]
    cells = [nbformat.v4.new_markdown_cell(title), parameters, nbformat.v4.new_code_cell(code)]
    small = nbformat.v4.new_notebook(cells=cells, metadata=source.metadata)
    nbformat.write(small, root / "notebooks" / f"{chapter}.ipynb")


@pytest.fixture(scope="module")
def build(project: Project) -> Callable[[], Timings]:
    return lambda: build_book(project, {"profile": "tiny"}, project.pages)


def notes(timings: Timings) -> list[str]:
    return [note for _, _, note in timings.rows]


@pytest.mark.slow
def test_only_what_changed_is_done_again(project: Project, build: Callable[[], Timings]) -> None:
    page = project.pages / "notebooks" / "01_deepview.html"
    assert notes(build()) == [""] * (len(CHAPTERS) + 1)
    assert missing(project, project.pages) == []
    assert "first words" in page.read_text()
    assert "injected-parameters" not in page.read_text()
    clean = project.pages / "_static" / "notebooks" / "01_deepview.ipynb"
    assert clean.read_bytes() == (project.notebooks / "01_deepview.ipynb").read_bytes()

    drawn = page.stat().st_mtime_ns
    *chapters, pages = notes(build())
    assert all(chapter.startswith("unchanged") for chapter in chapters)
    assert pages == "unchanged"
    assert page.stat().st_mtime_ns == drawn

    write_chapter(project.root, "print('second words')")
    chapter, *others, pages = notes(build())
    assert (chapter, pages) == ("", "")
    assert all(other.startswith("unchanged") for other in others)
    assert "second words" in page.read_text()

    write_chapter(project.root, "print('second words')", title="# Another title")
    *chapters, pages = notes(build())
    assert all(chapter.startswith("unchanged") for chapter in chapters)
    assert pages == ""
    assert "Another title" in page.read_text()
    assert "second words" in page.read_text()


@pytest.mark.slow
def test_a_failure_leaves_the_pages_that_stood(project: Project, build: Callable[[], Timings]) -> None:
    write_chapter(project.root, "print('third words')")
    build()
    before = (project.pages / STAMP).read_text()
    write_chapter(project.root, "raise ValueError('not today')")
    with pytest.raises(RunFailedError, match=r"cell \[3\] raised ValueError: not today") as failed:
        build()
    assert (failed.value.exit_code, failed.value.cell) == (3, 3)
    write_chapter(project.root, "print('third words')")
    (project.root / "book" / "running.md").write_text("# How to run it\n\n[a link](nowhere.md)\n")
    with pytest.raises(BookError, match=r"nowhere\.md"):
        build()
    assert (project.pages / STAMP).read_text() == before
    assert missing(project, project.pages) == []


def test_pages_that_are_not_there_are_a_failure_whatever_the_exit_code(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """jupyter-book 2 reads neither _config.yml nor _toc.yml, builds nothing and exits 0."""
    write_chapter(project.root, "print('fourth words')")
    monkeypatch.setattr(book_module, "JUPYTER_BOOK", ["-c", "print('all is well')"])
    with pytest.raises(BookError, match="missing pages"):
        build_book(project, {"profile": "tiny"}, project.root / "elsewhere")


def test_a_folder_that_holds_something_else_is_not_replaced(project: Project, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years of work")
    for output in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(SettingsError, match="something else"):
            build_book(project, {"profile": "tiny"}, output)
    assert (tmp_path / "thesis.txt").read_text() == "three years of work"


def test_chapters_run_side_by_side_where_the_machine_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "visible_gpus", list)
    for cores, gigabytes, at_once in ((2, 16, 2), (2, 5, 1), (1, 64, 1), (64, 64, 4), (8, 1, 1)):
        monkeypatch.setattr(book_module, "cores", lambda cores=cores: cores)
        memory = SimpleNamespace(available=gigabytes * 10**9)
        monkeypatch.setattr(book_module.psutil, "virtual_memory", lambda memory=memory: memory)
        assert chapters_at_once(4) == at_once
    monkeypatch.setattr(book_module, "visible_gpus", lambda: ["0"])
    assert chapters_at_once(4) is None  # one a GPU


def test_two_builds_at_once_are_refused(project: Project, build: Callable[[], Timings]) -> None:
    with FileLock(project.work / "book-tiny.lock"), pytest.raises(SettingsError, match="another process"):
        build()


def test_a_run_is_named_by_all_that_can_change_its_numbers(project: Project, tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("text,label\ngood,1\nbad,0\n")
    own = {"profile": "tiny", "path": str(table), "text_column": "text", "label_column": "label"}
    first = plan(project, "01", {"profile": "tiny"})
    assert plan(project, "01", {"profile": "tiny"}).key == first.key
    assert plan(project, "01", {"profile": "tiny", "lambda_": 0.4}).key != first.key
    before = plan(project, "01", own).key
    table.write_text("text,label\ngood,1\nbad,1\n")
    assert plan(project, "01", own).key != before
