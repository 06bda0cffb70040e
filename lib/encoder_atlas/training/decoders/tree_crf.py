"""A CRF over the binary trees of a sentence, whose parts are spans (Zhang, Zhou and Li, 2020).

A sentence of n words has n + 1 *fences*, before, between and after its words; a span goes from one fence to a
later one. A binary tree over n words has 2n − 1 spans: the n words, the whole sentence and n − 2 between.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.autograd.function import once_differentiable

# Scores in, and of every way to split a span in two; out: one score a span.
Join = Callable[[Float[Tensor, "splits batch starts"]], Float[Tensor, "batch starts"]]


@dataclass(frozen=True)
class TreeCRF:
    """A distribution over the binary trees of each sentence: p(tree) ∝ exp(the sum of its spans' scores).

    All is computed for a whole batch, and for all spans of one width, at once; the only loop is over widths.
    A sentence of n words takes time ∝ n³ and memory ∝ n²: about 40 n² bytes in fp32, gradient included.

    Attributes:
        scores: logits of spans, by first and last fence; those that are no span, or of padding, are not read.
        words: how many words each sentence has, at least 1.
    """

    scores: Float[Tensor, "batch fences fences"]
    words: Int64[Tensor, " batch"]

    def log_partition(self) -> Float[Tensor, " batch"]:
        """Log of the sum of exp(score) over all trees, in nats; it can be differentiated once."""
        return _LogPartition.apply(self._inside_scores(), self.words)

    def marginals(self) -> Float[Tensor, "batch fences fences"]:
        """The probability of each span to be in the tree: the gradient of the log-partition by its score."""
        with torch.enable_grad():
            scores = self.scores.detach().requires_grad_()
            total = TreeCRF(scores, self.words).log_partition().sum()
        return torch.autograd.grad(total, scores)[0]

    def best(self) -> Bool[Tensor, "batch fences fences"]:
        """The spans of the likeliest tree, by the algorithm of Cocke, Kasami and Younger (CKY)."""
        return _best(self._inside_scores().detach(), self.words)

    def least_risk(self) -> Bool[Tensor, "batch fences fences"]:
        """The spans of the tree with the least risk: of which most spans are right in expectation.

        It is the tree with the highest sum of marginals.
        """
        return _best(self.marginals(), self.words)

    def _inside_scores(self) -> Float[Tensor, "batch fences fences"]:
        """The scores with 0 for padding, which then can do no harm whatever it was."""
        fence = torch.arange(self.scores.shape[-1], device=self.scores.device)
        return self.scores.masked_fill(fence > self.words[:, None, None], 0)


class _Chart:
    """A value for every span, filled from narrow to wide.

    Held twice, so that all ways to split all spans of one width are two slices, without a copy: by width and
    first fence, and by width (the widest first) and last fence.
    """

    def __init__(self, like: Float[Tensor, "batch fences fences"]) -> None:
        batch, fences, _ = like.shape
        self.longest = fences - 1
        self.starting, self.ending = like.new_zeros(2, fences, batch, fences)

    def put(self, width: int, values: Float[Tensor, "batch starts"]) -> None:
        """Set the spans of a width."""
        self.starting[width, :, : self.longest + 1 - width] = values
        self.ending[self.longest - width, :, width:] = values

    def lefts(self, width: int) -> Float[Tensor, "splits batch starts"]:
        """The left parts of the spans of a width, 1 to width − 1 words wide."""
        return self.starting[1:width, :, : self.longest + 1 - width]

    def rights(self, width: int) -> Float[Tensor, "splits batch starts"]:
        """The right parts that belong to ``lefts``."""
        return self.ending[self.longest - width + 1 : self.longest, :, width:]


def _filled(scores: Float[Tensor, "batch fences fences"], join: Join) -> _Chart:
    """A span's value: its score, and for two words or more what ``join`` makes of its splits' values."""
    chart = _Chart(scores)
    for width in range(1, chart.longest + 1):
        values = scores.diagonal(width, 1, 2)
        if width > 1:
            values = values + join(chart.lefts(width) + chart.rights(width))
        chart.put(width, values)
    return chart


class _LogPartition(torch.autograd.Function):
    """The inside algorithm, and backwards the outside algorithm.

    Written out because autograd would keep every split of every span, memory ∝ n³.
    """

    @staticmethod
    def forward(
        ctx: Any, scores: Float[Tensor, "batch fences fences"], words: Int64[Tensor, " batch"]
    ) -> Float[Tensor, " batch"]:
        chart = _filled(scores, lambda splits: splits.logsumexp(dim=0))
        ctx.save_for_backward(scores, words)
        ctx.chart = chart
        return chart.starting[words, torch.arange(len(words), device=words.device), 0].clone()

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, weights: Float[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch fences fences"], None]:
        (scores, words), inside = ctx.saved_tensors, ctx.chart
        outside, gradient = _Chart(scores), torch.zeros_like(scores)
        outside.starting[words, torch.arange(len(words), device=words.device), 0] = weights
        for width in range(inside.longest, 0, -1):
            starts = inside.longest + 1 - width
            values = outside.starting[width, :, :starts] + outside.ending[inside.longest - width, :, width:]
            gradient.diagonal(width, 1, 2).copy_(values)
            if width > 1:
                joined = inside.starting[width, :, :starts] - scores.diagonal(width, 1, 2)
                shares = (inside.lefts(width) + inside.rights(width) - joined).exp() * values
                outside.lefts(width).add_(shares)
                outside.rights(width).add_(shares)
        return gradient, None


def _best(
    scores: Float[Tensor, "batch fences fences"], words: Int64[Tensor, " batch"]
) -> Bool[Tensor, "batch fences fences"]:
    """The spans of the tree with the highest sum of scores; of equally good trees one."""
    lefts: list[Tensor] = []  # for spans of two words and more: how wide the left part is

    def join(splits: Float[Tensor, "splits batch starts"]) -> Float[Tensor, "batch starts"]:
        highest, split = splits.max(dim=0)
        lefts.append(split + 1)
        return highest

    longest = _filled(scores, join).longest
    batch = torch.arange(len(words), device=words.device)
    chosen = torch.zeros(longest + 1, len(words), longest + 1, dtype=torch.bool, device=words.device)
    chosen[words, batch, 0] = True
    for width in range(longest, 1, -1):
        row, start = chosen[width].nonzero(as_tuple=True)
        left = lefts[width - 2][row, start]
        chosen[left, row, start] = True
        chosen[width - left, row, start + left] = True
    tree = torch.zeros_like(scores, dtype=torch.bool)
    for width in range(1, longest + 1):
        tree.diagonal(width, 1, 2).copy_(chosen[width, :, : longest + 1 - width])
    return tree
