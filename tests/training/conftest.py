"""Two small tasks that a tiny encoder can learn."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

MakeTask = Callable[..., Task]

SUBJECTS = (
    "the film",
    "this plot",
    "her song",
    "a long scene",
    "the old house",
    "my coat",
    "that very slow train",
)
WORDS = {"tone": (("bad", "awful"), ("good", "fine")), "tense": (("was", "had been"), ("is", "will be"))}


def word_task(name: str, *, train: int = 64, dev: int = 24, seed: int = 0) -> Task:
    """A task whose label is which group of words ends the sentence; nothing else tells the classes apart."""
    random = np.random.default_rng(seed)
    rows = [
        (f"{subject} {random.integers(10**6)} {word}", label)
        for label, words in enumerate(WORDS[name])
        for word in words
        for subject in SUBJECTS
        for _ in range(1 + (train + dev) // 28)
    ]
    picked = [rows[i] for i in random.permutation(len(rows))]
    frames = {"train": picked[:train], "dev": picked[train : train + dev]}
    splits = {split: pd.DataFrame(part, columns=["text", "label"]) for split, part in frames.items()}
    return Task(name, "single", ("text",), ("first", "second"), "accuracy", splits, "Generated for a test.")


@pytest.fixture(scope="session")
def make_task() -> MakeTask:
    return word_task


@pytest.fixture(scope="session")
def tone() -> Task:
    return word_task("tone")


@pytest.fixture(scope="session")
def tense() -> Task:
    return word_task("tense", train=40, seed=1)


@pytest.fixture
def encoder() -> Encoder:
    return load_encoder("tiny:bert")


@pytest.fixture(scope="session")
def quick() -> FitSettings:
    """Few steps: for tests that ask what happens, not how well it is learnt."""
    return FitSettings(epochs=2, frozen_epochs=3, batch_size=16, max_length=24, lr_encoder=1e-3)


@pytest.fixture(scope="session")
def fitted(tone: Task, tense: Task, quick: FitSettings) -> FittedModel:
    """A model of two tasks."""
    return fit(load_encoder("tiny:bert"), [tone, tense], quick, mode="FT", device="cpu")
