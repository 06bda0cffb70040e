"""Whether what is on this machine is what a card says: files there, contents known, counts right."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from encoder_atlas.errors import DataError
from encoder_atlas.text.adversarial import TEXTS, load_adversarial
from encoder_atlas.text.cards import CorpusCard, CorpusFile, Way, sha256
from encoder_atlas.text.load import load_task
from encoder_atlas.text.spec import TaskSpec

Level = Literal["ok", "note", "bad"]


@dataclass(frozen=True)
class Finding:
    """One thing looked at: "ok" as the card says, "note" not known to the card, "bad" otherwise."""

    what: str
    level: Level
    detail: str


def check_corpus(card: CorpusCard, path: Path | None = None) -> list[Finding]:
    """Look at the files of a corpus and load it as a run would.

    Args:
        card: the corpus.
        path: the folder that holds its files; needed where no other way than files leads to it.

    Raises:
        DataError: if a path is needed and missing, or given where no file is read from one.
    """
    way = card.way("files" if path else card.source)
    if way is None:
        ways = ", ".join(way.source for way in card.ways)
        raise DataError(f"{card.name!r} is not read from files but {ways}: leave --path out.")
    if path is None and way.source == "files":
        raise DataError(f"{card.name!r} is read from files: give --path FOLDER. {way.where}")
    used, findings = _files(card, path) if path else ({}, [])
    return findings + list(_counts(card, way, path, used))


def folder_of(path: Path, corpus: str) -> Path:
    """The folder of one corpus where ``path`` holds one for each, whatever dashes and case; else ``path``."""
    folders = [child for child in path.iterdir() if child.is_dir()] if path.is_dir() else []
    wanted = _plain(corpus)
    return next((folder for folder in sorted(folders) if _plain(folder.name) == wanted), path)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _files(card: CorpusCard, folder: Path) -> tuple[dict[str, CorpusFile], list[Finding]]:
    """The file that each split is read from, and what was found of them."""
    used: dict[str, CorpusFile] = {}
    findings = []
    for split in dict.fromkeys(file.split for file in card.files):
        wanted = [file for file in card.files if file.split == split]
        found = next((file for file in wanted if (folder / file.name).is_file()), None)
        if found is None:
            names = " or ".join(file.name for file in wanted)
            findings.append(Finding(names, "bad", f"not in {folder}"))
            continue
        used[split] = found
        findings.append(_content(folder / found.name, found))
    return used, findings


def _content(path: Path, file: CorpusFile) -> Finding:
    if file.sha256 is None:
        return Finding(file.name, "note", "the card does not know its content; it is counted only")
    found = sha256(path)
    if found == file.sha256:
        return Finding(file.name, "ok", "content as on the card" + (" (a sample)" if file.sample else ""))
    return Finding(file.name, "bad", f"other content: SHA-256 {found[:12]}…, on the card {file.sha256[:12]}…")


def _counts(card: CorpusCard, way: Way, path: Path | None, used: dict[str, CorpusFile]) -> Iterator[Finding]:
    """What is loaded, against the numbers of the card or, where a sample is read, of its file."""
    try:
        loaded = _loaded(card, way, path)
    except DataError as error:
        yield Finding("loading", "bad", str(error))
        return
    for split, rows in loaded.items():
        expected = used[split].rows if split in used else card.sizes.get(split)
        if expected is None:
            yield Finding(split, "note", f"{rows:,} rows; the card gives no number for this file")
        elif rows == expected:
            yield Finding(split, "ok", f"{rows:,} rows")
        else:
            yield Finding(split, "bad", f"{rows:,} rows where the card says {expected:,}")


def _loaded(card: CorpusCard, way: Way, path: Path | None) -> dict[str, int]:
    """Rows a split; nothing for plain text, which is not loaded as a whole."""
    if card.name == "advglue" and path:
        return {task: len(load_adversarial(path, task)) for task in TEXTS}
    if card.kind != "task":
        return {}
    task = load_task(TaskSpec.model_validate({**way.use, "name": card.name, "path": path}))
    return {split: len(frame) for split, frame in task.splits.items()}
