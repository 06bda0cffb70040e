"""Where the project's parts lie, and where what is made goes."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from filelock import Timeout

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.lease import Lock

STORE_VARIABLE = "ENCODER_ATLAS_STORE"


class BusyError(SettingsError):
    """Another process is doing what was asked for."""


@dataclass(frozen=True)
class Project:
    """A checkout of the project: sources at the top, everything made under ``.atlas`` and ``_build``."""

    root: Path

    @cached_property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @cached_property
    def profiles(self) -> Path:
        return self.notebooks / "profiles"

    @cached_property
    def claims(self) -> Path:
        return self.root / "book" / "claims.yaml"

    @cached_property
    def work(self) -> Path:
        """Scratch and finished runs; safe to delete when nothing runs."""
        return self.root / ".atlas"

    @cached_property
    def store(self) -> Path:
        """The store: ``ENCODER_ATLAS_STORE`` where set, else ``.atlas/store``."""
        return Path(os.environ.get(STORE_VARIABLE) or self.work / "store").resolve()

    @cached_property
    def runs(self) -> Path:
        """Executed notebooks, with what they recorded."""
        return self.root / "_build" / "runs"

    @cached_property
    def pages(self) -> Path:
        return self.root / "_build" / "html"

    @cached_property
    def sweeps(self) -> Path:
        """The sweeps that the project ships, and the notebooks that only they run."""
        return self.root / "sweeps"

    def notebook(self, name: str) -> Path:
        """The notebook of a chapter, or one that only sweeps run."""
        places = [folder / f"{name}.ipynb" for folder in (self.notebooks, self.sweeps)]
        found = [path for path in places if path.is_file()]
        if not found:
            raise SettingsError(f"notebook {places[0]} is missing")
        return found[0]


def find_project(start: Path | None = None) -> Project:
    """The checkout that holds ``start`` (the working folder), else the one this package is installed from."""
    for folder in [(start or Path.cwd()).resolve(), Path(__file__).resolve()]:
        for root in [folder, *folder.parents]:
            if (root / "_toc.yml").is_file() and (root / "notebooks" / "profiles").is_dir():
                return Project(root)
    raise SettingsError(
        "no Encoder Atlas checkout here: run this in one, or install the package from one (pip install -e .)"
    )


def digest(*parts: bytes | str) -> str:
    """sha256 of the parts, each set off by its length."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


@contextmanager
def alone(lock_file: Path, what: str) -> Iterator[None]:
    """Hold a lock, or say at once what another process is doing. Raises BusyError."""
    lock = Lock(lock_file)
    try:
        lock.acquire(timeout=0.0)
    except Timeout:
        raise BusyError(f"{what} by another process: wait for it, or stop it") from None
    try:
        yield
    finally:
        lock.release()


def write_whole(path: Path, text: str) -> None:
    """Write a file by a temporary name and one rename: it is there whole, or as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
