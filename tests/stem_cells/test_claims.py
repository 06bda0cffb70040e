"""Claims on scores and on heads: worked examples, and what must not be claimed."""

import numpy as np
import pytest
from tests.stem_cells.made import gates, kept, model

from encoder_atlas.errors import DataError
from encoder_atlas.stem_cells import (
    best_pair,
    gain,
    joint_claims,
    kind_claims,
    layer_claims,
    mildest,
    overlap_claims,
    pruning_claims,
)


def test_what_joint_training_gains() -> None:
    single = {"pos": [model({"pos": 0.9}), model({"pos": 0.8}, 1)], "dep": [model({"dep": 0.7})]}
    joint = [model({"pos": 0.8, "dep": 0.9})]
    found = joint_claims(single, joint)
    assert list(found) == ["stem-joint-pos", "stem-joint-dep", "stem-joint"]
    assert found["stem-joint-pos"].value == pytest.approx(-5)
    assert found["stem-joint-dep"].value == pytest.approx(20)
    assert found["stem-joint"].value == pytest.approx(7.5)
    for one in found.values():
        assert one.low <= one.value <= one.high and one.n == 40


def test_the_interval_is_that_of_paired_sentences() -> None:
    """A model that is right once more in every sentence: whatever is drawn, it leads by the same."""
    found = gain([model({"pos": 0.5})], [model({"pos": 0.6})], ["pos"])
    assert (found.low, found.value, found.high) == pytest.approx((10, 10, 10))


def test_the_best_pair_is_judged_by_its_loser() -> None:
    single = {task: [model({task: 0.5})] for task in ("pos", "dep", "ner")}
    pairs = [[model({"pos": 0.9, "dep": 0.4})], [model({"pos": 0.6, "ner": 0.7})]]
    assert best_pair(single, pairs)["stem-pair-both"].value == pytest.approx(10)
    assert best_pair(single, pairs[:1])["stem-pair-both"].value == pytest.approx(-10)


def gated(task: str, share: float, heads: int, coefficient: float, seed: int = 0, pruning: str = "dynamic"):
    grid = kept([divmod(number, 12) for number in range(heads)])
    own = gates(grid, (task,), seed=seed, coefficient=coefficient, pruning=pruning)  # pyright: ignore
    return model({task: share}, seed, own)  # pyright: ignore


def test_pruning_takes_the_mildest_coefficient_that_prunes_enough() -> None:
    models = [gated("pos", 0.7, 10, 0.1), gated("pos", 0.8, 30, 0.03), gated("pos", 0.9, 60, 0.01)]
    assert [one.score("pos") for one in mildest(models, 0.5)] == pytest.approx([80])
    single = {"pos": [model({"pos": 0.85})], "dep": [model({"dep": 0.9})]}
    found = pruning_claims(single, {"pos": models, "dep": [gated("dep", 0.9, 50, 0.01)]})
    assert list(found) == ["stem-prune-pos", "stem-prune"]  # no model of dep is pruned that far
    assert found["stem-prune"].value == pytest.approx(-5)
    assert pruning_claims(single, {"dep": [gated("dep", 0.9, 50, 0.01)]}) == {}
    one_seed_too_many = [gated("pos", 0.8, 30, 0.03), gated("pos", 0.8, 40, 0.03, seed=1)]
    assert mildest(one_seed_too_many, 0.5) == []


def test_dynamic_against_static() -> None:
    dynamic = {"pos": [gated("pos", 0.9, 18, 0.01), gated("pos", 0.9, 36, 0.01, 1)]}
    static = {"pos": [gated("pos", 0.8, 36, 0.01, 0, "static"), gated("pos", 0.8, 36, 0.01, 1, "static")]}
    found = kind_claims(dynamic, static)
    assert found["stem-dynamic"].value == pytest.approx(10)
    heads = found["stem-dynamic-heads"]
    assert (heads.value, heads.low, heads.high, heads.n) == pytest.approx((-12.5, -25, 0, 2))


def test_overlaps_of_equal_and_of_random_heads() -> None:
    random = np.random.default_rng(0)
    same = kept([divmod(int(number), 12) for number in random.choice(72, 20, replace=False)])
    three = overlap_claims({"pos": [same], "dep": [same], "ner": [same]}, permutations=300)
    assert three["stem-cells"].value == pytest.approx(20 - 72 * (20 / 72) ** 3, abs=0.3)
    assert "stem-cells-most" not in three, "two of three are not most"
    alike = overlap_claims({task: [same] for task in ("pos", "dep", "ner", "con")}, [same], permutations=300)
    assert alike["stem-cells"].value == pytest.approx(20 - 72 * (20 / 72) ** 4, abs=0.3)
    assert alike["stem-cells-most"].value == pytest.approx(
        20 - 72 * ((20 / 72) ** 4 + 4 * (20 / 72) ** 3 * (52 / 72)), abs=0.4
    )
    assert alike["stem-overlap"].low > 50 and alike["stem-overlap-within"].low > 30
    assert alike["stem-same-heads"].value == pytest.approx(1, abs=0.05)
    by_chance = overlap_claims(
        {name: [random.uniform(size=(6, 12)) * (random.uniform(size=(6, 12)) < 0.3)] for name in "abcd"},
        permutations=300,
    )
    assert by_chance["stem-overlap"].low < 0 < by_chance["stem-overlap"].high
    assert "stem-same-heads" not in by_chance


def test_layers_that_are_used_are_no_overlap_within_them() -> None:
    """Two tasks with different heads of one layer share none, but by their layer alone."""
    found = overlap_claims(
        {"pos": [kept([(2, 0), (2, 1), (2, 2)])], "dep": [kept([(2, 9), (2, 10), (2, 11)])]}, permutations=300
    )
    assert found["stem-overlap-within"].value < found["stem-overlap"].value < 0


def test_the_middle_layers() -> None:
    """Of four heads three in layers 3 and 4 of six: 75 % against a third."""
    grid = kept([(2, 0), (2, 1), (3, 0), (5, 0)])
    found = layer_claims([grid, grid])["stem-middle"]
    assert (found.value, found.n) == pytest.approx((75 - 100 / 3, 2))
    five = kept([(1, 0)], (5, 12))  # the middle of five layers is 2 to 4
    assert layer_claims([five, five])["stem-middle"].value == pytest.approx(40)
    with pytest.raises(DataError, match="at least two"):
        layer_claims([grid, np.zeros_like(grid)])


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(DataError, match="no two groups"):
        gain([], [model({"pos": 0.5})], ["pos"])
    with pytest.raises(DataError, match="at least two tasks"):
        overlap_claims({"pos": [kept([(0, 0)])]})
