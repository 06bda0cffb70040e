"""Points, heads and one fitted view that the tests of this wing share."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from torch import nn

from encoder_atlas.deepview import DeepView, DeepViewSettings
from encoder_atlas.deepview.cases import Case
from encoder_atlas.text import Task
from encoder_atlas.text.task import Metric


@pytest.fixture(scope="session")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """60 points of 5 dimensions in three groups, and their groups."""
    points, groups, *_ = make_blobs(60, n_features=5, centers=3, cluster_std=2.0, random_state=0)
    return np.asarray(points), np.asarray(groups)


@pytest.fixture(scope="session")
def logistic(blobs: tuple[np.ndarray, np.ndarray]) -> LogisticRegression:
    """A classifier of three classes that fits the groups."""
    return LogisticRegression(C=0.01).fit(*blobs)


@pytest.fixture(scope="session")
def small_settings() -> DeepViewSettings:
    return DeepViewSettings(n_neighbors=10, resolution=12, segments=4)


@pytest.fixture(scope="session")
def fitted(
    blobs: tuple[np.ndarray, np.ndarray], logistic: LogisticRegression, small_settings: DeepViewSettings
) -> DeepView:
    """A view that has its points."""
    return DeepView(logistic, small_settings).fit(blobs[0], show_progress=False)


@pytest.fixture
def mlp() -> nn.Sequential:
    """A random head of three classes for points of 5 dimensions, sharp enough for paths to bend."""
    torch.manual_seed(1)
    head = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.mul_(3)
    return head


def plain_task(name: str = "mood", *, classes: int = 2, pairs: bool = False, n: int = 40) -> Task:
    """A task whose texts end in the word of their class."""
    random = np.random.default_rng([n, classes])
    frames = {}
    for split in ("train", "dev"):
        labels = np.concatenate([np.arange(classes), random.integers(classes, size=n - classes)])
        texts = {"text": [f"{split} {name} {row} is {'abcde'[label]}" for row, label in enumerate(labels)]}
        if pairs:
            texts["second"] = [f"and {'vwxyz'[label]}" for label in labels]
        frames[split] = pd.DataFrame({**texts, "label": labels})
    names = tuple(f"class {label}" for label in range(classes))
    columns = ("text", "second") if pairs else ("text",)
    kind = "pair" if pairs else "single"
    return Task(name, kind, columns, names, "accuracy", frames, "Generated for a test.")


@pytest.fixture(scope="session")
def made_task() -> Callable[..., Task]:
    return plain_task


def plain_case(
    setting: str = "PT",
    task: str = "mood",
    *,
    n: int = 40,
    wrong: float = 0.2,
    seed: int = 0,
    metric: Metric = "accuracy",
    labels: np.ndarray | None = None,
    predicted: np.ndarray | None = None,
) -> Case:
    """A case of two classes whose head answers ``predicted``, or errs on a share ``wrong`` of the texts.

    The first coordinate of a point decides; the other two are noise.
    """
    random = np.random.default_rng([n, seed])
    labels = random.permutation(np.arange(n) % 2) if labels is None else labels
    if predicted is None:
        predicted = np.where(np.arange(n) < round(wrong * n), 1 - labels, labels)
    texts = pd.DataFrame({"text": [f"text {row}" for row in range(len(labels))], "label": labels})
    splits = {"train": texts.assign(text="train " + texts["text"]), "dev": texts}
    made = Task(task, "single", ("text",), ("no", "yes"), metric, splits, "Generated for a test.")
    first = (2 * predicted - 1) * random.uniform(0.5, 2, len(labels))
    points = np.column_stack([first, random.normal(size=(len(labels), 2))]).astype(np.float32)
    head = nn.Linear(3, 2)
    with torch.no_grad():
        head.weight.copy_(torch.tensor([[-2.0, 0, 0], [2.0, 0, 0]]))
        head.bias.zero_()
    return Case(setting, made, seed, head, points)


@pytest.fixture(scope="session")
def make_case() -> Callable[..., Case]:
    return plain_case
