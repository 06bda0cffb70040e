"""Steps of the constituency decoder on sentences of equal length, and how fast it reads out trees.

    python benchmarks/tree_crf.py [--batch 64] [--words 30] [--threads 2] [--width 384] [--labels 109]

Goal: a training step of the decoder (scores, tree CRF and labels, forward and back, and the optimizer) on 64
sentences of 30 words within 1 s on 2 cores. The encoder is not in the step: vectors of words are drawn.
"""

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

from encoder_atlas.text.layers import Sentence, Span, Tree
from encoder_atlas.training.decoders import ConstituentDecoder, DecoderSettings, TreeCRF
from encoder_atlas.training.decoders.binary import NONE


def seconds(run: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Medians of wall and of CPU time (of all threads) after one run that does not count."""
    run()
    taken = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    walls, cpus = zip(*taken, strict=True)
    return statistics.median(walls), statistics.median(cpus)


def branching(number: int, words: int, labels: int) -> Sentence:
    """A sentence whose phrases all begin a word later than the one around them."""
    spans = tuple(Span(i, words, f"L{(number + i) % labels}") for i in range(words - 1))
    return Sentence(str(number), ("w",) * words, tree=Tree(spans, ("XX",) * words))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--words", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--width", type=int, default=384, help="of the vectors of words: MiniLM's")
    parser.add_argument("--labels", type=int, default=109, help="as many as EWT has, chains joined")
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    names = [NONE, *(f"L{i}" for i in range(args.labels - 1))]
    decoder = ConstituentDecoder(args.width, names, DecoderSettings())
    optimizer = torch.optim.AdamW(decoder.parameters(), fused=True)
    vectors = torch.randn(args.batch, args.words, args.width, requires_grad=True)
    mask = torch.ones(args.batch, args.words, dtype=torch.bool)
    sentences = [branching(number, args.words, args.labels - 1) for number in range(args.batch)]
    scores = torch.randn(args.batch, args.words + 1, args.words + 1)
    crf = TreeCRF(scores, mask.sum(dim=1))

    def step() -> None:
        decoder.loss(vectors, mask, decoder.targets(sentences)).backward()
        optimizer.step()
        optimizer.zero_grad()

    times = {"training step": seconds(step, args.repeats)}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    decoder.eval()
    times |= {
        "decoding, all of it": seconds(lambda: decoder.decode(vectors, mask), args.repeats),
        "tree CRF: marginals": seconds(crf.marginals, args.repeats),
        "tree CRF: best tree": seconds(crf.best, args.repeats),
        "tree CRF: least risk": seconds(crf.least_risk, args.repeats),
    }
    print(
        f"{args.batch} sentences of {args.words} words, {args.labels} labels, "
        f"{torch.get_num_threads()} thread(s), torch {torch.__version__}"
    )
    for name, (wall, cpu) in times.items():
        rate = f"{args.batch / wall:8.0f} sentences/s"
        print(f"{name:22s} {1000 * wall:8.1f} ms wall {1000 * cpu:8.1f} ms CPU {rate}")
    print(f"peak memory of the process after training: {memory:.0f} MiB")


if __name__ == "__main__":
    main()
