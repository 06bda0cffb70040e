"""Biaffine scores against sums written out, and dropout that a sentence shares."""

import pytest
import torch

from encoder_atlas.training.decoders import Biaffine
from encoder_atlas.training.decoders.biaffine import SharedDropout, word_mlp


def filled(left_bias: bool, right_bias: bool) -> Biaffine:
    made = Biaffine(3, 2, left_bias=left_bias, right_bias=right_bias)
    torch.nn.init.normal_(made.weight, generator=torch.Generator().manual_seed(0))
    return made


@pytest.mark.parametrize("left_bias", [True, False])
@pytest.mark.parametrize("right_bias", [True, False])
def test_scores_are_the_sums_of_the_formula(left_bias: bool, right_bias: bool) -> None:
    biaffine = filled(left_bias, right_bias)
    generator = torch.Generator().manual_seed(1)
    left, right = torch.randn(2, 4, 3, generator=generator), torch.randn(2, 5, 3, generator=generator)
    scores = biaffine(left, right)
    assert scores.shape == (2, 2, 4, 5)
    for batch in range(2):
        for i in range(4):
            for j in range(5):
                a = left[batch, i].tolist() + [1.0] * left_bias
                b = right[batch, j].tolist() + [1.0] * right_bias
                for output in range(2):
                    weight = biaffine.weight[output].tolist()
                    expected = sum(a[x] * weight[x][y] * b[y] for x in range(len(a)) for y in range(len(b)))
                    assert scores[batch, output, i, j].item() == pytest.approx(expected, abs=1e-5)


def test_chosen_pairs_have_the_scores_of_all() -> None:
    biaffine = filled(True, True)
    generator = torch.Generator().manual_seed(1)
    left, right = torch.randn(1, 4, 3, generator=generator), torch.randn(1, 4, 3, generator=generator)
    everything = biaffine(left, right)[0]
    chosen = biaffine.of_pairs(left[0], right[0])
    assert torch.allclose(chosen, everything.diagonal(dim1=1, dim2=2).T, atol=1e-5)


def test_weights_start_at_zero_and_can_learn() -> None:
    biaffine = Biaffine(3, 1, left_bias=True, right_bias=False)
    assert not biaffine.weight.any()
    biaffine(torch.ones(1, 2, 3), torch.ones(1, 2, 3)).sum().backward()
    assert biaffine.weight.grad is not None and biaffine.weight.grad.all()


def test_dropout_is_shared_by_the_words_of_a_sentence() -> None:
    dropout = SharedDropout(0.5)
    torch.manual_seed(0)
    out = dropout(torch.ones(3, 7, 64))
    assert torch.equal(out, out[:, :1].expand_as(out))
    assert set(out.unique().tolist()) == {0.0, 2.0}
    assert not torch.equal(out[0], out[1])
    dropout.eval()
    assert torch.equal(dropout(torch.ones(3, 7, 64)), torch.ones(3, 7, 64))


def test_the_mlp_starts_orthogonal() -> None:
    weight = word_mlp(6, 4, 0.3)[0].weight
    assert isinstance(weight, torch.Tensor)
    assert torch.allclose(weight @ weight.T, torch.eye(4), atol=1e-5)
