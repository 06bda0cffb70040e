"""The adversarial search of section 5.2 for a reader to play: one draw of it, on its own map."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from jaxtyping import Int, Shaped

from encoder_atlas.deepview.regions import rank_points
from encoder_atlas.deepview.search import hide
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.view import DeepView
from encoder_atlas.errors import DataError
from encoder_atlas.show import SearchGame


def search_game(
    classifier: object,
    points: Shaped[np.ndarray, "..."],
    texts: Sequence[str],
    labels: Int[np.ndarray, " points"],
    class_names: Sequence[str],
    settings: DeepViewSettings | None = None,
    *,
    adversarial: Sequence[int],
    made_from: Sequence[int | None] | None = None,
    lambda_: float = 1.0,
    draw: int = 0,
    sample_size: int = 300,
    threshold: float = 0.5,
    within_class: bool = True,
    seed: int = 0,
    title: str = "",
) -> SearchGame:
    """Make a game of draw number ``draw`` of `adversarial_search` with the same arguments.

    ``texts`` and ``labels`` belong to the rows of ``points``, those of ``adversarial`` among them.

    Raises:
        SettingsError, DataError: as `adversarial_search`; texts that are not one a point.
    """
    if len(texts) != len(points):
        raise DataError(f"{len(texts)} texts for {len(points)} points: give one a point, in the same order")
    draws = hide(points, adversarial, made_from, draw + 1, sample_size, seed)
    hidden, sample = next(islice(draws, draw, None))
    view = DeepView(classifier, settings).fit(np.asarray(points)[sample], show_progress=False)
    frame = view.frame(lambda_)
    ranking = rank_points(frame, threshold, within_class)
    return SearchGame(
        frame,
        [texts[int(row)] for row in sample],
        labels[sample],
        class_names,
        hidden=int(np.flatnonzero(sample == hidden)[0]),
        regions=ranking.regions,
        region=ranking.region,
        order=ranking.order,
        title=title,
        probabilities=view.probabilities,
    )
