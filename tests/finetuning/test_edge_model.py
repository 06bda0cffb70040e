"""The network of an edge probe, against the formulas written out target by target."""

import numpy as np
import torch
from torch import Tensor, nn

from encoder_atlas.finetuning.edge_batches import ragged
from encoder_atlas.finetuning.edge_model import EdgeNet, ScalarMix, SpanPooling, Spans

ENDS = [np.array([[0, 2], [3, 4], [1, 6]]), np.array([[4, 7], [0, 1], [6, 7]])]


def spans(ends: np.ndarray) -> Spans:
    piece, target = ragged(ends)
    first = np.searchsorted(target, np.arange(len(ends)))
    return Spans(torch.from_numpy(piece), torch.from_numpy(target), torch.from_numpy(first))


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3))


def pooled_alone(pool: SpanPooling, pieces: Tensor, start: int, end: int) -> Tensor:
    """One span: project, score, softmax, weighted sum."""
    projected = [pool.project.weight @ piece + pool.project.bias for piece in pieces[start:end]]
    scores = torch.stack([pool.score.weight[0] @ one for one in projected])
    shares = scores.exp() / scores.exp().sum()
    return sum((share * one for share, one in zip(shares, projected, strict=True)), torch.zeros(()))


def test_scalar_mix_is_gamma_times_a_weighted_sum() -> None:
    mix, states = ScalarMix(3), drawn(3, 5, 4)
    with torch.no_grad():
        mix.scores.copy_(torch.tensor([0.3, -1.2, 2.0]))
        mix.gamma.fill_(1.7)
    raised = mix.scores.exp()
    expected = sum(
        (1.7 * raised[layer] / raised.sum() * states[layer] for layer in range(3)), torch.zeros(())
    )
    torch.testing.assert_close(mix(states), expected)
    torch.testing.assert_close(mix.weights.sum(), torch.tensor(1.0))


def test_a_new_mix_is_the_mean_of_the_layers() -> None:
    states = drawn(4, 2, 3)
    torch.testing.assert_close(ScalarMix(4)(states), states.mean(0))


def test_pooling_equals_one_span_at_a_time_with_its_gradients() -> None:
    torch.manual_seed(0)
    pool, pieces = SpanPooling(6, 5), drawn(7, 6).requires_grad_()
    found = pool(pieces, spans(ENDS[0]))
    expected = torch.stack([pooled_alone(pool, pieces, *ends) for ends in ENDS[0].tolist()])
    torch.testing.assert_close(found, expected)
    weigh = drawn(3, 5)
    inputs = [pieces, *pool.parameters()]
    of_found = torch.autograd.grad((found * weigh).sum(), inputs)
    of_expected = torch.autograd.grad((expected * weigh).sum(), inputs)
    for ours, theirs in zip(of_found, of_expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_a_span_of_one_piece_is_its_projection_and_large_scores_do_no_harm() -> None:
    pool, pieces = SpanPooling(6, 5), 1e4 * drawn(7, 6)
    found = pool(pieces, spans(ENDS[0]))
    torch.testing.assert_close(found[1], pool.project(pieces[3]))
    assert torch.isfinite(found).all()


def test_the_whole_probe_is_mix_pooling_and_two_layers() -> None:
    torch.manual_seed(1)
    net, states = EdgeNet(3, 6, 2, 4, hidden=5, dropout=0.3).eval(), drawn(3, 7, 6)
    assert net.mix is not None
    pieces = net.mix(states)
    first, last, norm = (net.classify[place] for place in (0, 4, 2))
    assert isinstance(first, nn.Linear) and isinstance(last, nn.Linear) and isinstance(norm, nn.LayerNorm)
    for number, logits in enumerate(net(states, [spans(ends) for ends in ENDS])):
        sides = [
            pooled_alone(pool, pieces, *ends[number].tolist())  # pyright: ignore[reportArgumentType]
            for pool, ends in zip(net.sides, ENDS, strict=True)
        ]
        between = torch.tanh(first.weight @ torch.cat(sides) + first.bias)
        centred = between - between.mean()
        between = centred / (centred.square().mean() + norm.eps).sqrt() * norm.weight + norm.bias
        torch.testing.assert_close(logits, last.weight @ between + last.bias, atol=1e-5, rtol=1e-4)


def test_without_a_mix_the_one_layer_is_read() -> None:
    net, states = EdgeNet(None, 6, 1, 2, hidden=5, dropout=0.0).eval(), drawn(1, 7, 6)
    expected = net.classify(net.sides[0](states[0], spans(ENDS[0])))
    torch.testing.assert_close(net(states, [spans(ENDS[0])]), expected)
