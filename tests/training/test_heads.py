"""Heads have the paper's sizes, begin with a Linear, and differ where the readings do."""

import pytest
import torch
from torch import nn

from encoder_atlas.errors import SettingsError
from encoder_atlas.training import FitSettings, linear_head, mlp_head
from encoder_atlas.training.heads import make_heads


def linears(head: nn.Module) -> list[tuple[int, int]]:
    return [(part.in_features, part.out_features) for part in head.modules() if isinstance(part, nn.Linear)]


def test_sizes_of_the_paper_at_its_width_and_at_half_of_it() -> None:
    assert linears(mlp_head(768, 2)) == [(768, 768), (768, 512), (512, 256), (256, 2)]
    assert linears(mlp_head(384, 3)) == [(384, 384), (384, 256), (256, 128), (128, 3)]


def test_the_readings_differ_in_the_last_relu_only() -> None:
    kinds = {
        last: [type(part).__name__ for part in mlp_head(12, 2, last=last).children()]
        for last in ("relu", "linear")
    }
    assert kinds["relu"] == ["Linear", "ReLU"] * 3 + ["Linear"]
    assert kinds["linear"] == ["Linear", "ReLU"] * 2 + ["Linear", "Linear"]


def test_by_hand() -> None:
    head = mlp_head(2, 1, widths=(1.0,))
    with torch.no_grad():
        for weight, values in zip(
            head.parameters(), ([[1.0, -1], [2, 0]], [0.0, -1], [[3.0, 5]], [0.5]), strict=True
        ):
            weight.copy_(torch.tensor(values))
    # relu(1·1 − 1·4) = 0; relu(2·1 − 1) = 1; 3·0 + 5·1 + 0.5
    assert head(torch.tensor([[1.0, 4]])).item() == 5.5


def test_no_hidden_layers_is_the_linear_head() -> None:
    assert isinstance(mlp_head(8, 2, widths=()), nn.Linear)
    assert isinstance(linear_head(8, 2), nn.Linear)


def test_each_mode_has_its_head_and_each_task_its_classes() -> None:
    labels = {"a": ("x", "y"), "b": ("x", "y", "z")}
    assert linears(make_heads("FT", 6, labels, FitSettings())) == [(6, 2), (6, 3)]
    assert linears(make_heads("PT", 6, labels, FitSettings(mlp_widths=(0.5,)))) == [
        (6, 3),
        (3, 2),
        (6, 3),
        (3, 3),
    ]


@pytest.mark.parametrize("name", ["v1.0", "items", ""])
def test_a_name_that_torch_cannot_take(name: str) -> None:
    with pytest.raises(SettingsError, match="cannot name a head"):
        make_heads("FT", 4, {name: ("x", "y")}, FitSettings())
