"""What a score is compared with: the commonest class, and words without their order."""

from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from encoder_atlas.text.task import Task


def majority_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] on ``split`` of always answering the commonest class of train."""
    commonest = task.split("train")["label"].mode().iloc[0]
    return float((task.labels(split) == commonest).mean())


def bag_of_words_accuracy(task: Task, split: str = "dev") -> float:
    """Accuracy in [0, 1] on ``split`` of logistic regression on the words of train.

    Features are 0/1 for each lower-cased word of each text column, so a pair has two bags; the penalty is
    scikit-learn's default (L2, C = 1). The fit is convex and starts at zero: no seed takes part.
    """
    bags = [
        (CountVectorizer(token_pattern=r"(?u)\b\w+\b", binary=True), column) for column in task.text_columns
    ]
    model = make_pipeline(make_column_transformer(*bags), LogisticRegression(max_iter=1000))
    model.fit(task.split("train"), task.labels("train"))
    return float(model.score(task.split(split), task.labels(split)))
