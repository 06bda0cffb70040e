"""The loop against plain PyTorch, its schedule by hand, and what it says when the loss is no number."""

import copy
import math

import pytest
import torch
from torch import nn

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, fit
from encoder_atlas.training.balancing import Balance
from encoder_atlas.training.examples import Examples, TextBody, representations, subset
from encoder_atlas.training.loop import Best, TaskNet, make_optimizer
from encoder_atlas.training.mixing import mixed_batches


def literal_rate(step: int, steps: int, warmup: float) -> float:
    """Share of the peak rate at a step counted from 0: up to the peak, then down to 0, on straight lines."""
    rising = int(warmup * steps)
    return step / rising if step < rising else (steps - step) / (steps - rising)


def literal_fit(
    encoder: Encoder, tasks: list[Task], settings: FitSettings, seed: int
) -> tuple[nn.Module, dict[str, nn.Linear]]:
    """What ``fit`` does in mode FT, written out in plain PyTorch."""
    model = copy.deepcopy(encoder.model)
    parts = {task.name: Examples.of_task(task, "train", encoder, settings, "FT") for task in tasks}
    texts = {task.name: task.texts("train") for task in tasks}
    torch.manual_seed(seed)
    heads = {task.name: nn.Linear(encoder.hidden, len(task.label_names)) for task in tasks}
    weights = [*model.parameters(), *(weight for head in heads.values() for weight in head.parameters())]
    peaks = [settings.lr_encoder] * len(list(model.parameters())) + [settings.lr_head] * 2 * len(heads)
    groups = [
        {"params": [weight], "lr": peak, "weight_decay": settings.weight_decay if weight.ndim > 1 else 0.0}
        for weight, peak in zip(weights, peaks, strict=True)
    ]
    optimizer = torch.optim.AdamW(groups, fused=False, foreach=False)
    epochs = range(1, settings.epochs + 1)
    lengths = {name: part.lengths for name, part in parts.items()}
    batches = [
        batch for epoch in epochs for batch in mixed_batches(lengths, settings.batch_size, seed, epoch)
    ]
    past: dict[str, list[float]] = {}
    model.train()
    for step, (name, index) in enumerate(batches):
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * literal_rate(step, len(batches), settings.warmup)
        tokens = encoder.tokenize(subset(texts[name], index), settings.max_length)
        rows = nn.functional.dropout(model(**tokens).last_hidden_state[:, 0], settings.dropout)
        log_probabilities = heads[name](rows).log_softmax(dim=1)
        loss = -log_probabilities[range(len(index)), parts[name].labels[index]].mean()
        past.setdefault(name, []).append(loss.item())
        averages = {task: sum(own[-5:]) / len(own[-5:]) for task, own in past.items()}
        balance = sum(averages.values()) / averages[name] if settings.balance == "running" else 1.0
        gradients = torch.autograd.grad(balance * loss, weights, allow_unused=True)
        norm = math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients if gradient is not None))
        scale = min(1.0, (settings.clip or math.inf) / (norm + 1e-6))
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = None if gradient is None else gradient * scale
        optimizer.step()
    return model, heads


@pytest.mark.parametrize(("clip", "balance"), [(None, "none"), (0.1, "none"), (None, "running")])
def test_equals_plain_pytorch_with_dropout_on(
    tone: Task, tense: Task, encoder: Encoder, clip: float | None, balance: Balance
) -> None:
    settings = FitSettings(
        epochs=2, batch_size=16, max_length=24, warmup=0.3, clip=clip, keep="last", balance=balance
    )
    fitted = fit(encoder, [tone, tense], settings, mode="FT", seed=3, device="cpu")
    model, heads = literal_fit(encoder, [tone, tense], settings, seed=3)
    for name, weight in fitted.encoder.model.state_dict().items():
        if name.endswith("key.bias"):
            continue  # softmax cancels it: its gradient is rounding noise, which Adam blows up to full steps
        torch.testing.assert_close(weight, model.state_dict()[name], atol=1e-6, rtol=0)
    for name, head in heads.items():
        torch.testing.assert_close(fitted.head(name).state_dict(), head.state_dict(), atol=1e-6, rtol=0)


def test_the_twins_schedule_by_hand() -> None:
    rates = [literal_rate(step, steps=5, warmup=0.4) for step in range(5)]
    assert rates == pytest.approx([0, 1 / 2, 1, 2 / 3, 1 / 3])


@pytest.mark.parametrize("weight_decay", [0.0, 0.01])
def test_every_weight_has_one_group_and_its_rate(encoder: Encoder, weight_decay: float) -> None:
    settings = FitSettings(weight_decay=weight_decay)
    heads = nn.ModuleDict({"tone": nn.Linear(encoder.hidden, 2)})
    net = TaskNet(TextBody(encoder, "cls", 24), heads, dropout=0.0)
    groups = make_optimizer(net, settings).param_groups
    owner = {id(weight): group for group in groups for weight in group["params"]}
    assert len(owner) == sum(len(group["params"]) for group in groups) == len(list(net.parameters()))
    for name, weight in net.named_parameters():
        assert owner[id(weight)]["lr"] == (
            settings.lr_head if name.startswith("heads") else settings.lr_encoder
        )
        decayed = not name.endswith("bias") and "LayerNorm" not in name
        assert owner[id(weight)]["weight_decay"] == (weight_decay if decayed else 0)


def test_batches_hold_each_example_once_from_one_task_and_mix_the_tasks() -> None:
    parts = {"a": range(70), "b": range(33)}
    batches = list(mixed_batches(parts, 8, seed=0, epoch=1))
    for name, n in (("a", 70), ("b", 33)):
        assert sorted(i for task, batch in batches if task == name for i in batch) == list(range(n))
    order = [task for task, _ in batches]
    assert order not in (sorted(order), sorted(order, reverse=True))
    assert batches == list(mixed_batches(parts, 8, seed=0, epoch=1))
    assert batches != list(mixed_batches(parts, 8, seed=0, epoch=2))
    assert batches != list(mixed_batches(parts, 8, seed=1, epoch=1))


def test_representations_keep_the_order_and_equal_one_text_at_a_time(tone: Task, encoder: Encoder) -> None:
    texts = tone.split("train")["text"].tolist()[:9]
    encoder.model.train()
    rows = representations(encoder, texts, pooling="mean", max_length=24, batch_size=4)
    assert encoder.model.training
    encoder.model.eval()
    for text, row in zip(texts, rows, strict=True):
        with torch.no_grad():
            alone = encoder.model(**encoder.tokenize([text], 24)).last_hidden_state[0].mean(dim=0)
        torch.testing.assert_close(row, alone, atol=1e-5, rtol=0)


def test_best_keeps_a_copy_of_the_first_best_weights() -> None:
    net, best = nn.Linear(1, 1, bias=False), Best()
    for value, score in ((1.0, 0.5), (2.0, 0.7), (3.0, 0.7), (4.0, 0.6)):
        nn.init.constant_(net.weight, value)
        best.offer(score, net)
    assert best.weights["weight"].item() == 2.0
    assert (best.score, best.epochs_since) == (0.7, 2)


def test_a_loss_that_is_no_number_is_named(tone: Task) -> None:
    broken = load_encoder("tiny:bert")
    with torch.no_grad():
        next(broken.model.parameters()).fill_(math.nan)
    settings = FitSettings(max_length=24, lr_encoder=2e-4)
    with pytest.raises(
        SettingsError, match=r"loss of task 'tone' is nan at step 1 \(lr_encoder=0.0002, lr_head"
    ):
        fit(broken, [tone], settings, mode="FT", device="cpu")
