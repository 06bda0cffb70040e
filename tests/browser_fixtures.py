"""A headless Chromium that may not leave the machine, for tests of widgets and of the built book."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, expect, sync_playwright

LOCAL = ("file:", "data:", "blob:", "about:", "http://127.0.0.1:")
# No sandbox: containers seldom allow one, and only our own pages are opened.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)


@dataclass
class Troubles:
    """What a page did that it must not do: requests to other hosts, errors, dialogs."""

    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Write down what ``page`` does from now on."""

        def requested(request: Request) -> None:
            if not request.url.startswith(LOCAL):
                self.outside.append(request.url)

        def asked(dialog: Dialog) -> None:
            self.dialogs.append(dialog.message)
            dialog.dismiss()

        def said(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.errors.append(f"{message.text} ({message.location['url']})")

        page.on("request", requested)
        page.on("dialog", asked)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", said)

    def check(self) -> None:
        """Fail the test with whatever was written down."""
        assert self == Troubles()


def _no_chromium(why: str) -> NoReturn:
    message = f"{why}: apt-get install chromium, or set CHROMIUM to its path"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The installed Chromium, headless: ``CHROMIUM``, or the one on the path. None is ever downloaded."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if program is None or shutil.which(program) is None:
        _no_chromium(f"no Chromium at {program}" if program else "no Chromium on the path")
    expect.set_options(timeout=30_000)  # as long as actions wait: a busy machine takes its time to draw
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def offline_page(chromium: Browser) -> Iterator[Page]:
    """A fresh page without network; the test fails at its end on any outside request, error or dialog."""
    context = chromium.new_context(viewport={"width": 1000, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    troubles = Troubles()
    troubles.watch(page)
    yield page
    context.close()
    troubles.check()
