"""Chapter 1 in the built book: its map reacts, its formulas are set, its notebook can be had."""

import re
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHAPTER = "notebooks/01_deepview"


@pytest.fixture
def chapter(offline_page: Page, address: str) -> Page:
    """The page of the chapter, its maps drawn."""
    offline_page.goto(f"{address}/{CHAPTER}.html")
    wait_for_maps(offline_page)
    return offline_page


def wait_for_maps(page: Page) -> None:
    """Until all stand: they are drawn in no order, so "the first" is another one before that."""
    expect(page.locator(".atlas-map:has(canvas)")).to_have_count(7)


def first_map(page: Page) -> Locator:
    """The one with a slider; maps side by side stand further down."""
    return page.locator(".atlas-map").first


def side_by_side(page: Page) -> Locator:
    return page.locator(".atlas-map:has(.sides)")


def drawing(decision_map: Locator) -> str:
    return decision_map.locator("canvas").evaluate("canvas => canvas.toDataURL()")


def sentences(decision_map: Locator) -> list[str]:
    """The sentences of the list, without what is said about them."""
    return decision_map.locator(".words").evaluate_all(
        "all => all.map(words => words.firstChild.textContent)"
    )


def box(decision_map: Locator) -> tuple[float, float, float]:
    """Left, top and side of the map on the screen."""
    canvas = decision_map.locator("canvas")
    canvas.scroll_into_view_if_needed()
    found = canvas.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["width"]


def test_slider_changes_the_map(chapter: Page) -> None:
    decision_map = first_map(chapter)
    slider, shown = decision_map.locator("input[type=range]"), decision_map.locator("output")
    slider.press("End")
    before, label = drawing(decision_map), shown.text_content()
    assert label == "λ = 1"
    slider.press("Home")
    chapter.wait_for_timeout(400)
    assert shown.text_content() == "λ = 0"
    assert drawing(decision_map) != before


def test_hover_shows_the_sentence(chapter: Page) -> None:
    decision_map = first_map(chapter)
    left, top, side = box(decision_map)
    tip = decision_map.locator(".tip")
    steps = [side * step / 30 for step in range(1, 30)]
    for x, y in ((x, y) for y in steps for x in steps):
        chapter.mouse.move(left + x, top + y)
        if tip.is_visible():
            break
    said = tip.locator("div").first.text_content()
    assert said
    decision_map.locator("input[type=search]").fill(said)  # the list of all is cut after 200
    assert said in sentences(decision_map)


def test_lasso_lists_sentences(chapter: Page) -> None:
    decision_map = first_map(chapter)
    left, top, side = box(decision_map)
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98), (0.02, 0.04)]
    chapter.mouse.move(left + corners[0][0] * side, top + corners[0][1] * side)
    chapter.mouse.down()
    for x, y in corners[1:]:
        chapter.mouse.move(left + x * side, top + y * side, steps=5)
    chapter.mouse.up()
    assert re.match(r"\d+ sentences chosen", decision_map.locator(".heading").inner_text())
    assert len(sentences(decision_map)) > 10


def test_keyboard_lists_sentences(chapter: Page) -> None:
    decision_map = first_map(chapter)
    canvas = decision_map.locator("canvas")
    canvas.press("ArrowRight")
    assert decision_map.locator(".tip").is_visible()
    canvas.press("a")
    assert decision_map.locator(".heading").inner_text() == "10 sentences chosen"
    assert len(sentences(decision_map)) == 10
    canvas.press("Escape")
    assert sentences(decision_map) == []


def test_maps_side_by_side_are_marked_together(chapter: Page) -> None:
    """MT beside FT; PT, and the control, at three λ."""
    groups = side_by_side(chapter)
    assert [groups.nth(at).locator("canvas").count() for at in range(3)] == [2, 3, 3]
    three = groups.nth(1)
    before = [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in three.locator("canvas").all()]
    three.locator("canvas").nth(1).press("ArrowRight")
    three.locator("canvas").nth(1).press("Enter")
    chosen = sentences(three)[0]
    after = [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in three.locator("canvas").all()]
    assert all(now != then for now, then in zip(after, before, strict=True))
    # The other maps of the same sentences have it as well, the one with the slider too.
    assert [sentences(groups.nth(at))[0] for at in (0, 2)] == [chosen, chosen]
    assert sentences(first_map(chapter))[0] == chosen


def test_every_widget_of_the_page_moves(chapter: Page) -> None:
    widgets = chapter.locator(".atlas-map")
    for widget in widgets.all():
        canvas = widget.locator("canvas").first
        canvas.scroll_into_view_if_needed()
        before = canvas.evaluate("canvas => canvas.toDataURL()")
        canvas.press("ArrowRight")
        canvas.press("Enter")
        assert canvas.evaluate("canvas => canvas.toDataURL()") != before
        assert len(sentences(widget)) >= 1
        canvas.press("Escape")


def test_figures_stand_beside_the_maps(chapter: Page) -> None:
    """They are what a reader without JavaScript has."""
    figures = chapter.locator("article .cell_output img")
    assert figures.count() >= 2
    decoded = "all => Promise.all(all.map(one => one.decode().then(() => one.naturalWidth)))"
    assert min(figures.evaluate_all(decoded)) > 300


def test_formulas_are_set(chapter: Page) -> None:
    chapter.wait_for_function("window.MathJax?.startup?.promise")
    chapter.evaluate("() => MathJax.startup.promise")
    assert chapter.locator(".math mjx-container").count() > 0
    assert chapter.locator("mjx-merror, [data-mjx-error]").count() == 0
    assert not re.search(r"\\\(|\\\[|\$\$", " ".join(chapter.locator(".math").all_inner_texts()))


def test_parameters_are_for_running_not_for_reading(chapter: Page) -> None:
    assert chapter.locator(".tag_parameters:visible, .tag_injected-parameters:visible").count() == 0
    assert "# Parameters" not in chapter.locator("article").inner_text()


@pytest.mark.parametrize("where", ["article.bd-article", ".bd-header-article"])
def test_notebook_without_outputs_can_be_had(chapter: Page, pages: Path, where: str) -> None:
    links = chapter.locator(f"{where} a[href$='/01_deepview.ipynb']:not([href*='_sources'])")
    assert links.count() > 0
    href = links.first.get_attribute("href")
    assert href is not None
    clean = nbformat.read((pages / CHAPTER).parent / href, as_version=4)
    cells = [cell for cell in clean.cells if cell.cell_type == "code"]
    assert cells and not any(cell.outputs or cell.execution_count for cell in cells)


def test_sentences_with_markup_are_shown_as_text(offline_page: Page, hostile_pages: Path) -> None:
    offline_page.goto(f"{hostile_pages.as_uri()}/{CHAPTER}.html")
    wait_for_maps(offline_page)
    decision_map = first_map(offline_page)
    decision_map.locator("input[type=search]").fill("sentinel")
    shown = {re.sub(" number .*", "", sentence) for sentence in sentences(decision_map)}
    assert shown == {
        "<img src=x onerror=alert(1)> a <b>sentinel</b>",
        "a sentinel </script> that ends <script>alert(2)</script>",
        "a sentinel <!--<script> that swallows the rest",
        "a sentinel with $\\bad$ dollars & an ampersand;",
    }
    assert offline_page.locator("img[src=x]").count() == 0
    assert "<i>good</i>" in decision_map.inner_text()
