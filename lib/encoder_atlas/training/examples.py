"""A task made ready for the loop: texts or stored representations, in batches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Float32, Int64
from torch import Tensor, nn

from encoder_atlas.encoders import Encoder, Pooling
from encoder_atlas.text import Task
from encoder_atlas.training.settings import FitSettings

Texts = Sequence[str] | Sequence[tuple[str, str]]


class TextBody(nn.Module):
    """The part of a network that an encoder makes: texts in, representations out, gradients through."""

    def __init__(self, encoder: Encoder, pooling: Pooling, max_length: int) -> None:
        super().__init__()
        self.model = encoder.model
        self.encoder = encoder
        self.pooling: Pooling = pooling
        self.max_length = max_length

    def forward(self, texts: Texts) -> Float[Tensor, "batch hidden"]:
        return self.encoder.represent(self.encoder.tokenize(texts, self.max_length), self.pooling)


def subset(texts: Texts, index: Sequence[int]) -> Texts:
    """The texts at ``index``, in its order."""
    return cast(Texts, [texts[i] for i in index])


def token_lengths(encoder: Encoder, texts: Texts, max_length: int) -> list[int]:
    """Tokens of each text after it is cut to ``max_length``."""
    chunks = (texts[start : start + 1024] for start in range(0, len(texts), 1024))
    return [
        n
        for chunk in chunks
        for n in encoder.tokenize(chunk, max_length)["attention_mask"].sum(dim=1).tolist()
    ]


@torch.no_grad()
def representations(
    encoder: Encoder, texts: Texts, *, pooling: Pooling, max_length: int, batch_size: int = 64
) -> Float[Tensor, "points hidden"]:
    """Pooled last layer of each text, in fp32 and without dropout, on the CPU and in the order given.

    Texts of similar length share a batch, so that little is padded.
    """
    body = TextBody(encoder, pooling, max_length)
    rows = torch.empty(len(texts), encoder.hidden)
    order = np.argsort(token_lengths(encoder, texts, max_length), kind="stable")
    was_training = encoder.model.training
    encoder.model.eval()
    try:
        for start in range(0, len(order), batch_size):
            index = order[start : start + batch_size].tolist()
            rows[index] = body(subset(texts, index)).cpu()
    finally:
        encoder.model.train(was_training)
    return rows


@dataclass(frozen=True)
class Examples:
    """One split of one task: inputs are texts (the encoder learns) or rows (it is frozen).

    Labels are class numbers, or scores (fp32, as the encoder's outputs are).
    """

    inputs: Texts | Float[Tensor, "points hidden"]
    labels: Int64[Tensor, " points"] | Float32[Tensor, " points"]
    lengths: Sequence[int]

    @classmethod
    def of_task(
        cls, task: Task, split: str, encoder: Encoder, settings: FitSettings, mode: str
    ) -> "Examples":
        """The texts of a split with their lengths in tokens; in mode PT their representations."""
        labels = torch.as_tensor(task.labels(split))
        labels = labels.float() if task.target == "score" else labels
        texts = task.texts(split)
        part = cls(texts, labels, token_lengths(encoder, texts, settings.max_length))
        # Rows are all of one length: batches of them are plainly random.
        return cls(part.rows(encoder, settings), labels, [1] * len(labels)) if mode == "PT" else part

    def rows(self, encoder: Encoder, settings: FitSettings) -> Float[Tensor, "points hidden"]:
        """The representations of the inputs under ``encoder`` as it is now."""
        if isinstance(self.inputs, Tensor):
            return self.inputs
        return representations(encoder, self.inputs, pooling=settings.pooling, max_length=settings.max_length)

    def take(self, index: Sequence[int]) -> Texts | Float[Tensor, "batch hidden"]:
        """The inputs of a batch."""
        return self.inputs[index] if isinstance(self.inputs, Tensor) else subset(self.inputs, index)

    def to(self, device: torch.device) -> "Examples":
        """The same with its tensors on ``device``."""
        inputs = self.inputs.to(device) if isinstance(self.inputs, Tensor) else self.inputs
        return replace(self, inputs=inputs, labels=self.labels.to(device))
