"""Whether what is on this machine is what a card says: files there, contents known, counts right."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from encoder_atlas.errors import DataError
from encoder_atlas.text.adversarial import load_adversarial
from encoder_atlas.text.built.load import built_folder
from encoder_atlas.text.built.propbank import read_propbank
from encoder_atlas.text.cards import CorpusCard, CorpusFile, Way, sha256
from encoder_atlas.text.corpora import load_corpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.edges import EdgeSpec, load_edges
from encoder_atlas.text.load import load_task
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.tables import read_table

Level = Literal["ok", "note", "bad"]
Counts = dict[str, dict[str, int]]  # for each split, numbers by what was counted


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
    if way.source == "built" and built_folder(card.name).is_dir():
        path = built_folder(card.name)
    used, findings = _files(card, path) if path else ({}, [])
    return findings + list(_counts(card, way, path, used))


def _files(card: CorpusCard, folder: Path) -> tuple[dict[str, CorpusFile], list[Finding]]:
    """The file that each split is read from, and what was found of them."""
    used: dict[str, CorpusFile] = {}
    findings = []
    for split in dict.fromkeys(file.split for file in card.files):
        wanted = [file for file in card.files if file.split == split]
        found = next((file for file in wanted if (folder / file.name).is_file()), None)
        if found:
            used[split] = found
            findings.append(_content(folder / found.name, found))
        elif not wanted[0].optional:
            names = " or ".join(file.name for file in wanted)
            findings.append(Finding(names, *_without(card, folder)))
    return used, findings


def _without(card: CorpusCard, folder: Path) -> tuple[Level, str]:
    """What a file that is not there means: others may do, such as a folder for each class."""
    if card.kind in ("task", "annotated", "edges"):
        return "note", f"not in {folder}; whether other files do, loading says"
    return "bad", f"not in {folder}"


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
        loaded = LOADED[card.kind](card, way, path)
    except DataError as error:
        yield Finding("loading", "bad", str(error))
        return
    optional = {file.split for file in card.files if file.optional}
    for split in card.sizes:
        if split not in loaded and split not in optional:
            yield Finding(split, "bad", "there is nothing of it")
    unit = UNITS.get(card.kind, "rows")
    for split, counts in loaded.items():
        # Of files that nobody here has held, the card has the number that their makers state: rows that stand
        # in another split too, which loading drops, are in it.
        stated = way.source == "files" and card.kind in ("task", "edges") and split not in used
        rows = used[split].rows if split in used else card.sizes.get(split)
        expected = card.layers.get(split, {}) | ({unit: rows} if rows else {})
        yield _compared(split, counts, expected, "note" if stated else "bad")


def _compared(
    split: str, counts: Mapping[str, int], expected: Mapping[str, int], otherwise: Level
) -> Finding:
    found = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    differing = [f"{number:,} {name} expected" for name, number in expected.items() if counts[name] != number]
    if differing:
        return Finding(split, otherwise, f"{found}; {', '.join(differing)}")
    if not expected:
        return Finding(split, "note", f"{found}; the card has no number for this")
    return Finding(split, "ok", found)


def _task(card: CorpusCard, way: Way, path: Path | None) -> Counts:
    task = load_task(TaskSpec.model_validate({**way.use, "name": card.name, "path": path}))
    return {split: {"rows": len(frame)} for split, frame in task.splits.items()}


def _annotated(card: CorpusCard, way: Way, path: Path | None) -> Counts:
    if not way.use:  # PropBank alone: no words, so no sentences that a spec could load
        skeletons = read_propbank(path or Path())
        return {"all": {"sentences": sum(map(len, skeletons.values()))}}
    corpus = load_corpus(CorpusSpec.model_validate({**way.use, "name": card.name, "path": path}))
    counts = corpus.counts().set_index("split")
    return {str(split): {str(name): int(n) for name, n in row.items()} for split, row in counts.iterrows()}


def _edges(card: CorpusCard, way: Way, path: Path | None) -> Counts:
    task = load_edges(EdgeSpec.model_validate({**way.use, "name": card.name, "path": path}))
    return {split: {"targets": len(content.targets)} for split, content in task.splits.items()}


def _adversarial(card: CorpusCard, way: Way, path: Path | None) -> Counts:
    return {task: {"rows": len(load_adversarial(path or Path(), task))} for task in card.sizes}


def _text(card: CorpusCard, way: Way, path: Path | None) -> Counts:
    del way
    rows = (len(read_table((path or Path()) / file.name).places) for file in card.files)
    return {file.split: {"rows": count} for file, count in zip(card.files, rows, strict=True)}


LOADED = {"task": _task, "test": _adversarial, "annotated": _annotated, "edges": _edges, "text": _text}
UNITS = {"annotated": "sentences", "edges": "targets"}
