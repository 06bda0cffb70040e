"""Tasks changed on purpose, against which a result is held."""

from dataclasses import replace

import numpy as np

from encoder_atlas.text import Task


def shuffled(task: Task, seed: int) -> Task:
    """The task with the labels or scores of its train split permuted: nothing is left but to learn by heart.

    The control of DeepView: a head fitted on it shows what the method draws by construction. Classes are
    as frequent as before, and dev keeps its true labels, on which the head scores at chance.

    Raises:
        DataError: for a task with answers.
    """
    train = task.split("train")
    labels = np.random.default_rng(seed).permutation(task.labels("train"))
    note = f"{task.source_note} Labels of the train split are shuffled (seed {seed})."
    return replace(task, splits=task.splits | {"train": train.assign(label=labels)}, source_note=note)
