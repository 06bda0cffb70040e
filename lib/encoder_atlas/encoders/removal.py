"""Physical removal of heads: smaller matrices that compute what gates of 0 and 1 compute."""

import copy

import torch
from jaxtyping import Bool
from torch import Tensor, nn
from transformers import PreTrainedModel

from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.layout import AttentionLayer, Layout, Projection, layout_of
from encoder_atlas.errors import EncoderError, SettingsError


def remove_heads(target: Encoder | PreTrainedModel, keep: Bool[Tensor, "layers heads"]) -> PreTrainedModel:
    """A copy of the model without the heads where ``keep`` is False: equal to gates of 0 there, 1 elsewhere.

    Rows of query, key, value and of relative-position projections go, and columns of the output projection.
    The copy cannot be saved and loaded again: no configuration describes it. ``target`` is left as it is.

    Args:
        target: an encoder or a model of any family in the table.
        keep: which heads stay.

    Raises:
        SettingsError: ``keep`` has another shape, or leaves a layer without heads (attention over no heads
            has no shape: use gates).
        EncoderError: layers that share one module (ALBERT) would keep different heads, or heads are mixed
            with one another by DeBERTa's talking heads.
    """
    model = copy.deepcopy(target.model if isinstance(target, Encoder) else target)
    layout = layout_of(model)
    kept = _kept_by_module(layout, keep)
    for layer in {layer.module: layer for layer in layout.layers}.values():
        _shrink(layer, kept[layer.module])
    return model


def _kept_by_module(layout: Layout, keep: Bool[Tensor, "layers heads"]) -> dict[nn.Module, list[int]]:
    expected = (layout.n_layers, layout.n_heads)
    if tuple(keep.shape) != expected:
        raise SettingsError(
            f"keep has shape {tuple(keep.shape)}, this encoder has {expected}, layers by heads"
        )
    if not keep.any(1).all():
        raise SettingsError(
            f"layers {(~keep.any(1)).nonzero().flatten().tolist()} would keep no head: use gates of 0 instead"
        )
    if getattr(layout.model.config, "talking_head", False):
        raise EncoderError("talking heads mix the heads of a layer: they cannot be removed one by one")
    kept: dict[nn.Module, list[int]] = {}
    for layer, row in zip(layout.layers, keep, strict=True):
        heads = row.nonzero().flatten().tolist()
        if kept.setdefault(layer.module, heads) != heads:
            raise EncoderError(
                f"{layout.family.title} runs one module as several layers: it can only lose the same heads "
                "in all of them; gate the layers instead"
            )
    return kept


def _shrink(layer: AttentionLayer, heads: list[int]) -> None:
    """Cut one layer's parameters down to ``heads`` and tell its modules their new sizes."""
    rows: dict[tuple[nn.Module, str, int], list[int]] = {}
    for head in heads:
        for piece in layer.head_slices(head):
            rows.setdefault((piece.module, piece.attribute, piece.axis), []).extend(
                range(piece.start, piece.stop)
            )
    for (module, attribute, axis), indices in rows.items():
        whole = getattr(module, attribute)
        index = torch.tensor(sorted(indices), device=whole.device)
        part = whole.detach().index_select(axis, index).clone()
        setattr(module, attribute, nn.Parameter(part, requires_grad=whole.requires_grad))
        if isinstance(module, Projection):
            _resize(module)
    family = layer.family
    for name in family.head_counters:
        setattr(layer.attention, name, len(heads))
    for name in family.width_counters:
        setattr(layer.attention, name, len(heads) * layer.d_head)


def _resize(projection: Projection) -> None:
    """Sizes that a projection keeps beside its weight."""
    if isinstance(projection, nn.Linear):
        projection.out_features, projection.in_features = projection.weight.shape
    else:
        projection.nx, projection.nf = projection.weight.shape
