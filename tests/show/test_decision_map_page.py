"""The widget in a real browser, in a page opened from a file, without kernel or network."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from encoder_atlas.show import DecisionMap

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
Contrast = Callable[[str, str], float]
ATTACK = "<img src=x onerror=alert(1)> is shown as text"
REREAD = "document.querySelectorAll('canvas')[{}].toDataURL()"


def place(page: Page, frame: Any, point: int, at: int = 0) -> tuple[float, float]:
    """Where on the screen a point lies in the map number ``at``."""
    box = page.locator("canvas").nth(at).bounding_box()
    assert box is not None
    left, right, bottom, top = frame.extent
    x, y = frame.embedding[point]
    return (
        box["x"] + box["width"] * (x - left) / (right - left),
        box["y"] + box["height"] * (top - y) / (top - bottom),
    )


def loneliest(frame: Any, among: Iterable[int] = range(40)) -> int:
    """A point that no other lies close to, so that the pointer cannot mean another."""
    apart = np.linalg.norm(frame.embedding[:, None] - frame.embedding[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return max(among, key=lambda point: apart[point].min())


def listed(page: Page) -> Locator:
    return page.locator(".list li")


def picture(page: Page, at: int = 0) -> str:
    return page.evaluate(REREAD.format(at))


def selected(page: Page, at: int = 0) -> list[str]:
    return page.evaluate(f"models[{at}].get('selected')")


def test_slider_moves_the_map(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)
    seen = set()
    for frame in reversed(frames):
        differ = int((frame.predicted != frame.background).sum())
        expect(page.locator(".status")).to_contain_text(
            f"{differ} of 40 points: prediction and background differ at λ = {frame.lambda_:g}"
        )
        expect(page.locator(".status")).to_contain_text(f"Q_kNN error {100 * frame.q_knn:.1f} %")
        seen.add(picture(page))
        page.locator("input[type=range]").press("ArrowLeft")
    assert len(seen) == len(frames)
    assert page.evaluate("models[0].get('frame')") == 0
    assert page.locator("input[type=range]").get_attribute("aria-valuetext") == "λ = 0"


def test_points_glide_where_motion_is_welcome(open_maps: Open, decision_map: DecisionMap) -> None:
    page = open_maps(decision_map)
    page.emulate_media(reduced_motion="no-preference")
    before = picture(page)
    page.locator("input[type=range]").press("ArrowLeft")
    page.wait_for_timeout(150)
    between = picture(page)
    page.wait_for_timeout(800)
    after = picture(page)
    assert len({before, between, after}) == 3
    page.wait_for_timeout(100)
    assert picture(page) == after


def test_hover_shows_the_sentence(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)
    point = loneliest(frames[-1])
    page.mouse.move(*place(page, frames[-1], point))
    expect(page.locator(".tip")).to_contain_text(decision_map.texts[point])
    expect(page.locator(".tip")).to_contain_text(re.compile("true: .* predicted: "))
    page.mouse.move(2, 2)
    expect(page.locator(".tip")).to_be_hidden()


def test_click_lists_the_nearest_neighbours(
    open_maps: Open, decision_map: DecisionMap, frames: list[Any]
) -> None:
    page = open_maps(decision_map)
    frame = frames[-1]
    point = loneliest(frame)
    page.mouse.click(*place(page, frame, point))
    expected = [point, *frame.neighbours[point][:5]]
    expect(listed(page)).to_have_count(6)
    for row, near in enumerate(expected):
        expect(listed(page).nth(row)).to_contain_text(decision_map.texts[near])
    assert selected(page) == [f"dev:{point}"]
    expect(page.locator(".heading")).to_have_text(re.compile("5 nearest by the blended distance at λ = 1"))
    # Another λ has other neighbours, for it blends other distances.
    page.locator("input[type=range]").press("Home")
    for row, near in enumerate(frames[0].neighbours[point][:5], start=1):
        expect(listed(page).nth(row)).to_contain_text(decision_map.texts[near])


def test_lasso_lists_what_it_holds(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)
    box = page.locator("canvas").bounding_box()
    assert box is not None
    x, y, side = box["x"], box["y"], box["width"]
    middle = x + side / 2
    page.mouse.move(x + 9, y + 9)  # inside the rounded corner
    page.mouse.down()
    for corner in ((middle, y + 9), (middle, y + side - 9), (x + 9, y + side - 9)):
        page.mouse.move(*corner, steps=3)
    page.mouse.up()
    left = [i for i in range(40) if place(page, frames[-1], i)[0] < middle]
    assert selected(page) == [f"dev:{i}" for i in left]
    expect(listed(page)).to_have_count(len(left))
    expect(page.locator(".heading")).to_have_text(f"{len(left)} sentences chosen")
    # Zoom brings the chosen apart, and back.
    whole = picture(page)
    page.get_by_role("button", name="Zoom in").click()
    assert picture(page) != whole
    page.get_by_role("button", name="Whole map").click()
    page.mouse.move(2, 2)
    assert picture(page) == whole


def test_lasso_by_touch(open_maps: Open, decision_map: DecisionMap) -> None:
    page = open_maps(decision_map)
    box = page.locator("canvas").bounding_box()
    assert box is not None
    low, high = 9, box["width"] - 9
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    kind = "touchStart"
    for x, y in ((low, low), (high, low), (high, high), (low, high)):
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": box["x"] + x, "y": box["y"] + y}]},
        )
        kind = "touchMove"
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".heading")).to_have_text("40 sentences chosen")
    assert page.evaluate("scrollY") == 0


def test_shift_adds_to_what_is_chosen(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)
    page.get_by_role("button", name="Misclassified (4)").click()
    point = loneliest(frames[-1], range(1, 10))
    page.keyboard.down("Shift")
    page.mouse.click(*place(page, frames[-1], point))
    assert selected(page) == ["dev:0", "dev:10", "dev:20", "dev:30", f"dev:{point}"]
    page.mouse.click(*place(page, frames[-1], point))
    page.keyboard.up("Shift")
    assert len(selected(page)) == 4
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 12, box["y"] + 12)
    assert selected(page) == []


def test_keyboard_alone(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)
    page.evaluate("window.leaked = []; document.addEventListener('keydown', (e) => leaked.push(e.key))")
    canvas = page.locator("canvas")
    canvas.focus()
    for key in ("ArrowRight", "ArrowUp"):
        canvas.press(key)
    expect(page.locator(".tip")).to_be_visible()
    canvas.press("Enter")
    expect(listed(page)).to_have_count(6)
    (first,) = selected(page)
    expect(page.locator(".spoken")).to_contain_text(decision_map.texts[int(first[4:])])
    canvas.press("ArrowLeft")
    canvas.press("Space")
    assert len(selected(page)) == 2
    canvas.press("Space")
    assert selected(page) == [first]
    canvas.press("a")
    expect(listed(page)).to_have_count(10)
    canvas.press("Escape")
    expect(listed(page)).to_have_count(0)
    assert selected(page) == []
    assert page.evaluate("leaked") == []


def test_arrows_go_where_they_point(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)
    canvas = page.locator("canvas")
    canvas.focus()
    canvas.press("ArrowDown")
    at = None
    for _ in range(3):
        canvas.press("ArrowRight")
        spoken = page.locator(".spoken").inner_text()
        point = next(i for i, text in enumerate(decision_map.texts) if spoken.startswith(f"{text}."))
        here = place(page, frames[-1], point)[0]
        assert at is None or here >= at
        at = here


def test_buttons_list_the_telling_points(
    open_maps: Open, decision_map: DecisionMap, frames: list[Any]
) -> None:
    page = open_maps(decision_map)
    frame = frames[-1]
    ringed = np.flatnonzero(frame.predicted != frame.background)
    page.get_by_role("button", name=f"Ringed ({len(ringed)})").press("Enter")
    assert selected(page) == [f"dev:{i}" for i in ringed]
    expect(listed(page)).to_have_count(len(ringed))
    page.get_by_role("button", name="Misclassified (4)").press("Enter")
    assert selected(page) == ["dev:0", "dev:10", "dev:20", "dev:30"]
    expect(page.locator(".list b")).to_have_count(4)
    page.get_by_role("button", name="All (40)").press("Enter")
    expect(listed(page)).to_have_count(40)


def test_least_certain_come_by_probability(
    open_maps: Open, frames: list[Any], map_of: Callable[..., Any]
) -> None:
    sure = np.linspace(0.99, 0.51, 40)
    predicted = frames[0].predicted
    probabilities = np.stack([1 - sure, 1 - sure], axis=1)
    probabilities[np.arange(40), predicted] = sure
    page = open_maps(map_of(frames, probabilities=probabilities))
    page.get_by_role("button", name="Least certain (20)").click()
    assert selected(page) == [f"dev:{i}" for i in range(39, 19, -1)]
    expect(listed(page).first).to_contain_text("(0.51)")


def test_search_filters(open_maps: Open, decision_map: DecisionMap) -> None:
    page = open_maps(decision_map)
    page.get_by_role("searchbox").fill("Sentence 1")
    hits = [i for i, text in enumerate(decision_map.texts) if "sentence 1" in text]
    expect(listed(page)).to_have_count(len(hits))
    expect(page.locator(".heading")).to_contain_text(f"{len(hits)} sentences holding “Sentence 1”")
    assert selected(page) == []
    page.get_by_role("searchbox").press("Enter")
    assert selected(page) == [f"dev:{i}" for i in hits]
    page.get_by_role("searchbox").fill("nowhere in the text")
    expect(listed(page)).to_have_count(0)
    page.get_by_role("searchbox").press("Escape")
    expect(page.get_by_role("searchbox")).to_have_value("")


@pytest.mark.parametrize("clipboard", [True, False], ids=["clipboard", "no clipboard"])
def test_copy_of_chosen_ids(open_maps: Open, decision_map: DecisionMap, clipboard: bool) -> None:
    page = open_maps(decision_map)
    if not clipboard:
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Misclassified (4)").click()
    page.get_by_role("button", name="Copy ids").click()
    expect(page.get_by_role("button", name="Copied 4")).to_be_focused()
    page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' }))")
    page.locator("#pasted").press("Control+v")
    expect(page.locator("#pasted")).to_have_value("dev:0\ndev:10\ndev:20\ndev:30")


def test_markup_in_a_sentence_is_text(open_maps: Open, decision_map: DecisionMap, frames: list[Any]) -> None:
    page = open_maps(decision_map)  # a dialog would fail the test
    page.get_by_role("searchbox").fill("onerror")
    expect(listed(page)).to_have_count(1)
    expect(listed(page).first).to_contain_text(ATTACK)
    page.mouse.move(*place(page, frames[-1], 7))
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_timeout(200)
    assert page.locator("img").count() == 0


def test_selection_set_from_the_model_is_shown(open_maps: Open, decision_map: DecisionMap) -> None:
    page = open_maps(decision_map)
    page.evaluate("models[0].set('selected', ['dev:3', 'dev:8'])")
    expect(listed(page)).to_have_count(2)
    saves = page.evaluate("models[0].saves")
    page.get_by_role("button", name="Clear").click()
    assert page.evaluate("models[0].saves") > saves


def test_two_maps_keep_apart(open_maps: Open, frames: list[Any], map_of: Callable[..., Any]) -> None:
    page = open_maps(map_of(frames), map_of(frames[:2]))
    other = picture(page, 1)
    page.get_by_role("button", name="Misclassified (4)").first.click()
    page.locator("input[type=range]").first.press("ArrowLeft")
    assert len(selected(page, 0)) == 4
    assert selected(page, 1) == []
    assert picture(page, 1) == other
    assert page.locator(".atlas-map [id]").count() == 0


def test_maps_of_one_group_choose_together(
    open_maps: Open, frames: list[Any], map_of: Callable[..., Any]
) -> None:
    page = open_maps(
        map_of(frames, group="same"), map_of(frames[:2], group="same"), map_of(frames, group="not")
    )
    page.get_by_role("button", name="Misclassified (4)").first.click()
    assert [len(selected(page, at)) for at in range(3)] == [4, 4, 0]
    unmarked = picture(page, 1)
    page.mouse.move(*place(page, frames[-1], loneliest(frames[-1])))
    page.wait_for_timeout(100)
    assert picture(page, 1) != unmarked
    # A map that has left the page hears nothing more.
    page.evaluate("closers[1]()")
    page.get_by_role("button", name="Clear").first.click()
    assert len(selected(page, 1)) == 4


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(
    open_maps: Open, decision_map: DecisionMap, contrast: Contrast, theme: str
) -> None:
    page = open_maps(decision_map, theme=theme)
    for part in (".status", ".help", ".legend", ".heading"):
        ink, paper = page.evaluate(
            """(part) => [getComputedStyle(document.querySelector(part)).color,
                          getComputedStyle(document.querySelector('.atlas-map')).backgroundColor]""",
            part,
        )
        assert contrast(ink, paper) > 4.5, part
