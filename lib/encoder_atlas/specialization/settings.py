"""Every choice that a dissociation score depends on; the readings of others are values beside ours."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.errors import SettingsError

Reading = Literal["sample", "token", "batch", "accumulated"]
Division = Literal["tokens", "sentences", "undivided"]
LayerScale = Literal["none", "l2"]
RandomReading = Literal["uniform", "released"]

Share = Annotated[float, Field(gt=0, le=1)]


class SpecializationSettings(BaseModel):
    """What is measured, pruned and resampled. The defaults are the readings that the book uses."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    alpha: Share = 0.3
    """Share of all heads that is pruned; the paper has 30 % everywhere."""

    alphas: tuple[Share, ...] = Field(default=(0.1, 0.2, 0.3, 0.4, 0.5), min_length=1)
    """The shares of a sweep."""

    reading: Reading = "sample"
    """Importance: mean over `sample`s of |dL/dξ| (Eq. 4); sum over `token`s of the absolute value (released
    code); absolute value of a whole `batch`'s gradient; the same `accumulated` over batches (two bugs)."""

    division: Division = "tokens"
    """With reading `token`, what the last layer is divided by: `tokens` as every other layer (released, with
    --same_div), `sentences` (Michel et al.), or nothing (`undivided`: the released IAT script)."""

    layer_scale: LayerScale = "none"
    """`none`, as Eq. 4 says, or each layer divided by its L2 norm (an option of Michel et al.)."""

    importance_examples: int = Field(default=1000, ge=1)
    """Training examples a task behind its importance; the released script takes 10,000."""

    importance_batch: int = Field(default=32, ge=1)
    """Examples a backward pass. Only the readings `token`, `batch` and `accumulated` depend on it."""

    dropout: bool = False
    """Dropout on while importance is measured; the released code has it off."""

    random_sets: int = Field(default=6, ge=0)
    """Random head sets, for the row "Random" of Table 3 and for the null distribution of D."""

    least: bool = True
    """Take out each task's least important heads as well, as a control."""

    random_reading: RandomReading = "uniform"
    """Any heads, or at least one head left in every layer (`released`)."""

    resamples: int = Field(default=2000, ge=1)
    """Bootstrap resamples of the dev examples."""

    level: float = Field(default=0.95, gt=0, lt=1)
    """Level of the intervals."""

    batch_size: int = Field(default=64, ge=1)
    """Texts a forward pass when pruned models are scored; no result depends on it."""

    seed: int = Field(default=0, ge=0, lt=2**32)
    """Decides the examples behind importance, the random sets and the resamples."""


def check_alpha(alpha: float) -> float:
    """Return α when it lies in [0, 1], else raise `SettingsError`."""
    if not 0 <= alpha <= 1:
        raise SettingsError(f"alpha={alpha} is outside [0, 1]: it is a share of all heads, 0.3 for 30 %")
    return float(alpha)
