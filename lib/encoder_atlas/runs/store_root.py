"""The folder that a store lies in: who may write where, who is still at work, and what the disk refuses."""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import Timeout

from encoder_atlas.errors import StoreError
from encoder_atlas.progress import stage
from encoder_atlas.runs.lease import Lock
from encoder_atlas.runs.machine import HOST
from encoder_atlas.runs.project import STORE_VARIABLE
from encoder_atlas.runs.store_files import out_of_space, size_on_disk

# What another machine has left half-made is abandoned after three days: its locks may not reach here.
ABANDONED_SECONDS = 3 * 24 * 3600


class StoreRoot:
    """Locks in ``.locks``, half-made entries in ``.tmp``, broken ones in ``damaged``.

    A lock ends with its owner, however that ends (see `Lock`): a temporary folder whose entry nobody holds is
    of a dead run.
    """

    def __init__(self, path: Path) -> None:
        """Nothing is written yet. Raises StoreError where ``path`` cannot be a folder."""
        self.path = path.absolute()
        blocked = next((place for place in [self.path, *self.path.parents] if place.is_file()), None)
        if blocked:
            raise StoreError(f"the store cannot be at {path}: {blocked} is a file; set {STORE_VARIABLE}")
        self._prepared = False

    def temporary(self, name: str) -> Path:
        """A new name on the store's own disk, so that one rename puts what is made there in its place."""
        return self.path / ".tmp" / f"{name}+{HOST}+{os.getpid()}+{secrets.token_hex(4)}"

    def set_aside(self, folder: Path) -> Path:
        """Move a damaged entry out of the way; where it now lies."""
        kept = self.path / "damaged" / f"{folder.parent.name}-{folder.name}-{time.time_ns()}"
        with self.own_files():
            kept.parent.mkdir(exist_ok=True)
            folder.rename(kept)
        return kept

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold the lock of an entry; a bar says so while another run holds it."""
        with self.filling(self.path / ".tmp"), self.own_files():
            if not self._prepared:
                self.sweep()
                self._prepared = True
            lock = self._lock(name)
            try:
                lock.acquire(timeout=0.0)
            except Timeout:
                with stage(f"waiting for another run that has {name}"):
                    lock.acquire(poll_interval=0.2)
        try:
            yield
        finally:
            lock.release()

    def sweep(self) -> None:
        """Remove the temporary folders of dead runs: those whose entry nobody holds any more."""
        for name in (".tmp", ".locks"):
            (self.path / name).mkdir(parents=True, exist_ok=True)
        for folder in (self.path / ".tmp").iterdir():
            name, _, rest = folder.name.partition("+")
            with suppress(Timeout, FileNotFoundError), self._lock(name).held(timeout=0.0):
                age = time.time() - folder.stat().st_mtime
                if rest.startswith(f"{HOST}+") or age > ABANDONED_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def own_files(self) -> Iterator[None]:
        """Turn what the disk refuses into a StoreError with a way out; a full disk is left to ``filling``."""
        try:
            yield
        except OSError as error:
            if out_of_space(error):
                raise
            way_out = f"set {STORE_VARIABLE} to a folder that you may write to"
            raise StoreError(f"the store at {self.path} cannot be used: {error}; {way_out}") from error

    @contextmanager
    def filling(self, temporary: Path) -> Iterator[None]:
        """Turn a full disk into a StoreError that says how much was written and what can be done."""
        try:
            yield
        except Exception as error:
            if not out_of_space(error):
                raise
            written = size_on_disk(temporary)
            existing = next(place for place in [self.path, *self.path.parents] if place.exists())
            free = shutil.disk_usage(existing).free + written
            raise StoreError(
                f"no space left in the store at {self.path}: more is needed than the {written / 1e6:.1f} MB "
                f"written so far, and {free / 1e6:.1f} MB are free once these are removed; make room with "
                f"'atlas store clear', or set {STORE_VARIABLE} to a folder on a larger disk ({error})"
            ) from error

    def _lock(self, name: str) -> Lock:
        return Lock(self.path / ".locks" / f"{name}.lock")
