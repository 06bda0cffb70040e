"""Edge probing (Tenney et al., 2019): what a small classifier reads from the states of a frozen encoder."""

import math
from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.utils import clip_grad_norm_
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau

from encoder_atlas.errors import SettingsError
from encoder_atlas.finetuning.edge_batches import EdgeBatches
from encoder_atlas.finetuning.edge_model import EdgeNet
from encoder_atlas.finetuning.edge_result import EdgeProbeResult, f1_of
from encoder_atlas.finetuning.edge_settings import ProbeSettings
from encoder_atlas.finetuning.states import LayerStates
from encoder_atlas.text.edges import EdgeSplit, EdgeTask, best_constant_f1, majority_f1
from encoder_atlas.training.device import choose_device, seeded

SMALLEST_RATE = 1e-6  # where jiant stops


def edge_probe(
    states: LayerStates,
    task: EdgeTask,
    settings: ProbeSettings | None = None,
    *,
    seed: int = 0,
    split: str = "dev",
    device: str = "auto",
) -> EdgeProbeResult:
    """Train a probe on the task's train split and measure it on another.

    The encoder stays as it is: all that is trained reads its stored states. A label is said to hold where its
    logit is at least 0.

    Args:
        states: of the task's sentences, and of any others.
        seed: of the probe's first weights, its dropout and the order of sentences.
        split: the split that is measured.

    Raises:
        SettingsError: a layer that the encoder does not have, or a loss that stops being a number.
        DataError: no such split, or a sentence of which there are no states.
    """
    settings, on = settings or ProbeSettings(), choose_device(device)
    parts = {name: task.split(name) for name in dict.fromkeys(("train", "dev", split))}
    batches = {name: EdgeBatches(part, task.two_spans, states, on) for name, part in parts.items()}
    layer = settings.layer(states.n_layers)
    read = torch.from_numpy(states.states if layer is None else states.states[layer : layer + 1]).to(on)
    if settings.spread is not None:
        read = scaled(read, batches["train"].pieces(), settings.spread)
    with seeded(seed, on):
        mixed = states.n_layers if layer is None else None
        size = (2 if task.two_spans else 1, len(task.label_names), settings.hidden, settings.dropout)
        net = EdgeNet(mixed, read.shape[-1], *size).to(on)
        losses = _Fit(net, read, batches["train"], batches["dev"], settings, seed, task.name).run()
    said = decide(net, read, batches[split], settings.batch_size)
    return EdgeProbeResult(
        task=task.name,
        view=f"layer {settings.view}" if isinstance(settings.view, int) else settings.view,
        label_names=task.label_names,
        seed=seed,
        split=split,
        counts=count(said, parts[split]),
        majority_f1=majority_f1(task, split),
        constant_f1=best_constant_f1(task, split),
        losses=np.array(losses),
        weights=np.zeros(0) if net.mix is None else net.mix.weights.detach().double().cpu().numpy(),
        gamma=1.0 if net.mix is None else net.mix.gamma.item(),
    )


def scaled(
    states: Float[Tensor, "layers pieces hidden"], of: Int64[Tensor, " some"], spread: float
) -> Float[Tensor, "layers pieces hidden"]:
    """Each layer moved and scaled, by one number, so that the pieces ``of`` have mean 0 and this spread (root
    mean square over pieces and dimensions). A layer that never changes becomes 0."""
    chosen = states[:, of]
    mean = chosen.mean(dim=1, keepdim=True)
    rms = (chosen - mean).square().mean(dim=(1, 2), keepdim=True).sqrt()
    return (states - mean) * (spread / rms.clamp_min(1e-12))


class _Fit:
    """The training of one probe."""

    def __init__(
        self,
        net: EdgeNet,
        states: Float[Tensor, "layers pieces hidden"],
        train: EdgeBatches,
        dev: EdgeBatches,
        settings: ProbeSettings,
        seed: int,
        task: str,
    ) -> None:
        self.net, self.states, self.train, self.dev = net, states, train, dev
        self.settings, self.task = settings, task
        self.random = np.random.default_rng(seed)
        mix = [] if net.mix is None else list(net.mix.parameters())
        rest = [parameter for part in (net.sides, net.classify) for parameter in part.parameters()]
        groups = [{"params": rest}, {"params": mix, "lr": settings.mix_lr}]
        # Fused: one call a step instead of several a parameter.
        self.optimizer = torch.optim.Adam(groups, lr=settings.lr, fused=True)

    def run(self) -> list[float]:
        """Train; the mean loss of each epoch."""
        return self._linear() if self.settings.schedule == "linear" else self._plateau()

    def _linear(self) -> list[float]:
        steps = self.settings.epochs * self.train.steps(self.settings.batch_size)
        falling = LambdaLR(self.optimizer, lambda step: max(1 - step / steps, 0))
        return [self._epoch(falling) for _ in range(self.settings.epochs)]

    def _plateau(self) -> list[float]:
        how = self.settings
        halving = ReduceLROnPlateau(self.optimizer, "max", 0.5, patience=how.halve_after - 1, threshold=0)
        losses: list[float] = []
        best, best_epoch, weights = -1.0, 0, deepcopy(self.net.state_dict())
        for epoch in range(how.epochs):
            losses.append(self._epoch())
            score = self._dev_f1()
            if score > best:
                best, best_epoch, weights = score, epoch, deepcopy(self.net.state_dict())
            halving.step(score)
            if epoch - best_epoch >= how.patience or halving.get_last_lr()[0] < SMALLEST_RATE:
                break
        self.net.load_state_dict(weights)
        return losses

    def _epoch(self, schedule: LambdaLR | None = None) -> float:
        self.net.train()
        total, seen = 0.0, 0
        for batch in self.train.shuffled(self.settings.batch_size, self.random):
            logits = self.net(self.states[:, batch.pieces], batch.spans)
            loss = binary_cross_entropy_with_logits(logits, batch.labels)
            self.optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(self.net.parameters(), self.settings.clip)
            self.optimizer.step()
            if schedule is not None:
                schedule.step()
            total, seen = total + loss.item() * len(logits), seen + len(logits)
        if not math.isfinite(total):
            raise SettingsError(
                f"the probe of {self.task!r} has a loss of {total}: lower lr ({self.settings.lr:g})"
            )
        return total / seen

    def _dev_f1(self) -> float:
        said = decide(self.net, self.states, self.dev, self.settings.batch_size)
        true = self.dev.labels.cpu().numpy().astype(bool)
        return float(f1_of(np.array([(said & true).sum(), said.sum(), true.sum()])))


def decide(
    net: EdgeNet, states: Float[Tensor, "layers pieces hidden"], batches: EdgeBatches, size: int
) -> Bool[np.ndarray, "targets labels"]:
    """Which labels the probe says to hold, of all targets in their order."""
    net.eval()
    said = np.zeros(tuple(batches.labels.shape), dtype=bool)
    with torch.inference_mode():
        for batch in batches.in_order(size):
            said[batch.target] = (net(states[:, batch.pieces], batch.spans) >= 0).cpu().numpy()
    return said


def count(
    said: Bool[np.ndarray, "targets labels"], split: EdgeSplit
) -> Int64[np.ndarray, "sentences labels 3"]:
    """For each sentence and label: targets of which it was rightly said to hold, said to hold, and holds."""
    found = np.zeros((len(split.sentences), len(split.labels[0]), 3), dtype=np.int64)
    counted: Sequence[Bool[np.ndarray, "targets labels"]] = (said & split.labels, said, split.labels)
    for number, decisions in enumerate(counted):
        np.add.at(found[:, :, number], split.targets[:, 0], decisions.astype(np.int64))
    return found
