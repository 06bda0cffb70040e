"""Part-of-speech tags: one linear layer on the vector of a word."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training.decoders.base import Decoder, DecoderSettings, Fields
from encoder_atlas.training.decoders.losses import UNKNOWN, known_cross_entropy


class TagDecoder(Decoder):
    """Logits of tags are linear in a word's vector, as the stem-cell paper has it (no CRF)."""

    layer: ClassVar[Layer] = "pos"

    def __init__(self, width: int, labels: Sequence[str], settings: DecoderSettings) -> None:
        super().__init__(width, labels, settings)
        self.linear = nn.Linear(width, len(self.labels))

    def targets(self, sentences: Sequence[Sentence]) -> Int64[Tensor, "batch words"]:
        """Numbers of tags; UNKNOWN for padding and for tags that are not in ``labels``."""
        rows = [
            torch.tensor([self.numbers.get(tag, UNKNOWN) for tag in sentence.tags or ()])
            for sentence in sentences
        ]
        return pad_sequence(rows, batch_first=True, padding_value=UNKNOWN)

    def loss(
        self,
        vectors: Float[Tensor, "batch words hidden"],
        mask: Bool[Tensor, "batch words"],
        targets: Int64[Tensor, "batch words"],
    ) -> Float[Tensor, ""]:
        """Cross-entropy, the mean over words."""
        return known_cross_entropy(self.linear(vectors[mask]), targets.to(mask.device)[mask])

    def decode(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> list[Fields]:
        """The likeliest tag of each word."""
        best = self.linear(vectors).argmax(dim=-1).cpu().tolist()
        return [
            {"tags": tuple(self.labels[number] for number in row[:n])}
            for row, n in zip(best, mask.sum(dim=1).tolist(), strict=True)
        ]

    def right(self, gold: Sentence, found: Sentence) -> dict[str, Bool[np.ndarray, " words"]]:
        """Measure "accuracy": the tag is the right one."""
        return {
            "accuracy": np.array([a == b for a, b in zip(gold.tags or (), found.tags or (), strict=True)])
        }
