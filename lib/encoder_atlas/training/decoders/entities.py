"""Named entities: every span scored by a biaffine form of its first and last word (Yu et al., 2020)."""

from collections.abc import Sequence
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from encoder_atlas.text.layers import Layer, Sentence, Span, check_sentence
from encoder_atlas.training.decoders.base import DecoderSettings, Fields
from encoder_atlas.training.decoders.biaffine import Biaffine
from encoder_atlas.training.decoders.counted import CountedDecoder, Counts
from encoder_atlas.training.decoders.losses import UNKNOWN, known_cross_entropy
from encoder_atlas.training.decoders.spans import all_spans, without_clashes

NULL = 0  # the label of a span that is no entity; known labels follow it


class EntityDecoder(CountedDecoder):
    """Logits of no entity and of each kind, for every span of a sentence.

    As the stem-cell paper's code has it: first and last word each through a linear layer of its own, without
    activation or dropout, then a biaffine form. Source: Yu, Bohnet and Poesio (2020), without their LSTM.
    """

    layer: ClassVar[Layer] = "ner"

    def __init__(self, width: int, labels: Sequence[str], settings: DecoderSettings) -> None:
        super().__init__(width, labels, settings)
        self.first, self.last = (nn.Linear(width, settings.entity_width) for _ in range(2))
        self.kinds = Biaffine(settings.entity_width, 1 + len(self.labels), left_bias=True, right_bias=True)

    def span_scores(
        self, vectors: Float[Tensor, "batch words hidden"]
    ) -> Float[Tensor, "batch words words kinds"]:
        """Logits by first and last word, NULL first; where the first is after the last they mean nothing."""
        return self.kinds(self.first(vectors), self.last(vectors)).movedim(1, -1)

    def targets(self, sentences: Sequence[Sentence]) -> Int64[Tensor, "batch words words"]:
        """Numbers of the kinds of spans, by first and last word; NULL, and UNKNOWN for unknown kinds.

        Raises:
            DataError: naming the sentence, if entities overlap or lie outside its words.
        """
        longest = max(len(sentence.words) for sentence in sentences)
        table = torch.full((len(sentences), longest, longest), NULL)
        for row, sentence in enumerate(sentences):
            check_sentence(sentence, f"sentence {sentence.id!r}")
            for start, end, label in sentence.entities or ():
                table[row, start, end - 1] = 1 + self.numbers[label] if label in self.numbers else UNKNOWN
        return table

    def loss(
        self,
        vectors: Float[Tensor, "batch words hidden"],
        mask: Bool[Tensor, "batch words"],
        targets: Int64[Tensor, "batch words words"],
    ) -> Float[Tensor, ""]:
        """Cross-entropy, the mean over all spans of all sentences, entities or not."""
        spans = all_spans(mask)
        return known_cross_entropy(self.span_scores(vectors)[spans], targets.to(mask.device)[spans])

    @torch.no_grad()
    def decode(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> list[Fields]:
        """Spans whose likeliest label is a kind, without those that clash with or nest in a better one.

        Better is what has the higher logit, as in the paper.
        """
        scores, kinds = self.span_scores(vectors).max(dim=-1)
        rows = (all_spans(mask) & (kinds != NULL)).nonzero()
        found: list[list[Span]] = [[] for _ in mask]
        values: list[list[float]] = [[] for _ in mask]
        picked = (rows.T.tolist(), kinds[tuple(rows.T)].tolist(), scores[tuple(rows.T)].tolist())
        for row, start, last, kind, score in zip(*picked[0], *picked[1:], strict=True):
            found[row].append(Span(start, last + 1, self.labels[kind - 1]))
            values[row].append(score)
        return [
            {"entities": tuple(without_clashes(own, score))} for own, score in zip(found, values, strict=True)
        ]

    def counts(self, gold: Sentence, found: Sentence) -> dict[str, Counts]:
        """Entities; one is right with the same words and the same kind, as seqeval and CoNLL 2003 have it."""
        return {"entity": Counts.of(gold.entities or (), found.entities or ())}
