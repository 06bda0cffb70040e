"""Baselines by hand."""

import pandas as pd

from encoder_atlas.text import Task
from encoder_atlas.text.baselines import bag_of_words_accuracy, majority_accuracy


def make_task(columns: tuple[str, ...], train: pd.DataFrame, dev: pd.DataFrame) -> Task:
    return Task(
        name="t",
        kind="single" if len(columns) == 1 else "pair",
        text_columns=columns,
        label_names=("no", "yes"),
        metric="accuracy",
        splits={"train": train, "dev": dev},
        source_note="Written for a test.",
    )


def test_majority_is_that_of_train() -> None:
    train = pd.DataFrame({"text": ["a", "b", "c"], "label": [0, 0, 1]})
    dev = pd.DataFrame({"text": ["d", "e", "f", "g"], "label": [1, 1, 1, 0]})
    assert majority_accuracy(make_task(("text",), train, dev)) == 0.25


def test_words_are_learnt_and_their_order_is_not() -> None:
    train = pd.DataFrame({"text": ["Good x", "bad x", "good y", "bad y"], "label": [1, 0, 1, 0]})
    dev = pd.DataFrame({"text": ["z GOOD", "z bad"], "label": [1, 0]})
    assert bag_of_words_accuracy(make_task(("text",), train, dev)) == 1.0
    order = pd.DataFrame({"text": ["a b", "b a"] * 1, "label": [1, 0]})
    dev = pd.DataFrame({"text": ["a  b c", "c b a"], "label": [1, 0]})
    assert bag_of_words_accuracy(make_task(("text",), order, dev)) == 0.5


def test_a_pair_has_two_bags() -> None:
    train = pd.DataFrame(
        {"first": ["a", "b", "a", "b"], "second": ["b", "a", "c b", "c a"], "label": [1, 0, 1, 0]}
    )
    dev = pd.DataFrame({"first": ["a a", "b b"], "second": ["d", "d"], "label": [1, 0]})
    assert bag_of_words_accuracy(make_task(("first", "second"), train, dev)) == 1.0
