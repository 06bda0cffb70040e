"""Impossible settings are refused when they are made."""

import math
from typing import Any

import pytest
from pydantic import ValidationError

from encoder_atlas.training import FitSettings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lr_encoder", math.nan),
        ("lr_head", math.inf),
        ("lr_head", 0.0),
        ("epochs", 0),
        ("batch_size", 0),
        ("warmup", 1.0),
        ("clip", 0.0),
        ("clip", math.nan),
        ("dropout", 1.0),
        ("mlp_widths", (0.5, math.nan)),
        ("precision", "fp16"),
        ("pooling", "max"),
        ("patience", 0),
        ("sampling_power", 1.5),
        ("balance", "mean"),
        ("word_dropout", 1.0),
        ("lr", 1e-3),
    ],
)
def test_refuses(name: str, value: Any) -> None:
    with pytest.raises(ValidationError, match=name):
        FitSettings(**{name: value})


def test_patience_needs_the_best_weights() -> None:
    with pytest.raises(ValidationError, match="keep='best'"):
        FitSettings(patience=1, keep="last")


def test_a_power_of_sizes_needs_proportional_sampling() -> None:
    assert FitSettings(sampling="proportional", sampling_power=0.8).sampling_power == 0.8
    for sampling in ("once", "annealed"):
        with pytest.raises(ValidationError, match=f"sampling='{sampling}'"):
            FitSettings(sampling=sampling, sampling_power=0.8)


def test_settings_survive_json() -> None:
    settings = FitSettings(patience=2, mlp_widths=(0.5,), clip=None)
    assert FitSettings.model_validate_json(settings.model_dump_json()) == settings
