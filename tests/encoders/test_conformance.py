"""What every family must hold, on random weights: the table of families is right or one of these fails."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import encoder_atlas.encoders
from encoder_atlas.encoders import FAMILIES, TINY, Encoder, HeadGates, load_encoder, remove_heads
from encoder_atlas.errors import EncoderError, SettingsError

LAYERS, HEADS = 3, 4
TEXTS = ["The film is a wonderful surprise.", "Dull!", "a plot that goes nowhere"]


def _widened(kind: str) -> tuple[type, dict[str, Any]]:
    """A tiny configuration with enough layers and heads for a mix-up of their order to show."""
    config, values = TINY[kind.removesuffix("-groups")]
    widened = dict(values)
    for layers, heads in (
        ("num_hidden_layers", "num_attention_heads"),
        ("n_layers", "n_heads"),
        ("n_layer", "n_head"),
    ):
        if layers in values:
            widened |= {layers: LAYERS, heads: HEADS}
    if kind == "albert-groups":  # two groups of two inner layers, each run twice: eight layers, four modules
        widened |= {"num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 2}
    return config, widened


@pytest.fixture(params=[*TINY, "albert-groups"])
def encoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Encoder:
    """An encoder in float64 with eager attention, in which no parameter (no bias above all) is zero."""
    monkeypatch.setitem(TINY, request.param, _widened(request.param))
    made = load_encoder(f"tiny:{request.param}", attn_implementation="eager")
    made.model.double()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in made.model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return made


def run(encoder: Encoder, texts: list[str] = TEXTS, **kwargs: Any) -> Tensor:
    with torch.no_grad():
        return encoder.model(**encoder.tokenize(texts), **kwargs).last_hidden_state


def gated(encoder: Encoder, gates: Tensor) -> Tensor:
    with HeadGates(encoder) as hooks:
        hooks.set(gates)
        return run(encoder)


def ones(encoder: Encoder, *batch: int) -> Tensor:
    return torch.ones(*batch, encoder.n_layers, encoder.n_heads, dtype=torch.float64)


def attend(encoder: Encoder, text: str) -> tuple[list[Tensor], list[Tensor]]:
    """Attentions and head contexts of every layer, for one sentence."""
    with torch.no_grad(), HeadGates(encoder, record=True) as hooks:
        attentions = encoder.model(**encoder.tokenize([text]), output_attentions=True).attentions
        return list(attentions), hooks.contexts


def test_every_family_is_tested() -> None:
    assert {config.model_type for config, _ in TINY.values()} == set(FAMILIES)


def test_the_layout_counts_layers_and_heads(encoder: Encoder) -> None:
    assert encoder.n_layers == len(run_hidden_states(encoder)) - 1
    assert (encoder.n_heads, encoder.n_heads * encoder.d_head) == (HEADS, encoder.hidden)


def run_hidden_states(encoder: Encoder) -> tuple[Tensor, ...]:
    with torch.no_grad():
        return encoder.model(**encoder.tokenize(TEXTS), output_hidden_states=True).hidden_states


def test_gates_of_ones_change_nothing(encoder: Encoder) -> None:
    plain = run(encoder)
    assert torch.equal(gated(encoder, ones(encoder)), plain)
    assert torch.equal(gated(encoder, ones(encoder, len(TEXTS))), plain)


def test_a_zero_gate_equals_zeroing_the_columns_of_the_output_projection(encoder: Encoder) -> None:
    plain = run(encoder)
    for layer in encoder.layout.layers:
        for head in range(encoder.n_heads):
            gates = ones(encoder)
            for other in encoder.layout.layers:  # ALBERT's columns serve several layers
                if other.output is layer.output:
                    gates[other.index, head] = 0
            (columns,) = (piece for piece in layer.head_slices(head) if piece.role == "output")
            before = columns.parameter.detach().clone()
            with torch.no_grad():
                columns.of(columns.parameter).zero_()
                expected = run(encoder)
                columns.parameter.copy_(before)
            assert (gated(encoder, gates) - expected).abs().max() < 1e-6
            assert (expected - plain).abs().max() > 1e-3


def test_one_gate_reaches_one_layer_only(encoder: Encoder) -> None:
    """ALBERT's shared module included: contexts before the gated layer stay, those after it change."""
    plain = attend(encoder, TEXTS[0])[1]
    for layer in range(encoder.n_layers - 1):
        gates = ones(encoder)
        gates[layer, 1] = 0
        with torch.no_grad(), HeadGates(encoder, record=True) as hooks:
            hooks.set(gates)
            encoder.model(**encoder.tokenize(TEXTS[:1]))
        same = [torch.equal(a, b) for a, b in zip(hooks.contexts, plain, strict=True)]
        assert same == [i <= layer for i in range(encoder.n_layers)]


def test_the_recorded_context_is_attention_times_value(encoder: Encoder) -> None:
    projected: list[Tensor] = []

    def keep(module: torch.nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
        projected.append(output)

    modules = {layer.projection("value") for layer in encoder.layout.layers}
    handles = [module.register_forward_hook(keep) for module in modules]
    attentions, contexts = attend(encoder, TEXTS[0])
    for handle in handles:
        handle.remove()
    for layer, value, attention, context in zip(
        encoder.layout.layers, projected, attentions, contexts, strict=True
    ):
        expected = torch.einsum("bhqk,bkhd->bqhd", attention, layer.values(value))
        assert (context - expected).abs().max() < 1e-6
        assert context.shape[2:] == (HEADS, encoder.d_head)


def test_the_same_contexts_and_gates_under_sdpa(encoder: Encoder) -> None:
    if encoder.family.eager_only:
        with pytest.raises(SettingsError, match="no attn_implementation 'sdpa'"):
            load_encoder(encoder.name, attn_implementation="sdpa")
        return
    gates = torch.rand(encoder.n_layers, encoder.n_heads, dtype=torch.float64)
    eager, contexts = gated(encoder, gates), attend(encoder, TEXTS[0])[1]
    encoder.model.set_attn_implementation("sdpa")
    with torch.no_grad(), HeadGates(encoder, record=True) as hooks:
        encoder.model(**encoder.tokenize(TEXTS[:1]))
        assert all((a - b).abs().max() < 1e-6 for a, b in zip(hooks.contexts, contexts, strict=True))
    real = encoder.tokenize(TEXTS)["attention_mask"].bool()
    assert (gated(encoder, gates) - eager)[real].abs().max() < 1e-6


def test_head_slices_cover_each_parameter_once(encoder: Encoder) -> None:
    for layer in encoder.layout.layers:
        seen: dict[tuple[torch.nn.Module, str], list[int]] = {}
        axes: dict[tuple[torch.nn.Module, str], int] = {}
        for head in range(layer.n_heads):
            for piece in layer.head_slices(head):
                key = (piece.module, piece.attribute)
                seen.setdefault(key, []).extend(range(piece.start, piece.stop))
                axes[key] = piece.axis
        for (module, attribute), indices in seen.items():
            axis = axes[module, attribute]
            assert sorted(indices) == list(range(getattr(module, attribute).shape[axis]))


def test_query_and_key_rows_are_where_the_table_says(encoder: Encoder) -> None:
    """Without a head's queries, or without its keys, it attends evenly; the other heads do as before."""
    layer, head, text = encoder.layout.layers[0], 2, TEXTS[0]
    plain, _ = attend(encoder, text)
    others = [i for i in range(HEADS) if i != head]
    even = torch.ones_like(plain[0][0, head])
    even = even.tril() if encoder.family.causal else even
    even = even / even.sum(-1, keepdim=True)
    for role in ("query", "key"):
        with zeroed(encoder, head, {role, "position"}):
            attentions, _ = attend(encoder, text)
        assert (attentions[0][0, head] - even).abs().max() < 1e-6
        assert torch.equal(attentions[0][0, others], plain[0][0, others])
    assert {piece.role for piece in layer.head_slices(head)} >= {"query", "key", "value", "output"}


def test_value_rows_are_where_the_table_says(encoder: Encoder) -> None:
    _, plain = attend(encoder, TEXTS[0])
    with zeroed(encoder, 2, {"value"}):
        _, contexts = attend(encoder, TEXTS[0])
    assert not contexts[0][:, :, 2].any()
    assert torch.equal(contexts[0][:, :, [0, 1, 3]], plain[0][:, :, [0, 1, 3]])


class zeroed:  # noqa: N801 (reads as a verb in a with statement)
    """The first layer's slices of some roles set to zero, and put back after."""

    def __init__(self, encoder: Encoder, head: int, roles: set[str]) -> None:
        self.encoder = encoder
        self.slices = [p for p in encoder.layout.layers[0].head_slices(head) if p.role in roles]

    def __enter__(self) -> None:
        self.before = copy.deepcopy(self.encoder.model.state_dict())
        with torch.no_grad():
            for piece in self.slices:
                piece.of(piece.parameter).zero_()

    def __exit__(self, *error: object) -> None:
        self.encoder.model.load_state_dict(self.before)


def test_removed_heads_equal_gates_of_zero_and_one(encoder: Encoder) -> None:
    keep = torch.ones(encoder.n_layers, encoder.n_heads, dtype=torch.bool)
    keep[:, 1] = False
    if not encoder.family.shared:
        keep[0], keep[1] = torch.tensor([False, True, False, True]), torch.tensor([False, False, False, True])
    weights_before = {key: value.clone() for key, value in encoder.model.state_dict().items()}
    smaller = remove_heads(encoder, keep)
    with torch.no_grad():
        removed = smaller(**encoder.tokenize(TEXTS)).last_hidden_state
    assert (removed - gated(encoder, keep.double())).abs().max() < 1e-6
    assert smaller.num_parameters() < encoder.model.num_parameters()
    assert all(torch.equal(v, weights_before[k]) for k, v in encoder.model.state_dict().items())


def test_shared_layers_cannot_lose_different_heads(encoder: Encoder) -> None:
    keep = torch.ones(encoder.n_layers, encoder.n_heads, dtype=torch.bool)
    keep[0, 0] = False
    if encoder.family.shared:
        with pytest.raises(EncoderError, match="the same heads in all"):
            remove_heads(encoder, keep)
    else:
        remove_heads(encoder, keep)


def test_a_batch_of_gates_gives_every_samples_own_gradient(encoder: Encoder) -> None:
    """One backward of the summed loss over a padded batch, against a loop over unpadded single sentences."""
    direction = torch.linspace(-1, 1, encoder.hidden, dtype=torch.float64)

    def gate_gradient(texts: list[str]) -> Tensor:
        gates = ones(encoder, len(texts)).requires_grad_()
        with HeadGates(encoder) as hooks:
            hooks.set(gates)
            loss = (encoder.represent(encoder.tokenize(texts), "mean") @ direction).square().sum()
        return torch.autograd.grad(loss, gates)[0]

    together = gate_gradient(TEXTS)
    alone = torch.cat([gate_gradient([text]) for text in TEXTS])
    assert (together - alone).abs().max() < 1e-6
    assert (together.abs().amax((1, 2)) > 1e-3).all()


def test_padding_changes_nothing(encoder: Encoder) -> None:
    with torch.no_grad():
        together = encoder.represent(encoder.tokenize(TEXTS), "mean")
        alone = torch.cat([encoder.represent(encoder.tokenize([text]), "mean") for text in TEXTS])
    assert (together - alone).abs().max() < 1e-6


def test_tokenizing_adds_nothing_to_a_single_sentence(encoder: Encoder) -> None:
    """GPT embeds token types as if they were words: it must get none."""
    batch = encoder.tokenize(TEXTS)
    with torch.no_grad():
        bare = encoder.model(batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
        assert torch.equal(run(encoder), bare)
        pairs = encoder.tokenize([("A fine film.", "Dull"), ("a", "b")])
        assert encoder.represent(pairs, "mean").isfinite().all()


def test_head_mask_is_ignored_by_transformers_and_not_used_here(encoder: Encoder) -> None:
    mask = torch.zeros(encoder.n_layers, encoder.n_heads, dtype=torch.float64)
    assert torch.equal(run(encoder, head_mask=mask), run(encoder))
    folder = Path(str(encoder_atlas.encoders.__file__)).parent
    assert not [path.name for path in folder.glob("*.py") if "head_mask=" in path.read_text("utf-8")]
