"""Scores of pairs of words, bilinear in the two, and the MLPs before them (Dozat and Manning, 2017)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Biaffine(nn.Module):
    """``score[o] = [left; 1]ᵀ W[o] [right; 1]``, the constants only where a bias is wanted.

    Weights start at 0, as in the stem-cell paper's code.
    """

    def __init__(self, width: int, outputs: int, *, left_bias: bool, right_bias: bool) -> None:
        super().__init__()
        self.left_bias, self.right_bias = left_bias, right_bias
        self.weight = nn.Parameter(torch.zeros(outputs, width + left_bias, width + right_bias))

    def forward(
        self, left: Float[Tensor, "batch lefts width"], right: Float[Tensor, "batch rights width"]
    ) -> Float[Tensor, "batch outputs lefts rights"]:
        """Scores of every left with every right of the same sentence."""
        # Two plain products of large matrices: a broadcast one would copy the weights for each sentence.
        half = (_with_one(left, self.left_bias) @ self._flat()).unflatten(-1, (len(self.weight), -1))
        scores = half.flatten(1, 2) @ _with_one(right, self.right_bias).transpose(1, 2)
        return scores.unflatten(1, (left.shape[1], -1)).transpose(1, 2)

    def of_pairs(
        self, left: Float[Tensor, "pairs width"], right: Float[Tensor, "pairs width"]
    ) -> Float[Tensor, "pairs outputs"]:
        """Scores of each left with the right of the same row: for chosen pairs cheaper than all."""
        half = (_with_one(left, self.left_bias) @ self._flat()).unflatten(-1, (len(self.weight), -1))
        return (half @ _with_one(right, self.right_bias)[:, :, None])[:, :, 0]

    def _flat(self) -> Float[Tensor, "left outputs_right"]:
        return self.weight.transpose(0, 1).flatten(1)


def _with_one(vectors: Float[Tensor, "*rows width"], bias: bool) -> Float[Tensor, "*rows wider"]:
    return torch.cat([vectors, torch.ones_like(vectors[..., :1])], dim=-1) if bias else vectors


class SharedDropout(nn.Module):
    """Dropout with one mask for all words of a sentence."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p)

    def forward(self, vectors: Float[Tensor, "batch words width"]) -> Float[Tensor, "batch words width"]:
        return vectors * self.dropout(torch.ones_like(vectors[:, :1])) if self.training else vectors


def word_mlp(hidden: int, width: int, dropout: float) -> nn.Sequential:
    """Linear (orthogonal at the start), LeakyReLU of slope 0.1, dropout with one mask a sentence."""
    linear = nn.Linear(hidden, width)
    nn.init.orthogonal_(linear.weight)
    nn.init.zeros_(linear.bias)
    return nn.Sequential(linear, nn.LeakyReLU(0.1), SharedDropout(dropout))
