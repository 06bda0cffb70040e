"""Structural probes as a network: those of all layers at once, with their losses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from encoder_atlas.finetuning.structural_measures import tree_depths, tree_distances
from encoder_atlas.finetuning.structural_result import heads_of
from encoder_atlas.text.layers import Sentence


@dataclass(frozen=True, eq=False)
class Trees:
    """Sentences of one batch: vectors of their words at every layer, and their gold trees.

    Attributes:
        distances, depths: in edges; what lies outside a sentence, ``inside`` tells.
    """

    words: Float[Tensor, "layers batch words hidden"]
    distances: Float[Tensor, "batch words words"]
    depths: Float[Tensor, "batch words"]
    inside: Bool[Tensor, "batch words"]


class TreeData:
    """Sentences with trees over the vectors of their words."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        words: Sequence[Float32[np.ndarray, "layers _ hidden"]],
        device: torch.device,
    ) -> None:
        """Raises DataError where a sentence has no tree."""
        gold = [heads_of(sentence) for sentence in sentences]
        self.lengths = [len(heads) for heads in gold]
        # Words first, as `pad_sequence` wants it.
        self.words = [torch.from_numpy(part).transpose(0, 1).to(device) for part in words]
        self.distances = [torch.from_numpy(tree_distances(heads)).float() for heads in gold]
        self.depths = [torch.from_numpy(tree_depths(heads)).float() for heads in gold]
        self.device = device

    def take(self, numbers: Sequence[int]) -> Trees:
        """A batch of the sentences of these numbers."""
        lengths = torch.tensor([self.lengths[number] for number in numbers])
        longest = int(lengths.max())
        distances = torch.zeros(len(numbers), longest, longest)
        for row, number in enumerate(numbers):
            distances[row, : lengths[row], : lengths[row]] = self.distances[number]
        words = pad_sequence([self.words[number] for number in numbers], batch_first=True)
        return Trees(
            words=words.permute(2, 0, 1, 3),
            distances=distances.to(self.device),
            depths=pad_sequence([self.depths[number] for number in numbers], batch_first=True).to(
                self.device
            ),
            inside=(torch.arange(longest) < lengths[:, None]).to(self.device),
        )


class TreeProbes(nn.Module):
    """For each layer one projection for distances and one for depths.

    Attributes:
        distance, depth: a matrix B a layer, hidden × rank, begun between -0.05 and 0.05 (released code).
    """

    def __init__(self, n_layers: int, hidden: int, rank: int) -> None:
        super().__init__()
        self.distance = nn.ParameterList(torch.empty(hidden, rank) for _ in range(n_layers))
        self.depth = nn.ParameterList(torch.empty(hidden, rank) for _ in range(n_layers))
        for matrix in self.parameters():
            nn.init.uniform_(matrix, -0.05, 0.05)

    def forward(
        self, words: Float[Tensor, "layers batch words hidden"]
    ) -> tuple[Float[Tensor, "layers batch words words"], Float[Tensor, "layers batch words"]]:
        """‖B(h_i - h_j)‖² of every two words, and ‖B h_i‖² of every word."""
        flat = words.flatten(1, 2)
        apart = (flat @ torch.stack([*self.distance])).unflatten(1, words.shape[1:3])
        up = (flat @ torch.stack([*self.depth])).unflatten(1, words.shape[1:3])
        # |a - b|² = |a|² + |b|² - 2ab: no array of differences; rounding may leave a trace below 0.
        squares = apart.square().sum(-1)
        both = squares[..., :, None] + squares[..., None, :]
        return (both - 2 * apart @ apart.transpose(-1, -2)).clamp_min(0), up.square().sum(-1)

    def losses(self, trees: Trees) -> Float[Tensor, "two layers"]:
        """L1, of distances and of depths, layer by layer: the sum of |found - gold| over all pairs of words
        of a sentence (all words), over its length squared (its length); then the mean over sentences."""
        distances, depths = self(trees.words)
        inside = trees.inside.float()
        lengths = inside.sum(-1)
        pairs = inside[:, :, None] * inside[:, None, :]
        apart = ((distances - trees.distances).abs() * pairs).sum((-1, -2)) / lengths.square()
        up = ((depths - trees.depths).abs() * inside).sum(-1) / lengths
        return torch.stack([apart.mean(-1), up.mean(-1)])
