"""The tree CRF against enumeration of all trees, plain autograd and torch-struct."""

import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from encoder_atlas.training.decoders import TreeCRF

Spans = frozenset[tuple[int, int]]


def trees(start: int, end: int) -> Iterator[Spans]:
    """The spans of every binary tree over the words between two fences."""
    if end - start == 1:
        yield frozenset({(start, end)})
    for middle in range(start + 1, end):
        for left in trees(start, middle):
            for right in trees(middle, end):
                yield left | right | {(start, end)}


def drawn(words: list[int], seed: int = 0, spread: float = 2.0) -> TreeCRF:
    """Scores of a batch in float64; what must not be read is not a number."""
    longest, generator = max(words), torch.Generator().manual_seed(seed)
    scores = spread * torch.randn(
        len(words), longest + 1, longest + 1, generator=generator, dtype=torch.float64
    )
    for row, n in enumerate(words):
        fence = torch.arange(longest + 1)
        unread = (fence[None, :] > n) | (fence[None, :] <= fence[:, None])
        scores[row][unread] = torch.nan
    return TreeCRF(scores, torch.tensor(words))


def spans_of(tree: Tensor) -> Spans:
    return frozenset((i, j) for i, j in tree.nonzero().tolist())


def total(scores: Tensor, spans: Spans) -> float:
    return float(sum(scores[i, j] for i, j in spans))


@pytest.mark.parametrize("seed", range(4))
def test_enumeration(seed: int) -> None:
    """Partition, marginals, best tree and tree of least risk of a batch of mixed lengths, n = 1 … 6."""
    crf = drawn([3, 1, 6, 2, 5, 4], seed)
    found = crf.log_partition(), crf.marginals(), crf.best(), crf.least_risk()
    rows = zip(crf.scores, crf.words.tolist(), *found, strict=True)
    for scores, n, partition, marginals, best, safest in rows:
        every = list(trees(0, n))
        weights = torch.tensor([total(scores, spans) for spans in every], dtype=torch.float64)
        assert partition.item() == pytest.approx(weights.logsumexp(0).item(), abs=1e-10)
        expected = torch.zeros_like(marginals)
        for spans, share in zip(every, weights.softmax(0), strict=True):
            for i, j in spans:
                expected[i, j] += share
        torch.testing.assert_close(marginals, expected, atol=1e-10, rtol=0)
        assert spans_of(best) == max(every, key=lambda spans: total(scores, spans))
        assert spans_of(safest) == max(every, key=lambda spans: total(expected, spans))


def test_numbers_of_trees() -> None:
    """With all scores 0 the partition counts the trees: Catalan numbers, 1, 1, 2, 5, 14, …"""
    words = torch.arange(1, 13)
    counts = TreeCRF(torch.zeros(12, 13, 13, dtype=torch.float64), words).log_partition().exp()
    expected = [math.comb(2 * n, n) / (n + 1) for n in range(12)]
    torch.testing.assert_close(counts, torch.tensor(expected, dtype=torch.float64))


def test_three_words_by_hand() -> None:
    """Of three words there are two trees, told apart by span 0–2 or 1–3: a logistic choice between them."""
    scores = torch.zeros(1, 4, 4, dtype=torch.float64)
    scores[0, 0, 2], scores[0, 1, 3], scores[0, 0, 3] = 1.0, -1.0, 5.0
    crf = TreeCRF(scores, torch.tensor([3]))
    assert crf.log_partition().item() == pytest.approx(5 + math.log(math.e + 1 / math.e))
    assert crf.marginals()[0, 0, 2].item() == pytest.approx(1 / (1 + math.exp(-2)))
    assert spans_of(crf.best()[0]) == {(0, 1), (1, 2), (2, 3), (0, 2), (0, 3)}


def test_gradient() -> None:
    crf = drawn([4, 6, 1])
    scores = crf.scores.nan_to_num(0.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda values: TreeCRF(values, crf.words).log_partition(), (scores,))


def test_inside_algorithm_span_by_span() -> None:
    """Longer sentences than can be enumerated: a loop over cells, differentiated by autograd."""
    crf = drawn([17, 11], seed=5)
    leaf = crf.scores.clone().requires_grad_()
    partitions = []
    for row, n in enumerate(crf.words.tolist()):
        inside = {(i, i + 1): leaf[row, i, i + 1] for i in range(n)}
        for width in range(2, n + 1):
            for i in range(n + 1 - width):
                j = i + width
                splits = torch.stack([inside[i, k] + inside[k, j] for k in range(i + 1, j)])
                inside[i, j] = leaf[row, i, j] + splits.logsumexp(0)
        partitions.append(inside[0, n])
    expected = torch.stack(partitions)
    torch.testing.assert_close(crf.log_partition(), expected)
    torch.testing.assert_close(crf.marginals(), torch.autograd.grad(expected.sum(), leaf)[0])


@pytest.mark.filterwarnings("ignore:.*arg_constraints:UserWarning")
def test_the_same_as_torch_struct() -> None:
    """Its spans hold the last word, where ours end at the fence behind it."""
    torch_struct = pytest.importorskip("torch_struct")
    crf = drawn([9, 14, 1, 2, 14], seed=7)
    potentials = crf.scores.nan_to_num(0.0)[:, :-1, 1:, None]
    other = torch_struct.TreeCRF(potentials, lengths=crf.words)
    torch.testing.assert_close(crf.log_partition(), other.partition.reshape(-1))
    torch.testing.assert_close(crf.marginals()[:, :-1, 1:], other.marginals[..., 0])
    assert torch.equal(crf.best()[:, :-1, 1:], other.argmax[..., 0] > 0)


def test_one_word() -> None:
    scores = torch.tensor([[[0.0, 2.5], [0.0, 0.0]]], requires_grad=True)
    crf = TreeCRF(scores, torch.tensor([1]))
    assert crf.log_partition().tolist() == [2.5]
    assert spans_of(crf.best()[0]) == spans_of(crf.least_risk()[0]) == {(0, 1)}
    crf.log_partition().sum().backward()
    assert scores.grad is not None and scores.grad[0].tolist() == [[0, 1], [0, 0]]


def test_long_sentences_in_fp32() -> None:
    """Sums over some 10⁸⁶ trees stay exact enough, and each tree has 2n − 1 spans."""
    crf = drawn([150, 80], seed=1, spread=10.0)
    half = TreeCRF(crf.scores.float(), crf.words)
    torch.testing.assert_close(half.log_partition().double(), crf.log_partition(), rtol=1e-5, atol=0)
    torch.testing.assert_close(half.marginals().double(), crf.marginals(), rtol=0, atol=2e-3)
    assert half.best().sum(dim=(1, 2)).tolist() == half.least_risk().sum(dim=(1, 2)).tolist() == [299, 159]


def test_equal_scores_give_some_tree() -> None:
    tree = TreeCRF(torch.zeros(1, 6, 6), torch.tensor([5])).best()[0]
    assert spans_of(tree) in set(trees(0, 5))
