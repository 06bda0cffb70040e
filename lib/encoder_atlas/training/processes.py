"""One fit by several processes, each on a device of its own: batches are shared out, through accelerate."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from torch import distributed
from torch.distributed import FileStore  # pyright: ignore[reportPrivateImportUsage]
from torch.multiprocessing.spawn import spawn

from encoder_atlas.errors import SettingsError
from encoder_atlas.progress import PROGRESS_FILE


def together(work: Callable[..., None], how: Mapping[str, Any], processes: int, device: torch.device) -> None:
    """Call ``work(**how, device=…, main=…)`` in several processes that form one group.

    ``main`` is true in one of them, the one that keeps what was made. On CUDA, process i has device i; on a
    CPU they talk through gloo. The fit within sees the group through accelerate and takes its share of each
    batch.

    Args:
        work: a function that can be imported, not a closure: each process imports it anew.

    Raises:
        SettingsError: for more processes than CUDA devices, and on MPS.
        torch.multiprocessing.ProcessRaisedException: what one of them raised, with its traceback.
    """
    if device.type == "mps" or (device.type == "cuda" and processes > torch.cuda.device_count()):
        have = torch.cuda.device_count() if device.type == "cuda" else 1
        raise SettingsError(f"--processes {processes}: there is a device for {have} only")
    with tempfile.TemporaryDirectory(prefix="atlas-group-") as folder:
        meet = str(Path(folder) / "meeting-place")
        spawn(_member, args=(work, dict(how), processes, device.type, meet), nprocs=processes)


def _member(
    rank: int, work: Callable[..., None], how: dict[str, Any], size: int, kind: str, meet: str
) -> None:
    """One process of the group."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(size), LOCAL_WORLD_SIZE=str(size))
    if sys.platform == "linux":
        # All are on this machine; a guess from the host's name can find no interface.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    if rank > 0:
        os.environ[PROGRESS_FILE] = os.devnull
    torch.set_num_threads(max(1, torch.get_num_threads() // size))
    device = "cpu"
    if kind == "cuda":
        torch.cuda.set_device(rank)
        device = f"cuda:{rank}"
    # A file to meet at, and no port: two fits that start at one moment would choose the same.
    distributed.init_process_group(
        "nccl" if kind == "cuda" else "gloo",
        store=FileStore(meet, size),
        rank=rank,
        world_size=size,
        timeout=timedelta(hours=2),
    )
    try:
        work(**how, device=device, main=rank == 0)
        distributed.barrier()
    finally:
        distributed.destroy_process_group()


def share(index: Sequence[int], rank: int, size: int) -> tuple[Sequence[int], float]:
    """The part of a batch that one process of several takes, and what its mean loss must be multiplied by.

    The group averages gradients over its processes, whatever the sizes of their parts; with these weights
    that average is the gradient of the whole batch's mean. A process for which nothing is left takes the
    first example with weight 0, since all must take part.
    """
    if size == 1:
        return index, 1.0
    own = index[rank::size]
    return (own, len(own) * size / len(index)) if len(own) else (index[:1], 0.0)
