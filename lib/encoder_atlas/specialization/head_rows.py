"""Which rows of an encoder's parameters are one head's own, and an optimizer that takes them one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from encoder_atlas.encoders import HeadSlice, Layout


@dataclass(frozen=True)
class HeadRows:
    """Rows of one parameter that serve one head, and which heads (layer, head) they serve.

    They serve several only where layers share a module (ALBERT).
    """

    slice: HeadSlice
    heads: tuple[tuple[int, int], ...]

    @property
    def whole(self) -> nn.Parameter:
        """The parameter that the rows are part of."""
        return self.slice.parameter

    def chosen(self, mask: Bool[Tensor, "layers heads"]) -> bool:
        """Whether any head that the rows serve is in the mask."""
        return any(bool(mask[place]) for place in self.heads)


def head_rows(layout: Layout) -> list[HeadRows]:
    """The query, key and value rows of all heads: weights and biases, and DeBERTa's relative positions.

    These are the W_Q, W_K and W_V of the paper's Eq. (1). The output projection W_O of Eq. (2) mixes all
    heads and is not among them, as in the released code.
    """
    slices: dict[tuple[int, int], HeadSlice] = {}
    heads: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for layer in layout.layers:
        for head in range(layer.n_heads):
            for piece in layer.head_slices(head):
                if piece.role != "output":
                    key = (id(piece.parameter), piece.start)
                    slices[key] = piece
                    heads.setdefault(key, []).append((layer.index, head))
    return [HeadRows(piece, tuple(heads[key])) for key, piece in slices.items()]


def gradient_factors(
    rows: Sequence[HeadRows], mask: Bool[Tensor, "layers heads"]
) -> dict[nn.Parameter, Float[Tensor, "..."]]:
    """For each parameter a factor that broadcasts to it: 1 on rows of the mask's heads, 0 on other heads'."""
    factors: dict[nn.Parameter, Tensor] = {}
    for part in rows:
        whole, axis = part.whole, part.slice.axis
        if whole not in factors:
            shape = [size if i == axis else 1 for i, size in enumerate(whole.shape)]
            factors[whole] = torch.zeros(shape, dtype=whole.dtype, device=whole.device)
        part.slice.of(factors[whole]).fill_(float(part.chosen(mask)))
    return factors


def mask_gradients(factors: Mapping[nn.Parameter, Float[Tensor, "..."]]) -> None:
    """Set to 0, in place, the gradients where ``factors`` are 0."""
    for whole, factor in factors.items():
        if whole.grad is not None:
            whole.grad *= factor


def split_rows(
    optimizer: torch.optim.Optimizer, rows: Sequence[HeadRows]
) -> list[tuple[HeadRows, nn.Parameter]]:
    """Have ``optimizer`` take each head's rows as a parameter of their own, with the state they have so far.

    The new parameters share the memory of the whole ones. Where one has no gradient the optimizer passes over
    it: weights, momentum, count of steps and decay stay as they are, which no gradient of 0 could do.
    """
    own = [(part, nn.Parameter(part.slice.of(part.whole.detach()))) for part in rows]
    parts: dict[nn.Parameter, list[tuple[HeadRows, nn.Parameter]]] = {}
    for part, parameter in own:
        parts.setdefault(part.whole, []).append((part, parameter))
    for group in optimizer.param_groups:
        group["params"] = [
            piece
            for whole in group["params"]
            for piece in ([parameter for _, parameter in parts[whole]] if whole in parts else [whole])
        ]
        # GPT's Conv1D keeps heads in columns, and the fused kernel would take a column's memory for whole.
        if not all(parameter.is_contiguous() for parameter in group["params"]):
            group.update(fused=False, foreach=False)
    for whole, pieces in parts.items():
        for part, parameter in pieces:
            if whole in optimizer.state:
                optimizer.state[parameter] = {
                    name: part.slice.of(value) if value.shape == whole.shape else value.clone()
                    for name, value in optimizer.state[whole].items()
                }
        optimizer.state.pop(whole, None)
    return own
