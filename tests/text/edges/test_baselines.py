"""Baselines against scikit-learn and by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import f1_score
from tests.text.edges.made import split, task

from encoder_atlas.text.edges import best_constant_f1, majority_f1, micro_f1, span_words_f1

ZERO: Any = 0.0  # scikit-learn's own annotation knows only its default
BOTH = arrays(bool, st.tuples(st.integers(1, 6), st.integers(2, 4), st.just(2)))


@given(BOTH)
def test_micro_f1_is_that_of_scikit_learn(both: np.ndarray) -> None:
    predicted, labels = np.ascontiguousarray(both[..., 0]), np.ascontiguousarray(both[..., 1])
    expected = f1_score(labels, predicted, average="micro", zero_division=ZERO)
    assert micro_f1(predicted, labels) == pytest.approx(expected)


def test_constant_answers_by_hand() -> None:
    """Train has a once and b twice, dev a, a, b.

    Always b: 1 of 3 is right, F1 1/3. Always both: in train 3 right of 6 given and 3 due, F1 2/3, as good as
    b alone; the smaller set is taken of two that are equally good.
    """
    dev = split([[0, 0, 1, 1, 2]] * 3, [[1, 0], [1, 0], [0, 1]])
    assert majority_f1(task(dev=dev)) == pytest.approx(1 / 3)
    assert majority_f1(task(dev=dev), "train") == pytest.approx(2 / 3)
    assert best_constant_f1(task(dev=dev)) == pytest.approx(1 / 3)


def test_of_two_equally_common_labels_both_are_the_best_constant() -> None:
    even = split([[0, 0, 1, 1, 2]] * 4, [[1, 0], [0, 1]] * 2)
    assert majority_f1(task(train=even, dev=even)) == pytest.approx(1 / 2)
    assert best_constant_f1(task(train=even, dev=even)) == pytest.approx(2 / 3)


def word_task(several: bool):
    """The label is the word of span 2; span 1 is the same everywhere, and the sentence's end misleads."""
    sentences = tuple(("x", word, "yz"[number % 2]) for number, word in enumerate("pqqppq"))
    labels = [[int(word == "p"), int(word == "q" or several)] for word in "pqqppq"]
    content = split([[number, 0, 1, 1, 2] for number in range(6)], labels, sentences)
    return task(train=content, dev=content)


@pytest.mark.parametrize("several", [False, True])
def test_words_of_the_spans_tell_what_they_tell(several: bool) -> None:
    made = word_task(several)
    assert span_words_f1(made) == 1.0
    assert span_words_f1(made, spans=(2,)) == 1.0
    assert span_words_f1(made, spans=(1,)) < 1.0
