"""What an object holds, as a part of a key in the store: models by their weights, tasks by their texts."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from safetensors.torch import save
from torch import nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.runs.project import digest
from encoder_atlas.text import AnnotatedCorpus, Task
from encoder_atlas.text.edges import EdgeTask
from encoder_atlas.training import Annotator, FittedModel


def weights_digest(module: nn.Module) -> str:
    """sha256 of a module's parameters and buffers."""
    return digest(save({name: tensor.contiguous().cpu() for name, tensor in module.state_dict().items()}))


def content(value: Any) -> Any:
    """What stands for ``value`` in a key: another result can only come from another content.

    Models, encoders, tasks and arrays become digests; sequences, mappings and other dataclasses are gone
    through; whatever a key takes as it is (numbers, texts, settings) stays.
    """
    if isinstance(value, FittedModel):
        return [value.mode, value.seed, content(value.encoder), weights_digest(value.heads), value.settings]
    if isinstance(value, Annotator):
        return [list(value.layers), value.seed, content(value.encoder), weights_digest(value.decoders)]
    if isinstance(value, Encoder):
        return [value.name, weights_digest(value.model)]
    if isinstance(value, nn.Module):
        return weights_digest(value)
    if isinstance(value, Task):
        return [value.name, value.metric, *(value.fingerprint(split) for split in sorted(value.splits))]
    if isinstance(value, AnnotatedCorpus | EdgeTask):
        return [value.name, *(value.fingerprint(split) for split in sorted(value.splits))]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), digest(np.ascontiguousarray(value).tobytes())]
    if isinstance(value, Mapping):
        return {str(name): content(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [content(part) for part in value]
    if is_dataclass(value):
        return {part.name: content(getattr(value, part.name)) for part in fields(value)}
    return value
