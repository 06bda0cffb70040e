"""From the hidden states of a sentence's tokens to one vector a sentence."""

from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor

from encoder_atlas.errors import EncoderError, SettingsError, near

Pooling = Literal["cls", "mean", "pooler", "last"]


def pool(
    hidden_states: Float[Tensor, "batch tokens hidden"],
    attention_mask: Int[Tensor, "batch tokens"],
    how: Pooling,
    pooler_output: Float[Tensor, "batch hidden"] | None = None,
) -> Float[Tensor, "batch hidden"]:
    """One vector a sentence from the last layer's hidden states.

    Args:
        hidden_states: of the last layer.
        attention_mask: 1 for tokens, 0 for padding, padding on the right.
        how: "cls" the first token; "mean" over tokens, padding left out; "pooler" the model's own (first
            token, linear map, tanh); "last" the last token, for families that read from left to right.
        pooler_output: what the model's own pooler gave, for "pooler".

    Raises:
        EncoderError: "pooler" where the model has none.
        SettingsError: no such pooling.
    """
    if how == "cls":
        return hidden_states[:, 0]
    if how == "last":
        last = attention_mask.sum(1) - 1
        return hidden_states[torch.arange(len(last), device=last.device), last]
    if how == "mean":
        mask = attention_mask.unsqueeze(-1).to(hidden_states.dtype)
        return (hidden_states * mask).sum(1) / mask.sum(1)
    if how != "pooler":
        raise SettingsError(f"no pooling {how!r}: {near(how, get_args(Pooling))}")
    if pooler_output is None:
        raise EncoderError(
            "pooling 'pooler' asks for the model's own pooler, and this one has none (its family never "
            "has, or its weights file holds none): use 'cls' or 'mean'"
        )
    return pooler_output
