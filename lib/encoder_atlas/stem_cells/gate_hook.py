"""The step into training by which gates on heads are learnt beside the encoder and its decoders."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import torch
from jaxtyping import Float32, Int64
from torch import nn

from encoder_atlas.encoders import Encoder, HeadGates
from encoder_atlas.errors import SettingsError
from encoder_atlas.stem_cells.gates import GateSettings, HardConcrete
from encoder_atlas.training import Annotator, Hook
from encoder_atlas.training.loop import Loop

POINTS = 50
"""How often, at most, the gates are written down in the course of a fit, beside its beginning."""


@contextmanager
def gated_heads(encoder: Encoder, gates: HardConcrete) -> Iterator[None]:
    """Every forward pass inside goes through ``gates``: sampled anew while the encoder is in training mode,
    deterministic else."""
    with HeadGates(encoder) as on_heads:

        def choose(model: nn.Module, _: object) -> None:
            on_heads.set(gates.sample() if model.training else gates.values())

        handle = encoder.model.register_forward_pre_hook(choose)
        try:
            yield
        finally:
            handle.remove()


class GateHook(Hook):
    """Dynamic pruning: encoder, decoders and gates learn together.

    The gates have an Adam of their own, with a constant rate. Their gradient is that of the task's loss plus
    that of coefficient × penalty. The penalty is added here and not to the loss, so that the loss of a fit
    with gates is the one of a fit without; balancing of losses leaves it alone (in the released code it is
    balanced together with them). It is not clipped together with the rest either: Adam is indifferent to
    scale.

    A hook serves one fit; `gates` are then the learnt ones, with ``keep="best"`` those of the best epoch.
    """

    def __init__(self, settings: GateSettings, seed: int = 0) -> None:
        """
        Args:
            seed: of the gates' beginning and of their noise.
        """
        self.settings, self.seed = settings, seed
        self._loop: Loop | None = None
        self._path: dict[int, Float32[np.ndarray, "layers heads"]] = {}

    def begin(self, loop: Loop, optimizer: torch.optim.Optimizer, steps: int) -> None:
        if self._loop is not None:
            raise SettingsError("this hook holds the gates of another fit: make one for each")
        encoder = getattr(loop.net.body, "encoder", None)
        if not isinstance(encoder, Encoder):
            raise SettingsError("gates are learnt through the encoder, and this fit does not run it: use FT")
        self._loop, self._encoder = loop, encoder
        gates = HardConcrete(encoder.n_layers, encoder.n_heads, init=self.settings.init, seed=self.seed)
        self.gates = gates.to(encoder.device)
        # A part of the net, so that the best epoch's gates are kept with its weights.
        loop.net.add_module("gates", self.gates)
        self._adam = torch.optim.Adam(self.gates.parameters(), lr=self.settings.rate)
        self._steps, self._every = steps, -(-steps // POINTS)
        self._note()

    def forward(self, task: str) -> AbstractContextManager[object]:
        return gated_heads(self._encoder, self.gates)

    def after_backward(self, task: str) -> None:
        (self.settings.coefficient * self.gates.penalty()).backward()
        self._adam.step()
        self._adam.zero_grad()
        assert self._loop is not None
        if self._loop.step % self._every == 0 or self._loop.step == self._steps:
            self._note()

    @property
    def path(self) -> tuple[Int64[np.ndarray, " points"], Float32[np.ndarray, "points layers heads"]]:
        """Steps done, and the deterministic gates after them: from the beginning to the last step.

        Raises:
            SettingsError: there was no fit.
        """
        if self._loop is None:
            raise SettingsError("there was no fit yet: give this hook to one first")
        return np.array(list(self._path), dtype=np.int64), np.stack(list(self._path.values()))

    def _note(self) -> None:
        assert self._loop is not None
        self._path[self._loop.step] = self.gates.values().detach().cpu().numpy().copy()


class StaticGateHook(GateHook):
    """Static pruning: a fitted annotator's decoders are held still while gates, and the encoder, learn."""

    def __init__(
        self, settings: GateSettings, annotator: Annotator, seed: int = 0, *, tune_encoder: bool = True
    ) -> None:
        """
        Args:
            annotator: what the fit starts from; the fit must be of its encoder, layers and labels.
            tune_encoder: whether the encoder goes on learning, as in the released code, or only the gates.
        """
        super().__init__(settings, seed)
        self._annotator, self._tune_encoder = annotator, tune_encoder

    def begin(self, loop: Loop, optimizer: torch.optim.Optimizer, steps: int) -> None:
        super().begin(loop, optimizer, steps)
        loop.net.heads.load_state_dict(self._annotator.decoders.state_dict())
        loop.net.heads.requires_grad_(False)
        if not self._tune_encoder:
            self._encoder.model.requires_grad_(False)
