"""What a task scores without being learnt: the floor that scores of pruned models are counted from."""

import numpy as np

from encoder_atlas.text import Task
from encoder_atlas.training.scores import measure


def chance_score(task: Task, split: str = "dev") -> float:
    """The best that can be had on a split without reading its texts, in the task's own metric.

    An answer that never changes: of accuracy that is the share of the split's commonest class, of F1 of two
    classes always "yes", and no correlation (nor Matthews') comes above 0. Where F1 is a mean over three
    classes or more it gives an unchanging answer next to nothing, and guessing by lot gets 1/classes.

    It knows which answer is the best one here, so that it is rather too high for a model that had to find
    out. The commonest class of train alone can be far too low: where it is a rare one of the split, and for
    F1 where it is "no", which scores 0.
    """
    if task.target == "score":
        return 0.0
    labels, classes = task.labels(split), len(task.label_names)
    unchanging = [measure(task.metric, labels, np.full(len(labels), answer)) for answer in range(classes)]
    by_lot = 1 / classes if task.metric == "f1" and classes > 2 else 0.0
    return max(*unchanging, by_lot)
