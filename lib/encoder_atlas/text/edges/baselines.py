"""What the score of a probe is compared with: one answer for all, and the words of the spans alone."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from jaxtyping import Bool

from encoder_atlas.text.edges.task import EdgeSplit, EdgeTask


def micro_f1(
    predicted: Bool[np.ndarray, "targets labels"], labels: Bool[np.ndarray, "targets labels"]
) -> float:
    """F1 in [0, 1] over all decisions whether a label holds of a target; 0 where nothing is right.

    The measure of edge probing (Tenney et al. 2019). Where exactly one label holds of each target and exactly
    one is predicted it is the accuracy.
    """
    right = int((predicted & labels).sum())
    return 2 * right / max(1, int(predicted.sum()) + int(labels.sum()))


def majority_f1(task: EdgeTask, split: str = "dev") -> float:
    """Micro F1 in [0, 1] on ``split`` of giving every target the label that is commonest in train."""
    return _always(task, split, 1)


def best_constant_f1(task: EdgeTask, split: str = "dev") -> float:
    """Micro F1 in [0, 1] on ``split`` of the fixed set of labels for every target that scores best in train.

    Micro F1 rewards saying more than one thing: of two labels that are equally common, giving every target
    both scores 2/3, and either alone 1/2. Tasks with few labels, or several a target, are to be compared with
    this rather than with the commonest label.
    """
    sizes = range(1, len(task.label_names) + 1)
    return _always(task, split, max(sizes, key=lambda size: _always(task, "train", size)))


def _always(task: EdgeTask, split: str, size: int) -> float:
    """Micro F1 of giving every target the ``size`` commonest labels of train."""
    labels = task.split(split).labels
    # A stable sort: of equally common labels the first in the task's order.
    commonest = np.argsort(-task.split("train").labels.sum(axis=0), kind="stable")[:size]
    predicted = np.zeros_like(labels)
    predicted[:, commonest] = True
    return micro_f1(predicted, labels)


def span_words_f1(task: EdgeTask, split: str = "dev", spans: Sequence[Literal[1, 2]] = (1, 2)) -> float:
    """Micro F1 in [0, 1] on ``split`` of logistic regression on the words of the spans.

    Features are 0/1 for each lower-cased word of each of ``spans``, each span with features of its own; order
    and everything around the spans are hidden. What it scores is what words alone give away. Where every
    target of train has one label the likeliest is given, else each label whose probability, in a regression
    of its own, is at least one half. The fits are convex: no seed takes part.
    """
    # Slow to load, and few who import the tasks fit a baseline.
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    used = spans if task.two_spans else (1,)
    vectors = DictVectorizer()
    seen = vectors.fit_transform(_bags(task.split("train"), used))
    bags = vectors.transform(_bags(task.split(split), used))
    train, model = task.split("train").labels, LogisticRegression(max_iter=1000)
    predicted = np.zeros_like(task.split(split).labels)
    if (train.sum(axis=1) == 1).all():
        likeliest = model.fit(seen, train.argmax(axis=1)).predict(bags)
        predicted[np.arange(len(predicted)), likeliest] = True
        return micro_f1(predicted, task.split(split).labels)
    for label, holds in enumerate(train.T):
        constant = holds.all() or not holds.any()
        predicted[:, label] = holds[0] if constant else model.fit(seen, holds).predict(bags)
    return micro_f1(predicted, task.split(split).labels)


def _bags(content: EdgeSplit, spans: Sequence[int]) -> list[dict[str, float]]:
    words = zip(*(content.span_words(span) for span in spans), strict=True)
    return [
        {f"{span}:{word.lower()}": 1.0 for span, inside in zip(spans, row, strict=True) for word in inside}
        for row in words
    ]
