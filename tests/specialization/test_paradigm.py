"""Pairs of a single-sentence task: what Appendix E says of AG-Pair holds."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.paradigm import draw_partners, pair_version
from encoder_atlas.text import Task


def topics(sizes: tuple[int, ...]) -> Task:
    splits = {}
    for split, factor in (("train", 2), ("dev", 1)):
        labels = np.repeat(np.arange(len(sizes)), [factor * size for size in sizes])
        texts = [f"{split} text {row} of topic {label}" for row, label in enumerate(labels)]
        splits[split] = pd.DataFrame({"text": texts, "label": labels}).sample(frac=1, random_state=0)
    names = tuple(f"topic {label}" for label in range(len(sizes)))
    return Task("ag", "single", ("text",), names, "accuracy", splits, "Made for a test.")


@pytest.mark.parametrize("sizes", [(20, 20, 20, 20), (13, 12), (30, 9, 12), (2, 2)])
def test_every_text_is_in_two_pairs_and_half_are_same(sizes: tuple[int, ...]) -> None:
    task = topics(sizes)
    paired = pair_version(task)
    assert (paired.name, paired.kind, paired.label_names) == ("ag-pair", "pair", ("different", "same"))
    for split in ("train", "dev"):
        frame, singles = paired.split(split), task.split(split).set_index("text")["label"]
        assert len(frame) == len(singles)
        for side in ("first", "second"):
            assert Counter(frame[side]) == Counter(dict.fromkeys(singles.index.tolist(), 1))
        assert (frame["first"] != frame["second"]).to_numpy().all()
        agree = singles.loc[frame["first"]].to_numpy() == singles.loc[frame["second"]].to_numpy()
        assert np.array_equal(agree, frame["label"] == 1)
        assert 0 <= 2 * int(paired.labels(split).sum()) - len(frame) <= 3
        assert frame["id"].is_unique


def test_a_multiple_of_four_texts_is_split_in_halves() -> None:
    labels = pair_version(topics((20, 20, 20, 20))).labels("train")
    assert labels.mean() == 0.5


def test_which_classes_meet_is_random() -> None:
    labels = np.repeat(np.arange(4), 2000)
    first, second = draw_partners(labels, np.random.default_rng(0))
    met = pd.crosstab(labels[first], labels[second]).to_numpy()
    assert np.diag(met).tolist() == [1000] * 4
    apart = met[~np.eye(4, dtype=bool)]
    # Each of the twelve is about 4000/12; a rotation would give 1000, 0 and 0.
    assert np.abs(apart - 4000 / 12).max() < 60


def test_the_seed_decides() -> None:
    task = topics((12, 12))
    first, again, other = (pair_version(task, seed).split("train") for seed in (0, 0, 1))
    assert first.equals(again) and not first.equals(other)
    assert pair_version(task).source_note == (
        "Made for a test. Paired at random (seed 0): do both texts have one class?"
    )


def test_what_cannot_be_paired() -> None:
    with pytest.raises(DataError, match="not one of single texts with classes"):
        pair_version(pair_version(topics((8, 8))))
    graded = pd.DataFrame({"text": ["one", "two"], "label": [0.5, 3.0]})
    splits = {"train": graded, "dev": graded.assign(text=["three", "four"])}
    task = Task("grades", "single", ("text",), (), "pearson", splits, "Made for a test.", target="score")
    with pytest.raises(DataError, match="not one of single texts with classes"):
        pair_version(task)
    with pytest.raises(DataError, match=r"Task 'ag', split 'dev': the largest class holds 30 of 32 texts"):
        pair_version(topics((30, 2)))
    with pytest.raises(DataError, match="a class has one text only"):
        pair_version(topics((8, 8, 1)))
