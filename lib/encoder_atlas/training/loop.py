"""The one loop: any number of tasks, an encoder that learns or rows that a frozen one gave."""

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast, runtime_checkable

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from jaxtyping import Float, Num
from torch import Tensor, nn
from transformers import get_constant_schedule_with_warmup, get_linear_schedule_with_warmup

from encoder_atlas.encoders import Encoder, check_depth, freeze
from encoder_atlas.errors import SettingsError
from encoder_atlas.progress import bar
from encoder_atlas.training.balancing import RunningBalance
from encoder_atlas.training.heads import head_loss
from encoder_atlas.training.mixing import Batch, batches_an_epoch, mixed_batches
from encoder_atlas.training.processes import share
from encoder_atlas.training.settings import FitSettings

# Dev measures that do not decide which epoch is best: F1 has precision and recall in it already, and one of
# them may be high where little is found.
NOT_CHOSEN_BY = ("loss", "precision", "recall")

Loss = Callable[[nn.Module, str, Any, Any], Tensor]

# One measurement: epoch, step, task, split, measure, value.
Record = dict[str, Any]


@runtime_checkable
class Labels(Protocol):
    """What is to be learnt of each example."""

    def __getitem__(self, index: list[int], /) -> Any:
        """The labels of a batch, as the loss takes them."""
        ...


@runtime_checkable
class Part(Protocol):
    """What the loop asks of the train split of a task; `Examples` is one."""

    @property
    def lengths(self) -> Sequence[int]:
        """Of each example, in whatever is padded: tokens, words."""
        ...

    @property
    def labels(self) -> Labels: ...

    def take(self, index: Sequence[int]) -> Any:
        """The inputs of a batch, as the net takes them."""
        ...


def learning_copy(encoder: Encoder, settings: FitSettings, device: torch.device) -> Encoder:
    """A copy of the encoder on ``device`` whose weights learn, but for those that ``settings`` freezes.

    Raises:
        SettingsError: ``frozen_layers`` is more than the encoder has.
        EncoderError: as `freeze` has it.
    """
    if settings.frozen_layers is not None:
        check_depth(encoder, settings.frozen_layers, "frozen_layers")
    model = copy.deepcopy(encoder.model).requires_grad_(True)
    if settings.frozen_layers is not None:
        freeze(model, settings.frozen_layers)
    return replace(encoder, model=model).to(device)


def learnt(encoder: Encoder) -> Encoder:
    """The encoder when it has learned: ready to be looked into, with the fingerprint of its weights."""
    encoder.model.requires_grad_(True)
    return Encoder.of(encoder.model, encoder.tokenizer, encoder.name)


class TaskNet(nn.Module):
    """A body that gives representations, dropout, and one head a task."""

    def __init__(self, body: nn.Module, heads: nn.ModuleDict, dropout: float) -> None:
        super().__init__()
        self.body = body
        self.heads = heads
        self.dropout = nn.Dropout(dropout)

    def forward(self, task: str, inputs: Any) -> Any:
        """Outputs of the task's head: "batch outputs"."""
        return self.heads[task](self.dropout(self.body(inputs)))


class Hook:
    """What may step into a fit, at the points below. This one does nothing: the fit is a plain one."""

    def begin(self, loop: "Loop", optimizer: torch.optim.Optimizer, steps: int) -> None:
        """Before the first step; ``steps`` is how many all epochs have. ``loop.step`` counts those done."""

    def before_step(self) -> None:
        """Before the forward pass of a step."""

    def forward(self, task: str) -> AbstractContextManager[object]:
        """Holds while a batch of ``task`` goes forward and back, and while ``task`` is measured on dev."""
        return nullcontext()

    def after_backward(self, task: str) -> None:
        """Gradients are there and not yet clipped."""


def make_optimizer(net: TaskNet, settings: FitSettings) -> torch.optim.AdamW:
    """AdamW with one rate for the body and one for the heads; biases and LayerNorm are not decayed.

    Fused (one kernel for all weights, a quarter faster): torch has it on CUDA, MPS and the CPU.
    """
    groups = []
    for module, rate in ((net.body, settings.lr_encoder), (net.heads, settings.lr_head)):
        for decayed in (True, False):
            weights = [
                weight
                for weight in module.parameters()
                if weight.requires_grad and (weight.ndim > 1) == decayed
            ]
            decay = settings.weight_decay if decayed else 0.0
            groups.append({"params": weights, "lr": rate, "weight_decay": decay})
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=True)


def make_schedule(optimizer: torch.optim.Optimizer, settings: FitSettings, steps: int) -> Any:
    """A rate that rises on a straight line, then falls to 0 on another or stays at its peak."""
    rising = int(settings.warmup * steps)
    if settings.schedule == "constant":
        return get_constant_schedule_with_warmup(optimizer, rising)
    return get_linear_schedule_with_warmup(optimizer, rising, steps)


def label_loss(net: nn.Module, task: str, inputs: Any, labels: Num[Tensor, " batch"]) -> Float[Tensor, ""]:
    """What is trained for unless something else is wanted: cross-entropy with the labels, in nats."""
    return head_loss(net(task, inputs), labels)


@dataclass
class Best:
    """The weights of the epoch with the best dev score so far, kept on the CPU."""

    score: float = -math.inf
    epochs_since: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)

    def offer(self, score: float, net: nn.Module) -> None:
        """Keep the weights of ``net`` if ``score`` is higher than any before."""
        self.epochs_since += 1
        if score > self.score:
            self.score, self.epochs_since = score, 0
            self.weights = {name: value.detach().cpu().clone() for name, value in net.state_dict().items()}


@dataclass
class Loop:
    """Trains ``net`` in place.

    Args:
        net: on the accelerator's device.
        train: examples of each task; ``settings.sampling`` says how often each is seen.
        evaluate: measures the heads on dev; gives records without epoch and step.
        epochs, seed: with ``settings``, what the result depends on (and torch's generator, for dropout).
        stage: name on the progress bar.
        loss: of a batch, from net, name of the task, inputs and labels.
        hook: what steps into the fit.
    """

    net: TaskNet
    train: Mapping[str, Part]
    evaluate: Callable[[], list[Record]]
    settings: FitSettings
    epochs: int
    seed: int
    accelerator: Accelerator
    stage: str
    loss: Loss = label_loss
    hook: Hook = field(default_factory=Hook)
    step: int = 0
    _balance: RunningBalance = field(default_factory=RunningBalance, init=False)

    def run(self) -> list[Record]:
        """Train for all epochs, or until dev no longer improves.

        Returns:
            Records of each epoch: the mean training loss (dropout on; see ``head_loss``) and what
            ``evaluate`` measures.

        Raises:
            SettingsError: if the loss or the gradient stops being a number.
        """
        settings, best, history = self.settings, Best(), []
        lengths = {task: part.lengths for task, part in self.train.items()}
        steps = batches_an_epoch(lengths, settings.batch_size) * self.epochs
        optimizer = make_optimizer(self.net, settings)
        self.hook.begin(self, optimizer, steps)
        schedule = make_schedule(optimizer, settings, steps)
        net, optimizer, schedule = self.accelerator.prepare(self.net, optimizer, schedule)
        if self.accelerator.num_processes > 1:
            set_seed(self.seed, device_specific=True)  # no two processes drop out the same
        with bar(self.stage, total=steps, unit="batch") as shown:
            for epoch in range(1, self.epochs + 1):
                records = self._epoch(epoch, net, optimizer, schedule, shown)
                if settings.evaluate == "epochs" or epoch == self.epochs:
                    records += self.evaluate()
                for record in records:
                    self._check(f"{record['split']} {record['measure']}", record["value"], record["task"])
                history += [{"epoch": epoch, "step": self.step, **record} for record in records]
                if settings.keep == "best":
                    best.offer(_mean_score(records), self.net)
                if settings.patience is not None and best.epochs_since >= settings.patience:
                    break
        if settings.keep == "best":
            self.net.load_state_dict(best.weights)
        return history

    def _epoch(self, epoch: int, net: nn.Module, optimizer: Any, schedule: Any, shown: Any) -> list[Record]:
        """The batches of one epoch; the mean training loss over the examples seen, of each task seen."""
        losses, seen = dict.fromkeys(self.train, 0.0), dict.fromkeys(self.train, 0)
        net.train()
        for task, index in self._batches(epoch):
            self.hook.before_step()
            self.step += 1
            part = self.train[task]
            own, weight = share(index, self.accelerator.process_index, self.accelerator.num_processes)
            with self.hook.forward(task):
                loss = weight * self.loss(net, task, part.take(own), part.labels[own])
                # Reduced before the backward pass, so that all processes balance by one number.
                shared = cast(Tensor, self.accelerator.reduce(loss.detach(), "mean"))
                self.accelerator.backward(loss * self._weight(task, shared.item()))
            loss = shared
            self._check("loss", loss.item(), task)
            self.hook.after_backward(task)
            if self.settings.clip is not None:
                norm = self.accelerator.clip_grad_norm_(net.parameters(), self.settings.clip)
                self._check("gradient norm", cast(Tensor, norm).item(), task)
            optimizer.step()
            schedule.step()
            # The net's and not the optimizer's: a hook may have given the optimizer parts of parameters.
            net.zero_grad()
            losses[task] += loss.item() * len(index)
            seen[task] += len(index)
            shown.update(1)
        train = {"split": "train", "measure": "loss"}
        return [{"task": task, **train, "value": losses[task] / n} for task, n in seen.items() if n]

    def _batches(self, epoch: int) -> Iterator[Batch]:
        return mixed_batches(
            {task: part.lengths for task, part in self.train.items()},
            self.settings.batch_size,
            self.seed,
            epoch,
            epochs=self.epochs,
            sampling=self.settings.sampling,
            unit=self.settings.sampling_unit,
            power=self.settings.sampling_power,
        )

    def _weight(self, task: str, loss: float) -> float:
        """What the loss of a batch is multiplied by before it is learnt from."""
        return self._balance.weight(task, loss) if self.settings.balance == "running" else 1.0

    def _check(self, what: str, value: float, task: str) -> None:
        if not math.isfinite(value):
            rates = f"lr_encoder={self.settings.lr_encoder:g}, lr_head={self.settings.lr_head:g}"
            raise SettingsError(
                f"{what} of task {task!r} is {value} at step {self.step} ({rates}): lower the learning "
                "rates, or use precision=fp32"
            )


def _mean_score(records: list[Record]) -> float:
    """Mean over tasks of the dev score (the mean of a task's measures): it decides which epoch is best."""
    scores: dict[str, list[float]] = {}
    for record in records:
        if record["split"] == "dev" and not record["measure"].endswith(NOT_CHOSEN_BY):
            scores.setdefault(record["task"], []).append(record["value"])
    return sum(sum(found) / len(found) for found in scores.values()) / len(scores)
