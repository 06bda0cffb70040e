"""All four similarities in one go; simulated signals are called simulated."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.affinity import TransferLosses
from encoder_atlas.specialization.dissociation import Dissociation
from encoder_atlas.specialization.similarities import (
    Reading,
    fit_similarities,
    mean_pairs,
    read_or_simulate,
    similarities,
)
from encoder_atlas.specialization.similarity import dse

TASKS = ("a", "b", "c")
WORDS = ["north", "south", "east", "west", "river", "hill", "tree", "stone", "bird", "fish", "rain", "snow"]


@pytest.fixture(scope="module")
def reading() -> Reading:
    random = np.random.default_rng(0)
    return read_or_simulate(None, [" ".join(random.choice(WORDS, 6)) for _ in range(60)])


@pytest.fixture(scope="module")
def similar(reading: Reading) -> dict[str, pd.DataFrame]:
    random = np.random.default_rng(1)
    shared = random.normal(size=(60, 8))
    points = {task: shared + 0.3 * i * random.normal(size=(60, 8)) for i, task in enumerate(TASKS)}
    losses = TransferLosses(TASKS, {task: random.random((3, 20)) for task in TASKS})
    found = similarities(points, shared, losses, reading)
    pd.testing.assert_frame_equal(found["dse"], dse(points))
    return found


def test_without_a_folder_signals_are_simulated_and_named_so(
    reading: Reading, similar: dict[str, pd.DataFrame]
) -> None:
    assert reading.simulated
    assert len(reading.sentences) == 60
    assert list(similar) == ["dse", "cra", "ahp", "cnm-simulated"]
    pairs = pd.DataFrame({"a": ["a", "a", "b"], "b": ["b", "c", "c"], "d": [1.0, 4.0, 2.0]})
    titles = [fit.measure for fit in fit_similarities(similar, pairs).values()]
    assert titles == ["DSE", "CRA", "AHP", "CNM (simulated signals)"]


def test_every_similarity_has_all_pairs(similar: dict[str, pd.DataFrame]) -> None:
    for table in similar.values():
        assert list(table.index) == list(table.columns) == list(TASKS)
        np.testing.assert_allclose(table, table.T, atol=1e-12)


def test_a_folder_without_recordings_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=tmp_path.name):
        read_or_simulate(tmp_path, [])


def test_pairs_are_averaged_over_models() -> None:
    one = Dissociation(("a", "b"), np.array([[0.5, 1.0], [1.0, 0.5]]))
    other = Dissociation(("a", "b"), np.array([[0.9, 1.0], [1.0, 0.7]]))
    # D_A and D_B are 50 and 50, then 10 and 30: means 50 and 20.
    table = mean_pairs([one, other])
    assert table.to_dict(orient="list") == {"a": ["a"], "b": ["b"], "d": [pytest.approx(35.0)]}


def test_of_pairs_the_first_is_read(reading: Reading) -> None:
    pairs = [(sentence, "another") for sentence in reading.sentences]
    again = read_or_simulate(None, pairs)
    assert again.sentences == reading.sentences
    np.testing.assert_array_equal(again.recordings[0].voxels, reading.recordings[0].voxels)
