"""The strip of layers in a real browser, in a page opened from a file, without kernel or network."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from encoder_atlas.show import LayerPanel, LayerStory, LayerStrip

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
Contrast = Callable[[str, str], float]
ATTACK = "<img src=x onerror=alert(1)>"


def chart(page: Page, title: str) -> Locator:
    return page.locator(f"section[aria-label='{title}']")


def told(page: Page, title: str) -> dict[str, str]:
    """What stands below a chart: each line's name and what it says at this layer."""
    say = "c => [...c].map(one => one.textContent).join(' ')"
    name = "one.querySelector('.name').textContent"
    read = f"all => all.map(one => [{name}, ({say})(one.querySelectorAll('b, .about'))])"
    found = chart(page, title).locator(".legend li").evaluate_all(read)
    return dict(found)


def similarity(story: LayerStory, model: str, text: str, layer: int) -> str:
    rows = story.panels[0].curves.query("model == @model and series == @text and layer == @layer")
    value, low, high = rows.iloc[0][["value", "low", "high"]]
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def test_one_slider_moves_every_chart(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(story, title="A strip", layer=0))
    slider = page.get_by_role("slider", name="Layer")
    expect(slider).to_have_attribute("aria-valuetext", "embeddings")
    for layer in range(5):
        expect(page.locator(".status")).to_contain_text(
            f"{'layer ' + str(layer) if layer else 'embeddings'} of 4"
        )
        assert told(page, "Similarity") == {
            text: similarity(story, "MNLI", text, layer) for text in ("in domain", "Wikipedia")
        }
        frozen = (
            {"MNLI": f"{80 - layer}.0", "parsing": f"{81 - layer}.0"}
            if layer % 2 == 0
            else {"MNLI": "–", "parsing": "–"}
        )
        assert told(page, "Freezing") == frozen
        expect(page.locator(".moved .heading")).to_have_text(f"Words that moved most at layer {layer}")
        expect(page.locator("summary .word").first).to_have_text(f"word{layer}")
        places = page.locator(".now").evaluate_all("all => all.map(one => one.getAttribute('x1'))")
        assert len(places) == 3 and len(set(places)) == 1, "every chart marks the layer"
        slider.press("ArrowRight")
    assert page.evaluate("models[0].get('layer')") == 4
    assert page.evaluate("models[0].saves") == 4
    assert page.locator(".status").get_attribute("aria-live") == "polite"


def test_lines_lie_where_their_numbers_are(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(story))
    lines = chart(page, "Similarity").locator("polyline")
    assert lines.count() == 2 and chart(page, "Similarity").locator("polygon").count() == 2
    points = lines.first.get_attribute("points")
    assert points is not None
    heights = [float(point.split(",")[1]) for point in points.split()]
    values = story.panels[0].curves.query("model == 'MNLI' and series == 'in domain'")["value"].tolist()
    shares = [(values[0] - value) / (values[0] - values[-1]) for value in values]
    assert [(h - heights[0]) / (heights[-1] - heights[0]) for h in heights] == pytest.approx(shares, abs=1e-3)


def test_model_and_text_are_chosen(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(story, layer=3))
    page.get_by_role("button", name="parsing").click()
    expect(page.get_by_role("button", name="parsing")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".status")).to_have_text("layer 3 of 4 · tuned on parsing · in domain")
    assert told(page, "Similarity")["in domain"] == similarity(story, "parsing", "in domain", 3)
    page.get_by_role("button", name="Wikipedia").press("Enter")
    expect(page.locator(".context").first).to_have_text("Wikipedia: before word3 after, of parsing")
    expect(page.locator("mark").first).to_have_text("word3")
    widths = (
        chart(page, "Similarity")
        .locator("polyline")
        .evaluate_all("all => all.map(one => one.getAttribute('stroke-width'))")
    )
    assert float(widths[1]) > float(widths[0]), "the line of the chosen text is bold"
    assert page.evaluate("[models[0].get('model'), models[0].get('text')]") == [1, 1]


def test_where_words_are_listed_is_told_where_they_are_not(open_maps: Open, story: LayerStory) -> None:
    words = [word for word in story.words if word.text == "Wikipedia"]
    page = open_maps(LayerStrip(replace(story, words=words)))
    expect(page.locator(".moved")).to_contain_text("Words are listed for Wikipedia: choose one above.")
    page.get_by_role("button", name="Wikipedia").click()
    expect(page.locator("summary .word").first).to_have_text("word4")


def test_click_in_a_chart_chooses_a_layer(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(story))
    svg = chart(page, "Freezing").locator("svg").first
    box = svg.bounding_box()
    assert box is not None
    svg.click(position={"x": box["width"] * (36 + 204 / 4) / 250, "y": 20})
    expect(page.get_by_role("slider", name="Layer")).to_have_value("1")


def test_training_plays_to_its_end(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(story, layer=4))
    training = chart(page, "During training")
    shown = page.get_by_role("slider", name="Share of training done")
    expect(shown).to_have_attribute("aria-valuetext", "100 % of training")
    page.clock.install()
    page.get_by_role("button", name="Play").click()
    for share, value in ((0, 1.0), (10, 1 - 0.1 * 0.32), (40, 1 - 0.4 * 0.32), (100, 0.68)):
        expect(training.locator(".legend .name")).to_have_text(f"after {share} % of training")
        expect(training.locator(".legend b")).to_have_text(f"{value:.3f}")
        expect(page.get_by_role("button", name="Pause" if share < 100 else "Play")).to_be_visible()
        page.clock.run_for(900)
    assert page.evaluate("models[0].get('point')") == 3
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1000)
    page.keyboard.press("Escape")
    page.clock.run_for(5000)
    expect(shown).to_have_value("1")
    shown.press("ArrowLeft")
    expect(training.locator(".legend .name")).to_have_text("after 0 % of training")


def test_keyboard_alone(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(story, layer=2))
    page.evaluate("window.leaked = []; document.addEventListener('keydown', (e) => leaked.push(e.key))")
    page.get_by_role("button", name="MNLI").focus()
    for name in ("parsing", "in domain", "Wikipedia"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name=name)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("slider", name="Layer")).to_be_focused()
    page.keyboard.press("Home")
    assert page.evaluate("models[0].get('layer')") == 0
    page.locator("summary").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("details").nth(1)).to_have_attribute("open", "")
    assert page.evaluate("leaked") == []


def test_one_model_without_words_or_training(open_maps: Open, story: LayerStory) -> None:
    page = open_maps(LayerStrip(LayerStory(story.panels[1:])), LayerStrip(story))
    first = page.locator(".atlas-strip").first
    expect(first.locator(".moved")).to_be_hidden()
    expect(first.locator(".training")).to_be_hidden()
    assert first.locator(".choice").count() == 0
    page.evaluate("closers[1](); models[1].set('layer', 0)")
    expect(page.locator(".status").nth(1)).to_contain_text("layer 4 of 4")
    assert page.locator(".atlas-strip [id]").count() == 0


def test_markup_in_names_is_text(open_maps: Open, story: LayerStory) -> None:
    panel = story.panels[0]
    curves = panel.curves.assign(series=panel.curves["series"] + ATTACK)
    panels = [LayerPanel(ATTACK, curves, ATTACK, ATTACK)]
    words = [replace(word, word=ATTACK, contexts=[(ATTACK, ATTACK, ATTACK)]) for word in story.words]
    page = open_maps(
        LayerStrip(LayerStory(panels, story.timeline, words), title=ATTACK)
    )  # a dialog would fail
    page.wait_for_timeout(200)
    assert page.locator("img").count() == 0
    for part in (".title", ".chart .heading", ".legend .name", "summary .word", "mark"):
        expect(page.locator(part).first).to_contain_text(ATTACK)


@pytest.mark.parametrize("width", [1000, 390])
def test_page_fits(open_maps: Open, story: LayerStory, width: int) -> None:
    page = open_maps(LayerStrip(story, title="A strip"))
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(
    open_maps: Open, story: LayerStory, contrast: Contrast, theme: str
) -> None:
    page = open_maps(LayerStrip(story, title="A strip"), theme=theme)
    ground = page.locator(".atlas-strip").evaluate("one => getComputedStyle(one).backgroundColor")
    colours: dict[str, Any] = {
        part: page.locator(part).first.evaluate("one => getComputedStyle(one).color")
        for part in (".title", ".status", ".about", ".legend b", ".help", ".context")
    }
    for part, colour in colours.items():
        assert contrast(colour, ground) >= 4.5, part
