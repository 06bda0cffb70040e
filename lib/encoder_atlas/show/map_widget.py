"""What all live maps share: the traits that a page reads, their packing, and the picture for print."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float, Int
from matplotlib.figure import Figure
from numpy import ndarray
from PIL import Image

from encoder_atlas.errors import DataError
from encoder_atlas.show.frames import MapFrame, check_length
from encoder_atlas.show.page import PageWidget, joined, packed
from encoder_atlas.show.style import BACKGROUND_STRENGTH, class_colours, class_markers, styled

# The page carries points and classes in as few bytes as hold them.
MAX_POINTS = 2**16
MAX_CLASSES = 2**8


def module(last: str) -> str:
    """The page's side, from parts of one subject each. The part named ``last`` says what the module shows."""
    parts = ("data.js", "picture.js", "panel.js", "view.js", last)
    return joined("page_js/page.js", *(f"decision_map_js/{name}" for name in parts))


class MapWidget(PageWidget):
    """Points on one or several maps. ``selected`` holds the chosen ids, ``frame`` the number of the map that
    leads. Both can be read and set from Python while there is a kernel.
    """

    _css = joined("page_js/page.css", "decision_map_js/map.css")

    title = traitlets.Unicode().tag(sync=True)
    group = traitlets.Unicode().tag(sync=True)
    frame = traitlets.Int().tag(sync=True)
    selected = traitlets.List(traitlets.Unicode()).tag(sync=True)

    # What follows is data: set once here, only read by the page.
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    ids = traitlets.List(traitlets.Unicode()).tag(sync=True)
    class_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    colours = traitlets.List(traitlets.Unicode()).tag(sync=True)
    markers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    strength = traitlets.Float().tag(sync=True)
    frames = traitlets.List(traitlets.Dict()).tag(sync=True)
    grid = traitlets.List(traitlets.Int()).tag(sync=True)
    labels = traitlets.Bytes().tag(sync=True)  # uint8, points
    predicted = traitlets.Bytes().tag(sync=True)  # uint8, frames × points, or points where all frames agree
    confidence = traitlets.Bytes().tag(sync=True)  # float32, likewise, or empty
    embeddings = traitlets.Bytes().tag(sync=True)  # float32, frames × points × 2
    backgrounds = traitlets.Bytes().tag(sync=True)  # uint8, frames × points
    grid_class = traitlets.Bytes().tag(sync=True)  # uint8, frames × rows × cols
    grid_certainty = traitlets.Bytes().tag(sync=True)  # uint8, frames × rows × cols, 255 = certain
    neighbours = traitlets.Bytes().tag(sync=True)  # uint16, frames × points × k

    def __init__(
        self,
        ordered: Sequence[MapFrame],
        texts: Sequence[str],
        labels: Int[ndarray, " points"],
        class_names: Sequence[str],
        ids: Sequence[str] | None,
        probabilities: Sequence[Float[ndarray, "points classes"]],
        neighbours: int,
        **traits: Any,
    ) -> None:
        """Take checked frames; ``probabilities`` are one matrix a frame, one for all frames, or none."""
        ids = [str(index) for index in range(len(labels))] if ids is None else list(ids)
        _check_points(texts, ids, labels, class_names)
        self._ordered, self._labels = list(ordered), labels
        super().__init__(
            texts=list(texts),
            ids=ids,
            class_names=list(class_names),
            colours=class_colours(len(class_names)),
            markers=class_markers(len(class_names)),
            strength=BACKGROUND_STRENGTH,
            labels=packed([labels], "u1"),
            confidence=_confidence(probabilities, self._ordered, len(class_names)),
            **_frame_traits(self._ordered, neighbours),
            **traits,
        )

    @traitlets.validate("frame")
    def _frame_exists(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] < len(self._ordered):
            raise DataError(f"frame {proposal['value']} is not one of 0 … {len(self._ordered) - 1}")
        return proposal["value"]

    @traitlets.validate("selected")
    def _ids_exist(self, proposal: dict[str, Any]) -> list[str]:
        known = set(self.ids)
        for name in proposal["value"]:
            if name not in known:
                raise DataError(
                    f"no point has the id {name!r}; there are {len(known)}, such as {self.ids[0]!r}"
                )
        return proposal["value"]

    def _figure(self) -> Figure:
        """What print shows. A figure outside pyplot: else the notebook would show it a second time."""
        raise NotImplementedError

    def picture(self) -> bytes:
        """Draw what is shown now as a PNG."""
        drawn, small = io.BytesIO(), io.BytesIO()
        with styled():
            self._figure().savefig(drawn, format="png", dpi=110)
        # 256 colours take a third of the bytes, and every page carries them.
        Image.open(drawn).convert("RGB").quantize(256).save(small, format="png", optimize=True)
        return small.getvalue()


def _check_points(
    texts: Sequence[str], ids: list[str], labels: Int[ndarray, " points"], class_names: Sequence[str]
) -> None:
    check_length("texts", len(texts), len(labels))
    check_length("ids", len(ids), len(labels))
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise DataError(f"ids: {twice!r} comes more than once; each point needs an id of its own")
    if len(labels) > MAX_POINTS or len(class_names) > MAX_CLASSES:
        raise DataError(f"a map holds at most {MAX_POINTS} points and {MAX_CLASSES} classes; draw a sample")


def _confidence(
    probabilities: Sequence[Float[ndarray, "points classes"]], ordered: list[MapFrame], n_classes: int
) -> bytes:
    """The probability of each point's predicted class."""
    if not probabilities:
        return b""
    rows = []
    # One matrix goes with the first frame: all frames then have its predictions.
    for given, frame in zip(probabilities, ordered, strict=False):
        wanted = (len(frame.predicted), n_classes)
        if given.shape != wanted:
            raise DataError(f"probabilities have shape {given.shape}; points and classes are {wanted}")
        if not ((given >= 0) & (given <= 1)).all():
            raise DataError("probabilities must be numbers in [0, 1]: were logits given?")
        rows.append(given[np.arange(len(frame.predicted)), frame.predicted])
    return packed(rows, "<f4")


def _frame_traits(ordered: list[MapFrame], neighbours: int) -> dict[str, Any]:
    k = min(neighbours, *(frame.neighbours.shape[1] for frame in ordered))
    answers = [frame.predicted for frame in ordered]
    agree = all(np.array_equal(one, answers[0]) for one in answers)
    return {
        "frames": [
            {
                "lambda": float(frame.lambda_),
                "extent": [float(edge) for edge in frame.extent],
                "q_knn": float(frame.q_knn),
                "q_data": float(frame.q_data),
            }
            for frame in ordered
        ],
        "grid": list(ordered[0].grid_class.shape),
        "predicted": packed(answers[:1] if agree else answers, "u1"),
        "embeddings": packed([frame.embedding for frame in ordered], "<f4"),
        "backgrounds": packed([frame.background for frame in ordered], "u1"),
        "grid_class": packed([frame.grid_class for frame in ordered], "u1"),
        "grid_certainty": packed([np.rint(255 * frame.grid_certainty) for frame in ordered], "u1"),
        "neighbours": packed([frame.neighbours[:, :k] for frame in ordered], "<u2"),
    }
