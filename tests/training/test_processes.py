"""Several processes that fit one model do what one does."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, Hook, fit, together
from encoder_atlas.training.loop import Loop
from encoder_atlas.training.processes import share


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """New processes import what they are to do from here."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))


class Gradients(Hook):
    """Keeps every gradient of every step."""

    def __init__(self) -> None:
        self.kept: dict[str, Tensor] = {}

    def begin(self, loop: Loop, optimizer: torch.optim.Optimizer, steps: int) -> None:
        self.loop = loop

    def after_backward(self, task: str) -> None:
        for name, weight in self.loop.net.named_parameters():
            if weight.grad is not None:
                self.kept[f"{self.loop.step}.{name}"] = weight.grad.clone()


def gradients_of_a_fit(
    folder: Path, encoder: Encoder, tasks: list[Task], settings: FitSettings, *, device: str, main: bool
) -> None:
    hook = Gradients()
    fitted = fit(encoder, tasks, settings, mode="FT", seed=3, device=device, hook=hook)
    if main:
        save_file(hook.kept, folder / "gradients.safetensors")
        save_file(
            {name: part.contiguous() for name, part in fitted.heads.state_dict().items()},
            folder / "heads.safetensors",
        )
        fitted.history.to_json(folder / "history.json")


def without_dropout(encoder: Encoder) -> Encoder:
    """The draws of dropout are each process's own, so they cannot be the same."""
    for module in encoder.model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return encoder


def test_gradients_of_two_processes_are_those_of_one(
    tone: Task, tense: Task, encoder: Encoder, tmp_path: Path
) -> None:
    """Batches of 9 leave one example of 64 over: then the second process has nothing of its own."""
    settings = FitSettings(epochs=1, batch_size=9, dropout=0, lr_encoder=1e-4)
    how = {"encoder": without_dropout(encoder), "tasks": [tone, tense], "settings": settings}
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    gradients_of_a_fit(folders[0], **how, device="cpu", main=True)
    together(gradients_of_a_fit, {**how, "folder": folders[1]}, 2, torch.device("cpu"))
    for name in ("gradients", "heads"):
        one, two = (load_file(folder / f"{name}.safetensors") for folder in folders)
        given = {key for key, value in one.items() if value.abs().max() > 0}
        assert given <= two.keys()
        for key in one.keys() & two.keys():
            torch.testing.assert_close(two[key], one[key], rtol=1e-5, atol=1e-5)
    one, two = ((folder / "history.json").read_text() for folder in folders)
    assert len(one) == pytest.approx(len(two), rel=0.1)


@pytest.mark.parametrize("examples", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_weighted_parts_average_to_the_mean_of_the_batch(examples: int, size: int) -> None:
    losses = torch.arange(1.0, examples + 1) ** 2
    index: list[int] = list(range(examples))
    parts = [share(index, rank, size) for rank in range(size)]
    average = sum(weight * losses[list(own)].mean() for own, weight in parts) / size
    assert float(average) == pytest.approx(float(losses.mean()))
    assert sorted(i for own, weight in parts if weight for i in own) == index


def test_more_processes_than_devices_are_refused() -> None:
    with pytest.raises(SettingsError, match="for 1 only"):
        together(gradients_of_a_fit, {}, 2, torch.device("mps"))


def fails(*, device: str, main: bool, **_: Any) -> None:
    raise SettingsError("no such thing")


def test_what_one_process_raises_is_said() -> None:
    with pytest.raises(Exception, match="no such thing"):
        together(fails, {}, 2, torch.device("cpu"))
