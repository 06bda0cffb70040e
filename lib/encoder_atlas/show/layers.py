"""What charts over layers must hold to be drawn, and the check that they do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near

OPTIONAL = ("series", "low", "high", "model", "text")


@dataclass(frozen=True, eq=False)
class LayerPanel:
    """One small line chart over layers.

    Attributes
    ----------
    title
        What stands above it.
    curves
        A row a point: "layer" (0 is the embeddings) and "value"; and where they are known "series" (the name
        of the line), "low" and "high" (a band), "model" and "text". With the last two, only rows of the
        chosen model and text are shown; a line whose series is the chosen model or text is drawn bold.
    axis
        What the values are, with their unit.
    note
        A sentence below the chart.
    """

    title: str
    curves: pd.DataFrame
    axis: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class LayerTimeline:
    """A line over layers for each of several points in training, to be played.

    Attributes
    ----------
    title, axis, note
        As of a panel.
    curves
        A row a point of a line: "share" of training done (0 to 1), "layer" and "value", and where they are
        known "model" and "text".
    """

    title: str
    curves: pd.DataFrame
    axis: str = ""
    note: str = ""


@dataclass(frozen=True)
class MovedWord:
    """A word that moved at a layer.

    Attributes
    ----------
    word, layer
        Which, and where.
    shift, low, high, count
        How far it moved on average, the interval of that, and how often it stands in the text.
    contexts
        Where it stands: the text before it, itself, and the text after it.
    model, text
        Of which model, on which text; where empty the word is shown with every one.
    """

    word: str
    layer: int
    shift: float
    low: float
    high: float
    count: int
    contexts: Sequence[tuple[str, str, str]] = ()
    model: str = ""
    text: str = ""


@dataclass(frozen=True, eq=False)
class LayerStory:
    """All that a strip of layers shows: charts, training in time, words; checked when it is made.

    Raises
    ------
    DataError
        No chart; a column that is missing or unknown; a layer that is no whole number from 0 on; a point
        given twice; a value that is infinite; a low without a high; a share outside 0 to 1; a word at a layer
        that no chart has, or whose shift is no number.
    """

    panels: Sequence[LayerPanel]
    timeline: LayerTimeline | None = None
    words: Sequence[MovedWord] = ()

    def __post_init__(self) -> None:
        if not self.panels:
            raise DataError("a strip of layers needs at least one panel")
        for panel in self.panels:
            where = f"panel {panel.title!r}"
            _check(panel.curves, where, ("layer", "value"), OPTIONAL)
            if ("low" in panel.curves) != ("high" in panel.curves):
                raise DataError(f"{where}: a band needs both a low and a high")
        if self.timeline is not None:
            where = f"timeline {self.timeline.title!r}"
            _check(self.timeline.curves, where, ("share", "layer", "value"), ("model", "text"))
            if not self.timeline.curves["share"].between(0, 1).all():
                raise DataError(f"{where}: shares of training lie between 0 and 1")
        for word in self.words:
            self._check_word(word)

    @property
    def layers(self) -> int:
        """The last layer that any chart has."""
        return max(int(layer) for frame in self._frames for layer in frame["layer"])

    @property
    def models(self) -> list[str]:
        """The models of charts and words, in the order in which they come."""
        return self._named("model", [word.model for word in self.words])

    @property
    def texts(self) -> list[str]:
        """The texts of charts and words, in the order in which they come."""
        return self._named("text", [word.text for word in self.words])

    @property
    def series(self) -> list[str]:
        """The names of all lines; a name has one colour in every chart."""
        names = (
            str(name) for panel in self.panels if "series" in panel.curves for name in panel.curves["series"]
        )
        return list(dict.fromkeys(names))

    @property
    def _frames(self) -> list[pd.DataFrame]:
        timeline = [] if self.timeline is None else [self.timeline.curves]
        return [*(panel.curves for panel in self.panels), *timeline]

    def _named(self, column: str, more: list[str]) -> list[str]:
        names = [str(name) for frame in self._frames if column in frame for name in frame[column]]
        return list(dict.fromkeys(name for name in (*names, *more) if name))

    def _check_word(self, word: MovedWord) -> None:
        if not 0 <= word.layer <= self.layers:
            raise DataError(f"word {word.word!r}: layer {word.layer} is not one of 0 … {self.layers}")
        if not np.isfinite([word.shift, word.low, word.high]).all():
            raise DataError(f"word {word.word!r}, layer {word.layer}: its shift is not a finite number")


def _check(frame: pd.DataFrame, where: str, needed: Sequence[str], known: Sequence[str]) -> None:
    for column in needed:
        if column not in frame:
            raise DataError(f"{where} has no column {column!r}; {near(column, map(str, frame.columns))}")
    for column in frame:
        if column not in (*needed, *known):
            raise DataError(f"{where}: column {column!r} is not used; {near(str(column), (*needed, *known))}")
    layers = frame["layer"].to_numpy(dtype=float)
    if frame.empty or not ((layers >= 0) & (layers == np.floor(layers))).all():
        raise DataError(f"{where}: layers are whole numbers from 0 on, and there must be one")
    numbers = frame[[name for name in ("value", "low", "high", "share") if name in frame]].to_numpy(
        dtype=float
    )
    if np.isinf(numbers).any():
        raise DataError(f"{where}: a value is infinite; NaN says that it was not measured")
    names = [column for column in ("model", "text", "series", "share", "layer") if column in frame]
    twice = frame.loc[frame.duplicated(names)]
    if len(twice):
        found = ", ".join(f"{name} {twice.iloc[0][name]}" for name in names)
        raise DataError(
            f"{where}: {found} comes more than once; average such rows, or tell them apart by series"
        )
