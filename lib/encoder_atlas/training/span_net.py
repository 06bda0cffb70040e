"""Networks that read: an encoder's hidden states under a head that finds answers, and what they are fed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from encoder_atlas.encoders import Encoder
from encoder_atlas.text import Task
from encoder_atlas.training.windows import Window, best_spans, collate, outside


class TokenBody(nn.Module):
    """The part of a network that an encoder makes: a batch of tokens in, their last hidden states out."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.model = encoder.model

    def forward(self, inputs: Mapping[str, Tensor]) -> Float[Tensor, "batch tokens hidden"]:
        return self.model(
            **{key: value.to(self.model.device) for key, value in inputs.items()}
        ).last_hidden_state


@dataclass(frozen=True)
class Questions:
    """Windows ready for the loop; labels are the first and last token of the answer."""

    windows: Sequence[Window]
    labels: Int64[Tensor, "windows 2"]
    encoder: Encoder

    @property
    def lengths(self) -> list[int]:
        """Tokens of each window."""
        return [len(window.offsets) for window in self.windows]

    def take(self, index: Sequence[int]) -> dict[str, Tensor]:
        """A padded batch."""
        return collate([self.windows[i] for i in index], self.encoder)


def span_loss(
    net: nn.Module, task: str, inputs: Mapping[str, Tensor], labels: Int64[Tensor, "batch 2"]
) -> Float[Tensor, ""]:
    """Cross-entropy of the answer's first and last token among all of the row, the mean of both, in nats."""
    logits = net(task, inputs)
    padding = inputs["attention_mask"].to(logits.device) == 0
    logits = logits.masked_fill(padding[..., None], -torch.inf)
    return cross_entropy(logits, labels.to(logits.device))


def answer_tokens(task: Task, windows: Sequence[Window]) -> Int64[Tensor, "windows 2"]:
    """First and last token of the answer in each window of the train split."""
    frame = task.split("train")
    starts = frame["answer_start"].tolist()
    ends = [start + len(text) for start, text in zip(starts, frame["answer_text"], strict=True)]
    return torch.tensor(
        [window.tokens_of(starts[window.question], ends[window.question]) for window in windows]
    )


@torch.no_grad()
def found_answers(
    encoder: Encoder,
    head: nn.Module,
    pairs: Sequence[tuple[str, str]],
    windows: Sequence[Window],
    longest: int,
    batch_size: int,
) -> list[str]:
    """The text of the best span over the windows of each question; in fp32, without dropout."""
    body, device = TokenBody(encoder), next(head.parameters()).device
    best, answers = np.full(len(pairs), -np.inf), [""] * len(pairs)
    was_training = encoder.model.training
    encoder.model.eval()
    try:
        order = np.argsort([len(window.offsets) for window in windows], kind="stable")
        for at in range(0, len(order), batch_size):
            batch = [windows[i] for i in order[at : at + batch_size]]
            logits = head(body(collate(batch, encoder)).to(device)).cpu()
            logits = logits.masked_fill(outside(batch)[..., None], -torch.inf)
            spans = (part.tolist() for part in best_spans(logits, longest))
            for window, score, start, end in zip(batch, *spans, strict=True):
                if score > best[window.question]:
                    best[window.question] = score
                    text = pairs[window.question][1][window.offsets[start, 0] : window.offsets[end, 1]]
                    # Some tokenizers count the space before a word to it.
                    answers[window.question] = text.strip()
    finally:
        encoder.model.train(was_training)
    return answers
