"""What stands for a sentence: its first token, the mean over tokens, or the encoder's own pooler."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import pandas as pd

from encoder_atlas.deepview.cases import Represent, cases_of, represent_now
from encoder_atlas.deepview.models import Fit
from encoder_atlas.deepview.scores import MAJORITY, score_cases
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.sweep import measure_now, sweep_cases
from encoder_atlas.deepview.tables import ERRORS, task_errors
from encoder_atlas.encoders import Pooling
from encoder_atlas.estimates import mean_sd, plus_minus
from encoder_atlas.text import Task

KEYS = ["setting", "task", "seed"]
POOLINGS: tuple[Pooling, ...] = ("cls", "mean", "pooler")


@dataclass(frozen=True, eq=False)
class PoolingComparison:
    """Scores and errors of heads on each pooling; the pooling stands in column ``setting``."""

    scores: pd.DataFrame
    sweep: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """One row a measurement: pooling, task, seed, sample, lambda_, q_knn, q_data, accuracy."""
        own = self.scores.query(f"measure == 'accuracy' and setting != '{MAJORITY}'").rename(
            columns={"value": "accuracy"}
        )
        accuracy = own.reindex(columns=[*KEYS, "accuracy"]).astype({"seed": "int64"})
        return self.sweep.merge(accuracy, on=KEYS, validate="m:1").rename(columns={"setting": "pooling"})

    def table(self, digits: int = 1) -> pd.DataFrame:
        """A row a task and pooling: accuracy, then each error at each λ; percent, mean ± sd.

        The sd of the accuracy is over seeds, that of an error over samples and seeds.
        """
        by_seed = self.to_frame().drop_duplicates(["task", "pooling", "seed"])
        cells: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
        for key, part in by_seed.groupby(["task", "pooling"], sort=False):
            text = mean_sd(100 * part["accuracy"].to_numpy(), digits)
            cells[cast(tuple[str, str], key)] = {("accuracy", ""): text}
        for row in task_errors(self.sweep).to_dict(orient="records"):
            error = plus_minus(100 * row["mean"], 100 * row["sd"], digits)
            cells[row["task"], row["setting"]][ERRORS[row["measure"]], f"λ = {row['lambda_']:g}"] = error
        index = pd.MultiIndex.from_tuples(list(cells), names=["task", "pooling"])
        table = pd.DataFrame(list(cells.values()), index=index)
        return table.set_axis(pd.MultiIndex.from_tuples(list(table.columns)), axis=1)


def compare_poolings(
    fit: Fit,
    tasks: Sequence[Task],
    settings: DeepViewSettings,
    *,
    seeds: Sequence[int] = (0,),
    poolings: Sequence[Pooling] = POOLINGS,
    lambdas: Sequence[float] = (1.0, 0.8),
    samples: int = 1,
    sample_size: int = 250,
    represent: Represent = represent_now,
    measured: Callable[..., pd.DataFrame] = measure_now,
) -> PoolingComparison:
    """Fit a head on each pooling and measure its maps.

    The paper writes "CLS token", and its code takes the pooler's output.

    Args:
        fit: gives the head of a task and seed on the frozen encoder, called with mode "PT" and ``pooling=``.
        represent, measured: as for `cases_of` and `sweep_cases`.

    Raises:
        EncoderError: a pooling that the encoder does not have.
        SettingsError, DataError: see `sweep_cases`.
    """
    models = {
        pooling: [fit(task, "PT", seed, pooling=pooling) for task in tasks for seed in seeds]
        for pooling in poolings
    }
    cases = cases_of(models, tasks, represent)
    sweep = sweep_cases(cases, settings, lambdas, samples, sample_size, measured)
    return PoolingComparison(score_cases(cases), sweep)
