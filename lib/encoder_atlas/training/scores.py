"""How well predictions meet labels, scores and answers."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Num
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.text.task import METRICS, Target

ARTICLE = re.compile(r"\b(a|an|the)\b")
WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def predictions(outputs: Float[np.ndarray, "points outputs"]) -> Num[np.ndarray, " points"]:
    """What a head says of each text: the class with the largest logit; of one output that score itself."""
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs.argmax(axis=1)


def measure(metric: str, labels: Num[np.ndarray, " points"], predicted: Num[np.ndarray, " points"]) -> float:
    """How well predicted classes or scores meet the labels; 1 is best, through scikit-learn and scipy.

    Of classes: accuracy in [0, 1]; "f1" in [0, 1], that of class 1 where labels are 0 and 1, as in GLUE, and
    the mean over classes else; "mcc", Matthews correlation in [-1, 1]. Of scores: "pearson" and "spearman",
    the correlations in [-1, 1]; 0 where all labels or all predictions are equal, which leaves them undefined.

    Raises:
        SettingsError: for a metric of another name.
    """
    if metric in METRICS["score"]:
        if np.ptp(labels) == 0 or np.ptp(predicted) == 0:
            return 0.0
        found: Any = (pearsonr if metric == "pearson" else spearmanr)(labels, predicted)
        return float(found.statistic)
    _check_metric(metric, "class", "score")
    if metric == "accuracy":
        return float(accuracy_score(labels, predicted))
    if metric == "mcc":
        return float(matthews_corrcoef(labels, predicted))
    binary = max(labels.max(), predicted.max()) <= 1
    average = "binary" if binary else "macro"
    return float(f1_score(labels, predicted, average=average, zero_division=0))  # pyright: ignore[reportArgumentType]


def measure_answers(metric: str, answers: Sequence[Sequence[str]], predicted: Sequence[str]) -> float:
    """How well predicted answers meet the right ones, by the rules of SQuAD 1.1, in [0, 1].

    "em": the share of questions whose answer equals a right one after `normalised`. "f1": the mean over
    questions of `overlap` with the nearest right answer.

    Args:
        answers: all right answers of each question; at least one.
        predicted: one answer a question.

    Raises:
        SettingsError: for a metric of another name.
        DataError: if there are no questions, not as many predictions, or a question without right answer.

    Source: Rajpurkar et al. (2016), and the evaluation script of version 1.1, which prints percent.
    """
    _check_metric(metric, "answer")
    if not len(answers) or len(answers) != len(predicted):
        raise DataError(f"{len(predicted)} answers are predicted for {len(answers)} questions")
    if not all(answers):
        raise DataError("a question has no right answer: such questions cannot be scored")
    meet = overlap if metric == "f1" else _equal
    found = [
        max(meet(text, right) for right in rights) for rights, text in zip(answers, predicted, strict=True)
    ]
    return float(np.mean(found))


def normalised(answer: str) -> str:
    """An answer as SQuAD compares it: small letters, no punctuation (ASCII), no articles, single spaces."""
    return " ".join(ARTICLE.sub(" ", answer.lower().translate(WITHOUT_PUNCTUATION)).split())


def overlap(predicted: str, right: str) -> float:
    """F1 in [0, 1] of the words that two answers share, each as often as both have it, after `normalised`.

    0 where they share none, also where both have none.
    """
    words, wanted = Counter(normalised(predicted).split()), Counter(normalised(right).split())
    return 2 * (words & wanted).total() / max(1, words.total() + wanted.total())


def _equal(predicted: str, right: str) -> float:
    return float(normalised(predicted) == normalised(right))


def _check_metric(metric: str, *targets: Target) -> None:
    known = [name for target in targets for name in METRICS[target]]
    if metric not in known:
        raise SettingsError(f"no metric is called {metric!r}; {near(metric, known)}")


def measure_counts(
    metric: str, counts: Float64[np.ndarray, "draws classes classes"]
) -> Float64[np.ndarray, " draws"]:
    """The measures of classes from confusion matrices (rows true, columns predicted), many at once.

    Equal to `measure` on texts with these counts; F1 of two classes is that of class 1. Chiefly for a
    bootstrap, where scikit-learn would be called thousands of times.

    Raises:
        SettingsError: for a metric of another name.
    """
    _check_metric(metric, "class")
    right = np.einsum("dii->di", counts)
    true, predicted, total = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=(1, 2))
    if metric == "accuracy":
        return right.sum(axis=1) / total
    if metric == "mcc":
        spread = (total**2 - (true**2).sum(axis=1)) * (total**2 - (predicted**2).sum(axis=1))
        return _ratio(right.sum(axis=1) * total - (true * predicted).sum(axis=1), np.sqrt(spread))
    f1 = _ratio(2 * right, true + predicted)
    if counts.shape[1] == 2:
        return f1[:, 1]
    # scikit-learn leaves out of the mean a class that neither the labels nor the predictions hold.
    return f1.sum(axis=1) / (true + predicted > 0).sum(axis=1)


def correlates(
    metric: str, values: Float[np.ndarray, "*draws points"]
) -> Float64[np.ndarray, "*draws points"]:
    """Scores, or predictions of them, such that the dot product of both is what `measure` says of them.

    Values, for "spearman" their ranks, are moved to the mean 0 and scaled to the length 1; all are 0 where
    they are equal. Chiefly for a bootstrap, as `measure_counts` is for classes.

    Raises:
        SettingsError: for a metric of another name.
    """
    _check_metric(metric, "score")
    if metric == "spearman":
        values = rankdata(values, axis=-1)
    centred = values.astype(np.float64) - values.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    # Of equal values the mean may differ in the last bit.
    vary = np.ptp(values, axis=-1, keepdims=True) > 0
    return np.divide(centred, length, out=np.zeros_like(centred), where=vary)


def _ratio(
    above: Float64[np.ndarray, "*shape"], below: Float64[np.ndarray, "*shape"]
) -> Float64[np.ndarray, "*shape"]:
    """Quotient, 0 where it would be divided by 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
