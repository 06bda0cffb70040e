"""Scores worked by hand."""

import math
import re
import string
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.training.scores import (
    correlates,
    measure,
    measure_answers,
    normalised,
    overlap,
    predictions,
)

LABELS, PREDICTED = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])


def test_by_hand() -> None:
    # TP 2, FP 1, FN 1, TN 1
    assert measure("accuracy", LABELS, PREDICTED) == pytest.approx(3 / 5)
    assert measure("f1", LABELS, PREDICTED) == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert measure("mcc", LABELS, PREDICTED) == pytest.approx((2 * 1 - 1 * 1) / np.sqrt(3 * 3 * 2 * 2))


def test_f1_of_more_classes_is_their_mean() -> None:
    labels, predicted = np.array([0, 1, 2, 2]), np.array([0, 2, 2, 2])
    assert measure("f1", labels, predicted) == pytest.approx((1 + 0 + 4 / 5) / 3)


def test_one_class_predicted_is_a_score_and_not_a_warning() -> None:
    nothing = np.zeros(5, dtype=np.int64)
    assert measure("f1", LABELS, nothing) == 0
    assert measure("mcc", LABELS, nothing) == 0


def test_unknown_metric() -> None:
    with pytest.raises(SettingsError, match="did you mean 'accuracy'"):
        measure("acuracy", LABELS, PREDICTED)
    with pytest.raises(SettingsError, match="no metric is called 'em'"):
        measure("em", LABELS, PREDICTED)
    with pytest.raises(SettingsError, match="no metric is called 'accuracy'; known: em, f1"):
        measure_answers("accuracy", [("a",)], ["a"])


def test_predictions_are_classes_or_the_one_output() -> None:
    assert predictions(np.array([[0.1, 0.2], [3.0, -1.0]])).tolist() == [1, 0]
    assert predictions(np.array([[0.5], [-2.0]])).tolist() == [0.5, -2.0]


def test_correlations_by_hand() -> None:
    scores, predicted = np.array([0.0, 1.0, 2.0, 5.0]), np.array([1.0, 0.0, 2.0, 2.5])
    # Deviations from the means 2 and 1.375: products sum to 5.5; squares to 14 and to 3.6875.
    assert measure("pearson", scores, predicted) == pytest.approx(5.5 / math.sqrt(14 * 3.6875))
    # Ranks 1 2 3 4 against 2 1 3 4: 1 - 6 * 2 / (4 * 15).
    assert measure("spearman", scores, predicted) == pytest.approx(0.8)


def test_correlation_with_a_constant_is_a_score_and_not_a_warning() -> None:
    for metric in ("pearson", "spearman"):
        assert measure(metric, np.array([1.0, 2.0, 3.0]), np.full(3, 2.5)) == 0
        assert measure(metric, np.array([1.0]), np.array([2.0])) == 0


def literal_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, the mean rank for ties."""
    return np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values])


def literal_pearson(x: np.ndarray, y: np.ndarray) -> float:
    x, y = x - sum(x) / len(x), y - sum(y) / len(y)
    return sum(x * y) / math.sqrt(sum(x * x) * sum(y * y))


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=3, max_size=12))
@settings(deadline=None)
def test_correlations_against_their_definitions(rows: list[tuple[int, int]]) -> None:
    x, y = (np.array(values) / 2 for values in zip(*rows, strict=True))
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert measure("pearson", x, y) == pytest.approx(literal_pearson(x, y), abs=1e-9)
        ranks = literal_pearson(literal_ranks(x), literal_ranks(y))
        assert measure("spearman", x, y) == pytest.approx(ranks, abs=1e-9)


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_many_samples_at_once_are_each_by_itself(metric: str) -> None:
    random = np.random.default_rng(0)
    labels, predicted = random.integers(0, 6, size=(2, 30, 9)) / 2
    labels[3], predicted[4], predicted[5] = 1.1, 2.7, labels[5]
    expected = [measure(metric, *rows) for rows in zip(labels, predicted, strict=True)]
    assert expected[3:5] == [0, 0] and expected[5] == pytest.approx(1)
    found = (correlates(metric, labels) * correlates(metric, predicted)).sum(axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert correlates(metric, np.full((2, 3, 10), 0.1)).tolist() == np.zeros((2, 3, 10)).tolist()
    with pytest.raises(SettingsError, match="no metric is called 'accuracy'"):
        correlates("accuracy", labels)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The  Norman\tConquest!", "norman conquest"),
        ("a U.S. state", "us state"),
        ("An answer, the answer; A", "answer answer"),
        ("Theatre", "theatre"),
        ("it's a-z", "its az"),
        ("the-end", "theend"),
        ("\u201cquoted\u201d", "\u201cquoted\u201d"),
        ("The", ""),
    ],
)
def test_normalised_by_hand(answer: str, expected: str) -> None:
    assert normalised(answer) == expected


@pytest.mark.parametrize(
    ("predicted", "right", "em", "f1"),
    [
        ("the Broncos.", ("Denver Broncos", "Broncos"), 1, 1),
        ("Denver Broncos", ("Broncos",), 0, 2 / 3),  # one word shared, of 2 and of 1
        ("Santa Clara, California", ("Levi's Stadium in Santa Clara", "Santa Clara"), 0, 4 / 5),
        ("New York New York", ("New York",), 0, 2 / 3),  # each word counts as often as both have it
        ("1976", ("1977",), 0, 0),
        ("", ("Ann",), 0, 0),
        ("the", ("a",), 1, 0),  # nothing is left of both: equal, and no word shared
    ],
)
def test_answers_by_hand(predicted: str, right: tuple[str, ...], em: float, f1: float) -> None:
    assert measure_answers("em", [right], [predicted]) == em
    assert measure_answers("f1", [right], [predicted]) == pytest.approx(f1)


def test_answers_are_averaged_over_questions() -> None:
    answers, predicted = [("Ann",), ("the cat", "dog"), ("rain",)], ["ann", "black cat", "snow"]
    assert measure_answers("em", answers, predicted) == pytest.approx(1 / 3)
    assert measure_answers("f1", answers, predicted) == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_answers_that_cannot_be_measured() -> None:
    with pytest.raises(DataError, match="1 answers are predicted for 2 questions"):
        measure_answers("em", [("a",), ("b",)], ["a"])
    with pytest.raises(DataError, match="0 answers are predicted for 0 questions"):
        measure_answers("em", [], [])
    with pytest.raises(DataError, match="has no right answer"):
        measure_answers("f1", [("a",), ()], ["a", "b"])


def literal_normal(answer: str) -> str:
    """The steps of SQuAD's description one after the other: case, punctuation, articles, white space."""
    kept = [letter for letter in answer.lower() if letter not in string.punctuation]
    without_articles = re.sub(r"\b(a|an|the)\b", " ", "".join(kept))
    return " ".join(without_articles.split())


def literal_em(predicted: str, right: str) -> float:
    return float(literal_normal(predicted) == literal_normal(right))


def literal_f1(predicted: str, right: str) -> float:
    """Precision and recall of words, and their harmonic mean."""
    words, wanted = literal_normal(predicted).split(), literal_normal(right).split()
    counted = Counter(wanted)
    shared = sum(min(n, counted[word]) for word, n in Counter(words).items())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(words), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


ANSWER = st.lists(
    st.sampled_from(
        ["the", "The", "a", "an", "cat", "Cat.", "cat's", "\u00e9t\u00e9", "-", "U.S.", "\u2028", "\t"]
    ),
    max_size=5,
).flatmap(lambda words: st.sampled_from([" ", "", "-"]).map(lambda between: between.join(words)))


@given(ANSWER | st.text(max_size=8), st.lists(ANSWER | st.text(max_size=8), min_size=1, max_size=3))
@settings(deadline=None, max_examples=300)
def test_answers_against_the_official_steps(predicted: str, rights: list[str]) -> None:
    assert normalised(predicted) == literal_normal(predicted)
    assert overlap(predicted, rights[0]) == pytest.approx(literal_f1(predicted, rights[0]))
    for metric, one in (("em", literal_em), ("f1", literal_f1)):
        best = max(one(predicted, right) for right in rights)
        assert measure_answers(metric, [rights], [predicted]) == pytest.approx(best)
