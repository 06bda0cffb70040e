"""Eq. (4) against one sample at a time, against finite differences, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from encoder_atlas.encoders import TINY, Encoder, HeadGates, load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.importance import (
    GatedNet,
    gate_gradients,
    head_importance,
    task_gradients,
)
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel, linear_head
from encoder_atlas.training.examples import subset

TEXTS = ["Short.", "A much longer sentence about very little.", "No.", "Something in between, perhaps."]
LABELS = np.array([0, 1, 1, 0])


def net_of(encoder: Encoder, dropout: float | None = None) -> GatedNet:
    torch.manual_seed(0)
    pooling = "last" if encoder.family.causal else "cls"
    return GatedNet(encoder, linear_head(encoder.hidden, 2).to(encoder.model.dtype), pooling, 24, dropout)


def loss_of(net: GatedNet, text: str, label: int, gates: torch.Tensor) -> torch.Tensor:
    with HeadGates(net.encoder) as hooks:
        hooks.set(gates)
        return cross_entropy(net.outputs([text]), torch.tensor([label]))


def one_at_a_time(net: GatedNet) -> np.ndarray:
    """The slow literal twin: a backward pass for every sample, without padding."""
    rows = []
    for text, label in zip(TEXTS, LABELS, strict=True):
        gates = torch.ones(net.encoder.n_layers, net.encoder.n_heads, dtype=net.encoder.model.dtype)
        gates.requires_grad_(True)
        loss_of(net, text, label, gates).backward()
        assert gates.grad is not None
        rows.append(gates.grad.numpy())
    return np.stack(rows)


@pytest.mark.parametrize("kind", TINY)
def test_one_backward_pass_equals_one_sample_at_a_time_in_every_family(kind: str) -> None:
    net = net_of(load_encoder(f"tiny:{kind}"))
    expected = one_at_a_time(net)
    assert np.abs(expected).min() > 0
    for batch_size in (1, 3, 4):
        found = gate_gradients(net, TEXTS, LABELS, batch_size=batch_size)
        np.testing.assert_allclose(found.samples, expected, atol=2e-6)


@pytest.mark.parametrize("per_token", [False, True])
def test_of_scores_it_is_the_gradient_of_every_texts_squared_error(per_token: bool) -> None:
    encoder = load_encoder("tiny:bert")
    torch.manual_seed(0)
    net = GatedNet(encoder, linear_head(encoder.hidden, 1), "mean", 24)
    scores, expected = np.array([0.2, 4.6, 2.5, 3.8]), []
    for text, score in zip(TEXTS, scores, strict=True):
        gates = torch.ones(2, 2, requires_grad=True)
        with HeadGates(encoder) as hooks:
            hooks.set(gates)
            ((net.outputs([text])[0, 0] - score) ** 2).backward()
        assert gates.grad is not None
        expected.append(gates.grad.numpy())
    assert np.abs(expected).min() > 0
    for batch_size in (1, 3, 4):
        found = gate_gradients(net, TEXTS, scores, batch_size=batch_size, per_token=per_token)
        np.testing.assert_allclose(found.samples, expected, atol=5e-6)


def test_derivatives_against_finite_differences_in_float64() -> None:
    encoder = load_encoder("tiny:bert")
    encoder.model.double()
    net, step = net_of(encoder), 1e-5
    found = gate_gradients(net, TEXTS, LABELS).samples
    with torch.no_grad():
        for layer, head in np.ndindex(2, 2):
            gates = torch.ones(2, 2, 2, dtype=torch.float64)  # up or down, layer, head
            gates[:, layer, head] += step * torch.tensor([1, -1])
            for row, text in enumerate(TEXTS):
                up, down = (loss_of(net, text, LABELS[row], gate).item() for gate in gates)
                assert found[row, layer, head] == pytest.approx((up - down) / (2 * step), rel=2e-5, abs=1e-9)


def test_by_hand_where_the_context_adds_to_one_logit() -> None:
    """The last layer's gate of a head scales what the head adds; if nothing follows, so does the logit.

    With ⟨w, x + ξ·c⟩ the logit of class 1 and 0 that of class 0, dL/dξ = (p - y)·⟨w, c⟩.
    """
    context = torch.tensor([[2.0, 0.0], [0.0, 1.0]])  # a row a sample
    weight, shift = torch.tensor([0.5, -3.0]), torch.tensor([0.0, 0.0])
    gates = torch.ones(2, requires_grad=True)
    logit = (shift + gates[:, None] * context) @ weight
    loss = cross_entropy(torch.stack([torch.zeros(2), logit], dim=1), torch.tensor([0, 1]), reduction="sum")
    loss.backward()
    p = 1 / (1 + np.exp(-np.array([1.0, -3.0])))
    assert gates.grad is not None
    np.testing.assert_allclose(gates.grad.numpy(), [p[0] * 1.0, (p[1] - 1) * -3.0], rtol=1e-6)


def test_sums_over_tokens_hold_the_samples_derivative_and_ignore_padding() -> None:
    net = net_of(load_encoder("tiny:bert"))
    together = gate_gradients(net, TEXTS, LABELS, per_token=True)
    alone = gate_gradients(net, TEXTS, LABELS, batch_size=1, per_token=True)
    plain = gate_gradients(net, TEXTS, LABELS)
    assert together.tokens is not None and alone.tokens is not None and plain.tokens is None
    np.testing.assert_allclose(together.samples, plain.samples, atol=2e-6)
    np.testing.assert_allclose(together.tokens, alone.tokens, atol=2e-6)
    # |a + b| ≤ |a| + |b|; in the last layer only the first token reaches the head, and the two are equal.
    assert (together.tokens >= np.abs(together.samples) - 1e-6).all()
    np.testing.assert_allclose(together.tokens[:, -1], np.abs(together.samples[:, -1]), atol=2e-6)
    assert (together.tokens[:, 0] > np.abs(together.samples[:, 0]) + 1e-4).any()


def test_weights_gradients_and_modes_are_left_alone(model: FittedModel, tasks: list[Task]) -> None:
    net = net_of(load_encoder("tiny:bert"))
    weights = list(net.encoder.model.parameters())
    weights[0].requires_grad_(False)
    net.encoder.model.train()
    net.head.train()
    before = torch.random.get_rng_state()
    gate_gradients(net, TEXTS, LABELS)
    assert [weight.requires_grad for weight in weights] == [False] + [True] * (len(weights) - 1)
    assert all(weight.grad is None for weight in weights)
    assert net.encoder.model.training and net.head.training
    assert torch.equal(torch.random.get_rng_state(), before)


def test_dropout_is_off_unless_asked_for_and_then_goes_by_the_seed() -> None:
    encoder = load_encoder("tiny:bert")
    encoder.model.train()
    plain = gate_gradients(net_of(encoder), TEXTS, LABELS, seed=0).samples
    assert np.array_equal(plain, gate_gradients(net_of(encoder), TEXTS, LABELS, seed=1).samples)
    noisy = [gate_gradients(net_of(encoder, 0.1), TEXTS, LABELS, seed=seed).samples for seed in (0, 0, 1)]
    assert np.array_equal(noisy[0], noisy[1])
    assert not np.array_equal(noisy[0], noisy[2]) and not np.array_equal(noisy[0], plain)


def test_a_gradient_that_is_no_number_names_the_text() -> None:
    net = net_of(load_encoder("tiny:bert"))
    assert isinstance(net.head, nn.Linear)
    with torch.no_grad():
        net.head.weight.fill_(torch.nan)
    with pytest.raises(DataError, match=r"text 0 \('Short\.'\) is no finite number"):
        gate_gradients(net, TEXTS, LABELS)


def test_importance_of_a_task_is_the_mean_of_absolute_derivatives(
    model: FittedModel, tasks: list[Task]
) -> None:
    settings = SpecializationSettings(importance_examples=10, importance_batch=4)
    drawn = task_gradients(model, tasks[0], settings)
    found = head_importance(model, tasks[0], settings)
    assert drawn.samples.shape == (10, 2, 2) and found.examples == 10
    np.testing.assert_allclose(found.scores, np.abs(drawn.samples.astype(float)).mean(axis=0))
    table = found.to_frame()
    assert list(table.columns) == ["task", "layer", "head", "score", "rank"]
    assert table.sort_values("rank")["score"].is_monotonic_decreasing
    assert (table["layer"].min(), table["head"].max()) == (1, 2)


def test_more_examples_than_there_are_means_all(model: FittedModel, tasks: list[Task]) -> None:
    assert head_importance(model, tasks[1]).examples == 48


def test_importance_for_a_task_with_scores(mixed_model: FittedModel, mixed: list[Task]) -> None:
    drawn = task_gradients(mixed_model, mixed[1], SpecializationSettings(importance_examples=10))
    sample = mixed[1].sampled({"train": 10}, seed=0)
    head, encoder, texts = mixed_model.head("likeness"), mixed_model.encoder, sample.texts("train")
    for row, score in enumerate(sample.labels("train")):
        gates = torch.ones(2, 2, requires_grad=True)
        with HeadGates(encoder) as hooks:
            hooks.set(gates)
            said = head(encoder.represent(encoder.tokenize(subset(texts, [row]), 24), "mean"))
        (slope,) = torch.autograd.grad((said[0, 0] - float(score)) ** 2, gates)
        np.testing.assert_allclose(drawn.samples[row], slope.numpy(), rtol=1e-3, atol=2e-5)


def test_a_head_of_another_target(mixed_model: FittedModel, mixed: list[Task]) -> None:
    for task, name, said in (
        (mixed[0], "likeness", r"classes \['class bad', 'class good'\], and the model was fitted to scores"),
        (mixed[1], "tone", r"scores, and the model was fitted to the classes \['class bad', 'class good'\]"),
    ):
        with pytest.raises(SettingsError, match=f"task '{name}' has .*{said} under that name"):
            head_importance(mixed_model, replace(task, name=name))


def test_a_task_without_a_head(model: FittedModel, tasks: list[Task]) -> None:
    with pytest.raises(SettingsError, match="no head for task 'tones'; did you mean 'tone'"):
        head_importance(model, replace(tasks[0], name="tones"))
