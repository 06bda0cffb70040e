"""What is judged is what the claim says, on predictions made by hand."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.claims import (
    frozen_claims,
    iap_claims,
    paradigm_claims,
    reading_claims,
    similarity_claims,
)
from encoder_atlas.specialization.printed import printed_dissociation
from encoder_atlas.specialization.pruning import Pruned
from encoder_atlas.specialization.readings import GateGradients, read_scores
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.similarity import fit_similarity

MakePruned = Callable[..., Pruned]
SETTINGS = SpecializationSettings(resamples=200, alpha=0.5, importance_batch=2)
RIGHT = {
    "none": {"a": 80, "b": 50},
    "a": {"a": 60, "b": 50},
    "b": {"a": 72, "b": 40},
    "least: a": {"a": 80, "b": 50},
    "least: b": {"a": 80, "b": 50},
    "random 1": {"a": 76, "b": 50},
    "random 2": {"a": 76, "b": 50},
}


def test_iap_claims_by_hand(make_pruned: MakePruned) -> None:
    found = iap_claims([make_pruned(RIGHT, kinds={"a": "single", "b": "pair"})], SETTINGS)
    values = {claim: round(estimate.value, 6) for claim, estimate in found.items()}
    assert values == {
        "iap-all-positive": 15,
        "iap-dissociation": 17.5,
        "iap-distinct-pair": 17.5,
        "iap-own-most": 15,
        # The other assignment of two sets has -D.
        "iap-assignment": 35,
        "iap-least": 17.5,
        # Random sets leave .95 and 1; another task's heads .9 and 1.
        "iap-random-milder": 2.5,
        "iap-null": 17.5,
        # b loses (0 + 20)/2, a (25 + 10)/2.
        "iap-pairs-need-attention": -7.5,
    }
    assert all(estimate.low <= estimate.value <= estimate.high for estimate in found.values())
    assert {estimate.n for estimate in found.values()} == {100}


def test_claims_that_were_not_measured_are_left_out(make_pruned: MakePruned) -> None:
    found = iap_claims([make_pruned({name: RIGHT[name] for name in ("none", "a", "b")})], SETTINGS)
    assert "iap-dissociation" in found
    assert not {"iap-least", "iap-null", "iap-random-milder", "iap-pairs-need-attention"} & set(found)


def test_models_are_averaged(make_pruned: MakePruned) -> None:
    other = {**RIGHT, "a": {"a": 64, "b": 50}}
    found = iap_claims([make_pruned(RIGHT), make_pruned(other, seed=1)], SETTINGS)
    assert found["iap-dissociation"].value == pytest.approx(17.5 - 1.25)


def test_frozen_claims_by_hand(make_pruned: MakePruned) -> None:
    flat = {"none": {"a": 60, "b": 60}, "a": {"a": 54, "b": 52}, "b": {"a": 51, "b": 50}}
    found = frozen_claims([make_pruned({name: RIGHT[name] for name in flat})], [make_pruned(flat)], SETTINGS)
    # Frozen: D_a = (51 - 54)/60, D_b = (52 - 50)/60.
    assert found["iap-frozen-small"].value == pytest.approx(100 * -1 / 120)
    assert found["iap-frozen-gain"].value == pytest.approx(17.5 + 100 / 120)
    # Of 10 + 10 points above chance other tasks' heads leave 1 + 2.
    assert found["iap-frozen-floor"].value == pytest.approx(15)


@pytest.mark.filterwarnings("error")
def test_nothing_is_left_of_a_frozen_encoder_that_is_not_above_chance(make_pruned: MakePruned) -> None:
    tuned = make_pruned({name: RIGHT[name] for name in ("none", "a", "b")})
    # Chance is 50 of 100. At 51 the texts as they are leave something above it, and many resamples do not.
    for right in (50, 51):
        near = {"none": {"a": right, "b": right}, "a": {"a": 49, "b": 50}, "b": {"a": 50, "b": 49}}
        found = frozen_claims([tuned], [make_pruned(near)], SETTINGS)
        assert set(found) == {"iap-frozen-gain", "iap-frozen-small"}


def test_paradigm_claims_by_hand(make_pruned: MakePruned) -> None:
    paired = {
        "none": {"a-pair": 80, "b": 50},
        "a-pair": {"a-pair": 40, "b": 50},
        "b": {"a-pair": 56, "b": 40},
    }
    single = {name: RIGHT[name] for name in ("none", "a", "b")}
    found = paradigm_claims([make_pruned(single)], [make_pruned(paired)], SETTINGS)
    # The pair version: D_a = (56 - 40)/80 = 20, D_b = 20. It loses 50 %, the single one 25 %.
    assert found["paradigm-same-d"].value == pytest.approx(2.5)
    assert found["paradigm-pairs-need-attention"].value == pytest.approx(25)
    # At chance, 50 of 100, the pair version was not learnt: nothing can be said of what it loses.
    at_chance = paired | {"none": {"a-pair": 50, "b": 50}}
    assert paradigm_claims([make_pruned(single)], [make_pruned(at_chance)], SETTINGS) == {}


def test_similarity_claims_take_the_fits_r() -> None:
    pairs, tasks = printed_dissociation().pairs(), list(printed_dissociation().tasks)
    noise = np.random.default_rng(0).normal(size=(5, 5))
    similarity = (noise + noise.T).tolist()
    fit = fit_similarity(pd.DataFrame(similarity, index=tasks, columns=tasks), pairs, "DSE")
    estimate = similarity_claims({"dse": fit})["similarity-dse"]
    assert (estimate.low, estimate.value, estimate.high, estimate.n) == (fit.low, fit.r, fit.high, 10)


def test_reading_claims_compare_the_top_heads() -> None:
    random = np.random.default_rng(0)
    samples = random.normal(size=(40, 2, 4)).astype(np.float32) * np.arange(1, 9).reshape(2, 4)
    part = GateGradients("t", samples.astype(np.float32), None, np.ones(40, np.int64))
    found = reading_claims([part], SETTINGS)["iap-batch-reading"]
    exact, batch = (read_scores(part, reading, batch_size=2).ravel() for reading in ("sample", "batch"))
    shared = set(np.argsort(-exact)[:4]) & set(np.argsort(-batch)[:4])
    assert found.value == 25 * len(shared)
    assert 0 <= found.low <= found.value <= found.high <= 100
    with pytest.raises(DataError, match="no derivatives"):
        reading_claims([], SETTINGS)
