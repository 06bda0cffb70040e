"""The four similarities of tasks beside their dissociation, in one go (Figures 3 and 5-7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from jaxtyping import Float
from numpy import ndarray

from encoder_atlas.specialization.affinity import TransferLosses, ahp
from encoder_atlas.specialization.brain import CNMSettings, cnm
from encoder_atlas.specialization.dissociation import Dissociation
from encoder_atlas.specialization.recordings import Recording, read_recordings, simulate_recordings
from encoder_atlas.specialization.similarity import SimilarityFit, cra, dse, fit_similarity

SIMULATED_CNM = CNMSettings(mapping="ridge", seeds=(0,), voxels=150)
"""Half of a simulated reader's voxels, mapped in the quick way: their structure is ours anyway."""


@dataclass(frozen=True, eq=False)
class Reading:
    """The neutral sentences on which tasks are compared, and the signals of readers."""

    sentences: tuple[str, ...]
    recordings: Sequence[Recording]

    @property
    def simulated(self) -> bool:
        """Whether no brain was measured."""
        return any(recording.simulated for recording in self.recordings)


def read_or_simulate(
    folder: Path | None, texts: Sequence[str] | Sequence[tuple[str, str]], seed: int = 0
) -> Reading:
    """The recordings of Pereira et al. and their sentences; without a folder, simulated ones.

    Args:
        texts: what is read in the simulation: sentences, or pairs, of which the first is.

    Raises:
        DataError: a folder that does not hold them, or too few sentences to simulate.
    """
    if folder is None:
        sentences = tuple(text if isinstance(text, str) else text[0] for text in texts)
        return Reading(sentences, simulate_recordings(sentences, seed=seed))
    recordings = read_recordings(folder)
    return Reading(recordings[0].sentences, recordings)


def similarities(
    points: Mapping[str, Float[ndarray, "points hidden"]],
    untouched: Float[ndarray, "points dim"],
    losses: TransferLosses,
    reading: Reading,
) -> dict[str, pd.DataFrame]:
    """How alike tasks are by DSE, CRA, AHP and CNM: by the end of the claims' names, tasks by tasks.

    Args:
        points: for each task the sentences of ``reading`` under the encoder fine-tuned on it alone.
        untouched: the same sentences under the encoder before fine-tuning.
        losses: of every task's head on every task's encoder.

    Raises:
        SettingsError, DataError: see `dse`, `cra`, `ahp`, `cnm`.
    """
    mapped = cnm(points, reading.recordings, untouched, SIMULATED_CNM if reading.simulated else None)
    name = "cnm-simulated" if reading.simulated else "cnm"
    return {"dse": dse(points), "cra": cra(points), "ahp": ahp(losses), name: mapped}


def mean_pairs(found: Sequence[Dissociation]) -> pd.DataFrame:
    """Average dissociation of every pair, mean over models: columns a, b, d (points)."""
    pairs = pd.concat([part.pairs() for part in found])
    means: Any = pairs.groupby(["a", "b"], sort=False)["d"].mean()
    return means.reset_index()


def fit_similarities(similar: Mapping[str, pd.DataFrame], pairs: pd.DataFrame) -> dict[str, SimilarityFit]:
    """A line for each measure, named for the figure; one on simulated signals says so."""
    titles = {name: name.upper().replace("-SIMULATED", " (simulated signals)") for name in similar}
    return {name: fit_similarity(table, pairs, titles[name]) for name, table in similar.items()}
