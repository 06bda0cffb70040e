"""Where the parts of a corpus come from: given folders, archives of a host, and what may go wrong there."""

import io
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.built import checkouts
from encoder_atlas.text.built.download import download
from encoder_atlas.text.built.recipe import Repository, read_recipe

COMMIT = "0123456789abcdef" * 2 + "01234567"
REPOSITORY = Repository(
    repository="me/words", commit=COMMIT, files=("data/*.txt", "README.md"), licence="", cite=""
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """A host whose files lie in ``tmp_path / "host"``."""
    (tmp_path / "host").mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "host")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def serve(folder: Path, content: bytes) -> None:
    place = folder / "host" / "me" / "words" / "archive"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{COMMIT}.zip").write_bytes(content)


def archive(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, text in files.items():
            opened.writestr(f"words-{COMMIT}/{name}", text)
    return packed.getvalue()


def test_only_the_wanted_files_are_kept_and_fetched_once(tmp_path: Path, host: str) -> None:
    files = {"data/a/b.txt": "ab", "data/c.bin": "no", "README.md": "read", "data/../../out.txt": "out"}
    serve(tmp_path, archive(**files))
    found = download(REPOSITORY, tmp_path / "cache", host)
    assert sorted(str(path.relative_to(found)) for path in found.rglob("*.*")) == [
        "README.md",
        "data/a/b.txt",
    ]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [f"words-{COMMIT[:12]}"]
    (tmp_path / "host" / "me" / "words" / "archive" / f"{COMMIT}.zip").unlink()
    assert download(REPOSITORY, tmp_path / "cache", host) == found


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be downloaded .*not found"),
        (b"<html>", "cannot be downloaded .*not a zip file"),
        (archive(other="x"), "has none of data/"),
    ],
)
def test_what_is_no_archive_is_refused(content: bytes | None, said: str, tmp_path: Path, host: str) -> None:
    if content is not None:
        serve(tmp_path, content)
    with pytest.raises(DataError, match=said):
        download(REPOSITORY, tmp_path / "cache", host)
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_network_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be downloaded.*refused.*me/words at commit 0123456789ab"):
        download(REPOSITORY, tmp_path, "http://127.0.0.1:9")


def test_parts_that_are_not_given_are_named() -> None:
    here = Path()
    with pytest.raises(DataError, match=r"'propbank' is missing: give --propbank FOLDER, .*--download"):
        checkouts({"ud": here, "ner": here, "propbank": None}, None)
    with pytest.raises(DataError, match=r"no folder nowhere: --ner is a checkout of UniversalNER/UNER"):
        checkouts({"ud": here, "ner": Path("nowhere"), "propbank": here}, None)
    assert checkouts({"ud": here, "ner": here, "propbank": here}, None)["ner"] == here


def test_the_recipe_expects_counts_of_every_split() -> None:
    recipe = read_recipe("ewt")
    assert recipe.releases[0].commit == recipe.parts["ud"].commit
    for release in recipe.releases:
        assert set(release.counts) == {"train", "dev", "test"}
    with pytest.raises(DataError, match=r"built/gum\.yaml is missing"):
        read_recipe("gum")
