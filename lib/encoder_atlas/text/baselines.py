"""What a score is compared with: the commonest class, words without their order, and length."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from encoder_atlas.text.task import Task


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
        (CountVectorizer(token_pattern=r"(?u)\b\w+\b", binary=True), column)
        for column in columns or task.text_columns
    ]
    model = make_pipeline(make_column_transformer(*bags), LogisticRegression(max_iter=1000))
    model.fit(task.split("train"), task.labels("train"))
    return float(model.score(task.split(split), task.labels(split)))


def second_text_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] of the bag of words that sees the second text of each pair only."""
    return bag_of_words_accuracy(task, split, task.text_columns[1:])


def length_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] on ``split`` of a tree of 16 leaves that sees only how many words and characters."""
    tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0)
    tree.fit(_lengths(task.split("train"), task.text_columns), task.labels("train"))
    return float(tree.score(_lengths(task.split(split), task.text_columns), task.labels(split)))


def _lengths(frame: pd.DataFrame, columns: Sequence[str]) -> Float[np.ndarray, "points features"]:
    counts = [[len(text.split()) for text in frame[name]] for name in columns]
    counts += [[len(text) for text in frame[name]] for name in columns]
    return np.array(counts, dtype=float).T
