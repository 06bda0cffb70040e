"""Attention scores before the softmax, Q·Kᵀ/√d, read from the query and key projections as a model runs."""

import math
from types import TracebackType

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import EncoderError


class AttentionScores:
    """Keeps, while the ``with`` block runs, what each layer's heads attend with in the last forward pass.

    Under every attention implementation, and with the graph where there is one.
    """

    def __init__(self, encoder: Encoder) -> None:
        """
        Raises:
            EncoderError: a family whose scores are not just Q·Kᵀ/√d of two projections (causal ones, those
                with relative positions as DeBERTa), or whose layers share a module (ALBERT).
        """
        family = encoder.family
        if family.causal or family.position or family.shared or family.packing != "separate":
            raise EncoderError(
                f"the attention scores of {family.title} cannot be read from its projections: distil without "
                "attention (attention='none')"
            )
        self._layers = encoder.layout.layers
        self._projected: dict[tuple[int, str], Tensor] = {}
        self._handles: list[RemovableHandle] = []

    @property
    def scores(self) -> list[Float[Tensor, "batch heads tokens tokens"]]:
        """One tensor a layer; padding is not masked."""
        found = []
        for layer in self._layers:
            shape = (layer.n_heads, layer.d_head)
            query, key = (
                self._projected[layer.index, role].unflatten(-1, shape).transpose(1, 2)
                for role in ("query", "key")
            )
            found.append(query @ key.transpose(-1, -2) / math.sqrt(layer.d_head))
        return found

    def __enter__(self) -> "AttentionScores":
        for layer in self._layers:
            for role in ("query", "key"):
                place = (layer.index, role)
                self._handles.append(
                    layer.projection(role).register_forward_hook(
                        lambda module, args, output, place=place: self._projected.update({place: output})
                    )
                )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._handles:
            self._handles.pop().remove()


def attention_probabilities(
    scores: Float[Tensor, "batch heads tokens tokens"], mask: Float[Tensor, "batch tokens"]
) -> Float[Tensor, "batch heads tokens tokens"]:
    """Softmax over the real tokens."""
    return scores.masked_fill(mask[:, None, None] == 0, torch.finfo(scores.dtype).min).softmax(dim=-1)
