"""RSA of 5,000 tokens × 7 layers (384 wide) by ours and by rsatoolbox: time and memory in one run.

    python benchmarks/finetuning_rsa.py [--points 5000] [--layers 7] [--width 384] [--threads 1]

Each arm is a process of its own, so that its peak memory is its own; layers alternate between the two. Both
have the library loaded, for the states come from it. Memory is the peak resident size of the process: what
the method itself takes above the peak before its first layer, and whole, with Python and all that is loaded.
rsatoolbox has no cosine kernel; on rows of mean zero its correlation distance is one minus the cosine, so
both correlate the same numbers, and must agree to 1e-6.

Goals: at least 5 times faster, and at least 5 times smaller in what the method takes.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np

from encoder_atlas.finetuning import rsa

Compare = Callable[[np.ndarray, np.ndarray], float]


def ours() -> Compare:
    return lambda a, b: float(rsa(a[None], b[None])[0])


def rsatoolbox() -> Compare:
    from rsatoolbox.data.dataset import Dataset
    from rsatoolbox.rdm.calc import calc_rdm
    from rsatoolbox.rdm.compare import compare

    def correlate(a: np.ndarray, b: np.ndarray) -> float:
        rdms = [calc_rdm(Dataset(x), method="correlation") for x in (a, b)]
        return float(compare(rdms[0], rdms[1], method="corr").item())  # pyright: ignore[reportArgumentType]

    return correlate


ARMS = {"ours": ours, "rsatoolbox": rsatoolbox}


def states(layer: int, points: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of two models that agree less in higher layers, float32, rows of mean zero."""
    random = np.random.default_rng(layer)
    common = random.normal(size=(points, 20)) @ random.normal(size=(20, width)) + random.normal(size=width)
    both = [common + (1 + layer) * random.normal(size=common.shape) for _ in range(2)]
    a, b = (x - x.mean(axis=1, keepdims=True) for x in both)
    return a.astype(np.float32), b.astype(np.float32)


def peak() -> float:
    """Largest resident size so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def work(arm: str, points: int, width: int) -> None:
    """One arm: reads the numbers of layers, writes what it found and what it cost."""
    compare = ARMS[arm]()
    compare(*states(0, 50, width))  # whatever is loaded or compiled only once
    states(0, points, width)
    before = peak()
    for line in sys.stdin:
        a, b = states(int(line), points, width)
        wall, cpu = time.perf_counter(), time.process_time()
        value = compare(a, b)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        found = {"value": value, "wall": wall, "cpu": cpu, "peak": peak(), "above": peak() - before}
        print(json.dumps(found), flush=True)


def start(arm: str, args: argparse.Namespace) -> subprocess.Popen[str]:
    environment = os.environ | {
        "OMP_NUM_THREADS": str(args.threads),
        "OPENBLAS_NUM_THREADS": str(args.threads),
    }
    command = [
        sys.executable,
        __file__,
        "--arm",
        arm,
        "--points",
        str(args.points),
        "--width",
        str(args.width),
    ]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )


def ask(process: subprocess.Popen[str], layer: int) -> dict[str, float]:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{layer}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=5000)
    parser.add_argument("--layers", type=int, default=7)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--arm", choices=ARMS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.arm:
        work(args.arm, args.points, args.width)
        return
    processes = {arm: start(arm, args) for arm in ARMS}
    found: dict[str, list[dict[str, float]]] = {arm: [] for arm in ARMS}
    for layer in range(args.layers):
        for arm, process in processes.items():
            found[arm].append(ask(process, layer))
        values = [found[arm][-1]["value"] for arm in ARMS]
        print(
            f"layer {layer}: {values[0]:.6f} and {values[1]:.6f}, apart by {abs(values[0] - values[1]):.1e}"
        )
        assert abs(values[0] - values[1]) < 1e-6
    for process in processes.values():
        process.communicate()
    report(found, args)


def report(found: dict[str, list[dict[str, float]]], args: argparse.Namespace) -> None:
    """All layers of each arm, and the ratios."""
    total = {
        arm: {
            "wall": sum(row["wall"] for row in rows),
            "cpu": sum(row["cpu"] for row in rows),
            "peak": rows[-1]["peak"],
            "above": rows[-1]["above"],
        }
        for arm, rows in found.items()
    }
    size = f"{args.points} points × {args.layers} layers × {args.width} features"
    print(f"\n{size}, {args.threads} thread(s) an arm")
    for arm, cost in total.items():
        times = f"{cost['wall']:7.2f} s wall {cost['cpu']:7.2f} s CPU"
        print(f"{arm:11s} {times}   {cost['above']:6.0f} MiB taken, {cost['peak']:6.0f} MiB in all")
    ours, theirs = total["ours"], total["rsatoolbox"]
    speed = f"{theirs['wall'] / ours['wall']:.1f} × faster (wall), {theirs['cpu'] / ours['cpu']:.1f} × (CPU)"
    taken = f"{theirs['above'] / max(ours['above'], 1.0):.0f} × less memory taken"
    print(f"ours: {speed}; {taken}, {theirs['peak'] / ours['peak']:.1f} × less in all")


if __name__ == "__main__":
    main()
