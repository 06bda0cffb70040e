"""Pairs of the texts of a task: each text twice, words as frequent in both classes."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.text.paired import draw_partners, pair_version


def of_classes(*sizes: int, **fields: Any) -> Task:
    """A task whose texts name their class: "c1 text 4"."""
    labels = [label for label, size in enumerate(sizes) for _ in range(size)]

    def split(name: str) -> pd.DataFrame:
        texts = [f"{name} c{label} text {row}" for row, label in enumerate(labels)]
        return pd.DataFrame({"text": texts, "label": labels})

    names = tuple(f"c{label}" for label in range(len(sizes)))
    splits = {name: split(name) for name in ("train", "dev")}
    return Task("news", "single", ("text",), names, "f1", splits, "Made by hand.", **fields)


@given(st.lists(st.integers(2, 30), min_size=2, max_size=5), st.integers(0, 9))
@settings(deadline=None, max_examples=60)
def test_each_text_once_with_its_like_and_once_with_another(sizes: list[int], seed: int) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    halves = [size // 2 for size in sizes]
    if 2 * max(halves) > sum(halves):
        with pytest.raises(DataError, match="the largest class holds"):
            draw_partners(labels, np.random.default_rng(seed))
        return
    first, second = draw_partners(labels, np.random.default_rng(seed))
    same = labels[first] == labels[second]
    assert same.sum() * 2 == len(first) == 2 * sum(halves)
    for side in (first, second):
        assert max(Counter(side.tolist()).values()) == 1
    for wanted in (True, False):
        once = Counter([*first[same == wanted].tolist(), *second[same == wanted].tolist()])
        assert set(once.values()) == {1} and len(once) == len(first)


def test_the_pair_version_of_a_task() -> None:
    task = pair_version(of_classes(6, 4, 4))
    assert (task.name, task.kind, task.label_names, task.metric) == (
        "news-pair",
        "pair",
        ("different", "same"),
        "accuracy",
    )
    frame = task.split("train")
    assert len(frame) == 14
    for first, second, label in zip(frame["first"], frame["second"], frame["label"], strict=True):
        assert label == (first.split()[1] == second.split()[1])
    assert "Paired at random (seed 0)" in task.source_note
    assert task.fingerprint("train") == pair_version(of_classes(6, 4, 4)).fingerprint("train")
    assert task.fingerprint("train") != pair_version(of_classes(6, 4, 4), seed=1).fingerprint("train")


def test_a_text_too_many_is_left_out() -> None:
    assert len(pair_version(of_classes(5, 4)).split("train")) == 8


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(DataError, match="split 'dev': the largest class holds 9 of 13 texts"):
        pair_version(of_classes(9, 4))
    with pytest.raises(DataError, match="a class has one text only"):
        pair_version(of_classes(4, 1))
    with pytest.raises(DataError, match="'news-pair' is not one of single texts with classes"):
        pair_version(pair_version(of_classes(4, 4)))
