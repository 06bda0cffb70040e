"""Maps of ever more points: seconds of each stage, paths walked, rows certified, and peak memory.

Each size runs in a process of its own, so that peak memory is that of one map; the compilation of UMAP, about
ten seconds a process, is done beforehand and not counted. CPU seconds are the steadier number on a busy
machine.

python benchmarks/deepview_scale.py [--head linear|mlp] [--threads 1] [--sharp 4] [--out cost.csv]
    [--sizes 500 1000 2000 5000 10000 20000]
"""

import argparse
import io
import os
import resource
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import pandas as pd
import torch
from threadpoolctl import threadpool_limits
from torch import nn

from encoder_atlas.deepview import DeepViewSettings
from encoder_atlas.deepview.cost import map_cost

DIM = 384
SIZES = [500, 1000, 2000, 5000, 10_000, 20_000]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--head", choices=["linear", "mlp"], default="linear")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sharp", type=float, default=4.0, help="logits times this: how sure the head is")
    parser.add_argument("--lambda", type=float, default=0.8, dest="lambda_")
    parser.add_argument("--out", type=Path, help="also write the table here, as CSV")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        measure(options).to_csv(sys.stdout, index=False)
        return
    print(f"head: {options.head}, λ={options.lambda_}, threads: {options.threads}", flush=True)
    tables = []
    for size in options.sizes:
        tables.append(in_new_process(options, size))
        print(row_of(tables[-1]).to_string(header=size == options.sizes[0]), flush=True)
        if options.out:
            pd.concat(tables).to_csv(options.out, index=False)


def in_new_process(options: argparse.Namespace, size: int) -> pd.DataFrame:
    command = [sys.executable, __file__, "--alone", "--sizes", str(size), "--head", options.head]
    command += ["--threads", str(options.threads), "--sharp", str(options.sharp)]
    command += ["--lambda", str(options.lambda_)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return pd.read_csv(io.StringIO(done.stdout))


def measure(options: argparse.Namespace) -> pd.DataFrame:
    torch.set_num_threads(options.threads)
    head = make_head(options.head, options.sharp)
    with threadpool_limits(options.threads):
        map_cost(head, grouped_points(100))
        table = map_cost(
            head, grouped_points(options.sizes[0]), DeepViewSettings(), options.lambda_
        ).to_frame()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return table.assign(peak_gib=peak, threads=options.threads, head=options.head)


def row_of(table: pd.DataFrame) -> pd.DataFrame:
    """One row a size: wall (CPU) seconds of each stage, paths walked, rows certified, memory."""
    row = {
        stage: f"{wall:.1f} ({cpu:.1f})"
        for stage, wall, cpu in zip(table["stage"], table["seconds"], table["cpu_seconds"], strict=True)
    }
    row["all"] = f"{table['seconds'].sum():.1f} ({table['cpu_seconds'].sum():.1f})"
    one = table.iloc[0]
    row |= {
        "walked": f"{one['walked_share']:.2%}",
        "certified": f"{one['certified_share']:.0%}",
        "peak GiB": f"{one['peak_gib']:.2f}",
        "Q_kNN": f"{one['q_knn']:.3f}",
        "Q_data": f"{one['q_data']:.3f}",
    }
    return pd.DataFrame({name: f"{text:>16}" for name, text in row.items()}, index=[f"{one['points']:6}"])


def make_head(kind: str, sharp: float) -> nn.Module:
    torch.manual_seed(0)
    layers: list[nn.Module] = [nn.Linear(DIM, 2)]
    if kind == "mlp":
        layers = [nn.Linear(DIM, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2)]
    with torch.no_grad():
        for weights in layers[-1].parameters():
            weights *= sharp
    return nn.Sequential(*layers)


def grouped_points(n_points: int) -> np.ndarray:
    """Points like representations of texts: ten loose groups, each value in (-1, 1)."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, DIM))
    return np.tanh(centres[rng.integers(0, 10, n_points)] + rng.normal(size=(n_points, DIM)))


if __name__ == "__main__":
    main()
