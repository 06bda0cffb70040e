"""Every choice that an edge probe depends on."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.finetuning.states import check_layer

View = Literal["mix", "top", "lexical"] | Annotated[int, Field(ge=0)]
"""What a probe reads: a learned mix of all layers, the top layer, the embeddings, or one layer by number."""

VIEWS: tuple[View, ...] = ("mix", "top", "lexical")


class ProbeSettings(BaseModel):
    """The probe and its training.

    Sizes are those of the released edge probes (jiant). Its training is not: jiant takes up to 250,000 steps
    at a rate of 1e-4. The defaults here are for some hundred sentences and a second of one core; `RELEASED`
    holds the values of jiant.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    view: View = "mix"

    spread: float | None = Field(default=0.1, gt=0)
    """Each layer is centred on its mean piece and scaled, by one number, to this spread (root mean square
    over the pieces of training spans); None leaves the states as they are, as jiant does. Encoders differ in
    scale and in a mean that all pieces share, and a short training would measure just that: as they are, the
    states of a randomised MiniLM gave a micro F1 of .40 on dependencies, and centred and scaled .75."""

    hidden: int = Field(default=256, ge=1)
    """Width of the projection of each span and of the layer between."""

    dropout: float = Field(default=0.3, ge=0, lt=1)

    lr: float = Field(default=5e-3, gt=0, le=1)
    """Learning rate of Adam, at its height."""

    mix_lr: float = Field(default=5e-2, gt=0, le=1)
    """The same for the shares of the layers and γ. A step of Adam moves a parameter by about the rate: in 300
    steps at the other rate the shares could hardly leave the uniform mix that they start from."""

    batch_size: int = Field(default=16, ge=1)
    """Sentences a step; all of their targets are in it."""

    epochs: int = Field(default=12, ge=1)
    """Passes over the training sentences, at the most."""

    schedule: Literal["linear", "plateau"] = "linear"
    """``linear``: the rate falls to 0 over all epochs and the last weights count: dev chooses nothing.
    ``plateau``: the rate is halved when dev does not improve, and the weights of the best epoch count."""

    halve_after: int = Field(default=5, ge=1)
    """With ``plateau``: epochs without a better micro F1 on dev after which the rate is halved."""

    patience: int = Field(default=20, ge=1)
    """With ``plateau``: epochs without a better micro F1 on dev after which training ends."""

    clip: float = Field(default=5.0, gt=0)
    """Largest norm of the gradient."""

    def layer(self, n_layers: int) -> int | None:
        """The layer that is read, of ``n_layers`` with the embeddings counted; None for the mix.

        Raises:
            SettingsError: a layer that does not exist.
        """
        if self.view == "mix":
            return None
        layer = {"top": n_layers - 1, "lexical": 0}.get(str(self.view), self.view)
        check_layer(int(layer), n_layers)
        return int(layer)


RELEASED = ProbeSettings(spread=None, lr=1e-4, mix_lr=1e-4, batch_size=32, epochs=250, schedule="plateau")
"""As jiant trains, where one validation is one epoch here and 100 or 1,000 steps there."""
