"""Scores with their noise, against scikit-learn on texts that are really drawn again."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.deepview.cases import Case
from encoder_atlas.deepview.scores import better_than_majority, confusion, resampled, score_cases
from encoder_atlas.errors import DataError
from encoder_atlas.training.scores import measure, measure_counts

MakeCase = Callable[..., Case]


def literal_interval(
    metric: str, labels: np.ndarray, predicted: np.ndarray, resamples: int = 1500
) -> np.ndarray:
    """Percentile bootstrap as it is defined: texts drawn with replacement, the measure taken anew."""
    random = np.random.default_rng(1)
    drawn = [random.integers(len(labels), size=len(labels)) for _ in range(resamples)]
    return np.quantile([measure(metric, labels[rows], predicted[rows]) for rows in drawn], [0.025, 0.975])


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc"])
def test_intervals_are_those_of_texts_drawn_again(make_case: MakeCase, metric: str) -> None:
    case = make_case(n=120, wrong=0.25, metric=metric)
    row = score_cases([case]).query("setting == 'PT' and measure == @metric").iloc[0]
    assert row["value"] == measure(metric, case.labels, case.predicted)
    np.testing.assert_allclose(
        row[["low", "high"]].to_numpy(dtype=float),
        literal_interval(metric, case.labels, case.predicted),
        atol=0.025,
    )


def test_rows_by_hand(make_case: MakeCase) -> None:
    labels, predicted = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])
    case = make_case(labels=labels, predicted=predicted, metric="mcc", seed=7)
    table = score_cases([case])
    assert list(zip(table["setting"], table["measure"], strict=True)) == [
        ("PT", "accuracy"),
        ("PT", "mcc"),
        ("majority", "accuracy"),
        ("majority", "mcc"),
    ]
    assert table["value"].tolist() == pytest.approx(
        [3 / 5, (2 * 1 - 1 * 1) / np.sqrt(3 * 3 * 2 * 2), 3 / 5, 0]
    )
    assert table["commonest"].tolist() == pytest.approx([3 / 5, 3 / 5, 1, 1])
    assert table["seed"].tolist()[:2] == [7, 7]
    assert table["seed"].isna().tolist() == [False, False, True, True]
    assert set(table["n"]) == {5}


def test_the_majority_stands_once_for_all_settings_and_seeds(make_case: MakeCase) -> None:
    table = score_cases([make_case(setting=name, seed=seed) for name in ("PT", "FT") for seed in (0, 1)])
    assert table["setting"].tolist() == ["PT", "PT", "FT", "FT", "majority"]


def test_a_perfect_classifier_has_no_noise(make_case: MakeCase) -> None:
    row = score_cases([make_case(wrong=0.0)]).iloc[0]
    assert row[["value", "low", "high"]].tolist() == [1, 1, 1]


def test_confusion_by_hand() -> None:
    counts = confusion(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), classes=3)
    assert counts.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    draws = resampled(counts, 200)
    assert draws.shape == (200, 3, 3)
    assert (draws.sum(axis=(1, 2)) == 4).all()
    assert (draws[:, counts == 0] == 0).all()
    np.testing.assert_array_equal(draws, resampled(counts, 200))
    np.testing.assert_allclose(resampled(counts, 20_000).mean(axis=0), counts, atol=0.05)


def test_no_cases() -> None:
    with pytest.raises(DataError, match="no cases"):
        score_cases([])


def test_better_than_the_majority_answer_by_more_than_noise(make_case: MakeCase) -> None:
    good, poor = (make_case(n=200, wrong=wrong, task=name) for name, wrong in (("good", 0.2), ("poor", 0.47)))
    table = score_cases([good, poor])
    assert better_than_majority(table, "PT") == ["good"]
    with pytest.raises(DataError, match="no scores of setting 'XT'"):
        better_than_majority(table, "XT")


def test_measures_on_counts_are_those_on_texts() -> None:
    random = np.random.default_rng(0)
    for classes in (2, 3, 5):
        for _ in range(30):
            labels = np.concatenate([np.arange(classes), random.integers(classes, size=40)])
            predicted = random.integers(random.integers(1, classes + 1), size=len(labels))
            counts = confusion(labels, predicted, classes)[None].astype(np.float64)
            for metric in ("accuracy", "f1", "mcc"):
                assert measure_counts(metric, counts)[0] == pytest.approx(measure(metric, labels, predicted))


def test_the_frame_is_what_tables_read(make_case: MakeCase) -> None:
    table = score_cases([make_case()])
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == [
        "setting", "task", "seed", "measure", "value", "low", "high", "commonest", "n",
    ]  # fmt: skip
