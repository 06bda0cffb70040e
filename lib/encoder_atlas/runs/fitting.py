"""How a model that the store lacks is fitted: in this process, or by several that share each batch."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from encoder_atlas.encoders import Encoder
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, fit, together


def save_fit(
    folder: Path, encoder: Encoder, tasks: Sequence[Task], settings: FitSettings, *, main: bool, **how: Any
) -> None:
    """What ``training.fit`` gives, kept in ``folder`` by the ``main`` one of the processes that fit it."""
    made = fit(encoder, tasks, settings, **how)
    if main:
        made.save(folder)


def fit_together(
    work: Callable[..., None], how: Mapping[str, Any], processes: int, device: torch.device
) -> None:
    """Call ``work(**how, device=…, main=…)`` here, or in several processes at once (see `together`).

    ``how`` holds the encoder, which goes to the other processes as a copy in memory that all of them see.
    """
    if processes == 1:
        return work(**how, device=str(device), main=True)
    encoder: Encoder = how["encoder"]
    shared = replace(encoder, model=copy.deepcopy(encoder.model).cpu())
    return together(work, {**how, "encoder": shared}, processes, device)
