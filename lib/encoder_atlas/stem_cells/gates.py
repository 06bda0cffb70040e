"""Gates that learn to close: the hard concrete distribution of Louizos et al. (2018), one gate a head."""

import math
from typing import Literal

import torch
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

BETA, LOW, HIGH = 0.33, -0.1, 1.1
"""Temperature β, and the ends γ and ζ to which the concrete distribution is stretched before it is cut."""

EPSILON = 1e-6
"""How far the noise, and the probability to be open, keep from 0 and 1, as in the released code."""

OPEN = 1e-3
"""The paper counts a head as kept if its deterministic gate is above this."""

WIDE_OPEN = 0.05
"""A stricter count, for gates that have not settled: below it a head passes less than a twentieth."""


class GateSettings(BaseModel):
    """How gates begin, and how they learn to close."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    coefficient: float = Field(
        default=0.01,
        ge=0,
        allow_inf_nan=False,
        description="what the L0 penalty is multiplied with; the paper's differ between tasks by up to 50",
    )
    rate: float = Field(
        default=0.05,
        gt=0,
        le=1,
        description="learning rate of the gates' own Adam: 0.05 closes gates in about 300 steps, 0.1 in 150; "
        "the paper's 1e-3 needs thousands",
    )
    init: Literal["xavier", "open"] = Field(
        default="xavier",
        description="start at random around one half (the paper), which disturbs the encoder at once, or "
        "with every gate at 1: the encoder as it is, and gates that need longer to close",
    )


class HardConcrete(nn.Module):
    """One gate in [0, 1] for every head, random while it is trained, with its L0 norm as a penalty.

    With u uniform in (0, 1): s = σ((log u − log(1 − u) + log a)/β), z = s(ζ − γ) + γ, and the gate is z cut
    to [0, 1], so that it can be exactly 0 or 1. Source: Louizos et al. (2018), Eq. (10) to (12); β, γ, ζ and
    the beginning as in the stem-cell paper's released code.

    Attributes:
        log_a: what is learnt: log odds, "layers heads".
    """

    def __init__(
        self, n_layers: int, n_heads: int, *, init: Literal["xavier", "open"] = "xavier", seed: int = 0
    ) -> None:
        """
        Args:
            init: "xavier" draws log a from U(−r, r) with r = √(6/(heads + 1)), which is 0.679 for 12 heads;
                deterministic gates are then about 0.3 to 0.7. "open": all are 1.
            seed: of the beginning and of the noise, which is drawn apart from torch's own.
        """
        super().__init__()
        self._noise = torch.Generator().manual_seed(seed)
        start = torch.full((n_layers, n_heads), _log_odds(1.0))
        if init == "xavier":
            bound = math.sqrt(6 / (n_heads + 1))
            start.uniform_(-bound, bound, generator=self._noise)
        self.log_a = nn.Parameter(start)

    def sample(self) -> Float[Tensor, "layers heads"]:
        """Gates with new noise, through which gradients flow: one draw for a whole batch."""
        # Drawn on the CPU, so that a seed gives the same noise on every device.
        uniform = torch.rand(self.log_a.shape, generator=self._noise, dtype=torch.float64)
        noise = torch.logit(EPSILON + (1 - 2 * EPSILON) * uniform).to(self.log_a)
        return _cut(torch.sigmoid((noise + self.log_a) / BETA))

    def values(self) -> Float[Tensor, "layers heads"]:
        """The deterministic gates, used where nothing is trained: σ(log a) stretched and cut, without β.

        They are not rounded: an open head goes on being scaled by a number in (0, 1].
        """
        return _cut(torch.sigmoid(self.log_a))

    def p_open(self) -> Float[Tensor, "layers heads"]:
        """The probability that a sampled gate is not 0: σ(log a − β log(−γ/ζ))."""
        return torch.sigmoid(self.log_a - BETA * math.log(-LOW / HIGH)).clamp(EPSILON, 1 - EPSILON)

    def penalty(self) -> Float[Tensor, ""]:
        """How many heads of a layer are open, on average: the mean over layers of the sum of `p_open`.

        The paper's formula sums over all heads; its released code takes this mean, to which its coefficients
        belong.
        """
        return self.p_open().sum(dim=-1).mean()


def _cut(concrete: Float[Tensor, "layers heads"]) -> Float[Tensor, "layers heads"]:
    return (concrete * (HIGH - LOW) + LOW).clamp(0, 1)


def _log_odds(gate: float) -> float:
    """The log a whose deterministic gate is ``gate``, the value before it is cut."""
    share = (gate - LOW) / (HIGH - LOW)
    return math.log(share / (1 - share))
