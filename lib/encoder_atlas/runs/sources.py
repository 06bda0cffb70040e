"""The source of the code that makes a result, as a digest: when it changes, the result is made again."""

import functools
import importlib.util
from collections.abc import Iterable
from pathlib import Path

from encoder_atlas.errors import StoreError
from encoder_atlas.runs.project import digest

SUFFIXES = (".py", ".js", ".yaml")


def code_digest(names: Iterable[str]) -> str:
    """sha256 over the sources of several packages and modules; their order does not matter."""
    return digest(*(part for name in sorted(set(names)) for part in (name, source_digest(name))))


@functools.cache
def source_digest(name: str) -> str:
    """sha256 over the ``.py``, ``.js`` and ``.yaml`` files of a package with all below it, or of one module.

    Read once a process: what runs is what was imported, not what an editor has saved since.
    Raises StoreError where there is no such package or module.
    """
    place = _place(name)
    if place.is_file():
        return digest(place.name, place.read_bytes())
    files = sorted(file for file in place.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    named = ((file.relative_to(place).as_posix(), file.read_bytes()) for file in files)
    return digest(*(part for pair in named for part in pair))


def _place(name: str) -> Path:
    """The folder of a package or the file of a module, found without importing it."""
    top, *below = name.split(".")
    found = importlib.util.find_spec(top) if top else None
    if found is not None and found.submodule_search_locations:
        folder = Path(next(iter(found.submodule_search_locations))).joinpath(*below)
        if folder.is_dir():
            return folder
        if below and folder.with_suffix(".py").is_file():
            return folder.with_suffix(".py")
    elif found is not None and found.origin and not below:
        return Path(found.origin)
    raise StoreError(f"code={name!r} is no package or module whose source can be read")
