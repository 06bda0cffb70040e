"""What a map costs, stage by stage, as the number of points grows."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Shaped

from encoder_atlas.deepview.distance import blend
from encoder_atlas.deepview.embed import embed, embed_neighbours
from encoder_atlas.deepview.grid import draw_background
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.quality import draw_held_out, q_data, q_knn
from encoder_atlas.deepview.settings import DeepViewSettings, NeighbourRoute
from encoder_atlas.deepview.sweep import draw_sample
from encoder_atlas.deepview.view import DeepView, Quality
from encoder_atlas.progress import track

STAGES = ("distances", "UMAP", "background", "quality")


@dataclass(frozen=True)
class MapCost:
    """The cost of one map."""

    points: int
    route: NeighbourRoute
    """`full` or `nearest`."""
    seconds: dict[str, float]
    """Wall seconds of each of `STAGES`."""
    cpu_seconds: dict[str, float]
    """CPU seconds of all threads."""
    walked_share: float
    """Paths walked in search of neighbours, as a share of all pairs; 1 on the `full` route."""
    certified_share: float
    """Share of the points whose neighbours are certified to be the nearest."""
    quality: Quality

    def to_frame(self) -> pd.DataFrame:
        """One row a stage: points, route, stage, seconds, cpu_seconds, walked_share, certified_share, q_knn,
        q_data."""
        table = pd.DataFrame({"seconds": self.seconds, "cpu_seconds": self.cpu_seconds})
        table = table.rename_axis("stage").reset_index()
        table.insert(0, "route", self.route)
        table.insert(0, "points", self.points)
        return table.assign(
            walked_share=self.walked_share,
            certified_share=self.certified_share,
            q_knn=self.quality.q_knn,
            q_data=self.quality.q_data,
        )


def map_cost(
    classifier: object,
    points: Shaped[np.ndarray, "..."],
    settings: DeepViewSettings | None = None,
    lambda_: float | None = None,
) -> MapCost:
    """Draw one map and time its stages: distances (or neighbours), UMAP, inverse map and background, quality.

    The first UMAP of a process compiles for about ten seconds, which then counts here.

    Raises:
        SettingsError, DataError: see `DeepView.fit` and `DeepView.frame`.
    """
    clock = _Clock()
    view = DeepView(classifier, settings)
    settings = view.settings
    lambda_ = settings.lambda_ if lambda_ is None else lambda_
    found = None
    with clock("distances"):
        view.fit(points, show_progress=False)
        if not settings.measures_all(len(points)):
            found = view.neighbours(lambda_)
    with clock("UMAP"):
        if found is None:
            embedding = embed(blend(view.discriminative, view.control, lambda_, settings.blend), settings)
        else:
            embedding = embed_neighbours(view.points, found, settings)
    with clock("background"):
        inverse = InverseMap(embedding, view.points, settings)
        draw_background(view.classifier, inverse, embedding, settings)
    with clock("quality"):
        held_out = draw_held_out(len(points), settings.held_out, settings.seed)
        quality = Quality(
            q_knn(embedding, view.predicted, settings.knn),
            q_data(view.classifier, view.points, embedding, view.predicted, held_out, settings),
        )
    return MapCost(
        points=len(points),
        route="full" if found is None else "nearest",
        seconds=clock.seconds,
        cpu_seconds=clock.cpu_seconds,
        walked_share=1.0 if found is None else found.walked_share,
        certified_share=1.0 if found is None else float(found.certified.mean()),
        quality=quality,
    )


def cost_over_points(
    classifier: object,
    points: Shaped[np.ndarray, "..."],
    sizes: Sequence[int],
    settings: DeepViewSettings | None = None,
    routes: Sequence[NeighbourRoute] = ("full", "nearest"),
    seed: int = 0,
) -> pd.DataFrame:
    """`map_cost` on samples of ``points`` of several sizes by each of ``routes``, as one table.

    Raises:
        SettingsError, DataError: see `map_cost` and `draw_sample`.
    """
    settings = settings or DeepViewSettings()
    tables = []
    for size in track(sizes, "Maps of more points", unit="size"):
        rows = draw_sample(points, size, seed, 0)
        for route in routes:
            chosen = settings.model_copy(update={"neighbour_route": route})
            tables.append(map_cost(classifier, points[rows], chosen).to_frame())
    return pd.concat(tables, ignore_index=True)


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.seconds[stage] = time.perf_counter() - wall
        self.cpu_seconds[stage] = time.process_time() - cpu
