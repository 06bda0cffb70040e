"""Partial freezing: what ``frozen_layers`` holds still through a whole fit."""

import pytest
import torch

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, fit

SETTINGS = FitSettings(epochs=2, pooling="mean", weight_decay=0.1, precision="fp32")


@pytest.mark.parametrize("layers", [0, 1, 2])
def test_frozen_weights_are_the_same_bits_and_all_others_moved(tone: Task, layers: int) -> None:
    encoder = load_encoder("tiny:bert")
    before = {name: value.clone() for name, value in encoder.model.state_dict().items()}
    fitted = fit(encoder, [tone], SETTINGS.model_copy(update={"frozen_layers": layers}), mode="FT")
    still = {name for name, value in fitted.encoder.model.state_dict().items() if value.equal(before[name])}
    frozen = ("embeddings.", *(f"encoder.layer.{i}." for i in range(layers)))
    # Mean pooling leaves the pooler without a gradient; key biases have none but for rounding.
    moved = set(before) - {name for name in before if name.startswith(("pooler.", *frozen))}
    assert still >= {name for name in before if name.startswith(frozen)}
    assert not {name for name in still & moved if not name.endswith("key.bias")}
    assert all(weight.requires_grad for weight in fitted.encoder.model.parameters())
    assert all(value.equal(before[name]) for name, value in encoder.model.state_dict().items())


def test_without_the_setting_embeddings_learn(tone: Task) -> None:
    encoder = load_encoder("tiny:bert")
    fitted = fit(encoder, [tone], SETTINGS, mode="FT")
    name = "embeddings.word_embeddings.weight"
    assert not torch.equal(fitted.encoder.model.state_dict()[name], encoder.model.state_dict()[name])


def test_layers_that_the_encoder_lacks_are_refused(tone: Task) -> None:
    with pytest.raises(SettingsError, match="frozen_layers is 3; tiny:bert has 2 layers"):
        fit(load_encoder("tiny:bert"), [tone], FitSettings(frozen_layers=3), mode="FT")
    with pytest.raises(ValueError, match="frozen_layers"):
        FitSettings(frozen_layers=-1)
