"""Repositories from GitHub at pinned commits, as zip archives; only the files that are needed are kept."""

import shutil
import tempfile
import urllib.request
import zipfile
from fnmatch import fnmatch
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from encoder_atlas.errors import DataError
from encoder_atlas.progress import bar
from encoder_atlas.text.built.recipe import Repository

GITHUB = "https://github.com"
WAIT = 30.0  # seconds without a byte after which the network counts as gone
BLOCK = 1 << 20


def download(repository: Repository, cache: Path, host: str = GITHUB) -> Path:
    """The repository's files at its pinned commit, from ``cache`` where an earlier download put them.

    Args:
        cache: a folder; the files are in it whole or not at all.
        host: where repositories are.

    Raises:
        DataError: if the host cannot be reached or sends something else; says how to do without.
    """
    target = cache / f"{repository.name}-{repository.commit[:12]}"
    if target.is_dir():
        return target
    url = f"{host}/{repository.repository}/archive/{repository.commit}.zip"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".download-", dir=cache) as scratch:
        archive, folder = Path(scratch) / "archive.zip", Path(scratch) / "files"
        try:
            _fetch(url, archive, repository.name)
            _unpack(archive, folder, repository)
        except (OSError, HTTPException, zipfile.BadZipFile) as error:
            reason = getattr(error, "reason", None) or error
            raise DataError(
                f"{url} cannot be downloaded ({reason}). Without network, bring a checkout of "
                f"{repository.repository} at commit {repository.commit[:12]} here and give its folder."
            ) from error
        folder.rename(target)
    return target


def _fetch(url: str, file: Path, name: str) -> None:
    with (
        urllib.request.urlopen(url, timeout=WAIT) as answer,
        file.open("wb") as written,
        bar(f"download {name}", unit="MB") as shown,
    ):
        while block := answer.read(BLOCK):
            written.write(block)
            shown.update(len(block) / 1e6)


def _unpack(archive: Path, folder: Path, repository: Repository) -> None:
    """The wanted files of the archive, without the folder that GitHub puts around them."""
    found = 0
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            inside = PurePosixPath(*PurePosixPath(member.filename).parts[1:])
            wanted = any(fnmatch(str(inside), pattern) for pattern in repository.files)
            if member.is_dir() or not wanted or ".." in inside.parts:
                continue
            place = folder / inside
            place.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(member) as packed, place.open("wb") as file:
                shutil.copyfileobj(packed, file)
            found += 1
    if not found:
        raise DataError(f"The archive of {repository.repository} has none of {', '.join(repository.files)}.")
