"""Fit an encoder to one task or several."""

from collections.abc import Sequence
from typing import cast, get_args

import pandas as pd
import torch
from torch import nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import SettingsError, near
from encoder_atlas.text import Task
from encoder_atlas.training.device import accelerator_on, choose_device, choose_precision, seeded
from encoder_atlas.training.examples import Examples, TextBody
from encoder_atlas.training.fitted import FittedModel
from encoder_atlas.training.heads import head_loss, make_heads
from encoder_atlas.training.loop import Hook, Loop, Record, TaskNet, learning_copy, learnt
from encoder_atlas.training.scores import measure, predictions
from encoder_atlas.training.settings import FitSettings, Mode


def fit(
    encoder: Encoder,
    tasks: Sequence[Task],
    settings: FitSettings | None = None,
    *,
    mode: str,
    seed: int = 0,
    device: str = "auto",
    heads: nn.ModuleDict | None = None,
    hook: Hook | None = None,
) -> FittedModel:
    """Fit heads (mode "PT") or the encoder with its heads (mode "FT") on the train splits of ``tasks``.

    PT, "pre-trained": the encoder is frozen and in eval mode; its representations are computed once, and
    an MLP head a task learns on them. FT, "fine-tuned": a copy of the encoder learns, with one linear head a
    task. Either way ``encoder`` keeps its weights; PT moves it to the device.

    FT of several tasks is the paper's MT, "all tasks simultaneously and shuffled": every text of every task
    once an epoch, in batches of one task each, all in random order, so that a task weighs by its size. (The
    released code may mix tasks in a batch and averages their losses.)

    Tasks have classes or scores (see ``head_loss``), also beside each other.

    On one machine and thread count the same arguments give the same bits. Random numbers drawn before do
    not matter, and those drawn after are not disturbed. The dev splits choose the epoch whose weights are
    kept (``settings.keep``), so the kept score is slightly too good; ``history`` has every epoch's.

    Args:
        heads: the weights from which heads start, by task; a task without one starts anew. With them and the
            encoder of a fitted model, its training goes on.
        hook: what steps into the fit, as head-wise training does.

    Raises:
        SettingsError: for an unknown mode or device, a precision that the device lacks, no task, two tasks
            of one name or one that cannot name a head, a task with answers, more ``frozen_layers`` than
            there are, and if the loss stops being a number.
    """
    settings = settings or FitSettings()
    _check_request(tasks, mode)
    target = choose_device(device)
    if mode == "FT":
        encoder = learning_copy(encoder, settings, target)
    fitted, history = _train(
        encoder.to(target), tasks, settings, mode, seed, target, heads or nn.ModuleDict(), hook or Hook()
    )
    if mode == "FT":
        encoder = learnt(encoder)
    return FittedModel(
        encoder=encoder,
        heads=fitted.cpu(),
        settings=settings,
        mode=cast(Mode, mode),
        seed=seed,
        label_names={task.name: task.label_names for task in tasks},
        history=pd.DataFrame(history),
    )


def _train(
    encoder: Encoder,
    tasks: Sequence[Task],
    settings: FitSettings,
    mode: str,
    seed: int,
    device: torch.device,
    start: nn.ModuleDict,
    hook: Hook,
) -> tuple[nn.ModuleDict, list[Record]]:
    """Train heads, and in mode FT the encoder in place; gives the heads and the records of training."""
    precision = choose_precision(settings.precision, device)
    train, dev = (
        {task.name: Examples.of_task(task, split, encoder, settings, mode).to(device) for task in tasks}
        for split in ("train", "dev")
    )
    with seeded(seed, device), accelerator_on(device, precision) as accelerator:
        heads = make_heads(mode, encoder.hidden, {task.name: task.label_names for task in tasks}, settings)
        _start_from(start, heads)
        body = TextBody(encoder, settings.pooling, settings.max_length) if mode == "FT" else nn.Identity()
        loop = Loop(
            net=TaskNet(body, heads, settings.dropout if mode == "FT" else 0.0).to(device),
            train=train,
            evaluate=lambda: dev_records(tasks, dev, encoder, heads, settings, hook),
            settings=settings,
            epochs=settings.epochs if mode == "FT" else settings.frozen_epochs,
            seed=seed,
            accelerator=accelerator,
            stage=f"{mode}: {', '.join(train)}",
            hook=hook,
        )
        return heads, loop.run()


def _check_request(tasks: Sequence[Task], mode: str) -> None:
    if mode not in get_args(Mode):
        raise SettingsError(f"no mode is called {mode!r}; {near(mode, get_args(Mode))}")
    names = [task.name for task in tasks]
    if not names or len(set(names)) < len(names):
        raise SettingsError(f"fit needs at least one task, and no two of one name (got {names})")
    for task in tasks:
        if task.target == "answer":
            raise SettingsError(
                f"task {task.name!r} has answers in a text: heads for classes and scores are what can be "
                "fitted; leave it out"
            )


def _start_from(given: nn.ModuleDict, heads: nn.ModuleDict) -> None:
    for task, head in given.items():
        if task not in heads:
            raise SettingsError(f"a head is given for {task!r}, which is not fitted; {near(task, heads)}")
        try:
            heads[task].load_state_dict(head.state_dict())
        except RuntimeError as error:
            raise SettingsError(f"the head given for {task!r} has another shape: {error}") from None


@torch.no_grad()
def dev_records(
    tasks: Sequence[Task],
    dev: dict[str, Examples],
    encoder: Encoder,
    heads: nn.ModuleDict,
    settings: FitSettings,
    hook: Hook,
) -> list[Record]:
    """Loss and score of each task on dev, without dropout and in fp32."""
    records = []
    for task in tasks:
        part = dev[task.name]
        with hook.forward(task.name):
            logits = heads[task.name](part.rows(encoder, settings).to(part.labels.device))
        loss = head_loss(logits, part.labels).item()
        score = measure(task.metric, task.labels("dev"), predictions(logits.cpu().numpy()))
        common = {"task": task.name, "split": "dev"}
        records += [
            {**common, "measure": "loss", "value": loss},
            {**common, "measure": task.metric, "value": score},
        ]
    return records
