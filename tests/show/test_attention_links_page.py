"""Attention as links in a real browser, in a page opened from a file, without kernel or network."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from encoder_atlas.show import AttentionLinks, LinkModel
from encoder_atlas.text.layers import Sentence

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
Contrast = Callable[[str, str], float]
ATTACK = "<img src=x onerror=alert(1)>"


@pytest.fixture
def widget(link_sentences: Sequence[Sentence], links_of: Callable[..., LinkModel]) -> AttentionLinks:
    return AttentionLinks(link_sentences, [links_of(), links_of("after", 1)], title="Links")


def said(page: Page) -> list[str]:
    return page.locator(".said li span").all_text_contents()


def test_a_head_that_follows_dependencies_finds_them_all(open_maps: Open, widget: AttentionLinks) -> None:
    page = open_maps(widget)
    expect(page.locator(".status")).to_have_text(
        "before, layer 1, head 1: finds 5 of 5 links in this sentence"
    )
    assert said(page)[:2] == [
        "she → gave: found, she looks at gave",
        "gave → [CLS]: found, gave looks at [CLS]",
    ]
    assert page.locator(".gold.strong").count() == 5 and page.locator(".look.hit").count() == 5
    widths = page.locator(".look.hit").evaluate_all(
        "all => all.map(one => +one.getAttribute('stroke-width'))"
    )
    assert min(widths) > 0.8 + 3 * 0.85
    assert page.locator(".status").get_attribute("aria-live") == "polite"


def test_a_head_that_rests_on_cls_finds_the_root_only(open_maps: Open, widget: AttentionLinks) -> None:
    page = open_maps(widget)
    page.get_by_role("gridcell", name="layer 1, head 2").click()
    assert page.evaluate("models[0].get('head')") == [0, 1]
    expect(page.locator(".status")).to_contain_text("finds 1 of 5 links")
    assert said(page)[3] == "tea → gave: missed"
    page.get_by_role("button", name="[CLS] may be looked at").click()
    expect(page.locator(".status")).to_contain_text("finds 3 of 5 links")
    assert said(page)[0] == "she → gave: found, she looks at gave"
    assert said(page)[2] == "him → gave: found, gave looks at him"
    expect(page.get_by_role("gridcell", name="layer 1, head 2: finds 3 of 5 links")).to_be_visible()


def test_a_label_leads_to_its_best_head(open_maps: Open, widget: AttentionLinks) -> None:
    page = open_maps(widget)
    page.get_by_role("combobox").select_option("obj")
    assert page.evaluate("[models[0].get('label'), models[0].get('head')]") == ["obj", [1, 1]]
    expect(page.locator(".jump")).to_have_text("Best head for obj: layer 2, head 2 (40 % of all)")
    assert page.locator(".gold.strong").count() == 1 and len(said(page)) == 1
    page.get_by_role("gridcell", name="layer 1, head 1").click()
    page.locator(".jump").click()
    assert page.evaluate("models[0].get('head')") == [1, 1]
    page.get_by_role("combobox").select_option("root")
    expect(page.locator(".jump")).to_be_hidden()


def test_roles_models_and_sentences(open_maps: Open, widget: AttentionLinks) -> None:
    page = open_maps(widget)
    page.get_by_role("button", name="roles").click()
    expect(page.get_by_role("button", name="[CLS] may be looked at")).to_have_attribute(
        "aria-pressed", "false"
    )
    assert said(page) == ["she → gave: found, she looks at gave", "him tea → gave: found, him looks at gave"]
    page.get_by_role("button", name="after").press("Enter")
    expect(page.locator(".status")).to_contain_text("after, layer 1, head 1")
    slider = page.get_by_role("slider", name="Sentence")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "2 of 2: dogs bark")
    expect(page.locator(".status")).to_contain_text("finds 0 of 0 links")
    page.get_by_role("button", name="dependencies").click()
    assert said(page)[0] == "dogs → bark: found, dogs looks at bark"


def test_keyboard_alone(open_maps: Open, widget: AttentionLinks) -> None:
    page = open_maps(widget)
    page.evaluate("window.leaked = []; document.addEventListener('keydown', (e) => leaked.push(e.key))")
    page.get_by_role("gridcell", name="layer 1, head 1").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("models[0].get('head')") == [1, 1]
    expect(page.get_by_role("gridcell", name="layer 2, head 2")).to_be_focused()
    assert page.evaluate("leaked") == []
    page.evaluate("closers[0](); models[0].set('sentence', 1)")
    expect(page.locator(".slider output")).to_have_text("1 of 2")


def test_markup_in_words_is_text(
    open_maps: Open, link_sentences: Sequence[Sentence], links_of: Callable[..., LinkModel]
) -> None:
    first = replace(link_sentences[0], words=(ATTACK,) * 5, deprels=(ATTACK, "root", ATTACK, ATTACK, ATTACK))
    page = open_maps(AttentionLinks([first, link_sentences[1]], [links_of(ATTACK)], title=ATTACK))
    page.wait_for_timeout(200)
    assert page.locator("img").count() == 0
    for part in (".title", ".status", ".arcs .word:not(.special)", ".arcs .name", ".said b"):
        expect(page.locator(part).first).to_contain_text(ATTACK)


@pytest.mark.parametrize("width", [1000, 390])
def test_page_fits(open_maps: Open, widget: AttentionLinks, width: int) -> None:
    page = open_maps(widget)
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(
    open_maps: Open, widget: AttentionLinks, contrast: Contrast, theme: str
) -> None:
    page = open_maps(widget, theme=theme)
    ground = page.locator(".atlas-links").evaluate("one => getComputedStyle(one).backgroundColor")
    for part in (".title", ".status", ".help", ".said li", ".said b"):
        colour = page.locator(part).first.evaluate("one => getComputedStyle(one).color")
        assert contrast(colour, ground) >= 4.5, part
    for part in (".arcs .word:not(.special)", ".arcs .special", ".arcs .name"):
        colour = page.locator(part).first.evaluate("one => getComputedStyle(one).fill")
        assert contrast(colour, "rgb(255, 255, 255)") >= 4.5, part
