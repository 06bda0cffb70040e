"""Heads: what turns a representation into logits. Plain modules that begin with their first ``Linear``."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from torch import nn

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

    Raises:
        SettingsError: for a task name that cannot name a head.
    """
    heads = nn.ModuleDict()
    for task, labels in label_names.items():
        if mode == "PT":
            head = mlp_head(hidden, len(labels), settings.mlp_widths, settings.mlp_last)
        else:
            head = linear_head(hidden, len(labels))
        try:
            heads.add_module(task, head)
        except KeyError as error:
            raise SettingsError(
                f"task {task!r} cannot name a head ({error.args[0]}): give it another name"
            ) from None
    return heads
