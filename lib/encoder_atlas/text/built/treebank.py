"""The sentences of UD_English-EWT, from a checkout of its repository."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.progress import track
from encoder_atlas.text.formats import read_conllu
from encoder_atlas.text.layers import Sentence

SPLITS = ("train", "dev", "test")
LISTS = Path("not-to-release") / "file-lists"
SOURCES = Path("not-to-release") / "sources"


@dataclass(frozen=True)
class Treebank:
    """The sentences of each split in the order of the release.

    Attributes:
        sha256: hash of what each split's file holds, released or put together.
        rebuilt: for each split that was put together, from how many documents.
    """

    splits: dict[str, tuple[Sentence, ...]]
    sha256: dict[str, str]
    rebuilt: dict[str, int]


def read_treebank(checkout: Path) -> Treebank:
    """Read every split from its file, or from the documents it is made of.

    Some copies of the repository lack the large train file. The release is its documents one after the other,
    as `not-to-release/file-lists` names them (measured: byte for byte, at both commits that are known), so
    that what is missing can be put together again.

    Raises:
        DataError: if the folder is no such checkout, or a file cannot be read.
    """
    splits, sha256, rebuilt = {}, {}, {}
    for split in SPLITS:
        file = checkout / f"en_ewt-ud-{split}.conllu"
        files = [file] if file.is_file() else list(_documents(checkout, split))
        if not file.is_file():
            rebuilt[split] = len(files)
        shown = track(files, f"read {split}", unit="file") if len(files) > 1 else files
        splits[split] = tuple(sentence for path in shown for sentence in read_conllu(path))
        sha256[split] = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    return Treebank(splits, sha256, rebuilt)


def _documents(checkout: Path, split: str) -> Iterator[Path]:
    """The documents of a split, in order."""
    listed = checkout / LISTS / f"files.{split}"
    if not listed.is_file():
        raise DataError(
            f"{checkout} is no checkout of UD_English-EWT: it has neither en_ewt-ud-{split}.conllu nor "
            f"{LISTS / listed.name} to put it together from."
        )
    for name in listed.read_text(encoding="utf-8").split():
        document = checkout / SOURCES / name
        if not document.is_file():
            raise DataError(f"{listed} names {name}, which is not in {checkout / SOURCES}.")
        yield document
