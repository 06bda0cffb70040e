"""Chapters 3 and 4 in the built book: their widgets react, their figures and claims are there."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from encoder_atlas.runs.claims import Claims

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
FINETUNING, STEM_CELLS = "notebooks/03_finetuning", "notebooks/04_stem_cells"


def test_the_strip_moves_all_charts_and_its_words(offline_page: Page, address: str) -> None:
    offline_page.goto(f"{address}/{FINETUNING}.html")
    strip = offline_page.locator(".atlas-strip")
    slider = strip.get_by_role("slider", name="Layer")
    slider.press("Home")
    expect(strip.locator(".status")).to_contain_text("embeddings")
    slider.press("End")
    expect(strip.locator(".status")).to_contain_text("layer 2 of 2")
    strip.get_by_role("button", name="parsing").first.click()
    expect(strip.locator(".status")).to_contain_text("tuned on parsing")
    expect(strip.locator(".moved .heading")).to_contain_text("layer 2")
    for chart in strip.locator(".chart").all():
        assert (
            len(set(chart.locator(".now").evaluate_all("all => all.map(one => one.getAttribute('x1'))"))) == 1
        )


def test_words_of_the_strip_are_not_squeezed(offline_page: Page, address: str) -> None:
    """A word that has no room is broken letter by letter, and is higher than it is wide."""
    offline_page.goto(f"{address}/{FINETUNING}.html")
    words = offline_page.locator(".atlas-strip summary .word")
    words.first.wait_for()
    heights = words.evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert max(heights) < 40


def test_gates_and_links_react(offline_page: Page, address: str) -> None:
    offline_page.goto(f"{address}/{STEM_CELLS}.html")
    # By its name: the widgets are drawn in no order, and the one of links has a slider too.
    coefficient = offline_page.get_by_role("slider", name="coefficient")
    coefficient.press("End")
    expect(coefficient).to_have_attribute("aria-valuetext", "coefficient = 0.1")
    links = offline_page.locator(".atlas-links")
    links.get_by_role("button", name="all together").click()
    expect(links.locator(".status")).to_contain_text("all together, layer")
    links.get_by_role("slider", name="Sentence").press("End")
    expect(links.locator(".status")).to_contain_text("links in this sentence")


@pytest.mark.parametrize("chapter", [FINETUNING, STEM_CELLS])
def test_every_claim_figure_and_formula_is_there(offline_page: Page, address: str, chapter: str) -> None:
    offline_page.goto(f"{address}/{chapter}.html")
    article = offline_page.locator("article")
    shown = article.inner_text()
    for claim in Claims.load(ROOT / "book" / "claims.yaml").of(chapter.removeprefix("notebooks/")).claims:
        assert claim.statement in shown, claim.id
    figures = article.locator(".cell_output img")
    decoded = "all => Promise.all(all.map(one => one.decode().then(() => one.naturalWidth)))"
    assert figures.count() >= 7 and min(figures.evaluate_all(decoded)) > 300
    offline_page.wait_for_function("window.MathJax?.startup?.promise")
    offline_page.evaluate("() => MathJax.startup.promise")
    assert offline_page.locator("mjx-merror, [data-mjx-error]").count() == 0
