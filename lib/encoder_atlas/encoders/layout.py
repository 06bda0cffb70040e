"""The attention layers of one model: their projections, and which slices of parameters belong to a head."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

from jaxtyping import Float, Shaped
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from encoder_atlas.encoders.families import Family, Role, family_of
from encoder_atlas.errors import EncoderError

Projection = nn.Linear | Conv1D


def in_axis(projection: Projection) -> int:
    """The axis of ``projection.weight`` along which its inputs lie (GPT's `Conv1D` keeps it transposed)."""
    return 0 if isinstance(projection, Conv1D) else 1


@dataclass(frozen=True)
class HeadSlice:
    """The part of one parameter that belongs to one head: ``start:stop`` along ``axis``."""

    role: Role
    module: nn.Module
    attribute: str
    axis: int
    start: int
    stop: int

    @property
    def parameter(self) -> nn.Parameter:
        """The whole parameter, all heads."""
        return getattr(self.module, self.attribute)

    def of(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """The head's view of ``tensor``: the parameter, its gradient, or any optimiser state of its shape."""
        return tensor.narrow(self.axis, self.start, self.stop - self.start)


@dataclass(frozen=True)
class AttentionLayer:
    """One layer as the table of families describes it, found in a model."""

    index: int
    family: Family
    module: nn.Module
    d_head: int

    @cached_property
    def attention(self) -> nn.Module:
        """The self-attention module, where query, key and value live."""
        return self.module.get_submodule(self.family.attention)

    @cached_property
    def output(self) -> Projection:
        """The attention output projection: its input is the head contexts A·V, head after head."""
        return cast(Projection, self.module.get_submodule(self.family.output))

    @cached_property
    def feed_forward(self) -> tuple[Projection, Projection]:
        """The two linear maps of the feed-forward block, hidden → inner and inner → hidden."""
        inner, outer = (self.module.get_submodule(path) for path in self.family.feed_forward)
        return cast(Projection, inner), cast(Projection, outer)

    @property
    def n_heads(self) -> int:
        """Heads of this layer, fewer than the configuration says once some are removed."""
        return self.output.weight.shape[in_axis(self.output)] // self.d_head

    def projection(self, role: Literal["query", "key", "value"]) -> Projection:
        """The module that computes query, key or value (one and the same where they are fused)."""
        return cast(Projection, self.attention.get_submodule(getattr(self.family, role)))

    def values(
        self, projected: Float[Tensor, "batch tokens width"]
    ) -> Float[Tensor, "batch tokens heads d_head"]:
        """V of each head from what ``projection("value")`` gave, whatever the packing."""
        packing = self.family.packing
        if packing == "interleaved":
            v = projected.unflatten(-1, (self.n_heads, 3 * self.d_head)).chunk(3, dim=-1)[2]
        else:
            own = projected.chunk(3, dim=-1)[2] if packing == "fused" else projected
            v = own.unflatten(-1, (self.n_heads, self.d_head))
        if "value" in self.family.biases:
            bias = getattr(self.attention, self.family.biases["value"])
            v = v + bias.unflatten(-1, (self.n_heads, self.d_head))
        return v

    def head_slices(self, head: int) -> list[HeadSlice]:
        """Every slice of every parameter that serves ``head`` alone, by role.

        Roles: query, key and value rows (weights and biases), rows of the projections of relative positions
        (DeBERTa), and the columns of the output projection. In ALBERT they are the same parameters for all
        layers that share.

        Raises:
            EncoderError: this layer has no such head.
        """
        if not 0 <= head < self.n_heads:
            raise EncoderError(f"layer {self.index} has heads 0 to {self.n_heads - 1}, not {head}")
        slices = [
            *self._projected("query", head),
            *self._projected("key", head),
            *self._projected("value", head),
        ]
        for path in self.family.position:
            if hasattr(self.attention, path):
                slices += self._rows("position", cast(Projection, self.attention.get_submodule(path)), head)
        axis, start = in_axis(self.output), head * self.d_head
        return [*slices, HeadSlice("output", self.output, "weight", axis, start, start + self.d_head)]

    def _projected(self, role: Literal["query", "key", "value"], head: int) -> list[HeadSlice]:
        part = ("query", "key", "value").index(role)
        block = {
            "separate": head,
            "fused": part * self.n_heads + head,
            "interleaved": 3 * head + part,
        }[self.family.packing]
        slices = self._rows(role, self.projection(role), block)
        if role in self.family.biases:
            start = head * self.d_head
            own = self.family.biases[role]
            slices.append(HeadSlice(role, self.attention, own, 0, start, start + self.d_head))
        return slices

    def _rows(self, role: Role, projection: Projection, block: int) -> list[HeadSlice]:
        """Weight rows and bias entries of the ``block``-th run of ``d_head`` outputs."""
        start, stop = block * self.d_head, (block + 1) * self.d_head
        slices = [HeadSlice(role, projection, "weight", 1 - in_axis(projection), start, stop)]
        if projection.bias is not None:
            slices.append(HeadSlice(role, projection, "bias", 0, start, stop))
        return slices


@dataclass(frozen=True)
class Layout:
    """All attention layers of a model, in the order in which they run."""

    family: Family
    model: PreTrainedModel
    layers: tuple[AttentionLayer, ...]

    @property
    def n_layers(self) -> int:
        return len(self.layers)

    @property
    def d_head(self) -> int:
        return self.layers[0].d_head

    @property
    def n_heads(self) -> int:
        """Heads of a layer.

        Raises:
            EncoderError: layers differ, as they do once heads are removed.
        """
        counts = {layer.n_heads for layer in self.layers}
        if len(counts) > 1:
            raise EncoderError(
                f"the layers of this encoder have different numbers of heads ({sorted(counts)}): heads were "
                "removed; gate the whole encoder instead"
            )
        return counts.pop()


def layout_of(model: PreTrainedModel) -> Layout:
    """Find the attention layers of ``model``, with or without a task head.

    Raises:
        EncoderError: its family is not in the table.
    """
    base = cast(PreTrainedModel, model.base_model)
    family = family_of(base.config.model_type)
    d_head = getattr(base.config, "attention_head_size", None)
    d_head = d_head or base.config.hidden_size // base.config.num_attention_heads
    modules = list(base.get_submodule(family.layers).children())
    if family.shared:
        n = base.config.num_hidden_layers
        modules = [
            inner for i in range(n) for inner in modules[i * len(modules) // n].get_submodule("albert_layers")
        ]
    layers = tuple(AttentionLayer(i, family, module, d_head) for i, module in enumerate(modules))
    return Layout(family, base, layers)
