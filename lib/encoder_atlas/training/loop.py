"""The one loop: any number of tasks, an encoder that learns or rows that a frozen one gave."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from accelerate import Accelerator
from jaxtyping import Float
from torch import Tensor, nn
from transformers import get_linear_schedule_with_warmup

from encoder_atlas.errors import SettingsError
from encoder_atlas.progress import bar
from encoder_atlas.training.examples import Examples, mixed_batches
from encoder_atlas.training.heads import head_loss
from encoder_atlas.training.settings import FitSettings

# One measurement: epoch, step, task, split, measure, value.
Record = dict[str, Any]


class TaskNet(nn.Module):
    """A body that gives representations, dropout, and one head a task."""

    def __init__(self, body: nn.Module, heads: nn.ModuleDict, dropout: float) -> None:
        super().__init__()
        self.body = body
        self.heads = heads
        self.dropout = nn.Dropout(dropout)

    def forward(self, task: str, inputs: Any) -> Float[Tensor, "batch outputs"]:
        return self.heads[task](self.dropout(self.body(inputs)))


def make_optimizer(net: TaskNet, settings: FitSettings) -> torch.optim.AdamW:
    """AdamW with one rate for the body and one for the heads; biases and LayerNorm are not decayed.

    Fused (one kernel for all weights, a quarter faster): torch has it on CUDA, MPS and the CPU.
    """
    groups = []
    for module, rate in ((net.body, settings.lr_encoder), (net.heads, settings.lr_head)):
        for decayed in (True, False):
            weights = [weight for weight in module.parameters() if (weight.ndim > 1) == decayed]
            decay = settings.weight_decay if decayed else 0.0
            groups.append({"params": weights, "lr": rate, "weight_decay": decay})
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=True)


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
        train: examples of each task; every batch of every task is seen once an epoch.
        evaluate: measures the heads on dev; gives records without epoch and step.
        epochs, seed: with ``settings``, what the result depends on (and torch's generator, for dropout).
        stage: name on the progress bar.
    """

    net: TaskNet
    train: Mapping[str, Examples]
    evaluate: Callable[[], list[Record]]
    settings: FitSettings
    epochs: int
    seed: int
    accelerator: Accelerator
    stage: str
    step: int = 0

    def run(self) -> list[Record]:
        """Train for all epochs, or until dev no longer improves.

        Returns:
            Records of each epoch: the mean training loss (dropout on; see ``head_loss``) and what
            ``evaluate`` measures.

        Raises:
            SettingsError: if the loss or the gradient stops being a number.
        """
        settings, best, history = self.settings, Best(), []
        steps = sum(math.ceil(len(part.lengths) / settings.batch_size) for part in self.train.values())
        optimizer = make_optimizer(self.net, settings)
        schedule = get_linear_schedule_with_warmup(
            optimizer, int(settings.warmup * steps * self.epochs), steps * self.epochs
        )
        net, optimizer, schedule = self.accelerator.prepare(self.net, optimizer, schedule)
        with bar(self.stage, total=steps * self.epochs, unit="batch") as shown:
            for epoch in range(1, self.epochs + 1):
                records = self._epoch(epoch, net, optimizer, schedule, shown) + self.evaluate()
                for record in records:
                    self._check(f"{record['split']} {record['measure']}", record["value"], record["task"])
                history += [{"epoch": epoch, "step": self.step, **record} for record in records]
                best.offer(_mean_score(records), self.net)
                if settings.patience is not None and best.epochs_since >= settings.patience:
                    break
        if settings.keep == "best":
            self.net.load_state_dict(best.weights)
        return history

    def _epoch(self, epoch: int, net: nn.Module, optimizer: Any, schedule: Any, shown: Any) -> list[Record]:
        """One pass over all batches; the mean training loss of each task over its examples."""
        losses = dict.fromkeys(self.train, 0.0)
        net.train()
        for task, index in mixed_batches(self.train, self.settings.batch_size, self.seed, epoch):
            self.step += 1
            part = self.train[task]
            loss = head_loss(net(task, part.take(index)), part.labels[index])
            self.accelerator.backward(loss)
            self._check("loss", loss.item(), task)
            if self.settings.clip is not None:
                norm = self.accelerator.clip_grad_norm_(net.parameters(), self.settings.clip)
                self._check("gradient norm", cast(Tensor, norm).item(), task)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses[task] += loss.item() * len(index) / len(part.lengths)
            shown.update(1)
        train = {"split": "train", "measure": "loss"}
        return [{"task": task, **train, "value": value} for task, value in losses.items()]

    def _check(self, what: str, value: float, task: str) -> None:
        if not math.isfinite(value):
            rates = f"lr_encoder={self.settings.lr_encoder:g}, lr_head={self.settings.lr_head:g}"
            raise SettingsError(
                f"{what} of task {task!r} is {value} at step {self.step} ({rates}): lower the learning "
                "rates, or use precision=fp32"
            )


def _mean_score(records: list[Record]) -> float:
    """Mean over tasks of the dev score (each task's own metric): it decides which epoch is best."""
    scores = [
        record["value"] for record in records if record["split"] == "dev" and record["measure"] != "loss"
    ]
    return sum(scores) / len(scores)
