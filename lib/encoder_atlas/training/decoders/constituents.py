"""Phrases: the two-stage parser of Zhang, Zhou and Li (2020), spans by a tree CRF, then their labels."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import pad

from encoder_atlas.errors import DataError
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer, Sentence, check_sentence
from encoder_atlas.training.decoders.base import DecoderSettings, Fields
from encoder_atlas.training.decoders.biaffine import Biaffine, word_mlp
from encoder_atlas.training.decoders.binary import NONE, Labelled, binarised, collapsed, unbinarised
from encoder_atlas.training.decoders.brackets import BracketCounts, compare_brackets
from encoder_atlas.training.decoders.counted import CountedDecoder, Counts
from encoder_atlas.training.decoders.losses import UNKNOWN, known_cross_entropy
from encoder_atlas.training.decoders.tree_crf import TreeCRF

UNTAGGED = "XX"  # the Penn Treebank's tag for "not known": this decoder finds phrases, no tags
AT_ONCE = 2048  # spans labelled at once where nothing is learnt


class ConstituentDecoder(CountedDecoder):
    """Scores of spans and of their labels, both biaffine in the span's two fences.

    A fence is read off the word before and the word after it, both whole, by MLPs of its own as first and as
    last fence. At the ends of a sentence learned vectors stand for the missing word. (The stem-cell paper
    takes [CLS] and [SEP], which not all encoders have.)

    Trained on binary trees: spans that are no phrase have the label NONE. Read out in two stages, first the
    tree of least risk (or the likeliest), then the likeliest label of each of its spans.

    Memory grows with n² for a sentence of n words: with 109 labels training takes some 4 MiB a sentence of 30
    words, 30 MiB one of 150 and 260 MiB one of 500; reading out a quarter to a half of that.
    """

    layer: ClassVar[Layer] = "con"

    def __init__(self, width: int, labels: Sequence[str], settings: DecoderSettings) -> None:
        super().__init__(width, labels, settings)
        self.parse = settings.parse
        self.ends = nn.Parameter(torch.randn(2, width))
        span, label, dropout = settings.span_width, settings.label_width, settings.mlp_dropout
        self.span_first, self.span_last = (word_mlp(2 * width, span, dropout) for _ in range(2))
        self.label_first, self.label_last = (word_mlp(2 * width, label, dropout) for _ in range(2))
        self.spans = Biaffine(span, 1, left_bias=True, right_bias=False)
        self.names = Biaffine(label, len(self.labels), left_bias=True, right_bias=True)

    @classmethod
    def labels_of(cls, corpus: AnnotatedCorpus) -> tuple[str, ...]:
        """NONE, and all labels of train with those of phrases over the same words joined: "S+VP"."""
        trees = (one.tree for one in corpus.sentences("train", [cls.layer]) if one.tree)
        return (NONE, *sorted({label for tree in trees for label in collapsed(tree.spans).values()}))

    def targets(self, sentences: Sequence[Sentence]) -> Int64[Tensor, "spans 4"]:
        """The spans of the binary trees of all sentences: sentence, first fence, last fence, number of label.

        A label that is not known is UNKNOWN.

        Raises:
            DataError: if a sentence has no tree, or one that does not fit its words.
        """
        rows: list[tuple[int, int, int, int]] = []
        for number, sentence in enumerate(sentences):
            where = f"sentence {sentence.id!r}"
            if sentence.tree is None:
                raise DataError(f"{where} has no tree to learn from")
            check_sentence(sentence, where)
            spans = binarised(sentence.tree).items()
            rows += [(number, *span, self.numbers.get(label, UNKNOWN)) for span, label in spans]
        return torch.tensor(rows)

    def fences(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> Float[Tensor, "batch fences twice_hidden"]:
        """The vectors of the words before and after each fence, one after the other."""
        first, last = self.ends.to(vectors.dtype)
        before = torch.cat([first.expand(len(vectors), 1, -1), vectors], dim=1)
        at_end = torch.arange(mask.shape[1] + 1, device=mask.device) == mask.sum(dim=1, keepdim=True)
        after = torch.where(at_end[:, :, None], last, pad(vectors, (0, 0, 0, 1)))
        return torch.cat([before, after], dim=-1)

    def span_scores(
        self, fences: Float[Tensor, "batch fences twice_hidden"]
    ) -> Float[Tensor, "batch fences fences"]:
        """Logits of spans, by first and last fence."""
        return self.spans(self.span_first(fences), self.span_last(fences))[:, 0]

    def loss(
        self,
        vectors: Float[Tensor, "batch words hidden"],
        mask: Bool[Tensor, "batch words"],
        targets: Int64[Tensor, "spans 4"],
    ) -> Float[Tensor, ""]:
        """−log p of the binary trees, a word, plus the cross-entropy of labels, a span of these trees."""
        sentence, first, last, label = targets.to(mask.device).T
        fences, words = self.fences(vectors, mask), mask.sum(dim=1)
        scores = self.span_scores(fences)
        trees = TreeCRF(scores, words).log_partition().sum() - scores[sentence, first, last].sum()
        names = self.names(self.label_first(fences), self.label_last(fences))[sentence, :, first, last]
        # Rounding may leave less than 0 where the trees are certain.
        return trees.clamp(min=0) / words.sum() + known_cross_entropy(names, label)

    @torch.no_grad()
    def decode(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> list[Fields]:
        """Trees; the whole sentence is always a phrase. Tags of words are not found: all are "XX"."""
        fences, words = self.fences(vectors, mask), mask.sum(dim=1)
        crf = TreeCRF(self.span_scores(fences), words)
        spans = (crf.least_risk() if self.parse == "risk" else crf.best()).nonzero()
        sentence, first, last = spans.T
        firsts, lasts = self.label_first(fences), self.label_last(fences)
        best = torch.cat(
            [
                self._best_labels(firsts[row, i], lasts[row, j], (i == 0) & (j == words[row]))
                for row, i, j in (part.T for part in spans.split(AT_ONCE))
            ]
        )
        found: list[Labelled] = [{} for _ in range(len(mask))]
        rows = zip(sentence.tolist(), first.tolist(), last.tolist(), best.tolist(), strict=True)
        for row, i, j, label in rows:
            found[row][i, j] = self.labels[label]
        return [
            {"tree": unbinarised(labels, [UNTAGGED] * n)}
            for labels, n in zip(found, words.tolist(), strict=True)
        ]

    def _best_labels(
        self,
        first: Float[Tensor, "spans width"],
        last: Float[Tensor, "spans width"],
        whole: Bool[Tensor, " spans"],
    ) -> Int64[Tensor, " spans"]:
        """Numbers of labels; spans of whole sentences get one that is not NONE, which is label 0."""
        logits = self.names.of_pairs(first, last)
        logits[whole, 0] = -torch.inf
        return logits.argmax(dim=1)

    def counts(self, gold: Sentence, found: Sentence) -> dict[str, Counts]:
        """Labelled brackets, by the rules of `compare_brackets`; what is punctuation, the gold tree says."""
        return {"phrase": self._compared(gold, found).counts}

    def score(self, gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
        """ "f1", "precision" and "recall" of labelled brackets, and the share of "complete" sentences."""
        complete = [self._compared(*pair).complete for pair in zip(gold, found, strict=True)]
        return {**super().score(gold, found), "complete": sum(complete) / len(complete)}

    @staticmethod
    def _compared(gold: Sentence, found: Sentence) -> BracketCounts:
        if gold.tree and found.tree:
            found = replace(found, tree=found.tree._replace(tags=gold.tree.tags))
        return compare_brackets(gold, found)
