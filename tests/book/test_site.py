"""Every page of the built book, opened as a reader opens it: in a browser, without a network."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CONTENTS = yaml.safe_load((Path(__file__).parents[2] / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [CONTENTS["root"], *(page["file"] for part in CONTENTS["parts"] for page in part["chapters"])]

# What a page fetches by itself; a link that a reader may follow is another matter.
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}

FAULTS = """() => {
    const shown = (node) => node.checkVisibility();
    const text = (node) => (node?.textContent ?? "").trim();
    const labels = (node) => [...(node.labels ?? [])].map(text).join("")
        || text(document.getElementById(node.getAttribute("aria-labelledby")));
    const name = (node) => node.ariaLabel || labels(node) || node.title || text(node)
        || node.querySelector("img[alt]")?.alt;
    const jumps = (level, i, levels) => level > (levels[i - 1] ?? 0) + 1 || (level === 1) !== (i === 0);
    const of = (selector) => [...document.querySelectorAll(selector)].filter(shown);
    const html = (node) => node.outerHTML.slice(0, 160);
    const levels = of("h1, h2, h3, h4, h5, h6").map((node) => Number(node.tagName[1]));
    const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
    return {
        language: document.documentElement.lang === "en" ? [] : [document.documentElement.lang],
        title: document.title ? [] : ["none"],
        "headings out of order": levels.filter(jumps),
        "empty headings": of("h1, h2, h3, h4, h5, h6").filter((node) => !text(node)).map(html),
        "images without words": of("img")
            .filter((img) => !img.hasAttribute("alt") || /\\.(png|svg|jpe?g)$/.test(img.alt)).map(html),
        "controls without a name": of("input:not([type=hidden]), select, textarea, button")
            .filter((node) => !name(node)).map(html),
        "links without a name": of("a[href]").filter((node) => !name(node)).map(html),
        "ids given twice": ids.filter((id, i) => ids.indexOf(id) !== i),
    };
}"""


class Sources(HTMLParser):
    """Collects what the tags of a page fetch."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.urls: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.urls += [value for name, value in attrs if value and name == FETCHED.get(tag)]


def outside(pages: Path) -> Iterator[str]:
    """Sources in pages and styles that lie on another host."""
    for path in pages.rglob("*.html"):
        for url in Sources(path.read_text(encoding="utf-8")).urls:
            if re.match(r"(https?:)?//", url):
                yield f"{path.relative_to(pages)}: {url}"
    for path in pages.rglob("*.css"):
        for url in re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)]*)", path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(pages)}: {url}"


def test_every_page_of_the_contents_is_there(pages: Path) -> None:
    assert [page for page in PAGES if not (pages / f"{page}.html").is_file()] == []


def test_no_page_names_a_source_on_another_host(pages: Path) -> None:
    assert list(outside(pages)) == []


@pytest.mark.parametrize("name", [*PAGES, "search", "genindex"])
def test_page_opens_without_network_or_error(offline_page: Page, address: str, name: str) -> None:
    failed: list[str] = []
    offline_page.on("requestfailed", lambda request: failed.append(request.url))
    offline_page.goto(f"{address}/{name}.html", wait_until="networkidle")
    assert failed == []


@pytest.mark.parametrize("name", PAGES)
def test_page_can_be_read_aloud(offline_page: Page, server: str, name: str) -> None:
    offline_page.goto(f"{server}/{name}.html", wait_until="networkidle")
    assert {what: found for what, found in offline_page.evaluate(FAULTS).items() if found} == {}


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_a_phone(offline_page: Page, server: str, name: str) -> None:
    offline_page.set_viewport_size({"width": 390, "height": 800})
    offline_page.goto(f"{server}/{name}.html")
    assert offline_page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_top_leads_to_the_front_page(offline_page: Page, address: str) -> None:
    offline_page.goto(f"{address}/index.html")
    offline_page.wait_for_url(f"{address}/{CONTENTS['root']}.html")
    offline_page.get_by_role("heading", level=1, name="Encoder Atlas").wait_for()


def test_search_finds_a_page(offline_page: Page, address: str) -> None:
    offline_page.goto(f"{address}/search.html?q=parameter")
    found = offline_page.locator("#search-results ul.search a")
    found.first.wait_for()
    assert "How to run it" in found.all_text_contents()
