"""Every choice that a structural probe depends on."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class StructuralSettings(BaseModel):
    """The probes of tree distance and depth, their training, and what is measured.

    `RELEASED_STRUCTURAL` holds the values of the released code; the defaults learn as well from some hundred
    sentences in seconds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    rank: int | None = Field(default=64, ge=1)
    """Dimensions that words are projected to; None takes as many as the states have."""

    spread: float | None = Field(default=0.25, gt=0)
    """Each layer is scaled, by one number, to this spread around its mean word (root mean square over the
    training words); None leaves the states as they are, as the released code does."""

    lr: float = Field(default=3e-3, gt=0, le=1)
    """Learning rate of Adam, at its height."""

    batch_size: int = Field(default=20, ge=1)
    """Sentences a step."""

    epochs: int = Field(default=20, ge=1)
    """Passes over the training sentences, at the most."""

    schedule: Literal["linear", "plateau"] = "linear"
    """``linear``: the rate falls to 0 over all epochs and the last weights count. ``plateau``: the rate of a
    probe becomes a tenth after every epoch that does not better its loss on dev by 1e-4, the probe stops
    after five such epochs, and the weights of its best epoch count."""

    punctuation: Literal["upos", "tags"] = "upos"
    """What marks the words that UUAS and Root leave out: the universal tag PUNCT, or the Penn Treebank's tags
    '' , . : `` -LRB- -RRB-, as in the released code. (English UD treebanks have more tags of punctuation.)"""

    lengths: tuple[int, int] = (5, 50)
    """Shortest and longest sentence that count for the rank correlations."""


RELEASED_STRUCTURAL = StructuralSettings(
    rank=None, spread=None, lr=1e-3, epochs=40, schedule="plateau", punctuation="tags"
)
