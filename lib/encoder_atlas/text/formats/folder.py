"""A folder of annotated text: which files hold which split, in one format."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from encoder_atlas.errors import DataError, near
from encoder_atlas.progress import track
from encoder_atlas.text.find import beside
from encoder_atlas.text.formats.brackets import read_brackets
from encoder_atlas.text.formats.conll2012 import read_conll2012
from encoder_atlas.text.formats.conllu import read_conllu
from encoder_atlas.text.formats.iob import read_iob
from encoder_atlas.text.formats.layered_jsonl import read_layered_jsonl
from encoder_atlas.text.layers import Sentence

# What a split may be called in the name of a file or folder.
SPLITS = {
    "train": ("train", "training"),
    "dev": ("dev", "development", "valid", "validation", "testa"),
    "test": ("test", "testb"),
}
PART = re.compile(r"[-_.]?([0-9]{1,9})of([0-9]{1,9})")  # "train-1of4.jsonl"
MANY = 20  # files from which on a bar shows how far the reading is


@dataclass(frozen=True)
class Format:
    """A format: how one file is read, and how the names of its files end, the surest ending first."""

    read: Callable[[Path], list[Sentence]]
    endings: tuple[str, ...]


FORMATS = {
    "conllu": Format(read_conllu, (".conllu", ".conll")),
    "iob": Format(
        read_iob, (".iob2", ".iob", ".bio", ".bioes", ".conll", ".tsv", ".txt", ".train", ".testa", ".testb")
    ),
    "brackets": Format(read_brackets, (".mrg", ".ptb", ".brackets", ".parse", ".txt")),
    "conll2012": Format(read_conll2012, ("gold_conll", ".conll")),
    "layers": Format(read_layered_jsonl, (".jsonl",)),
}


def read_folder(folder: Path, corpus: str) -> dict[str, tuple[Sentence, ...]]:
    """The sentences of the splits that a folder holds.

    A split is a file whose name has the word train, dev or test in it ("en_ewt-ud-train.conllu"), several
    files that are its parts ("train-1of4.jsonl" to "train-4of4.jsonl"), or a folder of that name with files
    at any depth, of which those under `data/english` where there is one (OntoNotes 5).

    Raises:
        DataError: if format, folder or files are missing, if it is not clear which files are meant, or if one
            cannot be read.
    """
    if corpus not in FORMATS:
        raise DataError(f"There is no format {corpus!r} for files; {near(corpus, FORMATS)}.")
    if not folder.is_dir():
        what = "is a file: give the folder that holds it" if folder.is_file() else "is not there"
        raise DataError(f"{folder} {what}{'' if folder.is_file() else beside(folder)}.")
    endings = FORMATS[corpus].endings
    try:
        files = {split: split_files(folder, names, endings) for split, names in SPLITS.items()}
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}.") from error
    if not any(files.values()):
        raise DataError(
            f"{folder} has no files of train, dev or test for format {corpus!r}: one of these words stands "
            f"in their names, which end with {' or '.join(endings)}."
        )
    return {split: _read(paths, corpus, split) for split, paths in files.items() if paths}


def _read(paths: Sequence[Path], corpus: str, split: str) -> tuple[Sentence, ...]:
    shown = track(paths, f"read {split}", unit="file") if len(paths) >= MANY else paths
    return tuple(sentence for path in shown for sentence in FORMATS[corpus].read(path))


def split_files(folder: Path, names: Sequence[str], endings: Sequence[str]) -> list[Path]:
    """The files of a split in order; none, if the folder does not have it.

    Raises:
        DataError: if there is more than one candidate, or a part is missing.
    """
    entries = [entry for entry in sorted(folder.iterdir()) if split_named(entry.name) in names]
    exact = [entry for entry in entries if PART.sub("", entry.name).split(".")[0].lower() in names]
    files = _with_ending([entry for entry in exact or entries if entry.is_file()], endings)
    if files:
        return _in_parts(folder, files)
    folders = [entry for entry in exact or entries if entry.is_dir()]
    if len(folders) > 1:
        listed = " and ".join(entry.name for entry in folders)
        raise DataError(f"{folder} has the folders {listed} for one split: keep one.")
    if not folders:
        return []
    english = folders[0] / "data" / "english"
    inside = english if english.is_dir() else folders[0]
    files = _with_ending([path for path in sorted(inside.rglob("*")) if path.is_file()], endings)
    if not files:
        raise DataError(f"{inside} has no files that end with {' or '.join(endings)}.")
    return files


def split_named(name: str) -> str | None:
    """The first word of a file's name that names a split."""
    known = {alias for aliases in SPLITS.values() for alias in aliases}
    return next((word for word in re.split("[^a-z]+", name.lower()) if word in known), None)


def _with_ending(files: Sequence[Path], endings: Sequence[str]) -> list[Path]:
    """The files with the first of the endings that any has."""
    for ending in endings:
        found = [path for path in files if path.name.lower().endswith(ending)]
        if found:
            return found
    return []


def _in_parts(folder: Path, files: list[Path]) -> list[Path]:
    """One file, or all parts of one in order."""
    parts = {path: PART.search(path.name) for path in files}
    if len(files) == 1 and parts[files[0]] is None:
        return files
    numbered = {int(found[1]): path for path, found in parts.items() if found}
    totals = {int(found[2]) for found in parts.values() if found}
    names = {PART.sub("", path.name) for path in files}
    if len(names) > 1 or len(totals) > 1 or len(numbered) < len(files):
        listed = " and ".join(path.name for path in files)
        raise DataError(f"{folder} has {listed} for one split: keep one, or number its parts '1of2', '2of2'.")
    total = totals.pop()
    for number in range(1, total + 1):
        if number not in numbered:
            raise DataError(f"{folder} has no part {number} of {total} of {names.pop()}.")
    return [numbered[number] for number in range(1, total + 1)]
