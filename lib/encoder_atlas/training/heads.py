"""Heads: what turns a representation into logits or a score. Plain modules that begin with a ``Linear``."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from jaxtyping import Float, Num
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from encoder_atlas.errors import SettingsError
from encoder_atlas.training.settings import FitSettings


def linear_head(hidden: int, classes: int) -> nn.Linear:
    """One linear layer from ``hidden`` numbers to ``classes`` logits.

    The head of a fine-tuned encoder in the paper. The released helper puts a linear layer of 768 before it,
    which adds weights but no function that one layer lacks.
    """
    return nn.Linear(hidden, classes)


def mlp_head(
    hidden: int, classes: int, widths: Sequence[float] = (1.0, 2 / 3, 1 / 3), last: str = "relu"
) -> nn.Module:
    """The head on a frozen encoder: fully connected layers, then ``classes`` logits.

    The DeepView paper gives sizes 768-512-256 for BERT-base; here they are shares of ``hidden``. It names no
    activations: we put a ReLU after each hidden layer (``last="relu"``); the released code has none after the
    layer of 256 (``last="linear"``). For MNLI the paper uses one layer: ``widths=()``.
    """
    sizes = [hidden, *(max(1, round(width * hidden)) for width in widths)]
    layers: list[nn.Module] = []
    for size_in, size_out in pairwise(sizes):
        layers += [nn.Linear(size_in, size_out), nn.ReLU()]
    if layers and last == "linear":
        layers.pop()
    return nn.Sequential(*layers, nn.Linear(sizes[-1], classes)) if layers else linear_head(hidden, classes)


def make_heads(
    mode: str, hidden: int, label_names: Mapping[str, Sequence[str]], settings: FitSettings
) -> nn.ModuleDict:
    """One head a task, as in the paper: an MLP on a frozen encoder (mode PT), one linear layer else.

    A head has an output a class; where a task has no classes, one output, which is the score.

    Raises:
        SettingsError: for a task name that cannot name a head.
    """
    heads = nn.ModuleDict()
    for task, labels in label_names.items():
        outputs = len(labels) or 1
        if mode == "PT":
            head = mlp_head(hidden, outputs, settings.mlp_widths, settings.mlp_last)
        else:
            head = linear_head(hidden, outputs)
        try:
            heads.add_module(task, head)
        except KeyError as error:
            raise SettingsError(
                f"task {task!r} cannot name a head ({error.args[0]}): give it another name"
            ) from None
    return heads


def head_loss(
    outputs: Float[Tensor, "batch outputs"],
    labels: Num[Tensor, " batch"],
    reduction: Literal["mean", "sum", "none"] = "mean",
) -> Float[Tensor, "*loss"]:
    """Mean cross-entropy (nats) of logits where labels are class numbers.

    Where they are scores, the mean squared error of the one output (in the scores' unit squared), as BERT
    has it on STS-B: scores are not scaled.

    Args:
        reduction: "sum" over the batch, or "none": every text's own loss.
    """
    if labels.is_floating_point():
        return mse_loss(outputs.squeeze(1), labels, reduction=reduction)
    return cross_entropy(outputs, labels, reduction=reduction)
