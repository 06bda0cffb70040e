"""What shapes important attention-head training, and how much of the learning rate its steps hold."""

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.errors import SettingsError

Choice = Literal["most", "least", "random"]
Reading = Literal["held", "gradient", "forward"]


class IATSettings(BaseModel):
    """In the last ``delta`` of training, each task tunes ``alpha`` of the heads only.

    ``alpha=1`` or ``delta=0`` is plain multi-task training. ``delta=1`` chooses heads before the first step,
    which the paper likens to Ticket-Share (Liang et al., 2021); Ticket-Share itself also shuts the other
    heads in the forward pass, in training and after: that is ``delta=1, reading="forward"``. (It rewinds to
    the pre-trained weights, and finds its heads, and feed-forward layers, in models of single tasks.)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    alpha: float = Field(default=0.3, ge=0, le=1, description="share of all heads that a task tunes")
    delta: float = Field(default=0.1, ge=0, le=1, description="share of the steps, the last ones")
    heads: Choice = Field(
        default="most", description="a task's most important heads (the method), its least, or random ones"
    )
    reading: Reading = Field(
        default="held",
        description="other heads' rows are held still with their optimizer state; or only their gradient is "
        "0, and momentum moves them (the released code); or the other heads are shut in the forward pass",
    )

    @property
    def plain(self) -> bool:
        """Whether these settings leave multi-task training as it is."""
        return self.alpha == 1 or self.delta == 0

    def first_step(self, steps: int) -> int:
        """How many of ``steps`` are done when the choice of heads begins to count: int((1 - δ)·steps)."""
        # Half a millionth of a step against (1 - 0.9) · 10 = 0.9999…
        return math.floor((1 - self.delta) * steps + 5e-7)


def rate_share(
    delta: float, warmup: float = 0.1, schedule: Literal["linear", "constant"] = "linear"
) -> float:
    """What share of the sum of learning rates the last ``delta`` of the steps holds, in [0, 1].

    Areas under the schedule: with ``warmup`` w and a linear fall the whole has the area 1/2, and while δ does
    not reach into the warm-up the last δ has δ²/(2(1 - w)), so that the share is δ²/(1 - w): 1.1 % for the
    paper's δ = 0.1 and w = 0.1. At a constant rate it is δ/(1 - w/2).

    Raises:
        SettingsError: δ outside [0, 1] or a warm-up outside [0, 1).
    """
    if not (0 <= delta <= 1 and 0 <= warmup < 1):
        raise SettingsError(f"delta={delta} and warmup={warmup}: δ lies in [0, 1], the warm-up in [0, 1)")
    before = 1 - delta  # where the last δ begins
    if before < warmup:  # all but a part of the warm-up
        rising = before**2 / (2 * warmup)
        whole = 0.5 if schedule == "linear" else 1 - warmup / 2
        return 1 - rising / whole
    return delta**2 / (1 - warmup) if schedule == "linear" else delta / (1 - warmup / 2)
