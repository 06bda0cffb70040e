"""Search for one manipulated sentence among many, by the map's regions (section 5.2 of the paper)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float32, Float64, Int, Shaped
from scipy.special import entr

from encoder_atlas.deepview.classifier import Classifier, as_classifier
from encoder_atlas.deepview.distance import blend, control_distance
from encoder_atlas.deepview.embed import embed
from encoder_atlas.deepview.grid import draw_background
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.points import check_points
from encoder_atlas.deepview.regions import Shown, rank_points
from encoder_atlas.deepview.settings import DeepViewSettings, check_lambda
from encoder_atlas.deepview.sweep import draw_sample
from encoder_atlas.deepview.threads import threads_for
from encoder_atlas.deepview.view import DeepView
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.progress import track

ORDERS: tuple[str, ...] = ("map", "entropy", "random")
"""Ways to read: by the map, by the classifier's entropy alone, and without any plan."""


@dataclass(frozen=True)
class Find:
    """One draw: how many sentences were read until the hidden one was."""

    hidden: int
    """Row of the hidden sentence among all points."""
    region: int
    """Number of the uncertain region it lay in, or 0."""
    by_map: int
    by_entropy: int


@dataclass(frozen=True)
class AdversarialSearch:
    """One manipulated sentence hidden among ``sample_size`` points, draw by draw."""

    sample_size: int
    finds: tuple[Find, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a draw and order: draw, order, read (sentences), points, hidden, region.

        ``read`` of the random order is its expectation, (points + 1) / 2: no luck enters the comparison.
        """
        rows = [
            (draw, order, float(read), self.sample_size, find.hidden, find.region)
            for draw, find in enumerate(self.finds)
            for order, read in zip(
                ORDERS, (find.by_map, find.by_entropy, (self.sample_size + 1) / 2), strict=True
            )
        ]
        return pd.DataFrame(rows, columns=["draw", "order", "read", "points", "hidden", "region"])


def adversarial_search(
    classifier: object,
    points: Shaped[np.ndarray, "..."],
    settings: DeepViewSettings | None = None,
    *,
    adversarial: Sequence[int],
    made_from: Sequence[int | None] | None = None,
    lambda_: float = 1.0,
    draws: int = 20,
    sample_size: int = 500,
    threshold: float = 0.5,
    within_class: bool = True,
    seed: int = 0,
) -> AdversarialSearch:
    """Hide one adversarial sentence among others and count how many are read until it is found, many times.

    ``adversarial`` names the rows of ``points`` that are manipulated sentences; all others are the pool.
    Every draw hides another of them (all in turn, where there are fewer than draws) among ``sample_size - 1``
    different points of the pool, and draws a map of its own: where the hidden sentence lies depends on its
    company, so draws that shared a map would not be independent. ``made_from`` gives for each the row of the
    sentence that it was made from, or None where that is not among the points; it is left out of that draw.
    The map is at λ = 1 unless said otherwise, as the paper's of fine-tuned models; then no path between
    points is walked.

    For a control name rows of unchanged copies of the same sentences as ``adversarial``, with the same
    ``made_from`` and seed: all draws are then the same but for the attack (see `search_effect`).

    `rank_points` says how the map is read. For comparison the same sentences are read by the entropy of the
    classifier's answer at the sentence itself, most uncertain first, and in random order.

    Raises:
        SettingsError: fewer than two draws, a sample too small for the settings, λ or threshold outside
            [0, 1].
        DataError: no adversarial sentence; a row that does not exist; ``made_from`` of another length; fewer
            points than a sample needs; see also `DeepView.fit`.
    """
    answerer, rows = as_classifier(classifier), check_points(points)
    settings = settings or DeepViewSettings()
    if draws < 2:
        raise SettingsError(f"draws={draws}: an interval needs at least two")
    check_lambda(lambda_)
    drawn = hide(rows, adversarial, made_from, draws, sample_size, seed)
    finds = []
    with threads_for(sample_size):
        for hidden, sample in track(drawn, "Searches", draws, unit="map"):
            drawing = _draw_map(answerer, rows[sample], settings, lambda_)
            ranking = rank_points(drawing, threshold, within_class)
            entropy = entr(answerer.probabilities(rows[sample])).sum(axis=1)
            at = int(np.flatnonzero(sample == hidden)[0])
            by_entropy = int(np.flatnonzero(np.argsort(-entropy, kind="stable") == at)[0]) + 1
            finds.append(Find(hidden, int(ranking.region[at]), ranking.reads(at), by_entropy))
    return AdversarialSearch(sample_size, tuple(finds))


def hide(
    points: Shaped[np.ndarray, "..."],
    adversarial: Sequence[int],
    made_from: Sequence[int | None] | None,
    draws: int,
    sample_size: int,
    seed: int,
) -> Iterator[tuple[int, Int[np.ndarray, "sample"]]]:
    """Give for every draw the hidden row and the shuffled rows of its sample, the hidden one among them.

    Raises:
        DataError: see `adversarial_search`.
    """
    _check_rows(adversarial, made_from, len(points))
    turns = np.random.default_rng(seed).permutation(len(adversarial))
    pool = np.setdiff1d(np.arange(len(points)), adversarial)
    for draw in range(draws):
        turn = turns[draw % len(turns)]
        hidden = int(adversarial[turn])
        original = made_from[turn] if made_from is not None else None
        others = pool if original is None else pool[pool != original]
        drawn = others[draw_sample(points[others], sample_size - 1, seed, draw)]
        yield hidden, np.random.default_rng([seed, draw]).permutation(np.append(drawn, hidden))


def _check_rows(adversarial: Sequence[int], made_from: Sequence[int | None] | None, n_points: int) -> None:
    if not len(adversarial):
        raise DataError("there is no adversarial sentence to hide: name at least one row")
    if made_from is not None and len(made_from) != len(adversarial):
        raise DataError(f"made_from names {len(made_from)} rows for {len(adversarial)} adversarial sentences")
    named = [row for row in (*adversarial, *(made_from or ())) if row is not None]
    outside = [row for row in named if not 0 <= row < n_points]
    if outside:
        raise DataError(f"row {outside[0]} does not exist: there are {n_points} points")


@dataclass(frozen=True)
class _Map:
    embedding: Float32[np.ndarray, "points 2"]
    extent: tuple[float, float, float, float]
    grid_class: Int[np.ndarray, "rows cols"]
    grid_certainty: Float64[np.ndarray, "rows cols"]


def _draw_map(
    classifier: Classifier,
    points: Float64[np.ndarray, "points dim"],
    settings: DeepViewSettings,
    lambda_: float,
) -> Shown:
    """The map that `DeepView.frame` gives; at λ = 1 without the paths, which weigh nothing then."""
    if lambda_ == 1 and settings.measures_all(len(points)):
        control = control_distance(points, settings.metric, settings.control, settings.path_segments)
        embedding = embed(blend(control, control, 1.0, settings.blend), settings)
    else:
        embedding = DeepView(classifier, settings).fit(points, show_progress=False).embedding(lambda_)
    drawn = draw_background(classifier, InverseMap(embedding, points, settings), embedding, settings)
    return _Map(embedding, drawn.extent, drawn.grid_class, drawn.grid_certainty)
