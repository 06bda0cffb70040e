"""What structural probes found, layer by layer and sentence by sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64, Int64

from encoder_atlas.errors import DataError
from encoder_atlas.finetuning.states import check_layer
from encoder_atlas.finetuning.structural_measures import (
    kept_words,
    mean_by_length,
    rank_correlations,
    shared_edges,
    spanning_tree,
    tree_depths,
    tree_distances,
)
from encoder_atlas.results import read_result, write_result
from encoder_atlas.text.layers import Sentence

Shares = Literal["uuas", "root"]


@dataclass(frozen=True, eq=False)
class StructuralResult:
    """Trees read from an encoder (or from a baseline), measured on sentences.

    UUAS is the share of the gold edges that are found, over all sentences; Root the share of sentences whose
    least deep word is the root. Both leave punctuation out: the gold tree too is the spanning tree of the
    other words. A sentence with fewer than two of them has no edge; one with none has no root to find and is
    left out. DSpr is the mean rank correlation of the words' rows of distances, NSpr that of depths, averaged
    over the sentences of each length and then over lengths; punctuation counts there.

    Attributes:
        name: of what was probed.
        lengths: words of each sentence, punctuation counted.
        edges: edges of each gold tree.
        edges_right: how many of them each layer finds.
        rooted: whether the sentence has a word that is no punctuation.
        root_right: whether each layer finds the root.
        distance: mean over a sentence's words of the correlation of distances.
        depth: correlation of depths.
        found: the edges that each layer finds: of all sentences, as many of each as its gold tree has.
        between: shortest and longest sentence that count for DSpr and NSpr.
    """

    name: str
    seed: int
    lengths: Int64[np.ndarray, " sentences"]
    edges: Int64[np.ndarray, " sentences"]
    edges_right: Int64[np.ndarray, "layers sentences"]
    rooted: Bool[np.ndarray, " sentences"]
    root_right: Bool[np.ndarray, "layers sentences"]
    distance: Float64[np.ndarray, "layers sentences"]
    depth: Float64[np.ndarray, "layers sentences"]
    found: Int64[np.ndarray, "layers all_edges 2"]
    between: tuple[int, int]

    def to_frame(self) -> pd.DataFrame:
        """One row a layer: name, seed, layer, uuas, root (shares), dspr, nspr (correlations)."""
        uuas = self.edges_right.sum(axis=1) / max(self.edges.sum(), 1)
        root = self.root_right.sum(axis=1) / max(self.rooted.sum(), 1)
        correlations = {
            name: [mean_by_length(of_layer, self.lengths, *self.between) for of_layer in values]
            for name, values in (("dspr", self.distance), ("nspr", self.depth))
        }
        table = pd.DataFrame({"name": self.name, "seed": self.seed, "layer": range(len(uuas))})
        return table.assign(uuas=uuas, root=root, **correlations)

    def by_sentence(self, measure: Shares, layer: int) -> pd.DataFrame:
        """One row a sentence: right and total, whose sums give the share. `estimates.contrast` resamples it.

        Raises:
            SettingsError: no such layer.
        """
        check_layer(layer, len(self.found))
        if measure == "uuas":
            return pd.DataFrame({"right": self.edges_right[layer], "total": self.edges})
        return pd.DataFrame(
            {"right": self.root_right[layer].astype(np.int64), "total": self.rooted.astype(np.int64)}
        )

    def tree(self, sentence: int, layer: int) -> list[tuple[int, int]]:
        """The edges that a layer finds in a sentence, as pairs of words from 0.

        Raises:
            SettingsError: no such layer.
        """
        check_layer(layer, len(self.found))
        start = int(self.edges[:sentence].sum())
        return [(a, b) for a, b in self.found[layer, start : start + self.edges[sentence]].tolist()]

    def save(self, folder: Path) -> None:
        """Write it into ``folder``, which is made where it is missing: safetensors and JSON."""
        rest = {"name": self.name, "seed": self.seed, "between": self.between}
        write_result(folder, "structural", {name: getattr(self, name) for name in _ARRAYS}, rest)

    @classmethod
    def load(cls, folder: Path) -> "StructuralResult":
        """Read what ``save`` wrote.

        Raises:
            DataError: a file is missing or damaged.
        """
        with read_result(folder, "structural", "structural probes") as (rest, arrays):
            return cls(**rest | {"between": tuple(rest["between"])} | arrays)


_ARRAYS = ("lengths", "edges", "edges_right", "rooted", "root_right", "distance", "depth", "found")


def measure_trees(
    sentences: Sequence[Sentence],
    distances: Sequence[np.ndarray],
    depths: Sequence[np.ndarray],
    *,
    name: str,
    seed: int = 0,
    punctuation: str = "upos",
    between: tuple[int, int] = (5, 50),
) -> StructuralResult:
    """Hold predicted distances and depths against annotated trees.

    Args:
        distances: of each sentence, layers × words × words, any numbers that grow with distance.
        depths: of each sentence, layers × words.

    Raises:
        DataError: no sentences, one without heads, or without the tags that tell punctuation.
    """
    if not sentences:
        raise DataError("there are no sentences to measure trees on")
    rows = [_of_sentence(*one, punctuation) for one in zip(sentences, distances, depths, strict=True)]
    edges, right, rooted, root, of_distance, of_depth, found = zip(*rows, strict=True)
    return StructuralResult(
        name=name,
        seed=seed,
        lengths=np.array([len(sentence.words) for sentence in sentences]),
        edges=np.array(edges),
        edges_right=np.stack(right, axis=1),
        rooted=np.array(rooted),
        root_right=np.stack(root, axis=1),
        distance=np.stack(of_distance, axis=1),
        depth=np.stack(of_depth, axis=1),
        found=np.concatenate(found, axis=1),
        between=between,
    )


def linear_chain(
    sentences: Sequence[Sentence], punctuation: str = "upos", between: tuple[int, int] = (5, 50)
) -> StructuralResult:
    """The baseline that every word hangs on the one before it: distance |i - j|, depth i. One layer, 0.

    Raises:
        DataError: as `measure_trees`.
    """
    places = [np.arange(len(sentence.words), dtype=np.float64) for sentence in sentences]
    distances = [np.abs(place[:, None] - place)[None] for place in places]
    depths = [place[None] for place in places]
    return measure_trees(
        sentences, distances, depths, name="linear chain", punctuation=punctuation, between=between
    )


def heads_of(sentence: Sentence) -> tuple[int, ...]:
    """The heads of a sentence. Raises DataError where it has none."""
    if sentence.heads is None:
        raise DataError(
            f"sentence {sentence.id!r} has no dependency tree: take sentences with the layer 'dep'"
        )
    return sentence.heads


def _of_sentence(
    sentence: Sentence, distances: np.ndarray, depths: np.ndarray, punctuation: str
) -> tuple[int, np.ndarray, bool, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    heads, kept = heads_of(sentence), kept_words(sentence, punctuation)
    gold, gold_depths = tree_distances(heads), tree_depths(heads)
    tree = spanning_tree(gold, kept)
    found = [spanning_tree(of_layer, kept) for of_layer in distances]
    right = np.array([shared_edges(tree, edges) for edges in found])
    least = np.where(kept, depths, np.inf).argmin(axis=1)
    root = (gold_depths[least] == 0) & kept.any()
    of_rows = rank_correlations(distances, np.broadcast_to(gold, distances.shape)).mean(axis=1)
    of_depths = rank_correlations(depths, np.broadcast_to(gold_depths, depths.shape))
    return len(tree), right, bool(kept.any()), root, of_rows, of_depths, np.stack(found)
