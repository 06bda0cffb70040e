"""The built book, and two ways to open it: from a server and from files."""

import contextlib
import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]


def build(folder: Path, *parameters: str) -> Path:
    """Build the book of profile tiny into ``folder``, with other parameters where given."""
    command = [
        sys.executable,
        "-m",
        "encoder_atlas.cli",
        "book",
        "--profile",
        "tiny",
        "--output",
        str(folder),
    ]
    changed = [word for parameter in parameters for word in ("-p", parameter)]
    done = subprocess.run([*command, *changed], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def built_once(factory: pytest.TempPathFactory, name: str, *parameters: str) -> Path:
    """The pages that the first worker to ask for them builds; the others wait for it, one build at a time."""
    worker = "PYTEST_XDIST_WORKER" in os.environ
    shared = factory.getbasetemp().parent if worker else factory.getbasetemp()
    with FileLock(shared / "book.lock"):
        pages = shared / name
        return pages if pages.exists() else build(pages, *parameters)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pages: ``ENCODER_ATLAS_PAGES`` where set, else a book of profile tiny, built now."""
    given = os.environ.get("ENCODER_ATLAS_PAGES")
    return Path(given).resolve() if given else built_once(tmp_path_factory, "html")


HOSTILE = (
    "<img src=x onerror=alert(1)> a <b>sentinel</b>",
    "a sentinel </script> that ends <script>alert(2)</script>",
    "a sentinel <!--<script> that swallows the rest",
    "a sentinel with $\\bad$ dollars & an ampersand;",
)


@pytest.fixture(scope="session")
def hostile_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book on a reader's own texts and labels that would be markup if anything took them for it."""
    folder = tmp_path_factory.mktemp("hostile")
    texts = [f"{HOSTILE[number % 4]} number {number}" for number in range(400)]
    kinds = ["<i>good</i>", "b$a$d"] * 200
    pd.DataFrame({"message": texts, "kind": kinds}).to_csv(folder / "own.csv", index=False)
    own = (f"path={folder / 'own.csv'}", "text_column=message", "label_column=kind")
    return built_once(tmp_path_factory, "hostile", *own)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing; a reader who leaves before a file has come is no error."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            super().handle()


@pytest.fixture(scope="session")
def server(pages: Path) -> Iterator[str]:
    """The address of a server of the pages on this machine."""
    handler = functools.partial(QuietHandler, directory=str(pages))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


@pytest.fixture(params=["http", "file"])
def address(request: pytest.FixtureRequest) -> str:
    """Where the pages begin, once served and once as files."""
    if request.param == "file":
        return request.getfixturevalue("pages").as_uri()
    return request.getfixturevalue("server")
