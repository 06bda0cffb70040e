"""The decision map that reacts: in JupyterLab with a kernel, in a static page without one."""

from collections.abc import Sequence

from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import ndarray

from encoder_atlas.errors import DataError
from encoder_atlas.show.figures import plot_decision_map
from encoder_atlas.show.frames import MapFrame, check_frames
from encoder_atlas.show.map_widget import MapWidget, module
from encoder_atlas.show.style import plain


class DecisionMap(MapWidget):
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
        ordered = check_frames(frames, labels, class_names)
        super().__init__(
            ordered,
            texts,
            labels,
            class_names,
            ids,
            [] if probabilities is None else [probabilities],
            neighbours,
            title=title,
            group=group,
            frame=_index_of(lambda_, ordered),
        )

    @property
    def lambda_(self) -> float:
        """The λ shown now."""
        return self._ordered[self.frame].lambda_

    def _figure(self) -> Figure:
        figure = Figure(figsize=(7.0, 4.6), layout="constrained")
        title = f"{self.title}  (λ = {self.lambda_:g})" if self.title else f"λ = {self.lambda_:g}"
        self._draw(figure.add_subplot()).set_title(plain(title))
        return figure

    def _draw(self, ax: Axes) -> Axes:
        return plot_decision_map(self._ordered[self.frame], self._labels, self.class_names, ax)


def _index_of(lambda_: float | None, ordered: list[MapFrame]) -> int:
    lambdas = [frame.lambda_ for frame in ordered]
    if lambda_ is None:
        return len(lambdas) - 1
    if lambda_ not in lambdas:
        known = ", ".join(f"{value:g}" for value in lambdas)
        raise DataError(f"no frame at λ = {lambda_:g}; there are {known}")
    return lambdas.index(lambda_)
