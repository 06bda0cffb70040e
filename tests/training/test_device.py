"""Devices by name, precision by device, and no trace left in accelerate or in torch's random numbers."""

import pytest
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from encoder_atlas.errors import SettingsError
from encoder_atlas.training import choose_device, choose_precision
from encoder_atlas.training.device import accelerator_on, seeded

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def machine(
    monkeypatch: pytest.MonkeyPatch, *, cuda: bool = False, mps: bool = False, bf16: bool = False
) -> None:
    """Pretend to be a machine with these devices."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: int(cuda))
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: bf16)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "chosen"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")]
)
def test_auto_takes_cuda_then_mps_then_cpu(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, chosen: str
) -> None:
    machine(monkeypatch, cuda=cuda, mps=mps)
    assert choose_device("auto").type == chosen
    assert choose_device("cpu").type == "cpu"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cuda", "usable: cpu"),
        ("mps", "device=auto"),
        ("gpu", "no device is called 'gpu'"),
        ("cude", "did you mean 'cuda'"),
        ("cuda:x", "no device is called 'cuda:x'"),
    ],
)
def test_names_what_is_wrong_with_a_device(monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    machine(monkeypatch)
    with pytest.raises(SettingsError, match=message):
        choose_device(name)


def test_a_second_cuda_device_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, cuda=True)
    assert choose_device("cuda:0") == torch.device("cuda:0")
    with pytest.raises(SettingsError, match="1 CUDA device"):
        choose_device("cuda:1")


def test_bf16_where_it_is_quick_and_an_error_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, cuda=True, bf16=True)
    assert choose_precision("auto", CUDA) == "bf16"
    assert choose_precision("auto", CPU) == "fp32"
    assert choose_precision("bf16", CPU) == "bf16"
    machine(monkeypatch, cuda=True, bf16=False)
    assert choose_precision("auto", CUDA) == "fp32"
    assert choose_precision("fast", torch.device("mps")) == "fp32"
    for able, expected in ((True, "bf16"), (False, "fp32")):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda able=able: {"avx512_bf16": able})
        assert choose_precision("fast", CPU) == expected
        assert choose_precision("auto", CPU) == "fp32"
    for device in (CUDA, torch.device("mps")):
        with pytest.raises(SettingsError, match=f"bf16 is not supported on {device.type}"):
            choose_precision("bf16", device)


def test_one_fit_after_another_may_change_precision_and_a_callers_state_survives() -> None:
    theirs = Accelerator(cpu=True, mixed_precision="no")
    for precision, expected in (("bf16", "bf16"), ("fp32", "no")):
        with accelerator_on(CPU, precision) as accelerator:
            assert accelerator.mixed_precision == expected
            assert accelerator.device.type == "cpu"
    assert theirs.mixed_precision == "no"
    AcceleratorState._reset_state(reset_partial_state=True)


def test_seeded_draws_alike_and_leaves_the_generator_as_it_was() -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    with seeded(1, CPU):
        first = torch.rand(3)
    assert torch.equal(torch.rand(3), expected)
    with seeded(1, CPU):
        assert torch.equal(torch.rand(3), first)
