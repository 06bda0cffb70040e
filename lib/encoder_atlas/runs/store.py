"""The store: fitted models and costly measurements, made once, kept whole, and checked at every load."""

import shutil
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from encoder_atlas.errors import StoreError
from encoder_atlas.progress import note
from encoder_atlas.runs.store_files import (
    Manifest,
    damage,
    read_manifest,
    record_files,
    size_on_disk,
    sync_folder,
    versions,
    write_manifest,
)
from encoder_atlas.runs.store_formats import load_arrays, load_table, save_arrays, save_table
from encoder_atlas.runs.store_keys import Address, summary
from encoder_atlas.runs.store_root import StoreRoot

T = TypeVar("T")


class StoreWarning(UserWarning):
    """An entry of the store was found damaged, set aside, and is made again."""


@dataclass(frozen=True)
class Entry:
    """One line of ``atlas store ls``; ``summary`` is the key, or what is wrong with an unreadable entry."""

    kind: str
    hash: str
    created: datetime | None
    seconds: float | None
    bytes: int
    summary: str


@dataclass(frozen=True)
class Damage:
    """One finding of ``atlas store check``."""

    kind: str
    hash: str
    reason: str


class Store:
    """Entries in ``ROOT/KIND/HASH``; the hash is of the key and of the source of the code that makes them.

    An entry appears by one rename once all its files are on disk, so a run may be killed at any moment. Of
    two runs that need the same entry one makes it and the other waits.
    """

    def __init__(self, root: Path) -> None:
        """Nothing is written until something is stored. Raises StoreError where ``root`` can be no folder."""
        self._root = StoreRoot(root)

    @property
    def root(self) -> Path:
        return self._root.path

    def get(
        self,
        kind: str,
        key: Mapping[str, Any],
        build: Callable[[Path], object],
        load: Callable[[Path], T],
        code: Sequence[str] = (),
    ) -> T:
        """Load the entry of this key; where there is none, ``build`` first writes it into an empty folder.

        ``code`` names the packages and modules whose source decides what ``build`` writes. Every file is
        checked against its sha256 before ``load`` sees it; a damaged entry is set aside, named in a
        StoreWarning and built again. Raises StoreError for a key, a file or a disk that cannot be used, and
        whatever ``build`` or ``load`` raise.
        """
        address = Address.of(kind, key, code)
        folder = self.root / address.kind / address.hash
        with self._root.locked(address.name):
            reason = damage(folder) if folder.exists() else None
            if reason:
                kept = self._root.set_aside(folder)
                message = f"store: {kind} {address.hash} is damaged ({reason}); kept in {kept} and made again"
                note(message)
                warnings.warn(message, StoreWarning, stacklevel=2)
            if not folder.exists():
                self._make(address, folder, build)
            return load(folder)

    def table(
        self,
        kind: str,
        key: Mapping[str, Any],
        compute: Callable[[], pd.DataFrame],
        code: Sequence[str] = (),
    ) -> pd.DataFrame:
        """The table of this key, computed only where it is not stored yet."""
        return self.get(kind, key, lambda folder: save_table(compute(), folder), load_table, code)

    def arrays(
        self,
        kind: str,
        key: Mapping[str, Any],
        compute: Callable[[], Mapping[str, np.ndarray]],
        code: Sequence[str] = (),
    ) -> dict[str, np.ndarray]:
        """The named arrays of this key, computed only where they are not stored yet."""
        return self.get(kind, key, lambda folder: save_arrays(compute(), folder), load_arrays, code)

    def entries(self) -> list[Entry]:
        """All entries by kind and age; ``pd.DataFrame(store.entries())`` is the table of them."""
        oldest = datetime.min.replace(tzinfo=UTC)
        found = (_describe(folder) for folder in self._folders())
        return sorted(found, key=lambda entry: (entry.kind, entry.created or oldest))

    def check(self) -> list[Damage]:
        """Read every file of every entry and report the damaged ones; nothing is moved."""
        checked = ((folder, damage(folder)) for folder in self._folders())
        return [Damage(folder.parent.name, folder.name, reason) for folder, reason in checked if reason]

    def remove(self, hash_prefix: str) -> Entry:
        """Remove the one entry whose hash begins so; StoreError where there is none, or more than one."""
        found = [entry for entry in self.entries() if hash_prefix and entry.hash.startswith(hash_prefix)]
        if not found:
            raise StoreError(f"no entry of the store begins with {hash_prefix!r}: see 'atlas store ls'")
        if len(found) > 1:
            names = ", ".join(f"{entry.kind} {entry.hash}" for entry in found)
            raise StoreError(f"{hash_prefix!r} is the beginning of several entries: {names}")
        self._remove(found[0])
        return found[0]

    def clear(self) -> int:
        """Remove all entries, those set aside, and what dead runs left; the bytes that this gives back."""
        if not self.root.is_dir():
            return 0
        before = size_on_disk(self.root)
        for entry in self.entries():
            self._remove(entry)
        with self._root.own_files():
            self._root.sweep()
            shutil.rmtree(self.root / "damaged", ignore_errors=True)
        return before - size_on_disk(self.root)

    def _make(self, address: Address, folder: Path, build: Callable[[Path], object]) -> None:
        temporary = self._root.temporary(address.name)
        started = time.monotonic()
        try:
            with self._root.filling(temporary):
                with self._root.own_files():
                    temporary.mkdir()
                build(temporary)
                with self._root.own_files():
                    _seal(temporary, address, time.monotonic() - started)
                    folder.parent.mkdir(exist_ok=True)
                    _put(temporary, folder)
                    sync_folder(folder.parent)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def _remove(self, entry: Entry) -> None:
        """Take an entry away with one rename, then delete it: a killed removal leaves no half entry."""
        name = f"{entry.kind}-{entry.hash}"
        with self._root.locked(name), self._root.own_files(), suppress(FileNotFoundError):
            gone = self._root.temporary(name)
            (self.root / entry.kind / entry.hash).rename(gone)
            shutil.rmtree(gone)

    def _folders(self) -> list[Path]:
        kinds = [kind for kind in self.root.glob("[a-z]*") if kind.name != "damaged" and kind.is_dir()]
        return sorted(folder for kind in kinds for folder in kind.iterdir() if folder.is_dir())


def _seal(folder: Path, address: Address, seconds: float) -> None:
    """Check and record what was built; the manifest comes last."""
    files = record_files(folder)
    created = datetime.now(UTC)
    manifest = Manifest(address=address, created=created, seconds=seconds, files=files, versions=versions())
    write_manifest(folder, manifest)


def _put(temporary: Path, folder: Path) -> None:
    """Give what was made its name; a run that took over our lease while we slept may have been quicker."""
    try:
        temporary.rename(folder)
    except OSError:
        if not folder.exists() or damage(folder):
            raise
        shutil.rmtree(temporary)


def _describe(folder: Path) -> Entry:
    manifest = read_manifest(folder)
    if isinstance(manifest, str):
        size = size_on_disk(folder)
        return Entry(folder.parent.name, folder.name, None, None, size, f"damaged: {manifest}")
    address, made = manifest.address, (manifest.created, manifest.seconds)
    return Entry(address.kind, address.hash, *made, manifest.size, summary(address.key))
