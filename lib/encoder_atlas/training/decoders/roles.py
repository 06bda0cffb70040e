"""Semantic roles end to end: predicates and arguments are ranked, then scored in pairs (He et al., 2018)."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from encoder_atlas.text.layers import Frame, Layer, Sentence, Span, check_sentence
from encoder_atlas.training.decoders.base import DecoderSettings, Fields
from encoder_atlas.training.decoders.counted import CountedDecoder, Counts
from encoder_atlas.training.decoders.losses import UNKNOWN, known_cross_entropy
from encoder_atlas.training.decoders.spans import best_disjoint, span_grid

NULL = 0  # the label of a pair that has no role; known labels follow it
LENGTH_WIDTH = 20  # of the embedding of a span's length


class Pairs(NamedTuple):
    """Pairs of a predicate and an argument that are scored, of all sentences of a batch.

    Attributes:
        where: of each pair the sentence in the batch, predicate, first word and length of the argument.
        scores: logits of no role (always 0) and of each role.
    """

    where: Int64[Tensor, "pairs 4"]
    scores: Float[Tensor, "pairs roles"]


class SpanLinear(nn.Module):
    """A linear layer on [first word; last word; embedding of the length; mean of the words] of each span.

    It is computed word by word and put together after: a linear layer of a concatenation is a sum of linear
    layers of its parts, and of a mean the mean of what it makes of each word.
    """

    def __init__(self, hidden: int, width: int, longest: int) -> None:
        super().__init__()
        self.lengths = nn.Embedding(longest, LENGTH_WIDTH)
        self.linear = nn.Linear(3 * hidden + LENGTH_WIDTH, width)

    def forward(
        self, vectors: Float[Tensor, "batch words hidden"], last: Int64[Tensor, "words lengths"]
    ) -> Float[Tensor, "batch words lengths width"]:
        """Of the spans of `span_grid`; those beyond a sentence's end get numbers without meaning."""
        hidden, n = vectors.shape[-1], last.shape[1]
        parts = self.linear.weight.split([hidden, hidden, LENGTH_WIDTH, hidden], dim=1)
        first, end, mean = (vectors @ parts[i].T for i in (0, 1, 3))
        lengths = self.lengths.weight[:n] @ parts[2].T + self.linear.bias
        sums = nn.functional.pad(mean.cumsum(dim=1), (0, 0, 1, 0))
        inside = sums[:, last + 1] - sums[:, : last.shape[0], None]
        inside = inside / torch.arange(1, n + 1, device=last.device)[:, None]
        return first[:, :, None] + end[:, last] + lengths + inside


class RoleDecoder(CountedDecoder):
    """Score of a role = unary score of the argument + that of the predicate + score of the pair and the role.

    Arguments are spans, predicates are words. Those with the best unary scores are a sentence's candidates,
    ``argument_ratio`` · words spans and ``predicate_ratio`` · words predicates; all pairs of them are scored,
    and no role scores 0. A predicate is what has at least one role: one without arguments is never found.

    Source: He, Lee, Levy and Zettlemoyer (2018), with what the stem-cell paper's code has: a mean over the
    words of a span in place of attention, FFNNs of 2 × 150. Its "mean" is a sum over the span divided by 30,
    the greatest length; ours is divided by the span's own.
    """

    layer: ClassVar[Layer] = "srl"

    def __init__(self, width: int, labels: Sequence[str], settings: DecoderSettings) -> None:
        super().__init__(width, labels, settings)
        self.settings, own = settings, settings.role_width
        self.words = nn.Dropout(settings.role_word_dropout)
        self.argument_input = SpanLinear(width, own, settings.longest_argument)
        self.argument_score = self._ffnn(1)
        self.predicate_score = nn.Sequential(nn.Linear(width, own), *self._ffnn(1))
        self.pair_argument = SpanLinear(width, own, settings.longest_argument)
        self.pair_predicate = nn.Linear(width, own, bias=False)
        self.pair_score = self._ffnn(len(self.labels))

    def _ffnn(self, outputs: int) -> nn.Sequential:
        """What follows the first linear layer of an FFNN with two hidden layers."""
        own, dropout = self.settings.role_width, self.settings.role_dropout
        hidden = (nn.ReLU(), nn.Dropout(dropout), nn.Linear(own, own), nn.ReLU(), nn.Dropout(dropout))
        return nn.Sequential(*hidden, nn.Linear(own, outputs))

    def pairs(self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]) -> Pairs:
        """The candidates' pairs and their logits."""
        vectors = self.words(vectors)
        last, possible = span_grid(mask, self.settings.longest_argument)
        spans = self.argument_score(self.argument_input(vectors, last))[..., 0]
        words = self.predicate_score(vectors)[..., 0]
        arguments = best_of(spans.flatten(1), possible.flatten(1), mask, self.settings.argument_ratio)
        arguments = arguments.unflatten(1, possible.shape[1:]).nonzero()
        predicates = best_of(words, mask, mask, self.settings.predicate_ratio).nonzero()
        left, right = (predicates[:, :1] == arguments[:, 0]).nonzero().T
        (row, predicate), (_, start, length) = predicates[left].T, arguments[right].T
        hidden = self.pair_argument(vectors, last)[row, start, length]
        scores = self.pair_score(hidden + self.pair_predicate(vectors)[row, predicate])
        scores = scores + (spans[row, start, length] + words[row, predicate])[:, None]
        where = torch.stack([row, predicate, start, length + 1], dim=1)
        return Pairs(where, torch.cat([torch.zeros_like(scores[:, :1]), scores], dim=1))

    def targets(self, sentences: Sequence[Sentence]) -> Int64[Tensor, "roles 5"]:
        """Of each role its sentence, predicate, first word, length and number; UNKNOWN for unknown roles.

        Arguments of more than ``longest_argument`` words are left out: they cannot be found.

        Raises:
            DataError: naming the sentence, if roles of a predicate overlap or lie outside its words.
        """
        rows = []
        for row, sentence in enumerate(sentences):
            check_sentence(sentence, f"sentence {sentence.id!r}")
            for frame in sentence.frames or ():
                for start, end, label in frame.arguments:
                    number = 1 + self.numbers[label] if label in self.numbers else UNKNOWN
                    if end - start <= self.settings.longest_argument:
                        rows.append((row, frame.predicate, start, end - start, number))
        return torch.tensor(rows, dtype=torch.int64).reshape(-1, 5)

    def loss(
        self,
        vectors: Float[Tensor, "batch words hidden"],
        mask: Bool[Tensor, "batch words"],
        targets: Int64[Tensor, "roles 5"],
    ) -> Float[Tensor, ""]:
        """Cross-entropy, the mean over all pairs of candidates, in a role or not."""
        where, scores = self.pairs(vectors, mask)
        return known_cross_entropy(scores, roles_of_pairs(where, targets.to(mask.device)))

    @torch.no_grad()
    def decode(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> list[Fields]:
        """Frames of the pairs whose likeliest role is not NULL; of a predicate none overlap by default.

        Of a predicate's overlapping arguments those stay that have the highest sum of scores, exactly. Frames
        have neither a roleset (it is "") nor a role V.
        """
        where, scores = self.pairs(vectors, mask)
        best, roles = scores.max(dim=1)
        some = roles != NULL
        found: list[dict[int, list[tuple[Span, float]]]] = [{} for _ in mask]
        for (row, predicate, start, length), role, score in zip(
            where[some].tolist(), roles[some].tolist(), best[some].tolist(), strict=True
        ):
            span = Span(start, start + length, self.labels[role - 1])
            found[row].setdefault(predicate, []).append((span, score))
        return [{"frames": tuple(self._frame(*one) for one in sorted(own.items()))} for own in found]

    def _frame(self, predicate: int, scored: list[tuple[Span, float]]) -> Frame:
        spans, scores = [span for span, _ in scored], [score for _, score in scored]
        roles = sorted(spans) if self.settings.overlapping_roles else best_disjoint(spans, scores)
        return Frame(predicate, "", tuple(roles))

    def counts(self, gold: Sentence, found: Sentence) -> dict[str, Counts]:
        """Kind "role": predicate, words and role must be right; kind "predicate": its word must be.

        Roles of the predicate itself (V, C-V) do not count, and rolesets need not agree.
        """
        sides = [sentence.frames or () for sentence in (gold, found)]
        roles = [[(frame.predicate, *role) for frame in side for role in frame.arguments] for side in sides]
        return {
            "role": Counts.of(*roles),
            "predicate": Counts.of(*({frame.predicate for frame in side} for side in sides)),
        }


def best_of(
    scores: Float[Tensor, "batch things"],
    possible: Bool[Tensor, "batch things"],
    mask: Bool[Tensor, "batch words"],
    ratio: float,
) -> Bool[Tensor, "batch things"]:
    """Which things are among the best ``ratio`` · words (rounded down, at least 1) of their sentence."""
    wanted = (ratio * mask.sum(dim=1)).long().clamp(min=1)
    order = scores.detach().masked_fill(~possible, -torch.inf).argsort(dim=1, descending=True, stable=True)
    return possible & (order.argsort(dim=1) < wanted[:, None])


def roles_of_pairs(
    where: Int64[Tensor, "pairs 4"], targets: Int64[Tensor, "roles 5"]
) -> Int64[Tensor, " pairs"]:
    """The number of the role that each pair has, NULL where it has none."""
    numbers = where.new_full((len(where),), NULL)
    if not len(targets):
        return numbers
    # A pair of four numbers becomes one that is looked up among the sorted ones of the roles.
    base = torch.cat([where, targets[:, :4]]).max() + 1
    powers = base ** torch.arange(3, -1, -1, device=where.device)
    keys, order = (targets[:, :4] @ powers).sort()
    wanted = where @ powers
    place = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
    return torch.where(keys[place] == wanted, targets[order[place], 4], numbers)
