"""Discriminative distances: ours against an implementation that costs what the released code costs.

The released algorithm, written anew from its description: row by row over the points; a path of n + 1
segments between the row's point and every later one; both ends of every segment predicted, each through the
whole head, in batches of 64 that never span rows; divergences on float64 probabilities. Ours is asked for the
same n + 1 segments. Both run in this process in turn, so a busy machine slows both; CPU seconds are the
steadier ratio.

    python benchmarks/deepview_distance.py [--points 500] [--rounds 2] [--threads 1] [--head linear]
"""

import argparse
import gc
import itertools
import os
import time
from collections.abc import Callable

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from torch import nn

from encoder_atlas.deepview import as_classifier, discriminative_distance

N = 10
BATCH = 64
EPS = 1e-10

Predict = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--head", default="", help="only heads whose name begins so: MLP or linear")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    heads = {
        "MLP 384-256-128-2": (384, nn.Sequential(*_relu_layers(384, 256, 128), nn.Linear(128, 2))),
        "MLP 768-512-256-2": (768, nn.Sequential(*_relu_layers(768, 512, 256), nn.Linear(256, 2))),
        "linear 768-2": (768, nn.Linear(768, 2)),
    }
    print(f"N={options.points}, n={N} ({N + 1} segments), torch threads: {options.threads}")
    for name, (dim, head) in heads.items():
        if not name.startswith(options.head):
            continue
        compare(name, head.eval(), dim, options.points, options.rounds)


def compare(name: str, head: nn.Module, dim: int, n_points: int, rounds: int) -> None:
    """Time both on the same points, in turn, and print the ratio of each round's times."""
    points = np.tanh(np.random.default_rng(0).normal(size=(n_points, dim)))
    classifier = as_classifier(head)
    released_distances(predictor(head), points[:8])
    discriminative_distance(classifier, points[:8], N + 1)
    for _ in range(rounds):
        theirs, their_wall, their_cpu = timed(lambda: released_distances(predictor(head), points))
        ours, our_wall, our_cpu = timed(lambda: discriminative_distance(classifier, points, N + 1))
        print(
            f"{name:18} released {their_wall:7.2f} s ({their_cpu:6.2f} CPU)   ours {our_wall:6.3f} s "
            f"({our_cpu:6.3f} CPU)   ratio {their_wall / our_wall:6.1f} ({their_cpu / our_cpu:6.1f} CPU)   "
            f"largest difference {np.abs(theirs - ours).max():.1e} of {ours.max():.2f}"
        )


def released_distances(predict: Predict, points: np.ndarray) -> np.ndarray:
    """Path distances as the released code pays for them."""
    distances = np.zeros((len(points), len(points)))
    for row, point in enumerate(points[:-1]):
        distances[row, row + 1 :] = released_row(predict, point, points[row + 1 :])
    return distances + distances.T


def released_row(predict: Predict, point: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Distances of one point to others: two predictions for every segment of every path."""
    t = np.arange(N + 2)[None, :, None] / (N + 1)
    before = t[:, :-1] * point + (1 - t[:, :-1]) * others[:, None]
    after = t[:, 1:] * point + (1 - t[:, 1:]) * others[:, None]
    p = in_batches(predict, before.reshape(-1, len(point)))
    q = in_batches(predict, after.reshape(-1, len(point)))
    return released_js(p, q).reshape(len(others), N + 1).sum(axis=1)


def in_batches(predict: Predict, rows: np.ndarray) -> np.ndarray:
    return np.concatenate([predict(rows[at : at + BATCH]) for at in range(0, len(rows), BATCH)]).astype(float)


def released_js(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Root of the Jensen-Shannon divergence in nats, logarithms guarded by a small constant."""
    p, q, m = p + EPS, q + EPS, (p + q) / 2 + EPS
    divergence = ((p * np.log(p / m)).sum(axis=1) + (q * np.log(q / m)).sum(axis=1)) / 2
    return np.sqrt(divergence.clip(0))


def predictor(head: nn.Module) -> Predict:
    """What the released code's README tells users to write around a torch model."""

    def predict(rows: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return torch.softmax(head(torch.from_numpy(rows).float()), dim=-1).numpy()

    return predict


def timed(work: Callable[[], np.ndarray]) -> tuple[np.ndarray, float, float]:
    """The result, wall seconds and CPU seconds of all threads; garbage collection waits, as in timeit."""
    gc.collect()
    gc.disable()
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    gc.enable()
    return result, wall, cpu


def _relu_layers(*sizes: int) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for size_in, size_out in itertools.pairwise(sizes):
        layers += [nn.Linear(size_in, size_out), nn.ReLU()]
    return layers


if __name__ == "__main__":
    main()
