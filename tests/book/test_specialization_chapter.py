"""Chapter 2 in the built book: its grid of heads reacts, its figures and claims are there."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from encoder_atlas.runs.claims import Claims

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
CHAPTER = "notebooks/02_specialization"


@pytest.fixture
def grid(offline_page: Page, address: str) -> Locator:
    """The grid of heads, drawn."""
    offline_page.goto(f"{address}/{CHAPTER}.html")
    widget = offline_page.locator(".atlas-heads")
    widget.locator(".head").first.wait_for()
    return widget


def framed(grid: Locator) -> int:
    """Heads that look outlined, in all grids together."""
    shown = "all => all.filter(one => getComputedStyle(one).outlineStyle !== 'none').length"
    return grid.locator(".head").evaluate_all(shown)


def test_slider_frames_more_heads(grid: Locator) -> None:
    slider = grid.locator("input[type=range]")
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "α = 0.25")
    few = framed(grid)
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "α = 0.75")
    assert framed(grid) > few > 0
    expect(grid.locator(".status")).to_contain_text("3 of 4 heads pruned for each task")


def test_click_on_a_head_shows_its_rank_in_every_task(grid: Locator) -> None:
    grid.locator("[aria-label^='layer 2, head 1:']").first.click()
    table = grid.locator("table", has=grid.page.locator("caption", has_text="Layer 2, head 1"))
    assert table.locator("tbody tr").count() == 3


def test_figures_and_formulas_are_set(grid: Locator) -> None:
    page = grid.page
    figures = page.locator("article .cell_output img")
    decoded = "all => Promise.all(all.map(one => one.decode().then(() => one.naturalWidth)))"
    assert figures.count() >= 12
    assert min(figures.evaluate_all(decoded)) > 300
    page.wait_for_function("window.MathJax?.startup?.promise")
    page.evaluate("() => MathJax.startup.promise")
    assert page.locator(".math mjx-container").count() > 0
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    assert not re.search(r"\\\(|\\\[|\$\$", " ".join(page.locator(".math").all_inner_texts()))


def test_every_claim_of_the_paper_has_a_row(grid: Locator) -> None:
    listed = Claims.load(ROOT / "book" / "claims.yaml")
    shown = grid.page.locator("article").inner_text()
    for claim in listed.of("02_specialization").claims:
        assert claim.where in shown, claim.id


def test_simulated_signals_are_called_simulated(grid: Locator) -> None:
    text = grid.page.locator("article").inner_text()
    assert "the signals are simulated" in text
