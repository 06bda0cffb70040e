"""Where training runs and in which precision: nothing else in the package names a device."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from accelerate import Accelerator, DataLoaderConfiguration, DistributedDataParallelKwargs
from accelerate.state import AcceleratorState, PartialState

from encoder_atlas.errors import SettingsError, near

DEVICE_TYPES = ("cuda", "mps", "cpu")


def choose_device(name: str = "auto") -> torch.device:
    """The device a reader means: ``auto`` takes CUDA, then MPS, then the CPU.

    Raises:
        SettingsError: for a name other than auto, cuda, cuda:1 (and so on), mps or cpu, and for a device
            that this machine lacks.
    """
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(kind for kind in DEVICE_TYPES if available[kind]))
    kind, _, index = name.partition(":")
    if kind not in DEVICE_TYPES or (":" in name and not index.isdecimal()):
        raise SettingsError(f"no device is called {name!r}; {near(kind, ['auto', *DEVICE_TYPES])}")
    if not available[kind]:
        usable = ", ".join(known for known in DEVICE_TYPES if available[known])
        raise SettingsError(f"device={name} is not available here (usable: {usable}): use device=auto")
    if kind == "cuda" and index and int(index) >= torch.cuda.device_count():
        raise SettingsError(f"device={name}: this machine has {torch.cuda.device_count()} CUDA device(s)")
    return torch.device(name)


def choose_precision(precision: str, device: torch.device) -> str:
    """``fp32`` or ``bf16`` for training on ``device``; ``auto`` is bf16 on a CUDA device that has it.

    On a CPU bf16 is quick only where the processor has instructions for it: ``fast`` takes it there, and else
    does as ``auto``. (``auto`` does not, so that a CPU gives the same numbers as any other but for rounding.)

    Raises:
        SettingsError: if bf16 is asked for and the device cannot do it.
    """
    on_cuda = device.type == "cuda"
    able = torch.cuda.is_bf16_supported(including_emulation=False) if on_cuda else device.type == "cpu"
    if precision in ("auto", "fast"):
        quick = on_cuda or (precision == "fast" and _multiplies_bf16())
        return "bf16" if quick and able else "fp32"
    if precision == "bf16" and not able:
        raise SettingsError(f"precision=bf16 is not supported on {device}: use precision=fp32 or auto")
    return precision


def _multiplies_bf16() -> bool:
    """Whether the processor has instructions for products of bf16 numbers."""
    found = torch.cpu.get_capabilities()
    return any(found.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))


@contextmanager
def accelerator_on(device: torch.device, precision: str) -> Iterator[Accelerator]:
    """An ``Accelerator`` for one fit.

    Accelerate keeps one state a process and refuses a second device or precision. Each fit has its own
    here, and a state that a caller made before is given back untouched.
    """
    states = (AcceleratorState._shared_state, PartialState._shared_state)
    before = [dict(state) for state in states]
    for state in states:
        state.clear()
    try:
        yield Accelerator(
            cpu=device.type == "cpu",
            mixed_precision="bf16" if precision == "bf16" else "no",
            device_placement=False,
            # Of several processes each takes a part of a batch, and heads of other tasks are left unused.
            dataloader_config=DataLoaderConfiguration(split_batches=True),
            kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
        )
    finally:
        for state, values in zip(states, before, strict=True):
            state.clear()
            state.update(values)


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Torch's random numbers start at ``seed`` inside, and go on outside as if none had been drawn.

    (On MPS, whose generator cannot be read, only the first half holds.)
    """
    on_cuda = device.type == "cuda"
    with torch.random.fork_rng(devices=[device] if on_cuda else []):
        # torch.manual_seed would also reset the generators of devices that are not ours.
        torch.default_generator.manual_seed(seed)
        if on_cuda:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        elif device.type == "mps":
            torch.mps.manual_seed(seed)
        yield
