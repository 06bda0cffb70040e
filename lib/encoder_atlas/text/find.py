"""Where the file of each split stands, and what a reader may have meant where it does not."""

from collections.abc import Sequence
from pathlib import Path

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.layouts import Layout
from encoder_atlas.text.table_readers import READERS

NAMES_LISTED = 50  # where a folder has more, listing it would bury the message


def split_files(path: Path, layout: Layout) -> dict[str, Path]:
    """The file of each split that a folder holds in this layout; a file is all of the text, as "train".

    Where classes may be folders, so may a split: its path is then that of the folder that holds them.

    Raises:
        DataError: if path or the file of a split is missing, naming the near one, or there are two.
    """
    try:
        if path.is_file():
            return {"train": path}
        if not path.is_dir():
            raise DataError(f"There is no file or folder {path}{beside(path)}.")
        found = {split: _first_of(path, names, layout) for split, names in layout.files.items()}
        more = {split: _found(path, names, layout) for split, names in layout.more_files.items()}
        return found | {split: places[0] for split, places in more.items() if places}
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error


def _first_of(folder: Path, names: Sequence[str], layout: Layout) -> Path:
    found = _found(folder, names, layout)
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(
            f"{folder} has {' and '.join(path.name for path in found)}: keep one, or give one as path."
        )
    known = " or ".join(f"{name}{suffix}" for name in names for suffix in _suffixes(layout))
    raise DataError(f"{folder} has no {known}{beside(folder / (names[0] + _suffixes(layout)[0]))}.")


def _found(folder: Path, names: Sequence[str], layout: Layout) -> list[Path]:
    """All files of the first of ``names`` that has any."""
    for name in names:
        places = [folder / f"{name}{suffix}" for suffix in _suffixes(layout)]
        found = [place for place in places if place.is_file()]
        if layout.class_folders and (folder / name).is_dir():
            found.append(folder / name)
        if found:
            return found
    return []


def _suffixes(layout: Layout) -> Sequence[str]:
    return (".json",) if layout.target == "answer" else tuple(READERS)


def beside(path: Path) -> str:
    """The near match of a missing path among what stands in its folder, as the tail of a sentence."""
    if not path.parent.is_dir():
        return f"; nor is there a folder {path.parent}"
    names = [entry.name for entry in path.parent.iterdir()]
    return f"; {near(path.name, names)}" if 0 < len(names) <= NAMES_LISTED else ""


def folder_of(path: Path, corpus: str) -> Path:
    """The folder of one corpus where ``path`` holds one for each, whatever dashes and case; else ``path``."""
    folders = [child for child in path.iterdir() if child.is_dir()] if path.is_dir() else []
    wanted = _plain(corpus)
    return next((folder for folder in sorted(folders) if _plain(folder.name) == wanted), path)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
