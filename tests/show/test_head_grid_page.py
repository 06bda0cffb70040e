"""The grid of heads in a real browser, in a page opened from a file, without kernel or network."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from encoder_atlas.show import HeadGrid, HeadScores, HeadWords

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
Contrast = Callable[[str, str], float]
ATTACK = "<img src=x onerror=alert(1)>"
WORDS = HeadWords(
    step="L0 coefficient", score="gate", selected="kept", performance="Score (%)", rows="gates of"
)


@pytest.fixture
def scores(scores_of: Callable[..., HeadScores]) -> HeadScores:
    return scores_of()


def heads_of(page: Page, name: str) -> Locator:
    """The cells of one grid; the top layer comes first on the page."""
    return page.locator(f".grid[aria-label^='{name}:']").first


def head(page: Page, name: str, layer: int, number: int) -> Locator:
    """A head, counted from 0 as in the arrays."""
    return heads_of(page, name).locator(f"[aria-label^='layer {layer + 1}, head {number + 1}:']")


def outlined(page: Page, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The heads of one grid that look outlined, layer 1 in row 0."""
    marks = (
        heads_of(page, name)
        .locator(".head")
        .evaluate_all("all => all.map(one => [one.ariaLabel, getComputedStyle(one).outlineStyle !== 'none'])")
    )
    found = np.zeros(shape, dtype=bool)
    for label, outline in marks:
        layer, number = map(int, re.findall(r"\d+", label)[:2])
        found[layer - 1, number - 1] = outline
    return found


def rows(page: Page, caption: str) -> list[list[str]]:
    """What a table says below its header, cell by cell."""
    found = page.locator("table", has=page.locator("caption", has_text=caption))
    return found.locator("tbody tr").evaluate_all(
        "all => all.map(row => [...row.children].map(c => c.innerText))"
    )


def ranks(values: np.ndarray, layer: int, number: int) -> list[int]:
    """The rank of one head in every task: one more than the heads above it."""
    return [1 + sum(other > heads[layer, number] for other in heads.flat) for heads in values]


def test_slider_outlines_exactly_the_top_of_each_task(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores))
    slider = page.locator("input[type=range]")
    for step in scores.steps:
        k = int(step.value * 72)
        expect(slider).to_have_attribute("aria-valuetext", f"α = {step.value:g}")
        expect(page.locator(".status")).to_contain_text(f"{k} of 72 heads pruned for each task")
        for task, values in zip(scores.tasks, scores.values, strict=True):
            shown = outlined(page, task, values.shape)
            assert shown.sum() == k
            assert values[shown].min() > values[~shown].max(), (task, step.value)
        slider.press("ArrowRight")
    assert page.evaluate("models[0].get('step')") == 3
    assert page.evaluate("models[0].saves") == 3


def test_slider_shows_what_was_measured(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores))
    for step in scores.steps:
        assert step.performance is not None and step.dissociation is not None
        *table, last = rows(page, "Relative performance (%)")
        expected = [
            [task, *(f"{value:.1f}" for value in line)]
            for task, line in zip(scores.tasks, step.performance, strict=True)
        ]
        assert table == expected
        assert last == ["D", *(f"{value:.1f}" for value in step.dissociation)]
        expect(page.locator(".status")).to_contain_text(f"mean D = {step.dissociation.mean():.1f}")
        expect(page.locator(".note")).to_have_text(step.note)
        page.locator("input[type=range]").press("ArrowRight")
    assert page.locator(".curve polyline").count() == len(scores.tasks) + 1


def test_click_on_a_head_shows_its_ranks(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores, at=0.3))
    for layer, number in ((0, 0), (5, 11), (2, 7)):
        head(page, "QNLI", layer, number).click()
        shown = rows(page, f"Layer {layer + 1}, head {number + 1}")
        assert [line[0] for line in shown] == list(scores.tasks)
        assert [int(line[1]) for line in shown] == ranks(scores.values, layer, number)
        pruned = [bool(chosen[layer, number]) for chosen in scores.steps[2].selected]
        assert [line[3] == "pruned" for line in shown] == pruned
        assert page.evaluate("models[0].get('head')") == [layer, number]
        assert page.locator(".head.chosen").count() == 5, "the same head is marked in every grid"
    page.mouse.move(2, 2)
    head(page, "QNLI", 2, 7).click()
    assert page.evaluate("models[0].get('head')") == [], "a second click lets it go"


def test_pointing_previews_and_leaving_returns(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores))
    head(page, "MNLI", 1, 1).click()
    page.locator(".title, .status").first.click()
    head(page, "SST-2", 3, 4).hover()
    expect(page.locator(".of-head caption")).to_have_text("Layer 4, head 5")
    page.mouse.move(2, 2)
    expect(page.locator(".of-head caption")).to_have_text("Layer 2, head 2")


def test_keyboard_alone(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores, at=0.3))
    page.evaluate("window.leaked = []; document.addEventListener('keydown', (e) => leaked.push(e.key))")
    page.locator("input[type=range]").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Colour by rank")).to_be_focused()
    page.keyboard.press("Tab")
    expect(head(page, "SST-2", 5, 0)).to_be_focused()
    expect(page.locator(".of-head caption")).to_have_text("Layer 6, head 1")
    for key, at in {
        "ArrowDown": (4, 0),
        "ArrowRight": (4, 1),
        "ArrowUp": (5, 1),
        "PageDown": (0, 1),
        "End": (0, 11),
        "ArrowLeft": (0, 10),
    }.items():
        page.keyboard.press(key)
        expect(head(page, "SST-2", *at)).to_be_focused()
        assert page.evaluate("models[0].get('head')") == list(at)
    (layer, number), first = (0, 10), scores.steps[2].selected[0]
    spoken = head(page, "SST-2", layer, number).get_attribute("aria-label")
    rank = ranks(scores.values, layer, number)[0]
    assert spoken is not None
    assert spoken.startswith(f"layer 1, head 11: rank {rank} of 72, importance ")
    assert spoken.endswith(", pruned") == first[layer, number]
    page.keyboard.press("Tab")
    expect(head(page, "QNLI", layer, number)).to_be_focused()
    page.keyboard.press("Escape")
    assert page.evaluate("models[0].get('head')") == []
    expect(page.locator(".of-head caption")).to_contain_text("Highest importance")
    assert page.evaluate("leaked") == []
    assert page.locator(".status").get_attribute("aria-live") == "polite"


def test_highest_heads_lead_to_their_place(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores))
    shown = rows(page, "Highest importance")
    for line, values in zip(shown, scores.values, strict=True):
        best = [np.unravel_index(i, values.shape) for i in np.argsort(-values, axis=None)[:3]]
        assert line[1:] == [f"{layer + 1} · {number + 1}" for layer, number in best]
    layer, number = np.unravel_index(scores.values[1].argmax(), scores.values[1].shape)
    page.get_by_role("button", name=f"QNLI: layer {layer + 1}, head {number + 1}").first.press("Enter")
    expect(head(page, "QNLI", int(layer), int(number))).to_be_focused()
    assert rows(page, "Layer")[1][1] == "1"


def test_overlap_names_the_tasks_and_counts_them(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores, at=0.5))
    selected = scores.steps[3].selected
    for (layer, number), count in np.ndenumerate(selected.sum(axis=0)):
        cell = head(page, "Overlap", layer, number)
        names = [task for task, chosen in zip(scores.tasks, selected, strict=True) if chosen[layer, number]]
        assert cell.get_attribute("aria-label") == (
            f"layer {layer + 1}, head {number + 1}: pruned for {', '.join(names) or 'no task'}"
        )
        stripes = cell.evaluate("one => one.style.background").count("rgb(")
        assert stripes == (
            2 * count if cell.evaluate("one => one.style.background.includes('gradient')") else 1
        )
    found, chance = rows(page, "Heads pruned for so many tasks")
    counts = selected.sum(axis=0)
    assert found[1:] == [str((counts == k).sum()) for k in range(5)]
    # Each task prunes half of the heads: the chance of k tasks is binomial.
    assert [float(cell) for cell in chance[1:]] == pytest.approx(
        [72 * c / 16 for c in (1, 4, 6, 4, 1)], abs=0.5
    )


def test_a_model_of_all_tasks_counts_as_none_more(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(replace(scores, counted=3), at=0.5))
    counts = scores.steps[3].selected[:3].sum(axis=0)
    found, chance = rows(page, "Heads pruned for so many tasks")
    assert found[1:] == [str((counts == k).sum()) for k in range(4)]
    assert [float(cell) for cell in chance[1:]] == pytest.approx([72 * c / 8 for c in (1, 3, 3, 1)], abs=0.5)
    layer, number = np.argwhere(scores.steps[3].selected[3] & (counts == 0))[0]
    label = head(page, "Overlap", int(layer), int(number)).get_attribute("aria-label")
    assert label == f"layer {layer + 1}, head {number + 1}: pruned for no task"


def test_colour_by_rank(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores))
    lightness = """all => all.map(one =>
        getComputedStyle(one).backgroundColor.match(/\\d+/g).map(Number).reduce((a, b) => a + b))"""
    cells = heads_of(page, "SST-2").locator(".head")
    values = scores.values[0][::-1].ravel()  # the top layer comes first on the page
    for pressed in ("false", "true"):
        shown = page.get_by_role("button", name="Colour by rank")
        expect(shown).to_have_attribute("aria-pressed", pressed)
        shades = np.array(cells.evaluate_all(lightness))[np.argsort(values)]
        assert (np.diff(shades) <= 0).all(), "more important is darker"
        steps = np.abs(np.diff(shades))
        assert (steps.max() < 25) == (pressed == "true"), "ranks are evenly apart"
        shown.press("Enter")


def test_runs_switch_and_lie_over_each_other(open_maps: Open, gate_runs: list[HeadScores]) -> None:
    page = open_maps(HeadGrid(gate_runs, words=WORDS, scale="value"))
    gates = np.array([run.steps[0].scores for run in gate_runs])
    slider = page.locator("input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "L0 coefficient = 0.0001"
    for at, run in enumerate(gate_runs):
        page.get_by_role("button", name=run.run).press("Enter")
        assert (outlined(page, "POS", (4, 6)) == run.steps[0].selected[0]).all()
        assert rows(page, "Score (%)")[0] == ["POS", f"{90.9 + at + 1:.1f}", "–"]
    page.get_by_role("button", name="all, as colours").press("Enter")
    assert page.evaluate("models[0].get('run')") == 3
    everywhere = np.all([run.steps[0].selected[2] for run in gate_runs], axis=0)
    assert (outlined(page, "all five", (4, 6)) == everywhere).all()
    colour = head(page, "NER", 2, 3).evaluate("one => getComputedStyle(one).backgroundColor")
    assert [int(part) for part in re.findall(r"\d+", colour)] == [round(255 * g) for g in gates[:, 1, 2, 3]]
    assert rows(page, "Score (%), mean of 3 runs")[2] == ["all five", "90.9", "68.9"]
    # Gates are learned anew at each coefficient.
    slider.press("End")
    last = np.all([run.steps[2].selected[0] for run in gate_runs], axis=0)
    assert (outlined(page, "POS", (4, 6)) == last).all()


def test_equal_scores_share_a_rank(open_maps: Open, gate_runs: list[HeadScores]) -> None:
    page = open_maps(HeadGrid(gate_runs[0], words=WORDS, scale="value"))
    gates = gate_runs[0].steps[0].scores
    assert gates is not None
    open_ = np.argwhere(gates[0] == 1.0)
    assert len(open_) > 1
    for layer, number in open_:
        label = head(page, "POS", layer, number).get_attribute("aria-label")
        assert label == f"layer {layer + 1}, head {number + 1}: rank 1 of 24, gate 1, kept"


def test_without_steps_there_is_no_slider(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(replace(scores, steps=())))
    expect(page.locator("input[type=range]")).to_be_hidden()
    expect(page.locator(".status")).to_have_text("72 heads: 6 layers of 12")
    assert page.locator(".grid").count() == 4
    head(page, "QNLI", 0, 0).click()
    assert [int(line[1]) for line in rows(page, "Layer 1, head 1")] == ranks(scores.values, 0, 0)


def test_one_step_is_named_without_a_slider(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(replace(scores, steps=scores.steps[2:3])))
    expect(page.locator("input[type=range]")).to_be_hidden()
    expect(page.locator(".curve")).to_be_hidden()
    expect(page.locator(".status")).to_contain_text("α = 0.3: 21 of 72 heads pruned for each task")


def test_markup_in_names_is_text(open_maps: Open, scores_of: Callable[..., HeadScores]) -> None:
    tasks = [ATTACK, "</script><b>bold</b>"]
    given = scores_of(tasks, layers=2, heads=3)
    steps = [replace(step, note=ATTACK) for step in given.steps]
    words = HeadWords(score=ATTACK, selected=ATTACK, performance=ATTACK, rows=ATTACK, step=ATTACK)
    page = open_maps(HeadGrid(replace(given, steps=steps), title=ATTACK, words=words))  # a dialog would fail
    page.locator(".head").first.click()
    page.wait_for_timeout(200)
    assert page.locator("img").count() == 0
    assert page.locator("b", has_text=re.compile("^bold$")).count() == 0
    for part in (".title", ".note", ".of-head", ".grid-name >> nth=0"):
        expect(page.locator(part)).to_contain_text(ATTACK)


def test_head_set_from_the_model_is_shown(open_maps: Open, scores: HeadScores) -> None:
    page = open_maps(HeadGrid(scores), HeadGrid(scores))
    page.evaluate("models[0].set('head', [1, 2])")
    expect(page.locator(".of-head caption").first).to_have_text("Layer 2, head 3")
    assert page.evaluate("models[1].get('head')") == [], "two grids on a page keep apart"
    page.evaluate("models[0].set('step', 3)")
    expect(page.locator("output").first).to_have_text("α = 0.5")
    page.evaluate("closers[0]()")
    page.evaluate("models[0].set('step', 0)")
    expect(page.locator("output").first).to_have_text("α = 0.5")
    assert page.locator(".atlas-heads [id]").count() == 0


@pytest.mark.parametrize("width", [1000, 390])
def test_page_fits(open_maps: Open, scores_of: Callable[..., Any], width: int) -> None:
    tasks = ["MNLI", "QQP", "QNLI", "AG News", "SST-2", "CoLA", "a task with a long name indeed"]
    page = open_maps(HeadGrid(scores_of(tasks, layers=24, heads=16), title="BERT large"))
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sides = page.locator(".head").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert min(sides) > 5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(
    open_maps: Open, scores: HeadScores, contrast: Contrast, theme: str
) -> None:
    page = open_maps(HeadGrid(scores, title="Heads"), theme=theme)
    grounds = {
        ".atlas-heads": (".status", ".help", ".legend", "caption", "thead th", ".jump"),
        ".grid": (".tick",),
    }
    for ground, parts in grounds.items():
        paper = page.locator(ground).first.evaluate("one => getComputedStyle(one).backgroundColor")
        for part in parts:
            ink = page.locator(part).first.evaluate("one => getComputedStyle(one).color")
            assert contrast(ink, paper) > 4.5, part


def test_the_books_theme_leaves_heads_where_they_are(open_maps: Open, scores: HeadScores) -> None:
    theme = pytest.importorskip("pydata_sphinx_theme")
    sheet = Path(theme.__file__).parent / "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css"
    rules = re.sub(r"url\([^)]*\)", "none", sheet.read_text("utf-8"))  # its fonts are not here
    page = open_maps(HeadGrid(scores))
    boxes = """all => {
        const left = all[0].closest(".grid").getBoundingClientRect().x;
        const boxes = all.map((one) => one.getBoundingClientRect());
        return boxes.map((box) => [box.x - left, box.width, box.height]);
    }"""
    before = np.array(heads_of(page, "QNLI").locator(".head").evaluate_all(boxes))
    assert np.ptp(before[:, 1:]) < 0.1, "heads are square"
    page.evaluate(
        """rules => document.head.prepend(
            Object.assign(document.createElement("style"), { textContent: rules }))""",
        rules,
    )
    after = np.array(heads_of(page, "QNLI").locator(".head").evaluate_all(boxes))
    assert after == pytest.approx(before, abs=1)
