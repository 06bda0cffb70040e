"""Distractions change what they say they change, and nothing else."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from encoder_atlas.deepview.attacks import NEUTRAL_CLAUSES, add_clause, add_url, strongest
from encoder_atlas.errors import DataError, SettingsError

TEXTS = ["I do not like this movie.", "what a bore !", "no stop at the end ", "mr. bean is late..."]
URL = r"http://[a-z]{6}\.[a-z]{3}"


def test_a_url_stands_before_the_end_as_in_the_paper() -> None:
    attacked = add_url(TEXTS)
    patterns = (
        rf"I do not like this movie {URL}\.",
        rf"what a bore {URL}!",
        rf"no stop at the end {URL}",
        rf"mr\. bean is late {URL}\.\.\.",
    )
    for text, pattern in zip(attacked, patterns, strict=True):
        assert re.fullmatch(pattern, text), text


def test_urls_differ_by_place_and_seed_and_come_again() -> None:
    urls = [re.findall(URL, text)[0] for seed in (0, 1) for text in add_url(["same text"] * 3, seed)]
    assert len(set(urls)) == 6
    assert add_url(TEXTS, 5) == add_url(TEXTS, 5)
    assert add_url(TEXTS[:2], 5) == add_url(TEXTS, 5)[:2]
    assert add_url([]) == []


def test_a_clause_stands_before_the_end() -> None:
    added = {text.removeprefix("dull ").removesuffix(".") for text in add_clause(["dull."] * 20)}
    assert added == set(NEUTRAL_CLAUSES)
    (thrice,) = add_clause(["dull"], times=3)
    assert thrice.removeprefix("dull ") in {" ".join([clause] * 3) for clause in NEUTRAL_CLAUSES}


def longest(texts: Sequence[str], seed: int) -> list[str]:
    """Attempt number ``seed`` of a made-up attack: that many marks."""
    return [text + "!" * (seed % 3) for text in texts]


def test_the_strongest_attempt_is_kept_for_each_text_by_itself() -> None:
    def harm(texts: list[str]) -> np.ndarray:
        return np.array([len(texts[0]), -len(texts[1])], dtype=float)

    assert strongest(longest, ["a", "b"], harm, attempts=3) == ["a!!", "b"]
    assert strongest(longest, ["a", "b"], harm, attempts=1, seed=1) == ["a!", "b!"]
    assert strongest(longest, ["a"], lambda texts: np.zeros(1), attempts=3) == ["a"], "the first among equals"


@pytest.mark.parametrize("attack", [add_url, add_clause])
def test_an_empty_text_is_named(attack: Callable[[Sequence[str]], list[str]]) -> None:
    with pytest.raises(DataError, match="text 1 is empty"):
        attack(["fine", "  "])


def test_no_attempt_and_no_clause_are_refused() -> None:
    with pytest.raises(SettingsError, match="attempts=0"):
        strongest(add_url, TEXTS, lambda texts: np.zeros(len(texts)), attempts=0)
    with pytest.raises(SettingsError, match="times=0"):
        add_clause(TEXTS, times=0)
