"""Gates on attention heads, and head contexts, by one hook on each attention output projection.

transformers 5 has no ``head_mask`` and silently ignores the argument. The input of the output projection is
the concatenation of the head contexts H = A·V, so that a factor there is the mask variable ξ of "Interpreting
and Exploiting Functional Specialization in Multi-Head Attention", Eq. (3), under every attention
implementation.
"""

from collections.abc import Iterator
from itertools import cycle
from types import TracebackType
from typing import Any

from jaxtyping import Float, Shaped
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.layout import layout_of
from encoder_atlas.errors import SettingsError


class HeadGates:
    """Scale each head's context by a gate while the ``with`` block runs.

    >>> with HeadGates(encoder, record=True) as gates:      # doctest: +SKIP
    ...     gates.set(torch.ones(encoder.n_layers, encoder.n_heads))
    ...     encoder.represent(batch)
    ...     gates.contexts[0].shape                         # batch, tokens, heads, d_head

    Gradients flow into the gates. With a gate per sample (``batch layers heads``) and a loss summed over the
    batch, one backward gives every sample's own gradient. Several `HeadGates` on one model multiply, and an
    inner one records contexts as the outer left them. Gates belong to the hooks: they are not saved with the
    model.
    """

    def __init__(self, target: Encoder | PreTrainedModel, *, record: bool = False) -> None:
        """
        Args:
            target: an encoder, or a model with or without a task head.
            record: keep the head contexts of the last forward pass, before the gate, for `contexts`.

        Raises:
            EncoderError: the family is not in the table, or heads were removed from the model.
        """
        self._layout = layout_of(target.model if isinstance(target, Encoder) else target)
        self._shape = (self._layout.n_layers, self._layout.n_heads)
        self._record = record
        self._served: dict[nn.Module, list[int]] = {}
        for layer in self._layout.layers:
            self._served.setdefault(layer.output, []).append(layer.index)
        self._gates: Tensor | None = None
        self._contexts: dict[int, Tensor] = {}
        self._turns: dict[nn.Module, Iterator[int]] = {}
        self._handles: list[RemovableHandle] = []

    def set(self, gates: Shaped[Tensor, "*batch layers heads"] | None) -> None:
        """Use ``gates`` from the next forward pass on; None opens all heads.

        Args:
            gates: floating point, ``layers heads`` for all samples or ``batch layers heads``, one per
                sample.

        Raises:
            SettingsError: shape, type or device do not fit, or a gate is not finite.
        """
        if gates is not None:
            self._check(gates)
        self._gates = gates

    @property
    def contexts(self) -> list[Float[Tensor, "batch tokens heads d_head"]]:
        """Head contexts H = A·V of the last forward pass, one tensor a layer, with their graph if it had one.

        Raises:
            SettingsError: nothing was recorded.
        """
        if len(self._contexts) < self._layout.n_layers:
            raise SettingsError(
                "no head contexts: make HeadGates with record=True and run the model inside the with block"
            )
        return [self._contexts[layer] for layer in range(self._layout.n_layers)]

    def __enter__(self) -> "HeadGates":
        if self._handles:
            raise SettingsError("these HeadGates are in use: make another HeadGates to nest gates")
        self._handles.append(self._layout.model.register_forward_pre_hook(self._begin))
        for module in self._served:
            self._handles.append(module.register_forward_pre_hook(self._gate))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._handles:
            self._handles.pop().remove()

    def _begin(self, model: nn.Module, args: tuple[Any, ...]) -> None:
        """A forward pass starts: each output projection gets the layers that it serves, in their order.

        ALBERT's one module takes them in turn, from the first even if the last pass broke off. The turns go
        round, as a module of one layer may run again in the backward pass (gradient checkpointing).
        """
        self._contexts = {}
        self._turns = {module: cycle(layers) for module, layers in self._served.items()}

    def _gate(self, module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        layer = next(self._turns[module])
        context = args[0].unflatten(-1, (-1, self._layout.d_head))
        if self._record:
            self._contexts[layer] = context
        if self._gates is None:
            return None
        gates = self._gates[..., layer, :]
        if gates.ndim == 2:
            if len(gates) != len(context):
                raise SettingsError(
                    f"gates for {len(gates)} samples on a batch of {len(context)}: give one set a sample"
                )
            gates = gates[:, None]
        return ((context * gates[..., None]).to(context.dtype).flatten(-2), *args[1:])

    def _check(self, gates: Tensor) -> None:
        layers, heads = self._shape
        if gates.ndim not in (2, 3) or tuple(gates.shape[-2:]) != self._shape:
            raise SettingsError(
                f"gates of shape {tuple(gates.shape)}: this encoder takes ({layers}, {heads}), layers by "
                f"heads, or (batch, {layers}, {heads})"
            )
        if not gates.is_floating_point():
            raise SettingsError(
                f"gates of type {gates.dtype}: they must be floating point, use gates.float()"
            )
        if gates.device != self._layout.model.device:
            raise SettingsError(
                f"gates on {gates.device}, the model on {self._layout.model.device}: use "
                "gates.to(encoder.device)"
            )
        if not gates.isfinite().all():
            raise SettingsError("gates hold NaN or infinity")
