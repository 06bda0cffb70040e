"""The bootstrap against an independent one, and what cannot be resampled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import bootstrap, pearsonr, spearmanr

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.dissociation import dissociation_scores
from encoder_atlas.specialization.iap import dissociation_interval
from encoder_atlas.specialization.pruning import Pruned
from encoder_atlas.specialization.resampling import resample
from encoder_atlas.specialization.settings import SpecializationSettings

MakePruned = Callable[..., Pruned]

RIGHT = {"none": {"a": 80, "b": 70}, "a": {"a": 55, "b": 66}, "b": {"a": 72, "b": 52}}


def d_of(scores: np.ndarray) -> np.ndarray:
    return dissociation_scores(scores[..., 1:, :] / scores[..., :1, :]).mean(axis=(-1, -2))


def test_the_value_is_that_of_the_texts_as_they_are(make_pruned: MakePruned) -> None:
    pruned = make_pruned(RIGHT)
    draws = resample(pruned, lambda scores: scores, 50)
    np.testing.assert_allclose(draws.value, pruned.scores[None])
    assert draws.resampled.shape == (1, 3, 2, 50) and draws.n == 100


def test_intervals_against_a_bootstrap_written_out(make_pruned: MakePruned) -> None:
    pruned, random, slow = make_pruned(RIGHT), np.random.default_rng(5), []
    for _ in range(4000):
        scores = np.empty((3, 2))
        for column, task in enumerate(pruned.tasks):
            rows = random.integers(100, size=100)  # one draw for all sets of a task
            right = pruned.predicted[task] == pruned.labels[task]
            scores[:, column] = right[:, rows].mean(axis=1)
        slow.append(d_of(scores[None, None])[0])
    draws = resample(pruned, d_of, 4000)
    assert draws.value == pytest.approx(d_of(pruned.scores[None]))
    assert draws.resampled.std() == pytest.approx(np.std(slow), rel=0.06)
    low, high = draws.interval()
    np.testing.assert_allclose([low, high], np.quantile(slow, [0.025, 0.975]), atol=1.2)
    # Sets are resampled together: apart, D would look noisier than it is.
    alone = [
        dissociation_scores(
            np.stack(
                [
                    np.mean(random.random((2, 100)) < share, axis=1)
                    for share in ([[0.55], [0.66]], [[0.72], [0.52]])
                ]
            )
            / [0.8, 0.7]
        ).mean()
        for _ in range(1000)
    ]
    assert np.std(alone) > 1.1 * draws.resampled.std()


@pytest.mark.parametrize("metric", ["f1", "mcc"])
def test_other_metrics_are_resampled_as_themselves(make_pruned: MakePruned, metric: str) -> None:
    pruned = make_pruned(RIGHT)
    pruned = type(pruned)(**{**vars(pruned), "metrics": {"a": metric, "b": "accuracy"}})
    np.testing.assert_allclose(resample(pruned, lambda scores: scores, 20).value, pruned.scores[None])


def scored_pruned(n: int = 60, seed: int = 0, metric: str = "pearson") -> Pruned:
    """Classes "a" and scores "b" under three sets of heads; each set says more noise than the one before."""
    random = np.random.default_rng(1 + seed)
    labels = {"a": np.arange(n) % 3, "b": np.random.default_rng(0).integers(0, 11, size=n) / 2}
    noise = random.normal(size=(3, n)) * [[0.5], [1.0], [4.0]]
    turned = (labels["a"] + (random.random((3, n)) < [[0.1], [0.4], [0.2]])) % 3
    heads = {name: np.zeros((2, 2), dtype=bool) for name in ("none", "a", "b")}
    return Pruned(
        seed=seed,
        split="dev",
        sets=heads,
        metrics={"a": "accuracy", "b": metric},  # pyright: ignore[reportArgumentType]
        kinds={"a": "single", "b": "pair"},
        label_names={"a": ("x", "y", "z"), "b": ()},
        chance={"a": 1 / 3, "b": 0.0},
        labels=labels,
        predicted={"a": turned, "b": np.round(labels["b"] + noise, 1)},
    )


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_correlations_are_resampled_beside_classes(metric: str) -> None:
    """Against a loop: the same draws, one text after the other, and every number by its own function."""
    models = [scored_pruned(seed=seed, metric=metric) for seed in (0, 1)]
    draws = resample(models, lambda scores: scores, 40, seed=3)
    np.testing.assert_allclose(draws.value, [model.scores for model in models], atol=1e-12)
    drawn: list[tuple[np.ndarray, np.ndarray]] = []

    def note(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        drawn.append((a.astype(int), b.astype(int)))
        return np.zeros(a.shape[:-1])

    texts = (np.arange(60), np.arange(60))
    rng = np.random.default_rng(3)
    bootstrap(texts, note, n_resamples=40, vectorized=True, method="percentile", rng=rng)
    rows_a, rows_b = next(pair for pair in drawn if pair[0].ndim == 2 and len(pair[0]) == 40)
    correlation: Any = pearsonr if metric == "pearson" else spearmanr
    for draw in range(40):
        for place, model in enumerate(models):
            for row in range(3):
                a, b = rows_a[draw], rows_b[draw]
                right = model.predicted["a"][row][a] == model.labels["a"][a]
                assert draws.resampled[place, row, 0, draw] == pytest.approx(right.mean())
                expected = correlation(model.labels["b"][b], model.predicted["b"][row][b]).statistic
                assert draws.resampled[place, row, 1, draw] == pytest.approx(expected, abs=1e-12)


def test_intervals_of_a_correlation_against_a_bootstrap_written_out() -> None:
    """D of one task with classes and one with scores: a draw serves all sets of a task."""
    pruned, random, slow = scored_pruned(), np.random.default_rng(5), []
    for _ in range(3000):
        scores = np.empty((3, 2))
        a, b = random.integers(60, size=(2, 60))
        scores[:, 0] = (pruned.predicted["a"] == pruned.labels["a"])[:, a].mean(axis=1)
        scores[:, 1] = [np.corrcoef(row[b], pruned.labels["b"][b])[0, 1] for row in pruned.predicted["b"]]
        slow.append(d_of(scores[None, None])[0])
    draws = resample(pruned, d_of, 3000)
    assert draws.resampled.std() == pytest.approx(np.std(slow), rel=0.06)
    np.testing.assert_allclose(draws.interval(), np.quantile(slow, [0.025, 0.975]), atol=1.5)


def test_models_are_resampled_on_the_same_texts(make_pruned: MakePruned) -> None:
    twins = [make_pruned(RIGHT, seed=seed) for seed in (0, 1)]
    draws = resample(twins, lambda scores: scores[..., 0, :, :] - scores[..., 1, :, :], 50)
    assert not draws.resampled.any()


def test_differences_of_other_texts_add_their_noise(make_pruned: MakePruned) -> None:
    first, second = (resample(make_pruned(RIGHT), d_of, 2000, seed) for seed in (0, 1))
    difference = first - second
    assert float(difference.value) == 0
    assert difference.resampled.std() == pytest.approx(np.sqrt(2) * first.resampled.std(), rel=0.1)


def test_the_table_of_intervals(make_pruned: MakePruned) -> None:
    settings = SpecializationSettings(resamples=500)
    table = dissociation_interval([make_pruned(RIGHT)], settings).set_index("task")
    # a: 72/80 - 55/80 = 21.25; b: 66/70 - 52/70 = 20.
    np.testing.assert_allclose(table["dissociation"], [21.25, 20, 20.625])
    low, value, high = table[["low", "dissociation", "high"]].to_numpy().T
    assert (low < value).all() and (value < high).all()
    assert np.isnan(table["sd"].to_numpy()).all()
    worse = {**RIGHT, "a": {"a": 59, "b": 66}}
    both = dissociation_interval([make_pruned(RIGHT), make_pruned(worse, seed=1)], settings).set_index("task")
    assert both.loc["a", "dissociation"] == pytest.approx(21.25 - 2.5)
    assert both.loc["a", "sd"] == pytest.approx(5 / np.sqrt(2))


def test_models_of_other_texts_or_sets_are_refused(make_pruned: MakePruned) -> None:
    pruned = make_pruned(RIGHT)
    with pytest.raises(DataError, match="other texts of 'a'"):
        resample([pruned, make_pruned(RIGHT, n=90)], d_of)
    with pytest.raises(DataError, match=r"sets \['none', 'a'\] cannot be resampled with"):
        resample([pruned, make_pruned({name: RIGHT[name] for name in ("none", "a")})], d_of)
    with pytest.raises(DataError, match="no pruned model"):
        resample([], d_of)
