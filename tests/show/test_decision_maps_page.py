"""Maps side by side in a real browser, in a page opened from a file, without kernel or network."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.show.test_decision_map_page import listed, loneliest, picture, place, selected

from encoder_atlas.show import DecisionMap, DecisionMaps

pytestmark = pytest.mark.browser

Open = Callable[..., Page]


@pytest.fixture
def three(frames: list[Any]) -> dict[str, Any]:
    """One classifier's maps, from the representation alone to the classifier alone."""
    return {f"λ = {frame.lambda_:g}": frame for frame in (frames[3], frames[2], frames[0])}


@pytest.fixture
def maps(three: dict[str, Any], decision_map: DecisionMap) -> DecisionMaps:
    labels = np.frombuffer(decision_map.labels, "u1").astype(int)
    given = (decision_map.texts, labels, decision_map.class_names, decision_map.ids)
    return DecisionMaps(three, *given, title="Side by side")


def pictures(page: Page) -> list[str]:
    page.wait_for_timeout(50)
    return [picture(page, at) for at in range(3)]


def tips(page: Page) -> Locator:
    return page.locator(".tip:visible")


def test_a_point_chosen_in_one_map_is_marked_in_all(
    open_maps: Open, maps: DecisionMaps, three: dict[str, Any]
) -> None:
    page = open_maps(maps)
    plain = pictures(page)
    assert len(set(plain)) == 3
    frame = three["λ = 0.8"]
    point = loneliest(frame)
    page.mouse.click(*place(page, frame, point, at=1))
    page.mouse.move(2, 2)
    assert selected(page) == [f"dev:{point}"]
    assert all(now != before for now, before in zip(pictures(page), plain, strict=True))
    # Its sentence, and its neighbours by the distance of the map in which it was chosen, are listed once.
    expected = [point, *frame.neighbours[point][:5]]
    expect(listed(page)).to_have_count(6)
    for row, near in enumerate(expected):
        expect(listed(page).nth(row)).to_contain_text(maps.texts[near])
    expect(page.locator(".heading")).to_have_text(re.compile("5 nearest by the blended distance at λ = 0.8"))
    expect(page.locator(".leads .name")).to_have_text("λ = 0.8")
    page.get_by_role("button", name="Clear").click()
    page.mouse.move(2, 2)
    assert pictures(page) == plain


def test_pointing_at_a_sentence_marks_it_in_all_and_says_it_once(
    open_maps: Open, maps: DecisionMaps, three: dict[str, Any]
) -> None:
    page = open_maps(maps)
    plain = pictures(page)
    frame = three["λ = 0"]
    point = loneliest(frame)
    page.mouse.move(*place(page, frame, point, at=2))
    expect(tips(page)).to_have_count(1)
    expect(tips(page)).to_contain_text(maps.texts[point])
    assert all(now != before for now, before in zip(pictures(page), plain, strict=True))
    page.mouse.move(2, 2)
    expect(tips(page)).to_have_count(0)
    assert pictures(page) == plain


def test_by_keyboard_from_map_to_map(open_maps: Open, maps: DecisionMaps) -> None:
    page = open_maps(maps)
    page.evaluate("window.leaked = []; document.addEventListener('keydown', (e) => leaked.push(e.key))")
    first, second = page.locator("canvas").nth(0), page.locator("canvas").nth(1)
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    (chosen,) = selected(page)
    expect(page.locator(".spoken").first).to_contain_text(maps.texts[int(chosen[4:])])
    page.keyboard.press("Tab")
    expect(second).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert len(selected(page)) == 2
    expect(page.locator(".leads .name")).to_have_text("λ = 0.8")
    page.keyboard.press("Escape")
    assert selected(page) == []
    assert page.evaluate("leaked.filter((key) => key !== 'Tab')") == []


def test_search_and_zoom_hold_for_all(open_maps: Open, maps: DecisionMaps) -> None:
    page = open_maps(maps)
    page.get_by_role("searchbox").fill("sentence 1")
    page.get_by_role("searchbox").press("Enter")
    hits = [f"dev:{i}" for i, text in enumerate(maps.texts) if "sentence 1" in text]
    assert selected(page) == hits
    whole = pictures(page)
    page.get_by_role("button", name="Zoom in").click()
    assert all(now != before for now, before in zip(pictures(page), whole, strict=True))
    page.get_by_role("button", name="Whole map").click()
    page.mouse.move(2, 2)
    assert pictures(page) == whole
    page.get_by_role("searchbox").press("Escape")
    expect(listed(page)).to_have_count(0)


def test_each_map_has_its_own_answers(open_maps: Open, three: dict[str, Any]) -> None:
    frame = three["λ = 1"]
    other = frame.but(predicted=1 - frame.predicted)
    shown = DecisionMaps(
        {"MT": frame, "FT": other},
        [f"text {i}" for i in range(40)],
        frame.predicted,
        ["negative", "positive"],
    )
    page = open_maps(shown)
    expect(page.get_by_role("button", name="Misclassified (0)")).to_be_visible()
    qualities = page.locator(".quality").all_inner_texts()
    assert ["own error 0.0 %" in qualities[0], "own error 100.0 %" in qualities[1]] == [True, True]
    page.locator("canvas").nth(1).press("ArrowRight")
    page.get_by_role("button", name="Misclassified (40)").click()
    assert len(selected(page)) == 40


def test_linked_with_other_maps_by_group(
    open_maps: Open, three: dict[str, Any], maps: DecisionMaps, map_of: Callable[..., Any]
) -> None:
    maps.group = "same"
    page = open_maps(maps, map_of(list(three.values()), group="same"))
    page.get_by_role("button", name="Misclassified (4)").first.click()
    assert [len(selected(page, at)) for at in range(2)] == [4, 4]
    before = pictures(page)
    # Only what has left the page is deaf.
    page.evaluate("closers[0]()")
    page.get_by_role("button", name="Clear").last.click()
    assert pictures(page) == before


def test_fits_a_phone(open_maps: Open, maps: DecisionMaps) -> None:
    page = open_maps(maps)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
