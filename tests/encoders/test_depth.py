"""Truncated encoders against the hidden states of whole ones, and which weights are fixed, by family."""

from pathlib import Path

import pytest
import torch

from encoder_atlas.encoders import TINY, Encoder, freeze, load_encoder, truncated
from encoder_atlas.errors import EncoderError, SettingsError

TEXTS = ["The film is a wonderful surprise.", "Dull!"]


@pytest.fixture(params=TINY)
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return load_encoder(f"tiny:{request.param}")


def states(encoder: Encoder) -> tuple[torch.Tensor, ...]:
    with torch.no_grad():
        return encoder.model(**encoder.tokenize(TEXTS), output_hidden_states=True).hidden_states


def last(encoder: Encoder) -> torch.Tensor:
    with torch.no_grad():
        return encoder.model(**encoder.tokenize(TEXTS)).last_hidden_state


def test_truncation_ends_at_the_hidden_states_of_that_layer(encoder: Encoder, tmp_path: Path) -> None:
    whole, before = states(encoder), encoder.fingerprint
    for layers in range(encoder.n_layers + 1):
        short = truncated(encoder, layers)
        assert short.n_layers == layers
        assert torch.equal(last(short), whole[layers])
        assert torch.equal(
            short.represent(short.tokenize(TEXTS), "mean").detach(), _means(encoder, whole[layers])
        )
        short.save(tmp_path / str(layers))
        again = load_encoder(str(tmp_path / str(layers)))
        assert torch.equal(last(again), whole[layers])
        assert again.fingerprint == short.fingerprint
    assert all(torch.equal(a, b) for a, b in zip(states(encoder), whole, strict=True))
    assert load_encoder(encoder.name).fingerprint == before


def _means(encoder: Encoder, hidden: torch.Tensor) -> torch.Tensor:
    mask = encoder.tokenize(TEXTS)["attention_mask"][..., None].float()
    return (hidden * mask).sum(1) / mask.sum(1)


def test_a_truncated_copy_shares_no_weights() -> None:
    encoder = load_encoder("tiny:bert")
    with torch.no_grad():
        for weight in truncated(encoder, 1).model.parameters():
            weight.zero_()
    assert states(encoder)[0].any()


def learning(encoder: Encoder) -> set[str]:
    return {name for name, weight in encoder.model.named_parameters() if weight.requires_grad}


def test_frozen_layers_cannot_change_and_all_others_do(encoder: Encoder) -> None:
    """One large step on every weight that learns: hidden states up to the frozen layer stay bit for bit."""
    before = states(encoder)
    for layers in (0, 2) if encoder.family.shared else (0, 1, 2):
        made = load_encoder(encoder.name)
        freeze(made, layers)
        with torch.no_grad():
            for weight in made.model.parameters():
                if weight.requires_grad:
                    weight += 0.3
        after = states(made)
        final = 1 if made.family.final_norm and layers == 2 else 0  # GPT-2's last norm learns
        same = [torch.equal(a, b) for a, b in zip(before, after, strict=True)]
        assert same == [i <= layers - final for i in range(3)]


def test_what_learns_in_bert() -> None:
    encoder = load_encoder("tiny:bert")
    freeze(encoder, 1)
    assert {name.split(".")[0] for name in learning(encoder)} == {"encoder", "pooler"}
    assert all(name.startswith(("encoder.layer.1.", "pooler.")) for name in learning(encoder))
    freeze(encoder, 2)
    assert all(name.startswith("pooler.") for name in learning(encoder))
    freeze(encoder.model, 0)
    assert {name.split(".")[0] for name in learning(encoder)} == {"encoder", "pooler"}


def test_layers_that_do_not_exist_are_refused() -> None:
    encoder = load_encoder("tiny:bert")
    for layers in (-1, 3):
        with pytest.raises(SettingsError, match=rf"layers is {layers}; tiny:bert has 2 layers: use 0"):
            truncated(encoder, layers)
        with pytest.raises(SettingsError, match=f"layers is {layers}"):
            freeze(encoder, layers)


def test_shared_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EncoderError, match="fix 0 or all 2"):
        freeze(load_encoder("tiny:albert"), 1)
    config, values = TINY["albert"]
    monkeypatch.setitem(TINY, "albert", (config, values | {"num_hidden_groups": 2}))
    with pytest.raises(EncoderError, match="its first 1 make no ALBERT"):
        truncated(load_encoder("tiny:albert"), 1)
