"""How much a task's loss depends on each head: Eq. (4), every sample's own gradient in one backward pass.

One gate a sample and head, all ones, is multiplied into the head contexts; the loss is summed over the batch.
It is the loss of training: cross-entropy of classes, squared error of scores.
As no sample's loss depends on another sample's gates, the gradient holds every sample's own derivative.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float32, Num
from torch import Tensor, nn
from torch.nn.functional import dropout

from encoder_atlas.encoders import Encoder, HeadGates, Pooling
from encoder_atlas.errors import DataError
from encoder_atlas.progress import bar
from encoder_atlas.specialization.pruning import head_for
from encoder_atlas.specialization.readings import GateGradients, HeadImportance, score_heads
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.text.checks import text_keys
from encoder_atlas.training import FittedModel
from encoder_atlas.training.device import seeded
from encoder_atlas.training.examples import Texts, subset, token_lengths
from encoder_atlas.training.heads import head_loss


@dataclass(frozen=True, eq=False)
class GatedNet:
    """What one backward pass goes through: an encoder, how it is pooled, and one task's head.

    Attributes:
        head: representations to logits, or to one score.
        dropout: None measures without dropout, as the released code does. A rate switches the encoder's own
            dropout on and drops so much before the head, as training does.
    """

    encoder: Encoder
    head: nn.Module
    pooling: Pooling
    max_length: int
    dropout: float | None = None

    def outputs(self, texts: Texts) -> Float[Tensor, "batch outputs"]:
        """Logits or scores of some texts under whatever gates are set."""
        batch = self.encoder.tokenize(texts, self.max_length)
        rows = self.encoder.represent(batch, self.pooling)
        rows = rows.to(next(self.head.parameters()).device)
        return self.head(rows if self.dropout is None else dropout(rows, self.dropout))

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Weights need no gradient and dropout is as asked; everything is put back afterwards."""
        modules = (self.encoder.model, self.head)
        flags = [(weight, weight.requires_grad) for module in modules for weight in module.parameters()]
        modes = [(part, part.training) for module in modules for part in module.modules()]
        for weight, _ in flags:
            weight.requires_grad_(False)
        for module in modules:
            module.train(self.dropout is not None)
        try:
            yield
        finally:
            for weight, flag in flags:
                weight.requires_grad_(flag)
            for part, mode in modes:
                part.training = mode


def head_importance(
    model: FittedModel, task: Task, settings: SpecializationSettings | None = None, *, split: str = "train"
) -> HeadImportance:
    """Scores of the heads for ``task`` under the settings' reading, Eq. (4) by default.

    Raises:
        SettingsError, DataError: see `task_gradients`.
    """
    settings = settings or SpecializationSettings()
    per_token = settings.reading == "token"
    return score_heads(task_gradients(model, task, settings, split=split, per_token=per_token), settings)


def task_gradients(
    model: FittedModel,
    task: Task,
    settings: SpecializationSettings | None = None,
    *,
    split: str = "train",
    per_token: bool = False,
) -> GateGradients:
    """The derivatives behind the importance of heads for ``task``, on a sample of a split.

    The paper takes training samples. Where the split has fewer different texts than
    ``settings.importance_examples``, all of them count.

    Args:
        per_token: also keep the sums over tokens that the reading "token" needs.

    Raises:
        SettingsError: the model has no head for the task, or one for other classes.
        DataError: no such split, or a loss that is no number.
    """
    settings = settings or SpecializationSettings()
    net = GatedNet(
        encoder=model.encoder,
        head=head_for(model, task),
        pooling=model.settings.pooling,
        max_length=model.settings.max_length,
        dropout=model.settings.dropout if settings.dropout else None,
    )
    different = len(set(text_keys(task.split(split), task.text_columns)))
    drawn = task.sampled({split: min(settings.importance_examples, different)}, settings.seed)
    return gate_gradients(
        net,
        drawn.texts(split),
        drawn.labels(split),
        batch_size=settings.importance_batch,
        per_token=per_token,
        seed=settings.seed,
        name=task.name,
    )


def gate_gradients(
    net: GatedNet,
    texts: Texts,
    labels: Num[np.ndarray, " points"],
    *,
    batch_size: int = 32,
    per_token: bool = False,
    seed: int = 0,
    name: str = "task",
) -> GateGradients:
    """dL/dξ of every text and head at ξ = 1, where L is the text's own loss (see `head_loss`): nats where
    labels are class numbers, the squared unit of the scores where they are scores.

    Weights, their gradients and the modes of all modules are left as they were, so that this can be called in
    the midst of training. Texts of similar length share a batch; the result keeps the order of ``texts``.

    Args:
        seed: decides what dropout drops, where it is on.

    Raises:
        DataError: a gradient that is not a finite number.
    """
    lengths = np.asarray(token_lengths(net.encoder, texts, net.max_length), dtype=np.int64)
    order = np.argsort(lengths, kind="stable")
    samples = np.empty((len(texts), net.encoder.n_layers, net.encoder.n_heads), np.float32)
    tokens = np.empty_like(samples) if per_token else None
    with seeded(seed, net.encoder.device), net.measuring(), bar(name, len(texts), "text") as shown:
        for start in range(0, len(order), batch_size):
            index = order[start : start + batch_size]
            targets = torch.from_numpy(labels[index])
            samples[index], summed = _differentiate(net, subset(texts, index.tolist()), targets, per_token)
            if tokens is not None:
                tokens[index] = summed
            shown.update(len(index))
    if not np.isfinite(samples).all():
        row = int((~np.isfinite(samples)).any(axis=(1, 2)).argmax())
        raise DataError(f"{name}: the gradient of text {row} ({str(texts[row])[:60]!r}) is no finite number")
    return GateGradients(name, samples, tokens, lengths)


def _differentiate(
    net: GatedNet, texts: Texts, labels: Num[Tensor, " batch"], per_token: bool
) -> tuple[Float32[np.ndarray, "batch layers heads"], Float32[np.ndarray, "batch layers heads"] | None]:
    """Each sample's dL/dξ, and for the reading by token the sum over its tokens of |⟨H, dL/dH⟩|."""
    encoder = net.encoder
    shape = (len(texts), encoder.n_layers, encoder.n_heads)
    gates = torch.ones(shape, dtype=encoder.model.dtype, device=encoder.device, requires_grad=True)
    with HeadGates(encoder) as opened, HeadGates(encoder, record=per_token) as inner:
        opened.set(gates)
        if per_token:
            inner.set(torch.ones_like(gates[0]))  # so that what it records lies on the way to the loss
        outputs = net.outputs(texts)
        # Scores come in float64, and the backward pass takes the precision of the outputs only.
        dtype = outputs.dtype if labels.is_floating_point() else labels.dtype
        loss = head_loss(outputs, labels.to(outputs.device, dtype), "sum")
        if not per_token:
            return torch.autograd.grad(loss, gates)[0].float().cpu().numpy(), None
        contexts = inner.contexts
        gradients = torch.autograd.grad(loss, contexts)
    # ξ of a token multiplies its context, so that dL/dξ of the token is ⟨H, dL/dH⟩ at ξ = 1.
    pairs = zip(contexts, gradients, strict=True)
    products = torch.stack([(context * gradient).sum(dim=-1) for context, gradient in pairs], dim=2).detach()
    return products.sum(dim=1).float().cpu().numpy(), products.abs().sum(dim=1).float().cpu().numpy()
