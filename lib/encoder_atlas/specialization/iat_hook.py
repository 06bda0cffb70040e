"""The step into training that makes it important attention-head training."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
import torch
from jaxtyping import Bool, Float64
from torch import nn

from encoder_atlas.encoders import Encoder, HeadGates
from encoder_atlas.errors import SettingsError
from encoder_atlas.specialization.head_rows import (
    HeadRows,
    gradient_factors,
    head_rows,
    mask_gradients,
    split_rows,
)
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.training import Hook
from encoder_atlas.training.examples import TextBody
from encoder_atlas.training.loop import Loop

Scores = Mapping[str, Float64[np.ndarray, "layers heads"]]
Heads = Mapping[str, Bool[np.ndarray, "layers heads"]]
Choose = Callable[[Loop], tuple[Scores, Heads]]


@contextmanager
def only_heads(encoder: Encoder, heads: Bool[np.ndarray, "layers heads"]) -> Iterator[None]:
    """All heads but these are shut in every forward pass inside."""
    with HeadGates(encoder) as gates:
        gates.set(torch.from_numpy(heads).to(encoder.device, torch.float32))
        yield


class HeadTraining(Hook):
    """From one step on, each task tunes its chosen heads only; all else is trained as before.

    Held still are the query, key and value rows (weights, biases) of a task's other heads, on that task's
    batches. Everything else is tuned by every task throughout: embeddings, feed-forward layers, LayerNorm,
    the output projections W_O, pooler and heads of tasks. (The paper: "the parameters other than the
    multi-head attention module are trained as before"; W_O, which is in that module but is no head's alone,
    is tuned in the released code too.)

    Gradients are masked before they are clipped: the norm is that of what is tuned.
    """

    def __init__(self, settings: IATSettings, choose: Choose) -> None:
        """
        Args:
            choose: gives importance and chosen heads of each task, from the loop as it stands when the choice
                is due.
        """
        self.settings = settings
        self.importance: Scores = {}
        self.heads: Heads = {}
        self._choose = choose
        self._own: list[tuple[HeadRows, nn.Parameter]] = []

    def begin(self, loop: Loop, optimizer: torch.optim.Optimizer, steps: int) -> None:
        if not isinstance(loop.net.body, TextBody):
            raise SettingsError("a frozen encoder tunes no heads: important attention-head training needs FT")
        self._loop, self._optimizer = loop, optimizer
        self._encoder = loop.net.body.encoder
        self._first = None if self.settings.plain else self.settings.first_step(steps)

    def before_step(self) -> None:
        if self._loop.step == self._first:
            self._open()

    def forward(self, task: str) -> AbstractContextManager[object]:
        if self.settings.reading != "forward" or not self.heads:
            return nullcontext()
        return only_heads(self._encoder, self.heads[task])

    def after_backward(self, task: str) -> None:
        if not self.heads or self.settings.reading == "forward":
            return
        mask_gradients(self._factors[task])
        for part, parameter in self._own:
            whole = part.whole.grad if part.chosen(self._masks[task]) else None
            parameter.grad = None if whole is None else part.slice.of(whole)

    def _open(self) -> None:
        """The choice of heads begins to count."""
        self.importance, self.heads = self._choose(self._loop)
        self._masks = {task: torch.from_numpy(mask) for task, mask in self.heads.items()}
        rows = head_rows(self._encoder.layout)
        self._factors = {task: gradient_factors(rows, mask) for task, mask in self._masks.items()}
        if self.settings.reading == "held":
            self._own = split_rows(self._optimizer, rows)
