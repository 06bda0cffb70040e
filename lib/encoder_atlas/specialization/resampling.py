"""Intervals from the texts: as if the dev sets had been drawn again. No model is run for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64
from scipy.stats import bootstrap

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.pruning import Pruned
from encoder_atlas.text.task import METRICS
from encoder_atlas.training.scores import correlates, measure_counts

Statistic = Callable[[Float64[np.ndarray, "*draws models sets tasks"]], Float64[np.ndarray, "*shape"]]
"""From scores of every model, set and task (any number of leading axes) to one number or several a draw."""

Measure = Callable[[Int64[np.ndarray, "draws points"]], Float64[np.ndarray, "draws models sets"]]
Rows = Callable[[Int64[np.ndarray, "draws points"]], Float64[np.ndarray, "draws rows"]]
"""From drawn texts to one task's metric: of every model and set, or of every row of predictions."""

BATCH = 250
"""Resamples held at once: for 6 models, 20 sets and 1,000 texts of 4 classes about 50 MB."""


@dataclass(frozen=True, eq=False)
class Draws:
    """A statistic on the texts as they are, and on every resample of them.

    Its interval is over texts; it says nothing about another training seed.
    """

    value: Float64[np.ndarray, "*shape"]
    resampled: Float64[np.ndarray, "*shape resamples"]
    n: int
    """Texts of the smallest task."""

    def __sub__(self, other: "Draws") -> "Draws":
        """The difference of two statistics of *different* texts, whose resamples are independent."""
        return Draws(
            np.asarray(self.value - other.value),
            self.resampled - other.resampled,
            min(self.n, other.n),
        )

    def interval(
        self, level: float = 0.95
    ) -> tuple[Float64[np.ndarray, "*shape"], Float64[np.ndarray, "*shape"]]:
        """Ends of the percentile interval; a skewed statistic may lie outside, and then is an end itself."""
        tail = (1 - level) / 2
        low, high = np.quantile(self.resampled, [tail, 1 - tail], axis=-1)
        return np.asarray(np.minimum(low, self.value)), np.asarray(np.maximum(high, self.value))


def resample(
    pruned: Pruned | Sequence[Pruned], statistic: Statistic, resamples: int = 2000, seed: int = 0
) -> Draws:
    """Bootstrap a statistic of scores over the texts of all tasks.

    Texts are drawn with replacement, each task's own; one draw serves all models and sets, so that their
    differences are those of the same texts.

    Args:
        pruned: one model, or several with the same texts and the same names of sets.
        statistic: gets scores (…, models, sets, tasks), gives one number or several (…, draws last).

    Raises:
        DataError: models with other texts or sets, or a score by which a statistic cannot divide.
    """
    models = [pruned] if isinstance(pruned, Pruned) else list(pruned)
    _check(models)
    measures = [_measure_of(models, task) for task in models[0].tasks]
    labels = list(models[0].labels.values())

    def of_indices(*indices: Int64[np.ndarray, "..."], axis: int = -1) -> np.ndarray:
        drawn = [np.atleast_2d(index) for index in indices]
        scores = np.stack(
            [measure(rows) for measure, rows in zip(measures, drawn, strict=True)],
            axis=-1,
        )
        found = np.moveaxis(np.asarray(statistic(scores)), 0, -1)
        return found if indices[0].ndim > 1 else found[..., 0]

    texts = tuple(np.arange(len(part)) for part in labels)
    value = of_indices(*texts)
    result = bootstrap(
        texts,
        of_indices,
        n_resamples=resamples,
        batch=BATCH,
        vectorized=True,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    distribution = np.asarray(result.bootstrap_distribution, dtype=np.float64)
    return Draws(np.asarray(value, dtype=np.float64), distribution, min(map(len, texts)))


def _measure_of(models: Sequence[Pruned], task: str) -> Measure:
    """The task's metric on drawn texts."""
    metric, labels = models[0].metrics[task], models[0].labels[task]
    predicted = np.concatenate([model.predicted[task] for model in models])
    if metric in METRICS["score"]:
        found = _correlations(metric, labels, predicted)
    else:
        found = _classes_met(metric, labels, predicted, len(models[0].label_names[task]))
    return lambda drawn: found(drawn).reshape(len(drawn), len(models), -1)


def _correlations(
    metric: str, labels: Float64[np.ndarray, " points"], predicted: Float64[np.ndarray, "rows points"]
) -> Rows:
    """Of scores: every draw is measured anew, for a rank is one among the drawn texts."""

    def measure(drawn: Int64[np.ndarray, "draws points"]) -> Float64[np.ndarray, "draws rows"]:
        right = correlates(metric, labels[drawn])
        said = (correlates(metric, row[drawn]) for row in predicted)
        return np.stack([(right * row).sum(axis=1) for row in said], axis=1)

    return measure


def _classes_met(
    metric: str,
    labels: Int64[np.ndarray, " points"],
    predicted: Int64[np.ndarray, "rows points"],
    classes: int,
) -> Rows:
    """Of classes: through confusion matrices, which are sums over texts."""
    cells = _cells(labels, predicted, classes)

    def measure(drawn: Int64[np.ndarray, "draws points"]) -> Float64[np.ndarray, "draws rows"]:
        draws, points = drawn.shape
        offset = points * np.arange(draws)[:, None]
        times = np.bincount((drawn + offset).ravel(), minlength=draws * points).reshape(draws, points)
        counts = (times.astype(np.float64) @ cells).reshape(-1, classes, classes)
        return measure_counts(metric, counts).reshape(draws, -1)

    return measure


def _cells(
    labels: Int64[np.ndarray, " points"], predicted: Int64[np.ndarray, "rows points"], classes: int
) -> Float64[np.ndarray, "points cells"]:
    """For every text the cell of each row's confusion matrix that it falls into, one-hot."""
    hot = np.zeros((len(labels), len(predicted), classes * classes))
    hot[np.arange(len(labels)), np.arange(len(predicted))[:, None], labels * classes + predicted] = 1
    return hot.reshape(len(labels), -1)


def _check(models: Sequence[Pruned]) -> None:
    if not models:
        raise DataError("there is no pruned model to resample")
    first = models[0]
    for other in models[1:]:
        if other.tasks != first.tasks or list(other.sets) != list(first.sets):
            raise DataError(
                f"models with tasks {list(other.tasks)} and sets {list(other.sets)} cannot be resampled with "
                f"tasks {list(first.tasks)} and sets {list(first.sets)}"
            )
        for task in first.tasks:
            if not np.array_equal(other.labels[task], first.labels[task]):
                raise DataError(f"the models were pruned on other texts of {task!r}: use the same split")
