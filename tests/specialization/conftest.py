"""A tiny model of two tasks, and predictions made by hand, that the tests of this wing share."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.encoders import load_encoder
from encoder_atlas.specialization.pruning import BASE, Pruned
from encoder_atlas.text import Task
from encoder_atlas.text.task import Metric
from encoder_atlas.training import FitSettings, FittedModel, fit

MakePruned = Callable[..., Pruned]
WORDS = {"tone": ("bad", "good"), "tense": ("was", "is"), "place": ("here", "there", "nowhere")}


def word_task(name: str, *, n: int = 48, pairs: bool = False) -> Task:
    """A task whose label is the word that ends the (second) sentence."""
    words = WORDS[name]
    random = np.random.default_rng(len(name))
    frames = {}
    for split, rows in (("train", n), ("dev", n // 2)):
        labels = np.arange(rows) % len(words)
        lengths = random.integers(1, 6, size=rows)
        texts = [
            f"{split} {'very ' * length}{row} {words[label]}"
            for row, (length, label) in enumerate(zip(lengths, labels, strict=True))
        ]
        columns = {"text": [f"a {row}" for row in range(rows)], "second": texts} if pairs else {"text": texts}
        frames[split] = pd.DataFrame({**columns, "label": labels})
    columns = ("text", "second") if pairs else ("text",)
    names = tuple(f"class {word}" for word in words)
    return Task(name, "pair" if pairs else "single", columns, names, "accuracy", frames, "Made for a test.")


SCORES = {"apart": 0.4, "near": 2.6, "alike": 4.8}


def score_task(name: str = "likeness", *, n: int = 48, metric: Metric = "pearson") -> Task:
    """Pairs whose score is that of the word that ends the second text, and a little of its length."""
    random = np.random.default_rng(len(name))
    frames = {}
    for split, rows in (("train", n), ("dev", n // 2)):
        words = [list(SCORES)[row % 3] for row in range(rows)]
        lengths = random.integers(1, 6, size=rows)
        seconds = [f"{split} {'so ' * length}{row} {words[row]}" for row, length in enumerate(lengths)]
        labels = [SCORES[word] + 0.03 * length for word, length in zip(words, lengths, strict=True)]
        firsts = [f"a {row}" for row in range(rows)]
        frames[split] = pd.DataFrame({"text": firsts, "second": seconds, "label": labels})
    pair = (name, "pair", ("text", "second"), (), metric, frames, "Made for a test.")
    return Task(*pair, target="score")


@pytest.fixture(scope="session")
def mixed() -> list[Task]:
    """A task with classes and one with scores."""
    return [word_task("tone"), score_task()]


@pytest.fixture(scope="session")
def mixed_model(mixed: list[Task]) -> FittedModel:
    """A model that has learnt both, so that scores can be held against its own."""
    settings = FitSettings(
        epochs=12, batch_size=8, max_length=24, lr_encoder=3e-3, lr_head=3e-2, pooling="mean", keep="last"
    )
    return fit(load_encoder("tiny:bert"), mixed, settings, mode="FT", device="cpu")


@pytest.fixture(scope="session")
def tasks() -> list[Task]:
    return [word_task("tone"), word_task("place", pairs=True)]


@pytest.fixture(scope="session")
def model(tasks: list[Task]) -> FittedModel:
    settings = FitSettings(epochs=2, batch_size=16, max_length=24, lr_encoder=1e-3, keep="last")
    return fit(load_encoder("tiny:bert"), tasks, settings, mode="FT", device="cpu")


def made_pruned(
    right: Mapping[str, Mapping[str, int]],
    n: int = 100,
    seed: int = 0,
    kinds: Mapping[str, str] | None = None,
) -> Pruned:
    """A model that gets ``right[set][task]`` of ``n`` texts right; set "none" is the whole model.

    Texts alternate between two classes, and the first ones are those that are got right.
    """
    tasks = list(right[BASE])
    labels = {task: np.arange(n) % 2 for task in tasks}
    predicted = {
        task: np.stack(
            [np.where(np.arange(n) < row[task], labels[task], 1 - labels[task]) for row in right.values()]
        )
        for task in tasks
    }
    sets = {name: np.zeros((2, 2), dtype=bool) for name in right}
    for number, name in enumerate(name for name in right if name != BASE):
        sets[name].flat[number % 4] = True
    return Pruned(
        seed=seed,
        split="dev",
        sets=sets,
        metrics=dict.fromkeys(tasks, "accuracy"),
        kinds=kinds or dict.fromkeys(tasks, "single"),
        label_names=dict.fromkeys(tasks, ("no", "yes")),
        chance=dict.fromkeys(tasks, 0.5),
        labels=labels,
        predicted=predicted,
    )


@pytest.fixture(scope="session")
def make_pruned() -> MakePruned:
    return made_pruned
