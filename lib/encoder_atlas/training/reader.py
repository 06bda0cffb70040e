"""An encoder that reads: it answers questions with a span of a paragraph (SQuAD 1.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field
from torch import nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.training.device import accelerator_on, choose_device, choose_precision, seeded
from encoder_atlas.training.heads import make_heads
from encoder_atlas.training.loop import Hook, Loop, Record, TaskNet, learning_copy, learnt
from encoder_atlas.training.saved import Saved, read_model, write_model
from encoder_atlas.training.scores import measure_answers
from encoder_atlas.training.settings import FitSettings
from encoder_atlas.training.span_net import Questions, TokenBody, answer_tokens, found_answers, span_loss
from encoder_atlas.training.windows import Window, cut_windows

ENDS = ("start", "end")  # the outputs of the head
BATCH = 32  # windows at once where nothing is learnt


class ReaderSettings(BaseModel):
    """How long paragraphs are cut, and how long an answer can be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stride: int | None = Field(
        default=None,
        ge=0,
        description="tokens that neighbouring windows share; None: a third of max_length, as BERT has it",
    )
    longest: int = Field(default=30, ge=1, description="tokens of an answer")


@dataclass(frozen=True, eq=False)
class Reader:
    """What `fit_reader` gives.

    Attributes:
        encoder: on the device it was fitted on.
        heads: one linear head, by the task's name; logits of start and end of an answer; on the CPU.
        settings, reader_settings, seed: how it was fitted.
        history: tidy records of training: epoch, step, task, split, measure, value.
    """

    encoder: Encoder
    heads: nn.ModuleDict
    settings: FitSettings
    reader_settings: ReaderSettings
    seed: int
    history: pd.DataFrame

    def read(self, pairs: Sequence[tuple[str, str]], batch_size: int = BATCH) -> list[str]:
        """The answer to each question, cut from its paragraph: the best span over all windows.

        Args:
            pairs: questions and paragraphs.

        Raises:
            DataError: no pairs, or a question that leaves its paragraph no room.
        """
        (head,) = self.heads.values()
        windows = windows_of(self.encoder, pairs, self.settings, self.reader_settings)
        return found_answers(self.encoder, head, pairs, windows, self.reader_settings.longest, batch_size)

    def answers(self, task: Task, split: str = "dev") -> list[str]:
        """The answers to the questions of a split of ``task``, in row order. Raises as `read` does."""
        return self.read(pairs_of(task, split))

    def score(self, task: Task, split: str = "dev") -> dict[str, float]:
        """Exact match "em" and word "f1", both in [0, 1], by the rules of SQuAD 1.1 (`measure_answers`)."""
        found = self.answers(task, split)
        return {name: measure_answers(name, task.answers(split), found) for name in ("em", "f1")}

    def save(self, folder: Path) -> None:
        """Write the whole reader into ``folder``, new or empty: safetensors and JSON, no pickle.

        Raises:
            StoreError: if the folder holds something.
        """
        describe = partial(
            ReaderDescription,
            seed=self.seed,
            settings=self.settings,
            reader=self.reader_settings,
            task=next(iter(self.heads)),
        )
        write_model(folder, self.encoder, self.heads, self.history, describe)

    @classmethod
    def load(cls, folder: Path) -> "Reader":
        """Read what ``save`` wrote, onto the CPU and without a network; every file is checked.

        Raises:
            EncoderError: if the folder holds no reader, or a file of it is missing, damaged or swapped.
        """
        saved, encoder, heads = read_model(
            folder,
            ReaderDescription,
            lambda saved, hidden: make_heads("FT", hidden, {saved.task: ENDS}, saved.settings),
        )
        return cls(encoder, heads, saved.settings, saved.reader, saved.seed, pd.DataFrame(saved.history))


class ReaderDescription(Saved):
    """What is saved of a `Reader` beside its weights."""

    reader: ReaderSettings
    task: str


def fit_reader(
    encoder: Encoder,
    task: Task,
    settings: FitSettings | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    reader: ReaderSettings | None = None,
    hook: Hook | None = None,
) -> Reader:
    """Fit a copy of ``encoder`` with a linear head to a task with answers; the epoch is chosen on dev.

    As in BERT's own code for SQuAD 1.1: question and paragraph are one row of ``settings.max_length`` tokens;
    a longer paragraph gives several rows, and one that does not hold the whole answer is taught to point to
    its first token; the answer is the span with the highest sum of two logits over all windows. (BERT reads
    384 tokens with a stride of 128.) Same arguments give the same bits on one machine, as in `fit`.

    Raises:
        DataError: a task without answers, or a question that leaves its paragraph no room.
        SettingsError: ``max_length`` or ``frozen_layers`` is more than the encoder has, an unknown device, a
            precision that the device lacks, and if the loss stops being a number.
    """
    settings, reader, hook = settings or FitSettings(), reader or ReaderSettings(), hook or Hook()
    target = choose_device(device)
    precision = choose_precision(settings.precision, target)
    parts = {split: pairs_of(task, split) for split in ("train", "dev")}
    encoder = learning_copy(encoder, settings, target)
    train = windows_of(encoder, parts["train"], settings, reader)
    dev = windows_of(encoder, parts["dev"], settings, reader)

    def evaluate() -> list[Record]:
        with hook.forward(task.name):
            found = found_answers(encoder, heads[task.name], parts["dev"], dev, reader.longest, BATCH)
        scores = {name: measure_answers(name, task.answers("dev"), found) for name in ("em", "f1")}
        common = {"task": task.name, "split": "dev"}
        return [{**common, "measure": name, "value": value} for name, value in scores.items()]

    with seeded(seed, target), accelerator_on(target, precision) as accelerator:
        heads = make_heads("FT", encoder.hidden, {task.name: ENDS}, settings)
        history = Loop(
            net=TaskNet(TokenBody(encoder), heads, settings.dropout).to(target),
            train={task.name: Questions(train, answer_tokens(task, train), encoder)},
            evaluate=evaluate,
            settings=settings,
            epochs=settings.epochs,
            seed=seed,
            accelerator=accelerator,
            stage=f"FT: {task.name}",
            loss=span_loss,
            hook=hook,
        ).run()
    return Reader(learnt(encoder), heads.cpu(), settings, reader, seed, pd.DataFrame(history))


def pairs_of(task: Task, split: str) -> list[tuple[str, str]]:
    """Questions and paragraphs of a split.

    Raises:
        DataError: the task has no answers.
    """
    if task.target != "answer":
        raise DataError(
            f"Task {task.name!r} has no answers in a text: fit it with fit(), which has heads for it."
        )
    return cast(list[tuple[str, str]], task.texts(split))


def windows_of(
    encoder: Encoder, pairs: Sequence[tuple[str, str]], settings: FitSettings, reader: ReaderSettings
) -> list[Window]:
    """The rows of all questions as these settings have them; see `cut_windows`."""
    stride = settings.max_length // 3 if reader.stride is None else reader.stride
    return cut_windows(encoder, pairs, settings.max_length, stride)
