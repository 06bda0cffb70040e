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

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pages: ``ENCODER_ATLAS_PAGES`` where set, else a book of profile tiny, built now."""
    given = os.environ.get("ENCODER_ATLAS_PAGES")
    if given:
        return Path(given).resolve()
    folder = tmp_path_factory.mktemp("book") / "html"
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
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


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
