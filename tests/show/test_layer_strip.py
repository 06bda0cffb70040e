"""The strip of layers, Python side: what it packs, what it refuses, what it draws where nothing moves."""

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.show import LayerPanel, LayerStory, LayerStrip, LayerTimeline, MovedWord, plot_layer_strip

CURVES = pd.DataFrame({"layer": [0, 1, 2], "value": [1.0, 0.9, np.nan]})


def test_lines_carry_their_points_in_order_of_layers(story: LayerStory) -> None:
    strip = LayerStrip(story, title="A strip")
    assert (strip.layers, strip.layer, strip.point) == (4, 4, 3)
    assert strip.models == ["MNLI", "parsing"] and strip.texts == ["in domain", "Wikipedia"]
    assert strip.series == ["in domain", "Wikipedia", "MNLI", "parsing"]
    lines = strip.panels[0]["lines"]
    assert [(line["model"], line["series"]) for line in lines] == [
        (model, text) for model in strip.models for text in strip.texts
    ]
    own = story.panels[0].curves.query("model == 'parsing' and series == 'Wikipedia'")
    assert lines[3]["layers"] == [0, 1, 2, 3, 4]
    assert lines[3]["values"] == pytest.approx(own["value"].tolist())
    assert np.array(lines[3]["band"]) == pytest.approx(own[["low", "high"]].to_numpy())
    assert strip.panels[1]["lines"][0]["layers"] == [0, 2, 4]
    assert strip.timeline["shares"] == [0.0, 0.1, 0.4, 1.0]
    assert len(strip.timeline["lines"]) == 16


def test_what_was_not_measured_is_left_out() -> None:
    strip = LayerStrip(LayerStory([LayerPanel("one", CURVES.iloc[::-1])]))
    (line,) = strip.panels[0]["lines"]
    assert (line["layers"], line["values"], line["band"]) == ([0, 1], [1.0, 0.9], None)
    assert strip.panels[0]["range"] == [0.9, 1.0]
    assert (strip.models, strip.texts, strip.timeline, strip.layers) == ([], [], {}, 2)


def test_only_what_is_there_can_be_chosen(story: LayerStory) -> None:
    strip = LayerStrip(story, layer=0)
    for name, value in {"layer": 5, "model": 2, "text": -1, "point": 4}.items():
        with pytest.raises(DataError, match=f"{name} {value} is not one of 0 … "):
            setattr(strip, name, value)
    with pytest.raises(DataError, match="layer 9 is not one of 0 … 4"):
        LayerStrip(story, layer=9)


def changed(**columns: Any) -> list[LayerPanel]:
    return [LayerPanel("A", CURVES.assign(**columns))]


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ([], "at least one panel"),
        ([LayerPanel("A", CURVES.drop(columns="value"))], "panel 'A' has no column 'value'"),
        (changed(serie="x"), "panel 'A': column 'serie' is not used; did you mean 'series'"),
        (changed(layer=[0, 1, 1.5]), "layers are whole numbers from 0 on"),
        (changed(layer=-1), "layers are whole numbers from 0 on"),
        ([LayerPanel("A", CURVES.iloc[:0])], "there must be one"),
        (changed(value=[0, 1, np.inf]), "a value is infinite"),
        (changed(low=0.0), "a band needs both a low and a high"),
        (changed(layer=1, series="x"), "panel 'A': series x, layer 1 comes more than once; average"),
    ],
)
def test_charts_that_cannot_be_drawn(panels: list[LayerPanel], message: str) -> None:
    with pytest.raises(DataError, match=message):
        LayerStory(panels)


def test_words_and_timelines_that_cannot_be_shown() -> None:
    word = MovedWord("cat", 2, 0.1, 0.0, 0.2, 5)
    with pytest.raises(DataError, match="word 'cat': layer 3 is not one of 0 … 2"):
        LayerStory(changed(), words=[replace(word, layer=3)])
    with pytest.raises(DataError, match="word 'cat', layer 2: its shift is not a finite number"):
        LayerStory(changed(), words=[replace(word, low=np.nan)])
    with pytest.raises(DataError, match="timeline 'T': shares of training lie between 0 and 1"):
        LayerStory(changed(), LayerTimeline("T", CURVES.assign(share=[0.0, 0.5, 40.0])))


def test_picture_shows_what_is_chosen(story: LayerStory) -> None:
    strip = LayerStrip(story)
    bundle = strip._repr_mimebundle_()
    assert bundle is not None and base64.b64decode(bundle[0]["image/png"]).startswith(b"\x89PNG")
    axes = plot_layer_strip(story, 2, "parsing", "Wikipedia", title="Two models")
    assert [ax.get_title(loc="left") or ax.get_title() for ax in axes] == [
        "Similarity",
        "Freezing",
        "During training",
    ]
    lines = {line.get_label(): line for line in axes[0].get_lines()}
    own = story.panels[0].curves.query("model == 'parsing' and series == 'Wikipedia'")
    assert np.asarray(lines["Wikipedia"].get_ydata()) == pytest.approx(own["value"].to_numpy())
    assert lines["Wikipedia"].get_linewidth() > lines["in domain"].get_linewidth()
    assert [line.get_label() for line in axes[2].get_lines()][:4] == ["0%", "10%", "40%", "100%"]
    with pytest.raises(DataError, match="no model is called 'MNLY'; did you mean 'MNLI'"):
        plot_layer_strip(story, model="MNLY")


def test_dollars_in_names_are_no_formulas(story_of: Callable[..., LayerStory]) -> None:
    panel = LayerPanel("$a$ and $", CURVES.assign(series="$x_1$ $"), "$", "$")
    plot_layer_strip(story_of(panels=[panel], timeline=None, words=()))[0].figure.canvas.draw()
