"""What a score is compared with: the commonest class, words without their order, and length."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from encoder_atlas.errors import DataError
from encoder_atlas.text.task import Task

WORD = re.compile(r"(?u)\b\w+\b")


def majority_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] on ``split`` of always answering the commonest class of train."""
    commonest = task.split("train")["label"].mode().iloc[0]
    return float((task.labels(split) == commonest).mean())


def bag_of_words_accuracy(task: Task, split: str = "dev", columns: Sequence[str] | None = None) -> float:
    """Accuracy in [0, 1] on ``split`` of logistic regression on the words of train.

    Features are 0/1 for each lower-cased word of each text column, so a pair has two bags; the penalty is
    scikit-learn's default (L2, C = 1). The fit is convex and starts at zero: no seed takes part. With
    ``columns`` the other texts are hidden: the second of a pair alone shows what its wording gives away.
    """
    bags = [
        (CountVectorizer(token_pattern=WORD.pattern, binary=True), column)
        for column in columns or task.text_columns
    ]
    model = make_pipeline(make_column_transformer(*bags), LogisticRegression(max_iter=1000))
    model.fit(task.split("train"), task.labels("train"))
    return float(model.score(task.split(split), task.labels(split)))


def second_text_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] of the bag of words that sees the second text of each pair only."""
    return bag_of_words_accuracy(task, split, task.text_columns[1:])


def word_overlap_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] on ``split`` of logistic regression on which words a pair shares and which not.

    Features are 0/1 for each word that stands in both texts, in the first only or in the second only, and
    the share of the second's words that the first has. Word order is not seen.

    Raises:
        DataError: if the task has no pairs.
    """
    if task.kind != "pair":
        raise DataError(f"Task {task.name!r} has single texts: only the words of a pair can overlap.")
    model = make_pipeline(DictVectorizer(), LogisticRegression(max_iter=1000))
    model.fit(_overlaps(task, "train"), task.labels("train"))
    return float(model.score(_overlaps(task, split), task.labels(split)))


def _overlaps(task: Task, split: str) -> list[dict[str, float]]:
    bags = [
        [set(WORD.findall(text.lower())) for text in task.split(split)[name]] for name in task.text_columns
    ]
    return [
        dict.fromkeys([f"both:{word}" for word in first & second], 1.0)
        | dict.fromkeys([f"first:{word}" for word in first - second], 1.0)
        | dict.fromkeys([f"second:{word}" for word in second - first], 1.0)
        | {"share": len(first & second) / max(1, len(second))}
        for first, second in zip(*bags, strict=True)
    ]


def length_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] on ``split`` of a tree of 16 leaves that sees only how many words and characters."""
    tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0)
    tree.fit(_lengths(task.split("train"), task.text_columns), task.labels("train"))
    return float(tree.score(_lengths(task.split(split), task.text_columns), task.labels(split)))


def _lengths(frame: pd.DataFrame, columns: Sequence[str]) -> Float[np.ndarray, "points features"]:
    counts = [[len(text.split()) for text in frame[name]] for name in columns]
    counts += [[len(text) for text in frame[name]] for name in columns]
    return np.array(counts, dtype=float).T
