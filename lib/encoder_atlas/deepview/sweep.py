"""The quality of DeepView over λ and samples of points: what the paper's Tables 2 and 4-9 show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Int, Shaped

from encoder_atlas.deepview.cases import Case
from encoder_atlas.deepview.points import check_points
from encoder_atlas.deepview.settings import DeepViewSettings, check_lambda
from encoder_atlas.deepview.threads import threads_for
from encoder_atlas.deepview.view import DeepView, Quality
from encoder_atlas.errors import DataError
from encoder_atlas.progress import track


@dataclass(frozen=True)
class QualitySweep:
    """Q_kNN and Q_data for every sample and λ."""

    sample_size: int
    lambdas: tuple[float, ...]
    samples: tuple[tuple[Quality, ...], ...]
    """One entry a sample, in it one a λ."""

    def to_frame(self) -> pd.DataFrame:
        """One row a sample and λ: lambda_, sample, q_knn, q_data (errors in [0, 1])."""
        rows = [
            (lambda_, sample, quality.q_knn, quality.q_data)
            for sample, qualities in enumerate(self.samples)
            for lambda_, quality in zip(self.lambdas, qualities, strict=True)
        ]
        return pd.DataFrame(rows, columns=["lambda_", "sample", "q_knn", "q_data"])


def draw_sample(
    points: Shaped[np.ndarray, "..."], size: int, seed: int, sample: int
) -> Int[np.ndarray, "size"]:
    """Draw row numbers of ``size`` different points, without replacement; duplicates count once.

    Sample number ``sample`` of a seed is the same however many samples are drawn.

    Raises:
        DataError: fewer than ``size`` different points.
    """
    different = np.unique(check_points(points), axis=0, return_index=True)[1]
    if size > len(different):
        raise DataError(f"a sample of {size} is wanted, but there are only {len(different)} different points")
    return np.random.default_rng([seed, sample]).choice(np.sort(different), size, replace=False)


def quality_sweep(
    classifier: object,
    points: Shaped[np.ndarray, "..."],
    settings: DeepViewSettings,
    lambdas: Sequence[float],
    samples: int = 1,
    sample_size: int = 250,
    seed: int = 0,
) -> QualitySweep:
    """Fit DeepView on ``samples`` samples of ``points`` and measure it at every λ; distances once a sample.

    The paper takes one sample of 250 points.

    Raises:
        SettingsError, DataError: see `DeepView.fit`, `DeepView.frame` and `draw_sample`.
    """
    for lambda_ in lambdas:
        check_lambda(lambda_)
    measured = []
    with threads_for(sample_size):
        for sample in track(range(samples), "Quality over λ", unit="sample"):
            rows = draw_sample(points, sample_size, seed, sample)
            view = DeepView(classifier, settings).fit(points[rows], show_progress=False)
            measured.append(tuple(view.quality(lambda_) for lambda_ in lambdas))
    return QualitySweep(sample_size, tuple(lambdas), tuple(measured))


SWEEP_COLUMNS = ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]


def measure_now(
    measure: Callable[..., Any], classifier: object, points: Shaped[np.ndarray, "..."], **how: Any
) -> pd.DataFrame:
    """The table of one measurement, made on the spot."""
    return measure(classifier, points, **how).to_frame()


def sweep_cases(
    cases: Sequence[Case],
    settings: DeepViewSettings,
    lambdas: Sequence[float],
    samples: int = 1,
    sample_size: int = 250,
    measured: Callable[..., pd.DataFrame] = measure_now,
) -> pd.DataFrame:
    """Measure every case at every λ: setting, task, seed, sample, lambda_, q_knn, q_data (errors in [0, 1]).

    Cases of one seed are measured on the same texts: sample 3 of PT and sample 3 of FT are a pair. Samples of
    a split that is hardly larger than ``sample_size`` are nearly the same texts, and their spread is
    then no measure of noise. A head that gives all texts of a sample one class needs
    ``settings.allow_one_class``, and its errors are 0 whatever the map.

    Args:
        measured: a function like ``measure_now`` that may remember what it measured.

    Raises:
        SettingsError, DataError: see `quality_sweep`; a split with fewer texts than ``sample_size`` is named
            before anything is measured.
    """
    for case in cases:
        if len(case.points) < sample_size:
            raise DataError(
                f"task {case.task.name!r} has {len(case.points)} texts in {case.split!r}, and a sample of "
                f"{sample_size} is wanted: take smaller samples or more text"
            )
    how = {"settings": settings, "lambdas": tuple(lambdas), "samples": samples, "sample_size": sample_size}
    tables = []
    for case in track(cases, "Quality of every model", unit="model"):
        table = measured(quality_sweep, case.head, case.points, seed=case.seed, **how)
        tables.append(table.assign(setting=case.setting, task=case.task.name, seed=case.seed))
    if not tables:
        raise DataError("there are no cases to measure: give at least one fitted model and its task")
    return pd.concat(tables, ignore_index=True).reindex(columns=SWEEP_COLUMNS)
