"""The strip of layers that reacts: one slider over many charts, training in time, and words that moved."""

import io
from typing import Any

import pandas as pd
import traitlets
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError
from encoder_atlas.show.layer_figures import draw_layer_strip, strip_size
from encoder_atlas.show.layers import LayerPanel, LayerStory, LayerTimeline, MovedWord
from encoder_atlas.show.page import PageWidget, joined
from encoder_atlas.show.style import class_colours, styled

_JS = (
    "page_js/page.js",
    *(f"layer_strip_js/{name}.js" for name in ("data", "chart", "words", "training", "view")),
)


class LayerStrip(PageWidget):
    """Small charts over layers under one slider; beside them the words that moved most at that layer.

    The reader moves along the layers with the slider or by a click in any chart, chooses the model and the
    text where there are several, and plays through training. Everything is computed beforehand: the page
    needs no kernel.

    Parameters
    ----------
    story
        The charts, the timeline and the words (``LayerStory``).
    title
        What stands above the widget.
    layer
        The layer shown first; by default the last.

    ``layer`` is the layer shown; ``model`` and ``text`` are the indices of those chosen in ``models`` and
    ``texts``; ``point`` that of the point in training.

    Raises ``DataError`` for what cannot be drawn: see ``LayerStory``.
    """

    _esm = joined(*_JS)
    _css = joined("page_js/page.css", "layer_strip_js/strip.css")

    title = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int().tag(sync=True)
    model = traitlets.Int().tag(sync=True)
    text = traitlets.Int().tag(sync=True)
    point = traitlets.Int().tag(sync=True)

    # What follows is data: set once here, only read by the page.
    layers = traitlets.Int().tag(sync=True)
    models = traitlets.List(traitlets.Unicode()).tag(sync=True)
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    series = traitlets.List(traitlets.Unicode()).tag(sync=True)
    colours = traitlets.List(traitlets.Unicode()).tag(sync=True)
    panels = traitlets.List(traitlets.Dict()).tag(sync=True)
    timeline = traitlets.Dict().tag(sync=True)
    words = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, story: LayerStory, title: str = "", layer: int | None = None) -> None:
        self._story = story
        series = story.series
        timeline = story.timeline
        super().__init__(
            title=title,
            layers=story.layers,
            models=story.models,
            texts=story.texts,
            series=series,
            colours=class_colours(len(series)),
            panels=[_panel(panel) for panel in story.panels],
            timeline={}
            if timeline is None
            else _panel(timeline) | {"shares": sorted(set(timeline.curves["share"]))},
            words=[_word(word) for word in story.words],
        )
        self.layer = story.layers if layer is None else layer
        self.point = max(0, len(self.timeline.get("shares", ())) - 1)

    @traitlets.validate("layer", "model", "text", "point")
    def _is_there(self, proposal: dict[str, Any]) -> int:
        name = proposal["trait"].name
        counts = {
            "layer": self.layers + 1,
            "model": max(1, len(self.models)),
            "text": max(1, len(self.texts)),
            "point": max(1, len(self.timeline.get("shares", ()))),
        }
        if not 0 <= proposal["value"] < counts[name]:
            raise DataError(f"{name} {proposal['value']} is not one of 0 … {counts[name] - 1}")
        return proposal["value"]

    def picture(self) -> bytes:
        """Draw the layer, model and text shown now as a PNG, for where nothing moves."""
        names = [
            known[at] if known else "" for known, at in ((self.models, self.model), (self.texts, self.text))
        ]
        with styled():
            figure = Figure(figsize=strip_size(self._story), layout="constrained")
            draw_layer_strip(figure, self._story, self.layer, names[0], names[1], self.title)
            png = io.BytesIO()
            figure.savefig(png, format="png", dpi=110)
        return png.getvalue()


def _panel(panel: LayerPanel | LayerTimeline) -> dict[str, Any]:
    """A chart as the page reads it: its lines, each with its names and points in order of layers."""
    rows = panel.curves.loc[panel.curves["value"].notna()].sort_values("layer", kind="stable")
    names = [column for column in ("model", "text", "series", "share") if column in rows]
    groups = rows.groupby(names, sort=False) if names else [((), rows)]
    numbers = rows[[column for column in ("value", "low", "high") if column in rows]].to_numpy(dtype=float)
    return {
        "title": panel.title,
        "axis": panel.axis,
        "note": panel.note,
        "range": [float(numbers.min()), float(numbers.max())] if len(rows) else [0.0, 1.0],
        "lines": [_line(dict(zip(names, name, strict=True)), own) for name, own in groups],
    }


def _line(names: dict[str, Any], rows: pd.DataFrame) -> dict[str, Any]:
    band = rows[["low", "high"]] if "low" in rows else None
    return {
        **{name: value if name == "share" else str(value) for name, value in names.items()},
        "layers": [int(layer) for layer in rows["layer"]],
        "values": [round(float(value), 5) for value in rows["value"]],
        "band": None if band is None or band.isna().to_numpy().any() else band.round(5).values.tolist(),
    }


def _word(word: MovedWord) -> dict[str, Any]:
    return {
        "model": word.model,
        "text": word.text,
        "layer": word.layer,
        "word": word.word,
        "numbers": [round(float(value), 4) for value in (word.shift, word.low, word.high)],
        "count": int(word.count),
        "contexts": [list(context) for context in word.contexts],
    }
