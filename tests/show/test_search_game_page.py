"""The game in a real browser, in a page opened from a file, without kernel or network."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from encoder_atlas.show import SearchGame

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
HIDDEN = 23
ATTACK = "<img src=x onerror=alert(1)> is shown as text"


@pytest.fixture
def game(frames: list[Any], game_of: Callable[..., SearchGame]) -> SearchGame:
    return game_of(frames[-1], hidden=HIDDEN)


def counter(page: Page) -> Locator:
    return page.locator(".heading")


def read(page: Page) -> list[int]:
    return [int(name) for name in page.evaluate("models[0].get('selected')")]


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).press("Enter")


def loneliest(frame: Any) -> int:
    """A point that no other lies close to and that is not the hidden one."""
    apart = np.linalg.norm(frame.embedding[:, None] - frame.embedding[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return int(np.argmax(np.where(np.arange(len(apart)) == HIDDEN, 0, apart.min(axis=1))))


def place(page: Page, frame: Any, point: int) -> tuple[float, float]:
    box = page.locator("canvas").bounding_box()
    assert box is not None
    left, right, bottom, top = frame.extent
    x, y = frame.embedding[point]
    return (
        box["x"] + box["width"] * (x - left) / (right - left),
        box["y"] + box["height"] * (top - y) / (top - bottom),
    )


def test_a_click_reads_and_a_glance_does_not(open_maps: Open, game: SearchGame, frames: list[Any]) -> None:
    page = open_maps(game)
    point = loneliest(frames[-1])
    page.mouse.move(*place(page, frames[-1], point))
    expect(page.locator(".tip")).to_contain_text("Not read yet")
    expect(counter(page)).to_have_text("Sentences read: 0 of 40")
    assert game.texts[point] not in page.locator("body").inner_text()
    page.mouse.click(*place(page, frames[-1], point))
    expect(counter(page)).to_have_text("Sentences read: 1 of 40")
    expect(page.locator(".tip")).to_contain_text(game.texts[point])
    expect(page.locator(".list li")).to_have_count(1)
    page.mouse.click(*place(page, frames[-1], point))
    expect(counter(page)).to_have_text("Sentences read: 1 of 40")
    assert read(page) == [point]


def test_a_stroke_over_the_map_reads_nothing_by_the_dozen(open_maps: Open, game: SearchGame) -> None:
    page = open_maps(game)
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 9, box["y"] + box["height"] - 9, steps=4)
    page.mouse.up()
    page.locator("canvas").press("a")
    assert len(read(page)) <= 1


def test_reading_by_rank_finds_the_hidden_one(open_maps: Open, game: SearchGame) -> None:
    page = open_maps(game)
    order = np.frombuffer(game.order, "<u2").tolist()
    rank = order.index(HIDDEN) + 1
    for number in range(1, rank):
        press(page, "Read the next by rank")
        expect(counter(page)).to_have_text(f"Sentences read: {number} of 40")
        expect(page.locator(".verdict")).to_be_hidden()
        assert game.texts[HIDDEN] not in page.locator("body").inner_text()
        assert page.locator(".hidden-one").count() == 0
    press(page, "Read the next by rank")
    assert read(page) == order[:rank]
    verdict = page.get_by_role("status")
    expect(verdict).to_contain_text(f"Found, as sentence number {rank}: “{game.texts[HIDDEN]}”")
    expect(verdict).to_contain_text("Reading at random takes 20.5 sentences on average")
    expect(verdict).to_contain_text(f"the ranking takes {rank}.")
    expect(page.locator(".hidden-one")).to_contain_text(game.texts[HIDDEN])
    expect(page.get_by_role("button", name="Reveal")).to_be_disabled()


def test_reveal_and_start_again(open_maps: Open, game: SearchGame) -> None:
    page = open_maps(game)
    fresh = page.evaluate("document.querySelector('canvas').toDataURL()")
    press(page, "Reveal")
    verdict = page.get_by_role("status")
    expect(verdict).to_contain_text(f"Revealed after 0 read: “{game.texts[HIDDEN]}”")
    assert page.evaluate("models[0].get('revealed')") is True
    assert page.evaluate("document.querySelector('canvas').toDataURL()") != fresh
    press(page, "Start again")
    expect(verdict).to_be_hidden()
    assert page.evaluate("models[0].get('revealed')") is False
    assert page.evaluate("document.querySelector('canvas').toDataURL()") == fresh


def test_keyboard_alone(open_maps: Open, game: SearchGame) -> None:
    page = open_maps(game)
    canvas = page.locator("canvas")
    canvas.focus()
    canvas.press("ArrowRight")
    expect(page.locator(".spoken")).to_have_text(
        re.compile(r"^Not read yet\. (in region \d+|outside the regions)$")
    )
    canvas.press("Enter")
    (first,) = read(page)
    expect(page.locator(".spoken")).to_contain_text(game.texts[first])
    canvas.press("ArrowLeft")
    canvas.press("Space")
    assert len(read(page)) == 2
    canvas.press("Escape")
    assert len(read(page)) == 2, "Escape leaves what was read"
    for part in (".heading", ".spoken"):
        assert page.locator(part).get_attribute("aria-live") == "polite"


def test_a_region_is_looked_into_and_left(open_maps: Open, game: SearchGame) -> None:
    page = open_maps(game)
    region = np.frombuffer(game.region, "<u2")
    canvas = "document.querySelector('canvas').toDataURL()"
    whole = page.evaluate(canvas)
    look = page.get_by_role("button", name=f"Region 1: 0 of {(region == 1).sum()} read")
    look.press("Enter")
    expect(look).to_have_attribute("aria-pressed", "true")
    expect(look).to_be_focused()
    assert page.evaluate(canvas) != whole
    look.press("Enter")
    expect(look).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(canvas) == whole
    press(page, "Read the next by rank")
    expect(page.get_by_role("button", name=f"Region 1: 1 of {(region == 1).sum()} read")).to_be_visible()


def test_markup_in_a_sentence_is_text(
    open_maps: Open, frames: list[Any], game_of: Callable[..., SearchGame]
) -> None:
    page = open_maps(game_of(frames[-1], hidden=7))  # a dialog would fail the test
    press(page, "Reveal")
    expect(page.get_by_role("status")).to_contain_text(ATTACK)
    assert page.locator("img").count() == 0


def test_a_map_and_a_game_on_one_page_keep_apart(
    open_maps: Open, game: SearchGame, frames: list[Any], map_of: Callable[..., Any]
) -> None:
    page = open_maps(game, map_of(frames))
    press(page, "Read the next by rank")
    press(page, "Misclassified (4)")
    assert len(read(page)) == 1
    assert len(page.evaluate("models[1].get('selected')")) == 4
