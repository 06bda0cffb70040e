"""Baselines by hand."""

import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.text.baselines import (
    bag_of_words_accuracy,
    length_accuracy,
    majority_accuracy,
    second_text_accuracy,
    word_overlap_accuracy,
)


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


def test_the_second_text_alone_hides_the_first() -> None:
    train = pd.DataFrame({"first": ["a", "b"] * 2, "second": ["x", "x", "y", "y"], "label": [0, 1, 0, 1]})
    dev = pd.DataFrame({"first": ["a a", "b b"], "second": ["x", "x"], "label": [0, 1]})
    task = make_task(("first", "second"), train, dev)
    assert bag_of_words_accuracy(task) == 1.0
    assert second_text_accuracy(task) == 0.5


def test_overlap_sees_what_two_bags_cannot() -> None:
    """Whether both texts have "not", or one: an exclusive or, which no sum over two bags expresses."""
    train = pd.DataFrame(
        {
            "first": ["not a", "a", "not b", "b"],
            "second": ["not c", "not d", "e", "f"],
            "label": [1, 0, 0, 1],
        }
    )
    dev = pd.DataFrame(
        {"first": ["not g", "g", "not g", "g"], "second": ["not h", "not h", "h", "h"], "label": [1, 0, 0, 1]}
    )
    task = make_task(("first", "second"), train, dev)
    assert word_overlap_accuracy(task) == 1.0
    assert bag_of_words_accuracy(task) < 1.0
    with pytest.raises(DataError, match="has single texts"):
        word_overlap_accuracy(
            make_task(("text",), *[frame.rename(columns={"first": "text"}) for frame in (train, dev)])
        )


def test_length_is_all_that_the_tree_sees() -> None:
    train = pd.DataFrame({"text": ["a b", "c d", "e f g", "h i j"], "label": [0, 0, 1, 1]})
    dev = pd.DataFrame({"text": ["x y", "x y z"], "label": [0, 1]})
    assert length_accuracy(make_task(("text",), train, dev)) == 1.0
