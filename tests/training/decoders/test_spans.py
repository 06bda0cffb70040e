"""Which spans there are and which can stand side by side, against loops and brute force."""

from itertools import combinations

import numpy as np
import torch

from encoder_atlas.text.layers import Span
from encoder_atlas.training.decoders.spans import all_spans, best_disjoint, span_grid, without_clashes

MASK = torch.arange(6) < torch.tensor([1, 6, 4])[:, None]


def disjoint(spans: tuple[Span, ...]) -> bool:
    return all(a.end <= b.start or b.end <= a.start for a, b in combinations(spans, 2))


def random_spans(random: np.random.Generator, n: int) -> tuple[list[Span], list[float]]:
    spans = []
    for _ in range(n):
        start, end = sorted(random.choice(8, size=2, replace=False).tolist())
        spans.append(Span(start, end, str(random.choice(["x", "y"]))))
    spans = list(dict.fromkeys(spans))
    return spans, (random.permutation(len(spans)) + 1.0).tolist()


def test_all_spans_are_those_of_two_loops() -> None:
    found = all_spans(MASK)
    for row, n in enumerate((1, 6, 4)):
        expected = {(start, last) for start in range(n) for last in range(start, n)}
        assert {tuple(pair) for pair in found[row].nonzero().tolist()} == expected


def test_the_grid_is_that_of_two_loops() -> None:
    last, possible = span_grid(MASK, 3)
    for row, n in enumerate((1, 6, 4)):
        found = {(start, last[start, i].item()) for start, i in possible[row].nonzero().tolist()}
        assert found == {(start, end) for start in range(n) for end in range(start, min(n, start + 3))}


def test_greedy_choice_worked_by_hand() -> None:
    spans = [Span(0, 3, "x"), Span(1, 2, "y"), Span(2, 4, "x"), Span(3, 5, "y")]
    assert without_clashes(spans, [1.0, 3.0, 2.0, 0.5]) == [Span(1, 2, "y"), Span(2, 4, "x")]
    # Ties: the one that starts first.
    assert without_clashes(spans, [1.0, 1.0, 1.0, 1.0]) == [Span(0, 3, "x"), Span(3, 5, "y")]
    assert without_clashes([], []) == []


def test_greedy_choice_against_a_literal_twin() -> None:
    random = np.random.default_rng(1)
    for _ in range(30):
        spans, scores = random_spans(random, 7)
        free, kept = [True] * 8, []
        for i in np.argsort(scores)[::-1]:
            if all(free[spans[i].start : spans[i].end]):
                kept.append(spans[i])
                free[spans[i].start : spans[i].end] = [False] * (spans[i].end - spans[i].start)
        assert without_clashes(spans, scores) == sorted(kept)


def test_best_disjoint_against_brute_force() -> None:
    random = np.random.default_rng(2)
    for _ in range(30):
        spans, scores = random_spans(random, 7)
        pairs = list(zip(spans, scores, strict=True))
        sets = [own for k in range(len(pairs) + 1) for own in combinations(pairs, k)]
        sums = {
            tuple(sorted(span for span, _ in own)): sum(score for _, score in own)
            for own in sets
            if disjoint(tuple(span for span, _ in own))
        }
        assert sums[tuple(best_disjoint(spans, scores))] == max(sums.values())


def test_one_wide_span_gives_way_to_two_better_ones() -> None:
    spans = [Span(0, 4, "x"), Span(0, 2, "x"), Span(2, 4, "y")]
    assert best_disjoint(spans, [3.0, 2.0, 2.0]) == spans[1:]
    assert without_clashes(spans, [3.0, 2.0, 2.0]) == spans[:1]
