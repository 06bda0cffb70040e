"""Pooling worked by hand, and through encoders of families that have or lack what it asks for."""

import inspect

import pytest
import torch

from encoder_atlas.encoders import load_encoder, pool
from encoder_atlas.errors import EncoderError, SettingsError

# Two sentences of three and two tokens: the last state of the second is padding and must not count.
HIDDEN = torch.tensor([[[1.0, 0.0], [2.0, 3.0], [6.0, 0.0]], [[4.0, 4.0], [0.0, 2.0], [99.0, 99.0]]])
MASK = torch.tensor([[1, 1, 1], [1, 1, 0]])


def test_by_hand() -> None:
    assert pool(HIDDEN, MASK, "cls").tolist() == [[1, 0], [4, 4]]
    assert pool(HIDDEN, MASK, "mean").tolist() == [[3, 1], [2, 3]]
    assert pool(HIDDEN, MASK, "last").tolist() == [[6, 0], [0, 2]]
    assert pool(HIDDEN, MASK, "pooler", torch.zeros(2, 2)).tolist() == [[0, 0], [0, 0]]


def test_an_unknown_pooling_names_the_near_one() -> None:
    unchecked = inspect.unwrap(pool)  # as outside tests, where no type checker stands before it
    with pytest.raises(SettingsError, match="no pooling 'maen': did you mean 'mean'"):
        unchecked(HIDDEN, MASK, "maen")


@pytest.mark.parametrize("kind", ["bert", "tinybert", "roberta", "albert"])
def test_the_pooler_is_a_linear_map_and_tanh_of_the_first_token(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    batch = encoder.tokenize(["A fine film.", "Dull"])
    path = "pooler" if kind == "albert" else "pooler.dense"
    linear = encoder.model.get_submodule(path)
    expected = torch.tanh(linear(encoder.represent(batch, "cls")))
    assert torch.allclose(encoder.represent(batch, "pooler"), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["electra", "deberta", "deberta-v3", "distilbert", "gpt2"])
def test_families_without_a_pooler_say_so(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    with pytest.raises(EncoderError, match="this one has none"):
        encoder.represent(encoder.tokenize(["A fine film."]), "pooler")


@pytest.mark.parametrize("kind", ["gpt2", "openai-gpt"])
def test_what_reads_from_left_to_right_is_pooled_at_its_last_token(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    batch = encoder.tokenize(["A fine film.", "Dull"])
    with pytest.raises(EncoderError, match="sees no other: use pooling 'last' or 'mean'"):
        encoder.represent(batch, "cls")
    alone = encoder.model(**encoder.tokenize(["Dull"])).last_hidden_state[0, -1]
    assert torch.allclose(encoder.represent(batch, "last")[1], alone, atol=1e-5)
