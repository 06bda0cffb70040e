"""How deep an encoder reads, and from which layer on it learns: truncation and partial freezing."""

import copy
from typing import Any, cast

from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.layout import layout_of
from encoder_atlas.errors import EncoderError, SettingsError


def truncated(encoder: Encoder, layers: int) -> Encoder:
    """A copy of the encoder that ends after its first ``layers`` layers; 0 leaves the embeddings.

    Its last hidden state is the whole encoder's ``hidden_states[layers]``. GPT-2 has a LayerNorm after its
    last layer, which those of earlier layers have not seen: a shorter copy goes without it. A pooler stays,
    though it was trained on the last layer. Saved and loaded, the copy is what it was. (Without layers most
    families give no ``hidden_states``: read ``last_hidden_state``.)

    Raises:
        SettingsError: the encoder has no so many layers, or ``layers`` is below 0.
        EncoderError: an ALBERT with several groups of layers, whose first ones make no ALBERT.
    """
    check_depth(encoder, layers, "layers")
    model = copy.deepcopy(encoder.model)
    family = encoder.family
    if layers < encoder.n_layers:
        if not family.shared:
            del cast(nn.ModuleList, model.get_submodule(family.layers))[layers:]
        elif model.config.num_hidden_groups * model.config.inner_group_num > 1:
            raise EncoderError(
                f"{encoder.name} has layers in several groups: its first {layers} make no {family.title}"
            )
        model.config.num_hidden_layers = layers
        model.config.truncated = True
        settle_truncated(model)
    return Encoder.of(model, encoder.tokenizer, f"{encoder.name}, {layers} of {encoder.n_layers} layers")


def settle_truncated(model: PreTrainedModel) -> None:
    """Put a truncated model in order once its layers are cut off, or once it is loaded; leaves others alone.

    Its configuration says ``truncated``; then it has no final norm, and DeBERTa an encoder that can be empty.
    """
    if not getattr(model.config, "truncated", False):
        return
    family = layout_of(model).family
    if family.final_norm:
        model.set_submodule(family.final_norm, nn.Identity())
    if model.config.model_type.startswith("deberta") and not model.config.num_hidden_layers:
        model.encoder = _EmbeddingsOnly(cast(nn.Module, model.encoder))


class _EmbeddingsOnly(nn.Module):
    """DeBERTa's encoder without layers, which its own class cannot run; holds the same weights."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        for name, module in encoder.named_children():
            self.add_module(name, module)

    def forward(
        self, hidden: Float[Tensor, "batch tokens hidden"], mask: Tensor, **kwargs: Any
    ) -> BaseModelOutput:
        return BaseModelOutput(last_hidden_state=hidden, hidden_states=(hidden,))


def freeze(target: Encoder | PreTrainedModel, layers: int) -> None:
    """Fix the embeddings and the first ``layers`` layers of a model, in place; all else is to learn.

    Embeddings are all that comes before the layers or serves them all, such as DeBERTa's table of relative
    positions. What follows the layers still learns: a pooler, GPT-2's last LayerNorm, a task head. Fixed
    layers keep their dropout while a model trains.

    Raises:
        SettingsError: the encoder has no so many layers, or ``layers`` is below 0.
        EncoderError: some but not all layers, where they share one module (ALBERT).
    """
    model = target.model if isinstance(target, Encoder) else target
    layout = layout_of(model)
    check_depth(target, layers, "layers")
    if layout.family.shared and 0 < layers < layout.n_layers:
        raise EncoderError(
            f"{layout.family.title} runs one module as all its layers: fix 0 or all {layout.n_layers}"
        )
    base = layout.model
    outside = {id(weight) for weight in model.parameters()} - {id(weight) for weight in base.parameters()}
    learning: list[nn.Module] = [layer.module for layer in layout.layers[layers:]]
    after = ["pooler", layout.family.final_norm, *(["encoder.conv"] if layers == 0 else [])]
    for name, module in base.named_modules():
        if name in after:
            learning.append(module)
    kept = outside | {id(weight) for module in learning for weight in module.parameters()}
    for weight in model.parameters():
        weight.requires_grad_(id(weight) in kept)


def check_depth(target: Encoder | PreTrainedModel, layers: int, setting: str) -> None:
    """Refuse a number of layers that the encoder does not have; the message calls it ``setting``.

    Raises:
        SettingsError: naming encoder and layers.
    """
    model = target.model if isinstance(target, Encoder) else target
    n = layout_of(model).n_layers
    if not 0 <= layers <= n:
        name = target.name if isinstance(target, Encoder) else "the encoder"
        raise SettingsError(f"{setting} is {layers}; {name} has {n} layers: use 0 (embeddings only) to {n}")
