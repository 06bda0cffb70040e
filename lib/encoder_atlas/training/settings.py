"""How long, how fast and in which precision a model is fitted."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from encoder_atlas.encoders import Pooling
from encoder_atlas.training.balancing import Balance
from encoder_atlas.training.mixing import Sampling, SizeUnit

Mode = Literal["PT", "FT"]

Rate = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Width = Annotated[float, Field(gt=0, le=16, allow_inf_nan=False)]


class FitSettings(BaseModel):
    """All that shapes a fitted model besides its encoder, its tasks, its mode and its seed.

    Defaults suit six-layer encoders and a few thousand sentences. The DeepView paper has, for BERT-base,
    ``lr_encoder=2e-5``, ``batch_size=16`` and 3 epochs (5 on MRPC, RTE and CoLA).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    pooling: Pooling = Field(default="cls", description="what stands for the sentence")
    epochs: int = Field(default=3, ge=1, description="FT: passes over the text")
    frozen_epochs: int = Field(default=10, ge=1, description="PT: passes over the stored representations")
    batch_size: int = Field(default=32, ge=1)
    max_length: int = Field(default=64, ge=3, description="tokens a text is cut to")
    lr_encoder: Rate = Field(default=1e-4, description="peak learning rate of the encoder (FT)")
    lr_head: Rate = Field(default=1e-3, description="peak learning rate of the heads")
    frozen_layers: int | None = Field(
        default=None,
        ge=0,
        description="FT: embeddings and so many first layers stay as they are; 0: embeddings only",
    )
    weight_decay: float = Field(default=0.01, ge=0, le=1, description="not applied to biases and LayerNorm")
    warmup: float = Field(default=0.1, ge=0, lt=1, description="share of the steps in which the rate rises")
    schedule: Literal["linear", "constant"] = Field(
        default="linear", description="after the warm-up the rate falls to 0, or stays at its peak"
    )
    sampling: Sampling = Field(
        default="once",
        description="several tasks: each batch once an epoch, or tasks drawn by Eq. (8) of the IAT paper",
    )
    sampling_unit: SizeUnit = Field(
        default="texts", description="what Eq. (8) counts: texts (the paper) or batches (its released code)"
    )
    sampling_power: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="proportional sampling: the power of sizes (0.8 in the stem-cell paper; 0: all alike)",
    )
    balance: Balance = Field(
        default="none", description="several tasks: losses as they are, or weighed by running averages"
    )
    word_dropout: float = Field(
        default=0.0, ge=0, lt=1, description="annotators: share of pieces that are [MASK] in training"
    )
    clip: float | None = Field(default=1.0, gt=0, description="largest gradient norm; None: no clipping")
    dropout: float = Field(default=0.1, ge=0, lt=1, description="before a linear head (FT)")
    mlp_widths: tuple[Width, ...] = Field(
        default=(1.0, 2 / 3, 1 / 3),
        description="PT: hidden layers of the head, in units of the encoder's width",
    )
    mlp_last: Literal["relu", "linear"] = Field(
        default="relu", description="PT: what follows the last hidden layer (linear: the released code)"
    )
    keep: Literal["best", "last"] = Field(
        default="best", description="weights of the epoch with the best dev score, or of the last epoch"
    )
    evaluate: Literal["epochs", "end"] = Field(
        default="epochs", description="dev is measured after every epoch, or after the last only"
    )
    patience: int | None = Field(
        default=None, ge=1, description="stop after so many epochs without a better dev score; None: never"
    )
    precision: Literal["auto", "fp32", "bf16"] = Field(
        default="auto", description="of training only; auto: bf16 on CUDA, fp32 elsewhere"
    )

    @model_validator(mode="after")
    def _choices_fit(self) -> "FitSettings":
        if self.patience is not None and self.keep == "last":
            raise ValueError("patience stops after worse epochs: use keep='best' with it")
        if self.evaluate == "end" and self.keep == "best":
            raise ValueError("the best epoch is known only if each is measured: use keep='last' with 'end'")
        if self.sampling_power != 1 and self.sampling != "proportional":
            raise ValueError(
                f"sampling_power has no meaning with sampling={self.sampling!r}: use 'proportional'"
            )
        return self
