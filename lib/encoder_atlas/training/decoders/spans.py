"""Spans of words: which there are, and which of them can stand side by side."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from encoder_atlas.text.layers import Span


def all_spans(mask: Bool[Tensor, "batch words"]) -> Bool[Tensor, "batch words words"]:
    """Whether a sentence has words ``[b, first, last]`` as a span: first ≤ last, neither is padding."""
    inside = mask[:, :, None] & mask[:, None, :]
    return torch.ones_like(inside).triu() & inside


def span_grid(
    mask: Bool[Tensor, "batch words"], longest: int
) -> tuple[Int64[Tensor, "words lengths"], Bool[Tensor, "batch words lengths"]]:
    """Spans of up to ``longest`` words, by first word and length (from 1, at index 0).

    Returns:
        The last word of each span, at most that of the longest sentence; and whether a sentence has the span.
    """
    first = torch.arange(mask.shape[1], device=mask.device)[:, None]
    last = first + torch.arange(min(longest, mask.shape[1]), device=mask.device)
    ends = mask.sum(dim=1)[:, None, None]
    return last.clamp(max=mask.shape[1] - 1), last < ends


def without_clashes(spans: Sequence[Span], scores: Sequence[float]) -> list[Span]:
    """Flat spans, chosen greedily: from the best score down, each that shares no word with one chosen before.

    Of equal scores the one that starts, then ends first. Returned in the order of the sentence.
    """
    chosen: list[Span] = []
    for _, span in sorted(zip(scores, spans, strict=True), key=lambda pair: (-pair[0], pair[1])):
        if all(span.end <= other.start or other.end <= span.start for other in chosen):
            chosen.append(span)
    return sorted(chosen)


def best_disjoint(spans: Sequence[Span], scores: Sequence[float]) -> list[Span]:
    """The spans that share no word and have the highest sum of scores, all of which are positive.

    Exact, from left to right: the best set within the first ``i`` words either leaves word ``i`` out or has a
    span that ends there. Returned in the order of the sentence.
    """
    ending: dict[int, list[tuple[Span, float]]] = {}
    for span, score in zip(spans, scores, strict=True):
        ending.setdefault(span.end, []).append((span, score))
    best: list[tuple[float, tuple[Span, ...]]] = [(0.0, ())]
    for end in range(1, max(ending, default=0) + 1):
        ways = [best[end - 1]]
        for span, score in ending.get(end, ()):
            before, others = best[span.start]
            ways.append((before + score, (*others, span)))
        best.append(max(ways, key=lambda way: way[0]))
    return list(best[-1][1])
