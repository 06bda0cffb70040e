"""Targets of edge probing as pieces of word, sentence by sentence, ready to be cut into batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from encoder_atlas.finetuning.edge_model import Spans
from encoder_atlas.finetuning.states import LayerStates
from encoder_atlas.text.edges import EdgeSplit
from encoder_atlas.text.edges.task import SPANS


@dataclass(frozen=True, eq=False)
class Batch:
    """Some sentences' targets: the pieces that their spans hold, the spans, and the labels.

    Attributes:
        pieces: numbers of the pieces among all states; each stands here once.
        target: the targets' rows in their split.
    """

    pieces: Int64[Tensor, " pieces"]
    spans: list[Spans]
    labels: Float[Tensor, "targets labels"]
    target: Int64[np.ndarray, " targets"]


class EdgeBatches:
    """One split of a task over the states of its sentences."""

    def __init__(self, split: EdgeSplit, two_spans: bool, states: LayerStates, device: torch.device) -> None:
        """Raises DataError where a sentence has no states."""
        number = states.find(split.sentences)[split.targets[:, 0]]
        words = states.first_word[number][:, None]
        columns = SPANS if two_spans else SPANS[:1]
        self.ends = [states.first_piece[words + split.targets[:, list(pair)]] for pair in columns]
        self.labels = torch.tensor(split.labels, dtype=torch.float32, device=device)
        self.device = device
        order = np.argsort(split.targets[:, 0], kind="stable")
        cuts = np.cumsum(np.bincount(split.targets[:, 0], minlength=len(split.sentences)))
        self.of_sentence: list[Int64[np.ndarray, " targets"]] = np.split(order, cuts[:-1])

    def pieces(self) -> Int64[Tensor, " pieces"]:
        """The pieces in the spans of all targets, each once."""
        return self._move(np.unique(np.concatenate([ragged(ends)[0] for ends in self.ends])))

    def shuffled(self, size: int, random: np.random.Generator) -> Iterator[Batch]:
        """All targets, ``size`` sentences at a time, in random order."""
        yield from self._cut(random.permutation(len(self.of_sentence)), size)

    def in_order(self, size: int) -> Iterator[Batch]:
        """All targets, ``size`` sentences at a time."""
        yield from self._cut(np.arange(len(self.of_sentence)), size)

    def steps(self, size: int) -> int:
        """How many batches there are at the most."""
        return -(-len(self.of_sentence) // size)

    def _cut(self, sentences: Int64[np.ndarray, " sentences"], size: int) -> Iterator[Batch]:
        for start in range(0, len(sentences), size):
            target = np.concatenate([self.of_sentence[n] for n in sentences[start : start + size]])
            if len(target):
                yield self._batch(target)

    def _batch(self, target: Int64[np.ndarray, " targets"]) -> Batch:
        entries = [ragged(ends[target]) for ends in self.ends]
        pieces, place = np.unique(np.concatenate([piece for piece, _ in entries]), return_inverse=True)
        places = np.split(place, np.cumsum([len(piece) for piece, _ in entries])[:-1])
        spans = [
            Spans(self._move(own), self._move(of), self._move(np.searchsorted(of, np.arange(len(target)))))
            for own, (_, of) in zip(places, entries, strict=True)
        ]
        return Batch(self._move(pieces), spans, self.labels[self._move(target)], target)

    def _move(self, numbers: Int64[np.ndarray, " numbers"]) -> Int64[Tensor, " numbers"]:
        return torch.from_numpy(numbers).to(self.device)


def ragged(
    ends: Int64[np.ndarray, "targets 2"],
) -> tuple[Int64[np.ndarray, " entries"], Int64[np.ndarray, " entries"]]:
    """Every number from start to end (exclusive) of each row, rows end to end, and the row it comes from.

    >>> ragged(np.array([[3, 5], [9, 10]]))
    (array([3, 4, 9]), array([0, 0, 1]))
    """
    lengths = ends[:, 1] - ends[:, 0]
    row = np.repeat(np.arange(len(ends)), lengths)
    begins = np.cumsum(lengths) - lengths
    return ends[row, 0] + np.arange(len(row)) - begins[row], row


def unique_sentences(splits: Sequence[EdgeSplit]) -> list[tuple[str, ...]]:
    """The sentences of several splits, each once."""
    return list(dict.fromkeys(words for split in splits for words in split.sentences))
