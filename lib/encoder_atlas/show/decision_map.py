"""The decision map that reacts: in JupyterLab with a kernel, in a static page without one."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import ndarray

from encoder_atlas.errors import DataError
from encoder_atlas.show.figures import plot_decision_map
from encoder_atlas.show.frames import MapFrame, check_frames, check_length
from encoder_atlas.show.page import PageWidget, joined, packed
from encoder_atlas.show.style import BACKGROUND_STRENGTH, class_colours, class_markers, styled

# The page carries points and classes in as few bytes as hold them.
MAX_POINTS = 2**16
MAX_CLASSES = 2**8


def module(last: str) -> str:
    """The page's side, from parts of one subject each. The part named ``last`` says what the module shows."""
    parts = ("data.js", "picture.js", "panel.js", "view.js", last)
    return joined("page_js/page.js", *(f"decision_map_js/{name}" for name in parts))


class DecisionMap(PageWidget):
    """A decision map with a slider over λ, hover, nearest neighbours, lasso, search and a list of sentences.

    Parameters
    ----------
    frames
        One map for each λ, of the same points in the same order (see ``MapFrame``).
    texts, labels, ids
        The sentence, true class and name of each point. Ids default to "0", "1", …
    class_names
        What the classes are called; class 0 first.
    probabilities
        The classifier's probabilities; the widget shows that of the predicted class.
    lambda_
        The λ shown first; by default the largest.
    neighbours
        How many nearest neighbours of a chosen point are shown, as far as the frames hold them.
    group
        Maps on one page with the same non-empty group choose and point at the same ids together.

    ``selected`` holds the chosen ids and ``frame`` the index of the λ shown, in order of λ. Both can be read
    and set from Python while there is a kernel.

    Raises ``DataError`` for what cannot be drawn: see ``check_frames``.
    """

    _esm = module("map.js")
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
    predicted = traitlets.Bytes().tag(sync=True)  # uint8, points
    confidence = traitlets.Bytes().tag(sync=True)  # float32, points, or empty
    embeddings = traitlets.Bytes().tag(sync=True)  # float32, frames × points × 2
    backgrounds = traitlets.Bytes().tag(sync=True)  # uint8, frames × points
    grid_class = traitlets.Bytes().tag(sync=True)  # uint8, frames × rows × cols
    grid_certainty = traitlets.Bytes().tag(sync=True)  # uint8, frames × rows × cols, 255 = certain
    neighbours = traitlets.Bytes().tag(sync=True)  # uint16, frames × points × k

    def __init__(
        self,
        frames: Sequence[MapFrame],
        texts: Sequence[str],
        labels: Int[ndarray, " points"],
        class_names: Sequence[str],
        ids: Sequence[str] | None = None,
        title: str = "",
        probabilities: Float[ndarray, "points classes"] | None = None,
        lambda_: float | None = None,
        neighbours: int = 5,
        group: str = "",
    ) -> None:
        ids = [str(index) for index in range(len(labels))] if ids is None else list(ids)
        ordered = check_frames(frames, labels, class_names)
        _check_points(texts, ids, labels, class_names)
        self._ordered, self._labels = ordered, labels
        super().__init__(
            title=title,
            group=group,
            frame=_index_of(lambda_, ordered),
            texts=list(texts),
            ids=ids,
            class_names=list(class_names),
            colours=class_colours(len(class_names)),
            markers=class_markers(len(class_names)),
            strength=BACKGROUND_STRENGTH,
            labels=packed([labels], "u1"),
            predicted=packed([ordered[0].predicted], "u1"),
            confidence=_confidence(probabilities, ordered[0].predicted, len(class_names)),
            **_frame_traits(ordered, neighbours),
        )

    @property
    def lambda_(self) -> float:
        """The λ shown now."""
        return self._ordered[self.frame].lambda_

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

    def picture(self) -> bytes:
        """Draw the map shown now as a PNG: what print, LaTeX and GitHub show in the widget's place."""
        # A figure outside pyplot: else the notebook would show it a second time by itself.
        with styled():
            figure = Figure(figsize=(7.0, 4.6), layout="constrained")
            ax = self._draw(figure.add_subplot())
            ax.set_title(f"{self.title}  (λ = {self.lambda_:g})" if self.title else f"λ = {self.lambda_:g}")
            png = io.BytesIO()
            figure.savefig(png, format="png", dpi=110)
        return png.getvalue()

    def _draw(self, ax: Axes) -> Axes:
        return plot_decision_map(self._ordered[self.frame], self._labels, self.class_names, ax)


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


def _index_of(lambda_: float | None, ordered: list[MapFrame]) -> int:
    lambdas = [frame.lambda_ for frame in ordered]
    if lambda_ is None:
        return len(lambdas) - 1
    if lambda_ not in lambdas:
        known = ", ".join(f"{value:g}" for value in lambdas)
        raise DataError(f"no frame at λ = {lambda_:g}; there are {known}")
    return lambdas.index(lambda_)


def _confidence(
    probabilities: Float[ndarray, "points classes"] | None, predicted: Int[ndarray, " points"], n_classes: int
) -> bytes:
    if probabilities is None:
        return b""
    if probabilities.shape != (len(predicted), n_classes):
        wanted = (len(predicted), n_classes)
        raise DataError(f"probabilities have shape {probabilities.shape}; points and classes are {wanted}")
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise DataError("probabilities must be numbers in [0, 1]: were logits given?")
    return packed([probabilities[np.arange(len(predicted)), predicted]], "<f4")


def _frame_traits(ordered: list[MapFrame], neighbours: int) -> dict[str, Any]:
    k = min(neighbours, *(frame.neighbours.shape[1] for frame in ordered))
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
        "embeddings": packed([frame.embedding for frame in ordered], "<f4"),
        "backgrounds": packed([frame.background for frame in ordered], "u1"),
        "grid_class": packed([frame.grid_class for frame in ordered], "u1"),
        "grid_certainty": packed([np.rint(255 * frame.grid_certainty) for frame in ordered], "u1"),
        "neighbours": packed([frame.neighbours[:, :k] for frame in ordered], "<u2"),
    }
