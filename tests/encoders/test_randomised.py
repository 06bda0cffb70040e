"""A randomised encoder: the same architecture and tokenizer, other weights."""

import pytest
import torch

from encoder_atlas.encoders import TINY, load_encoder, randomised


@pytest.mark.parametrize("kind", sorted(TINY))
def test_shapes_stay_and_weights_are_drawn_anew(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}", seed=1)
    made, again, other = randomised(encoder, 3), randomised(encoder, 3), randomised(encoder, 4)
    assert made.fingerprint == again.fingerprint != other.fingerprint != encoder.fingerprint
    mine, theirs = made.model.state_dict(), encoder.model.state_dict()
    assert {name: tensor.shape for name, tensor in mine.items()} == {n: t.shape for n, t in theirs.items()}
    matrices = [name for name, tensor in mine.items() if tensor.ndim == 2 and tensor.is_floating_point()]
    assert matrices and not any(torch.equal(mine[name], theirs[name]) for name in matrices)
    assert made.tokenizer.get_vocab() == encoder.tokenizer.get_vocab() and not made.model.training


def test_the_original_and_the_generator_are_left_alone() -> None:
    encoder = load_encoder("tiny:bert")
    before, _ = encoder.fingerprint, torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    made = randomised(encoder)
    assert torch.rand(1) == expected and encoder.fingerprint == before
    assert made.name == "tiny:bert randomised (0)"
