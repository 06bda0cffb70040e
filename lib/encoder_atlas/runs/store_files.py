"""An entry of the store on disk: which files may be in it, its manifest, and how both are checked."""

import errno
import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt, ValidationError

from encoder_atlas.errors import AtlasError, StoreError
from encoder_atlas.runs.store_keys import Address

MANIFEST = "entry.json"
VERSIONS = ("encoder-atlas", "torch", "transformers", "numpy", "scikit-learn", "umap-learn")


def _is_text(head: bytes) -> bool:
    """Neither a pickle nor a zip archive, which is what torch writes."""
    return not head.startswith((b"\x80", b"PK\x03\x04"))


# What may be in an entry, and how such a file begins: a pickle under another name is found out.
FORMATS: dict[str, Callable[[bytes], bool]] = {
    ".safetensors": lambda head: head[8:9] == b"{",
    ".arrow": lambda head: head.startswith(b"ARROW1"),
    ".json": _is_text,
    ".txt": _is_text,
    ".model": lambda head: head.startswith(b"\n"),  # the vocabulary of SentencePiece, a protobuf
}


class FileRecord(BaseModel):
    """Size in bytes and sha256 of one file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: NonNegativeInt
    sha256: str


class Manifest(BaseModel):
    """All that is known of an entry; ``seconds`` is what making it took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Address
    created: AwareDatetime
    seconds: NonNegativeFloat
    files: dict[str, FileRecord]
    versions: dict[str, str]

    @property
    def size(self) -> int:
        """Bytes of all files but the manifest."""
        return sum(record.size for record in self.files.values())


def record_files(folder: Path) -> dict[str, FileRecord]:
    """Bring every file of a new entry safely to disk and record it.

    Raises StoreError for a file that has no place in the store, and where there is none at all.
    """
    found: dict[str, FileRecord] = {}
    for name, path in _files(folder):
        _refuse_odd(name, path)
        _sync(path)
        found[name] = FileRecord(size=path.stat().st_size, sha256=_sha256(path))
    if not found:
        raise StoreError("what was to make an entry of the store has written no file")
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, the last file of an entry, and bring the folder itself to disk."""
    path = folder / MANIFEST
    path.write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    _sync(path)
    for place in [folder, *(place for place in folder.rglob("*") if place.is_dir())]:
        sync_folder(place)


def read_manifest(folder: Path) -> Manifest | str:
    """The manifest, or what is wrong with it."""
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return f"{MANIFEST} is missing"
    except (OSError, ValidationError):
        return f"{MANIFEST} cannot be read"
    if (manifest.address.kind, manifest.address.hash) != (folder.parent.name, folder.name):
        return f"{MANIFEST} belongs to another entry"
    return manifest


def damage(folder: Path) -> str | None:
    """What is wrong with an entry; ``None`` where every file is, byte for byte, what was written."""
    manifest = read_manifest(folder)
    if isinstance(manifest, str):
        return manifest
    present = dict(_files(folder))
    for name, record in manifest.files.items():
        reason = _difference(present.get(name), record)
        if reason:
            return f"{name} {reason}"
    # Desktops leave hidden files wherever they look; anything else does not belong there.
    added = [name for name in present.keys() - manifest.files.keys() - {MANIFEST} if "/." not in f"/{name}"]
    return f"{min(added)} was not there when the entry was written" if added else None


def _difference(path: Path | None, record: FileRecord) -> str | None:
    if path is None:
        return "is missing"
    try:
        size = path.stat().st_size
        if size != record.size:
            return f"has {size} bytes where {record.size} were written"
        return None if _sha256(path) == record.sha256 else "has changed since it was written"
    except OSError as error:
        return f"cannot be read ({error})"


@functools.cache
def versions() -> dict[str, str]:
    """The versions that results may depend on, as far as they are installed."""
    found = {}
    for name in VERSIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def out_of_space(error: BaseException) -> bool:
    """Whether the disk, or the user's share of it, was full; libraries in Rust say so only in words."""
    full = (errno.ENOSPC, errno.EDQUOT)
    if isinstance(error, OSError):
        return error.errno in full
    return not isinstance(error, AtlasError) and any(f"(os error {code})" in str(error) for code in full)


def size_on_disk(folder: Path) -> int:
    """Bytes of all files under ``folder``."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to disk; Windows has no such call, and needs none."""
    if os.name != "nt":
        _sync(folder)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files, and links of all sorts, by their name within the entry."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix(), path


def _refuse_odd(name: str, path: Path) -> None:
    if name == MANIFEST:
        raise StoreError(f"{name} is the store's own file: give yours another name")
    if path.is_symlink() or not path.is_file():
        raise StoreError(f"{name} is no plain file: the store keeps copies, not links")
    with path.open("rb") as stream:
        head = stream.read(16)
    if path.suffix not in FORMATS or not FORMATS[path.suffix](head):
        raise StoreError(
            f"{name} is no {' or '.join(FORMATS)} file: the store keeps safetensors, JSON, Arrow and "
            "vocabularies, and never a pickle"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
