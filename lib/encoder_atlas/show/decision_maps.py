"""Several decision maps of the same points side by side, which are looked at together."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float, Int
from matplotlib.figure import Figure
from numpy import ndarray

from encoder_atlas.show.figures import draw_side_by_side
from encoder_atlas.show.frames import MapFrame, check_side_by_side
from encoder_atlas.show.map_widget import MapWidget, module


class DecisionMaps(MapWidget):
    """Decision maps side by side: what is chosen or pointed at in one is marked in all, and listed once.

    Parameters
    ----------
    maps
        What stands above each map, and the map; left to right. They show the same points in the same order,
        at several λ, by several classifiers, or both.
    texts, labels, ids, class_names, title, neighbours, group
        As in ``DecisionMap``. Neighbours are those of the map in which one chooses.
    probabilities
        One matrix a map, under the same names; the widget shows that of the predicted class.

    ``frame`` is the number of the map in which the reader was last: the list describes its points.

    Raises ``DataError`` for what cannot be drawn: see ``check_side_by_side``.
    """

    _esm = module("maps.js")

    def __init__(
        self,
        maps: Mapping[str, MapFrame],
        texts: Sequence[str],
        labels: Int[ndarray, " points"],
        class_names: Sequence[str],
        ids: Sequence[str] | None = None,
        title: str = "",
        probabilities: Mapping[str, Float[ndarray, "points classes"]] | None = None,
        neighbours: int = 5,
        group: str = "",
    ) -> None:
        check_side_by_side(maps, labels, class_names, probabilities)
        answers = [probabilities[name] for name in maps] if probabilities else []
        super().__init__(
            list(maps.values()),
            texts,
            labels,
            class_names,
            ids,
            answers,
            neighbours,
            title=title,
            group=group,
        )
        self.frames = [{**frame, "name": name} for name, frame in zip(maps, self.frames, strict=True)]

    def _figure(self) -> Figure:
        maps = dict(zip([frame["name"] for frame in self.frames], self._ordered, strict=True))
        figure = Figure(figsize=(4.0 * len(maps) + 1.0, 4.2), layout="constrained")
        return draw_side_by_side(figure, maps, self._labels, self.class_names, self.title)
