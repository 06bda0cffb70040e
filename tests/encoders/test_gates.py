"""HeadGates beyond the families: bad input, nesting, recording, gradients, mixed precision."""

from collections.abc import Callable
from typing import cast

import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertForSequenceClassification

from encoder_atlas.encoders import Encoder, HeadGates, load_encoder, remove_heads
from encoder_atlas.errors import EncoderError, SettingsError

TEXTS = ["The film is a wonderful surprise.", "Dull!"]


@pytest.fixture
def bert() -> Encoder:
    return load_encoder("tiny:bert")


def represent(encoder: Encoder) -> Tensor:
    with torch.no_grad():
        return encoder.represent(encoder.tokenize(TEXTS))


def hooks_left(encoder: Encoder) -> int:
    return sum(len(module._forward_pre_hooks) for module in encoder.model.modules())


@pytest.mark.parametrize(
    ("gates", "message"),
    [
        (torch.ones(2, 3), r"gates of shape \(2, 3\): this encoder takes \(2, 2\)"),
        (torch.ones(3, 2), "layers by heads"),
        (torch.ones(1, 1, 2, 2), r"or \(batch, 2, 2\)"),
        (torch.ones(2, 2, dtype=torch.long), "gates of type torch.int64: they must be floating point"),
        (torch.ones(2, 2, dtype=torch.bool), "floating point"),
        (
            torch.ones(2, 2, device="meta"),
            r"gates on meta, the model on cpu: use gates\.to\(encoder\.device\)",
        ),
        (torch.tensor([[1.0, torch.nan], [1.0, 1.0]]), "NaN"),
        (torch.tensor([[1.0, torch.inf], [1.0, 1.0]]), "infinity"),
    ],
)
def test_impossible_gates_are_refused_and_the_old_ones_stay(
    bert: Encoder, gates: Tensor, message: str
) -> None:
    half = torch.full((2, 2), 0.5)
    with HeadGates(bert) as hooks:
        hooks.set(half)
        before = represent(bert)
        with pytest.raises(SettingsError, match=message):
            hooks.set(gates)
        assert torch.equal(represent(bert), before)


def test_gates_for_another_batch_are_refused(bert: Encoder) -> None:
    with HeadGates(bert) as hooks:
        hooks.set(torch.ones(3, 2, 2))
        with pytest.raises(SettingsError, match="gates for 3 samples on a batch of 2"):
            represent(bert)


def test_hooks_go_even_when_the_block_fails(bert: Encoder) -> None:
    plain = represent(bert)
    with pytest.raises(KeyboardInterrupt), HeadGates(bert) as hooks:
        hooks.set(torch.zeros(2, 2))
        assert not torch.equal(represent(bert), plain)
        raise KeyboardInterrupt
    assert hooks_left(bert) == 0
    assert torch.equal(represent(bert), plain)


def test_none_opens_all_heads(bert: Encoder) -> None:
    plain = represent(bert)
    with HeadGates(bert) as hooks:
        hooks.set(torch.zeros(2, 2))
        hooks.set(None)
        assert torch.equal(represent(bert), plain)


def test_nested_gates_multiply(bert: Encoder) -> None:
    a, b = torch.rand(2, 2), torch.rand(len(TEXTS), 2, 2)
    with HeadGates(bert) as hooks:
        hooks.set(a * b)
        expected = represent(bert)
    with HeadGates(bert, record=True) as outer, HeadGates(bert, record=True) as inner:
        outer.set(a)
        inner.set(b)
        assert torch.allclose(represent(bert), expected, atol=1e-6)
        assert torch.allclose(inner.contexts[0], outer.contexts[0] * a[0, :, None])


def test_one_object_cannot_be_entered_twice(bert: Encoder) -> None:
    hooks = HeadGates(bert)
    with hooks, pytest.raises(SettingsError, match="in use"):
        hooks.__enter__()
    with hooks:
        represent(bert)
    assert hooks_left(bert) == 0


def test_contexts_have_shape_and_are_those_of_the_last_pass(bert: Encoder) -> None:
    with HeadGates(bert, record=True) as hooks, torch.no_grad():
        bert.represent(bert.tokenize(["A long sentence goes first."] * 3))
        batch = bert.tokenize(TEXTS)
        bert.represent(batch)
    tokens = batch["input_ids"].shape[1]
    assert [tuple(context.shape) for context in hooks.contexts] == [(2, tokens, 2, 16)] * 2


@pytest.mark.parametrize("record", [True, False])
def test_contexts_that_were_not_recorded(bert: Encoder, record: bool) -> None:
    with HeadGates(bert, record=record) as hooks:
        if not record:
            represent(bert)
        with pytest.raises(SettingsError, match="record=True"):
            _ = hooks.contexts


def test_a_model_with_a_task_head_is_gated_too(bert: Encoder) -> None:
    model = BertForSequenceClassification(cast(BertConfig, bert.model.config)).eval()
    batch = bert.tokenize(TEXTS)
    gates = torch.ones(2, 2, requires_grad=True)
    with HeadGates(model) as hooks:
        hooks.set(gates)
        model(**batch).logits.sum().backward()
    assert gates.grad is not None and gates.grad.abs().min() > 0
    assert model(**batch, head_mask=torch.zeros(2, 2)).logits.equal(model(**batch).logits)


def test_a_shared_module_starts_anew_after_a_broken_pass() -> None:
    albert = load_encoder("tiny:albert")
    gates = torch.tensor([[0.0, 1.0], [1.0, 0.5]])
    with HeadGates(albert) as hooks:
        hooks.set(gates)
        expected = represent(albert)
        with breaking(albert.layout.layers[0].output), pytest.raises(RuntimeError, match="broken off"):
            represent(albert)
        assert torch.equal(represent(albert), expected)


class breaking:  # noqa: N801 (reads as a verb in a with statement)
    """A module that fails in its forward pass, after its gate."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module

    def __enter__(self) -> None:
        def fail(*_: object) -> None:
            raise RuntimeError("broken off")

        self.handle = self.module.register_forward_hook(fail)

    def __exit__(self, *error: object) -> None:
        self.handle.remove()


def test_gradients_survive_gradient_checkpointing(bert: Encoder) -> None:
    gates = torch.rand(len(TEXTS), 2, 2, requires_grad=True)

    def gradient() -> Tensor:
        with HeadGates(bert) as hooks:
            hooks.set(gates)
            loss = bert.represent(bert.tokenize(TEXTS)).square().sum()
            return torch.autograd.grad(loss, gates)[0]

    expected = gradient()
    for module in bert.model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    bert.model.train()
    bert.model.activation_checkpointing_enable()
    assert torch.allclose(gradient(), expected, atol=1e-6)


def under_autocast(encoder: Encoder) -> Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return represent(encoder)


def in_half_precision(encoder: Encoder) -> Tensor:
    encoder.model.bfloat16()
    return represent(encoder)


@pytest.mark.parametrize("run", [under_autocast, in_half_precision])
def test_gates_in_32_bits_work_on_contexts_in_16(bert: Encoder, run: Callable[[Encoder], Tensor]) -> None:
    with HeadGates(bert) as hooks:
        hooks.set(torch.full((2, 2), 0.5))
        exact = represent(bert)
        assert (run(bert).float() - exact).abs().max() < 0.1


def test_removal_refuses_what_has_no_meaning(bert: Encoder) -> None:
    with pytest.raises(SettingsError, match=r"keep has shape \(1, 2\), this encoder has \(2, 2\)"):
        remove_heads(bert, torch.ones(1, 2, dtype=torch.bool))
    with pytest.raises(SettingsError, match=r"layers \[1\] would keep no head"):
        remove_heads(bert, torch.tensor([[True, True], [False, False]]))
    deberta = load_encoder("tiny:deberta")
    deberta.model.config.talking_head = True
    with pytest.raises(EncoderError, match="talking heads"):
        remove_heads(deberta, torch.ones(2, 2, dtype=torch.bool))


def test_an_encoder_with_uneven_layers_is_not_gated(bert: Encoder) -> None:
    smaller = remove_heads(bert, torch.tensor([[True, False], [True, True]]))
    with pytest.raises(EncoderError, match="different numbers of heads"):
        HeadGates(smaller)


def test_a_head_that_is_not_there(bert: Encoder) -> None:
    with pytest.raises(EncoderError, match="layer 0 has heads 0 to 1, not 2"):
        bert.layout.layers[0].head_slices(2)
