"""Which models see the same sentences alike (Section 5.4), on the map and in the original space."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int, Shaped

from encoder_atlas.deepview.distance import blend
from encoder_atlas.deepview.embed import embed
from encoder_atlas.deepview.neighbourhoods import (
    READINGS,
    Agreement,
    agreement_of_ranks,
    neighbour_ranks,
    shuffled_within,
)
from encoder_atlas.deepview.settings import DeepViewSettings, check_lambda
from encoder_atlas.deepview.sweep import draw_sample
from encoder_atlas.deepview.threads import threads_for
from encoder_atlas.deepview.view import DeepView
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.progress import track

Place = tuple[str, float]
"""A model's name and a λ."""
Pair = tuple[Place, Place]

PAIRS: tuple[Pair, ...] = (
    (("MT", 1.0), ("FT", 1.0)),
    (("FT", 1.0), ("PT", 1.0)),
    (("MT", 1.0), ("PT", 1.0)),
    (("FT", 1.0), ("PT", 0.8)),
    (("MT", 1.0), ("PT", 0.8)),
)
"""The columns of Table 3."""


@dataclass(frozen=True)
class Compared:
    """Two places, one sample of points, one space."""

    pair: str
    space: str
    """`map`, the plane of DeepView, or `original`, the blended distances that the map was made of."""
    sample: int
    found: Agreement
    classes_alone: Agreement
    """The same after points changed places within the classes that both models give them."""


@dataclass(frozen=True)
class ModelComparison:
    """The agreement of every pair of models, in both spaces, for every sample."""

    compared: tuple[Compared, ...]

    def to_frame(self) -> pd.DataFrame:
        """The curves, one row a k: pair, space, sample, k, q_nn, lcmc, baseline, classes_alone (a Q_NN)."""
        tables = [
            one.found.to_frame().assign(
                pair=one.pair, space=one.space, sample=one.sample, classes_alone=one.classes_alone.q_nn
            )
            for one in self.compared
        ]
        columns = ["pair", "space", "sample", "k", "q_nn", "lcmc", "baseline", "classes_alone"]
        return pd.concat(tables, ignore_index=True).reindex(columns=columns)

    def summary(self) -> pd.DataFrame:
        """One row a pair, space, sample and reading: q_local, k_max, auc, auc_ln_k.

        Beside them `q_local_classes` and `auc_classes`: what the same points give after they changed places
        within classes, Q_local over the same k. What a pair has above these is more than common classes.
        """
        return pd.DataFrame([_measures(one, reading) for one in self.compared for reading in READINGS])


def compare_views(
    views: Mapping[str, DeepView], pairs: Sequence[Pair] = PAIRS, sample: int = 0
) -> ModelComparison:
    """Compare DeepViews that were fitted on the same sentences, row by row the same.

    A pair of one place with itself shows how far UMAP's chance goes: its second map has the next seed.

    Raises:
        SettingsError: a pair names a view that is not there, or one without all its distances (not fitted, or
            of so many points that only neighbours were searched); λ outside [0, 1].
        DataError: views of different numbers of points; see `DeepView.frame`.
    """
    _check_pairs(pairs, views)
    sizes = {name: len(view.discriminative) for name, view in views.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise DataError(f"the views must be of the same points, but they have {listed}")
    places = dict.fromkeys(place for pair in pairs for place in pair)
    original = {place: neighbour_ranks(_blended(views, place), "precomputed") for place in places}
    maps = {place: _map_ranks(views, place) for place in places}
    compared = []
    for a, b in pairs:
        first = maps[a] if a != b else _map_ranks(views, a, seed_step=1)
        spaces = {"map": (first, maps[b]), "original": (original[a], original[b])}
        groups = _joint_classes(views[a[0]], views[b[0]])
        for space, ranks in spaces.items():
            compared.append(_compare(pair_name(a, b), space, sample, ranks, groups))
    return ModelComparison(tuple(compared))


def compare_models(
    classifiers: Mapping[str, object],
    points: Mapping[str, Shaped[np.ndarray, "..."]],
    settings: DeepViewSettings,
    pairs: Sequence[Pair] = PAIRS,
    samples: int = 1,
    sample_size: int = 250,
    seed: int = 0,
) -> ModelComparison:
    """Fit DeepViews of all models on the same ``samples`` samples of sentences and compare them.

    ``points`` holds each model's representations of the same sentences in the same order.

    Raises:
        SettingsError, DataError: see `compare_views`, `DeepView.fit` and `draw_sample`.
    """
    _check_pairs(pairs, classifiers)
    names = list(dict.fromkeys(name for pair in pairs for name, _ in pair))
    if missing := [name for name in names if name not in points]:
        raise SettingsError(f"there are no points for {missing[0]!r}; {near(missing[0], points)}")
    if len({len(points[name]) for name in names}) > 1:
        sizes = ", ".join(f"{name}: {len(points[name])}" for name in names)
        raise DataError(f"every model needs points of the same sentences, but they have {sizes}")
    together = np.hstack([points[name] for name in names])
    compared: list[Compared] = []
    with threads_for(sample_size):
        for sample in track(range(samples), "Neighbourhoods of models", unit="sample"):
            rows = draw_sample(together, sample_size, seed, sample)
            views = {
                name: DeepView(classifiers[name], settings).fit(points[name][rows], show_progress=False)
                for name in names
            }
            compared += compare_views(views, pairs, sample).compared
    return ModelComparison(tuple(compared))


def pair_name(a: Place, b: Place) -> str:
    """A column of Table 3, λ in brackets.

    >>> pair_name(("FT", 1.0), ("PT", 0.8))
    'FT (1) vs PT (0.8)'
    """
    return " vs ".join(f"{name} ({lambda_:g})" for name, lambda_ in (a, b))


def _measures(one: Compared, reading: str) -> dict[str, object]:
    found = replace(one.found, reading=reading)
    summed = found.k_max - (reading == "released")
    return {
        "pair": one.pair,
        "space": one.space,
        "sample": one.sample,
        "reading": reading,
        "q_local": found.q_local,
        "k_max": found.k_max,
        "auc": found.auc,
        "auc_ln_k": found.auc_ln_k,
        "q_local_classes": float(one.classes_alone.q_nn[:summed].sum() / found.k_max),
        "auc_classes": one.classes_alone.auc,
    }


def _check_pairs(pairs: Sequence[Pair], known: Mapping[str, object]) -> None:
    for name, lambda_ in (place for pair in pairs for place in pair):
        check_lambda(lambda_)
        if name not in known:
            raise SettingsError(f"a pair names {name!r}, which is not there; {near(name, known)}")


def _blended(views: Mapping[str, DeepView], place: Place) -> Float64[np.ndarray, "points points"]:
    view = views[place[0]]
    return blend(view.discriminative, view.control, place[1], view.settings.blend)


def _map_ranks(
    views: Mapping[str, DeepView], place: Place, seed_step: int = 0
) -> Int[np.ndarray, "points points"]:
    settings = views[place[0]].settings
    settings = settings.model_copy(update={"seed": settings.seed + seed_step})
    return neighbour_ranks(embed(_blended(views, place), settings), "euclidean")


def _joint_classes(a: DeepView, b: DeepView) -> Int[np.ndarray, "points"]:
    return a.predicted * b.probabilities.shape[1] + b.predicted


def _compare(
    pair: str,
    space: str,
    sample: int,
    ranks: tuple[Int[np.ndarray, "points points"], Int[np.ndarray, "points points"]],
    groups: Int[np.ndarray, "points"],
) -> Compared:
    a, b = ranks
    alone = agreement_of_ranks(a, shuffled_within(b, groups, seed=sample))
    return Compared(pair, space, sample, agreement_of_ranks(a, b), alone)
