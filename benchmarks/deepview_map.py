"""A whole map of many points, from distances to background: seconds for each stage and peak memory.

python benchmarks/deepview_map.py [--points 5000] [--head linear|mlp] [--threads 2]
"""

import argparse
import importlib
import os
import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import nn

from encoder_atlas.deepview import DeepView, DeepViewSettings
from encoder_atlas.deepview import view as view_module

HEADS = {
    "linear": lambda: nn.Linear(384, 2),
    "mlp": lambda: nn.Sequential(
        nn.Linear(384, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=5000)
    parser.add_argument("--head", choices=sorted(HEADS), default="linear")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    view = DeepView(HEADS[options.head](), DeepViewSettings())
    print(f"N={options.points}, head: {options.head}, threads: {options.threads}")
    with threadpool_limits(options.threads), timed("whole map"):
        with timed("  import of umap"):
            importlib.import_module("umap")
        with timed("  distances"):
            view.fit(grouped_points(options.points), show_progress=False)
        with timed("  UMAP, inverse maps, background"), parts_timed():
            frame = view.frame(0.8)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory {peak:.2f} GiB; Q_kNN {frame.q_knn:.3f}, Q_data {frame.q_data:.3f}")


def grouped_points(n_points: int) -> np.ndarray:
    """Points like representations of texts: ten loose groups in 384 dimensions, each value in (-1, 1)."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, 384))
    return np.tanh(centres[rng.integers(0, 10, n_points)] + rng.normal(size=(n_points, 384)))


@contextmanager
def parts_timed() -> Iterator[None]:
    """Time the steps that a frame is made of, where the view calls them."""
    with ExitStack() as stack:
        for name in ("blend", "embed", "InverseMap", "draw_background", "classes_at", "q_knn", "q_data"):
            step = timed(f"    {name}")(getattr(view_module, name))
            stack.enter_context(mock.patch.object(view_module, name, step))
        yield


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Print the wall seconds, and the CPU seconds of all threads, that a stage took."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    print(f"{name:32} {time.perf_counter() - wall:7.1f} s ({time.process_time() - cpu:7.1f} CPU)", flush=True)


if __name__ == "__main__":
    main()
