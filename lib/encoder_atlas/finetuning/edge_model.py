"""The edge probe as a network: mix of layers, span pooling, and a small classifier."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import embedding_bag


@dataclass(frozen=True, eq=False)
class Spans:
    """One span a target, as a list of pieces: spans of all lengths lie end to end, without padding.

    Attributes:
        piece: for each entry the number of its piece among those of the batch.
        target: for each entry the number of its target, never falling.
        first: where each target's entries begin.
    """

    piece: Int64[Tensor, " entries"]
    target: Int64[Tensor, " entries"]
    first: Int64[Tensor, " targets"]


class ScalarMix(nn.Module):
    """γ Σ softmax(s)_l h_l: one vector of all layers, with weights that are learnt (Peters et al., 2018)."""

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))

    @property
    def weights(self) -> Float[Tensor, " layers"]:
        """The share of each layer; they add up to 1."""
        return self.scores.softmax(0)

    def forward(self, states: Float[Tensor, "layers pieces hidden"]) -> Float[Tensor, "pieces hidden"]:
        # One product of a row and a matrix: many times quicker than a weighted sum of arrays.
        return (self.gamma * self.weights @ states.flatten(1)).view(states.shape[1:])


class SpanPooling(nn.Module):
    """A projection of every piece, then a weighted mean over the span; the weights are learnt.

    After AllenNLP's self-attentive extractor: softmax over the span of a linear score of the projected piece.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.project = nn.Linear(width, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)  # softmax is blind to a bias

    def forward(self, pieces: Float[Tensor, "pieces width"], spans: Spans) -> Float[Tensor, "targets hidden"]:
        projected = self.project(pieces)
        scores = self.score(projected).squeeze(1)[spans.piece]
        weights = _softmax_within(scores, spans.target, len(spans.first))
        return embedding_bag(spans.piece, projected, spans.first, mode="sum", per_sample_weights=weights)


class EdgeNet(nn.Module):
    """From states of word pieces to one logit a target and label.

    Each span has a projection and a pooling of its own; the pooled spans, side by side, go through linear,
    tanh, layer norm, dropout and linear (Tenney et al., 2019; sizes of jiant).

    Args:
        n_layers: layers to mix; None where a single layer is read.
        width: of the states.
        sides: spans a target, one or two.
    """

    def __init__(
        self, n_layers: int | None, width: int, sides: int, labels: int, hidden: int, dropout: float
    ) -> None:
        super().__init__()
        self.mix = None if n_layers is None else ScalarMix(n_layers)
        self.sides = nn.ModuleList(SpanPooling(width, hidden) for _ in range(sides))
        self.classify = nn.Sequential(
            nn.Linear(sides * hidden, hidden),
            nn.Tanh(),
            nn.LayerNorm(hidden),
            nn.Dropout(dropout),
            nn.Linear(hidden, labels),
        )

    def forward(
        self, states: Float[Tensor, "layers pieces width"], spans: list[Spans]
    ) -> Float[Tensor, "targets labels"]:
        """Logits: a label is said to hold where its logit is at least 0.

        Args:
            states: all layers where they are mixed, else just the one that is read.
            spans: one entry a side.
        """
        pieces = states[0] if self.mix is None else self.mix(states)
        pooled = [pool(pieces, side) for pool, side in zip(self.sides, spans, strict=True)]
        return self.classify(torch.cat(pooled, dim=1))


def _softmax_within(
    scores: Float[Tensor, " entries"], target: Int64[Tensor, " entries"], targets: int
) -> Float[Tensor, " entries"]:
    """Softmax over the entries of each target by itself."""
    # The largest score is taken off for the sake of exp alone: it cancels, so it needs no gradient.
    top = scores.new_full((targets,), -torch.inf)
    top = top.scatter_reduce(0, target, scores.detach(), "amax")
    raised = (scores - top[target]).exp()
    return raised / scores.new_zeros(targets).index_add(0, target, raised)[target]
