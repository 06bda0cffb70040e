"""What a task scores by chance, against numbers that can be worked out on paper."""

import pandas as pd
import pytest

from encoder_atlas.specialization.chance import chance_score
from encoder_atlas.text import Task
from encoder_atlas.text.task import Metric


def task_of(metric: Metric, train: list[int], dev: list[int]) -> Task:
    """A task whose texts are numbers, with these labels."""
    frames = {
        split: pd.DataFrame({"text": [f"{split} {row}" for row in range(len(labels))], "label": labels})
        for split, labels in (("train", train), ("dev", dev))
    }
    names = tuple(f"class {label}" for label in range(max(train) + 1))
    return Task("made", "single", ("text",), names, metric, frames, "Made for a test.")


def test_accuracy_has_the_commonest_class_of_the_split_itself() -> None:
    # 0 is commonest in train and a fifth of dev: always saying 0 gets 20 %, always saying 1 gets 80 %.
    task = task_of("accuracy", train=[0, 0, 0, 1, 1], dev=[0, 1, 1, 1, 1])
    assert chance_score(task) == pytest.approx(0.8)
    assert chance_score(task, "train") == pytest.approx(0.6)


def test_accuracy_is_never_below_one_class_in_all() -> None:
    assert chance_score(task_of("accuracy", [0, 0, 1, 2], [0, 1, 2])) == pytest.approx(1 / 3)


def test_f1_of_two_classes_is_that_of_always_yes() -> None:
    # Always "no", the commonest of train, has F1 0. Always "yes": precision 1/4, recall 1, so 2/4 / (5/4).
    assert chance_score(task_of("f1", [0, 0, 0, 1], [0, 0, 0, 1])) == pytest.approx(0.4)


def test_f1_over_more_classes_is_that_of_guessing_by_lot() -> None:
    # One answer for all four: F1 of its class 2·(1/4)·1 / (5/4) = 0.4, of the others 0, the mean 0.1.
    assert chance_score(task_of("f1", [0, 1, 2, 3], [0, 1, 2, 3])) == pytest.approx(1 / 4)


def test_no_unchanging_answer_correlates() -> None:
    assert chance_score(task_of("mcc", [0, 0, 0, 1], [0, 1, 1, 1])) == 0
