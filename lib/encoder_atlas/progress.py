"""One progress bar a stage, in a terminal, in a notebook, and in a notebook that a terminal runs."""

import functools
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

from tqdm.auto import tqdm as tqdm_auto
from tqdm.std import tqdm as tqdm_text

T = TypeVar("T")

# A runner sets this to a file that it copies to its own terminal: bars drawn by the kernel of an executed
# notebook show where the run was started, and leave no dead widget on the page.
PROGRESS_FILE = "ENCODER_ATLAS_PROGRESS"


@functools.lru_cache(maxsize=1)
def _stream(path: str) -> IO[str]:
    return Path(path).open("a", buffering=1, encoding="utf-8")


def bar(stage: str, total: int | None = None, unit: str = "it") -> Any:
    """A progress bar named ``stage`` with rate and time left; use it as a context and call ``update(n)``."""
    path = os.environ.get(PROGRESS_FILE)
    if path:
        return tqdm_text(desc=stage, total=total, unit=unit, file=_stream(path), ncols=88, mininterval=0.5)
    in_notebook = "ipykernel" in sys.modules
    return (tqdm_auto if in_notebook else tqdm_text)(desc=stage, total=total, unit=unit, leave=in_notebook)


def note(message: str) -> None:
    """Say something between the bars, where the run was started."""
    path = os.environ.get(PROGRESS_FILE)
    tqdm_text.write(message, file=_stream(path) if path else sys.stderr)


def track(items: Iterable[T], stage: str, total: int | None = None, unit: str = "it") -> Iterator[T]:
    """Yield ``items`` while a bar named ``stage`` counts them."""
    if total is None and hasattr(items, "__len__"):
        total = len(items)  # pyright: ignore[reportArgumentType]
    with bar(stage, total, unit) as shown:
        for item in items:
            yield item
            shown.update(1)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """A bar for a stage that cannot be counted: shows that it runs and how long it took."""
    with bar(name, total=1, unit="stage") as shown:
        yield
        shown.update(1)
