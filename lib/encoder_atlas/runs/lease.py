"""A claim on a name that is seen from every machine of a file system and ends with its owner.

The lock of an operating system ends with its owner too, but does not reach other machines on every network
file system. So what holds a lock also keeps a small file fresh; a file that nobody has touched for a while
belongs to a dead owner, and is taken over.
"""

import json
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from encoder_atlas.runs.machine import HOST

LEASE_SECONDS = 60.0


class Lock:
    """The system's lock on ``NAME.lock`` together with the lease ``NAME.lease`` beside it.

    Should a lease be taken over from an owner that only slept, two do the same work; both leave what they
    make by one rename, so nothing comes to harm.
    """

    def __init__(self, path: Path, seconds: float = LEASE_SECONDS) -> None:
        """``seconds``: how old an untouched lease of another machine must be to count as a dead owner's."""
        self._lock = FileLock(path)
        self._lease = path.with_suffix(".lease")
        self._seconds = seconds
        self._token = f"{HOST} {os.getpid()} {secrets.token_hex(4)}"
        self._stop = threading.Event()

    def acquire(self, timeout: float = -1.0, poll_interval: float = 0.2) -> None:
        """Take it, waiting for ``timeout`` seconds at most (−1: for ever). Raises filelock's Timeout."""
        self._lock.acquire(timeout=timeout, poll_interval=poll_interval)
        end = time.monotonic() + timeout
        try:
            while not self._take():
                if timeout >= 0 and time.monotonic() >= end:
                    raise Timeout(str(self._lease))
                time.sleep(poll_interval)
        except BaseException:
            self._lock.release()
            raise
        self._stop.clear()
        threading.Thread(target=self._keep_fresh, daemon=True).start()

    def release(self) -> None:
        """Give it back; a lease that another has taken over meanwhile is left alone."""
        self._stop.set()
        with suppress(OSError):
            if self._owner() == self._token:
                self._lease.unlink()
        self._lock.release()

    @contextmanager
    def held(self, timeout: float = -1.0) -> Iterator[None]:
        """Hold it inside a ``with``."""
        self.acquire(timeout)
        try:
            yield
        finally:
            self.release()

    def _take(self) -> bool:
        """Write our lease where there is none, or only a dead owner's."""
        try:
            handle = os.open(self._lease, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            seen = self._owner()
            return not self._alive(seen) and self._clear(seen) and self._take()
        with os.fdopen(handle, "w") as stream:
            json.dump(self._token, stream)
        return True

    def _alive(self, owner: str | None) -> bool:
        """Whether the lease's owner lives. One of this machine does not: we hold the system's lock."""
        if owner is not None and owner.split(" ")[0] == HOST:
            return False
        with suppress(FileNotFoundError):
            return _clock(self._lease.parent) - self._lease.stat().st_mtime < self._seconds
        return False

    def _clear(self, dead: str | None) -> bool:
        """Remove a dead owner's lease; False where a living one had put another there by then.

        Of several that see a dead owner all but the first would rename away what the first has just written.
        """
        gone = self._lease.with_name(f"{self._lease.name}.{secrets.token_hex(4)}")
        with suppress(FileNotFoundError):
            self._lease.rename(gone)
        if not gone.exists():
            return True
        if _token(gone) == dead:
            gone.unlink()
            return True
        try:
            os.link(gone, self._lease)  # unlike a rename it replaces nothing
            gone.unlink()
        except FileExistsError:
            gone.unlink()
        except OSError:  # no hard links on this file system
            gone.rename(self._lease)
        return False

    def _owner(self) -> str | None:
        return _token(self._lease)

    def _keep_fresh(self) -> None:
        stop = self._stop
        while not stop.wait(self._seconds / 6):
            with suppress(OSError):
                if self._owner() == self._token:
                    os.utime(self._lease)


def is_held(path: Path) -> bool:
    """Whether somebody, on this machine or another, holds the lock at ``path``."""
    if not path.parent.is_dir() or not (path.exists() or path.with_suffix(".lease").exists()):
        return False
    try:
        with Lock(path).held(timeout=0.0):
            return False
    except Timeout:
        return True


def _token(lease: Path) -> str | None:
    """Whose a lease is; None where there is none, or none that can be read."""
    try:
        return str(json.loads(lease.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def _clock(folder: Path) -> float:
    """The time of the file system that holds ``folder``, which machines' own clocks may differ from."""
    probe = folder / f".clock-{HOST}-{os.getpid()}-{secrets.token_hex(4)}"
    probe.touch()
    try:
        return probe.stat().st_mtime
    finally:
        probe.unlink()
