"""Layers that are scored by what is found of them, not word by word: entities, phrases, roles."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool

from encoder_atlas.text.layers import Sentence
from encoder_atlas.training.decoders.base import Decoder


class Counts(NamedTuple):
    """How many things were found, how many there are, and how many of those found are right."""

    right: int
    found: int
    gold: int

    @classmethod
    def of(cls, gold: Iterable[Hashable], found: Iterable[Hashable]) -> "Counts":
        """Things are right that stand in both; one that stands twice counts twice."""
        there, here = Counter(gold), Counter(found)
        return cls((there & here).total(), here.total(), there.total())

    def scores(self) -> dict[str, float]:
        """Precision, recall and F1, each in [0, 1]; 0 where one has nothing to count, as seqeval has it."""
        return {
            "f1": 2 * self.right / max(1, self.found + self.gold),
            "precision": self.right / max(1, self.found),
            "recall": self.right / max(1, self.gold),
        }


class CountedDecoder(Decoder):
    """A decoder whose layer is scored by precision, recall and F1 over all sentences (micro)."""

    @abstractmethod
    def counts(self, gold: Sentence, found: Sentence) -> dict[str, Counts]:
        """Of one sentence, by kind of thing ("entity", "phrase", …), the main kind first."""

    def score(self, gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
        """Measures "f1", "precision" and "recall" of the main kind, from counts summed over sentences.

        Of further kinds the names of the measures begin with theirs, as "predicate f1".
        """
        sums: dict[str, list[Counts]] = {}
        for pair in zip(gold, found, strict=True):
            for kind, own in self.counts(*pair).items():
                sums.setdefault(kind, []).append(own)
        scores: dict[str, float] = {}
        for number, (kind, rows) in enumerate(sums.items()):
            total = Counts(*(sum(column) for column in zip(*rows, strict=True)))
            prefix = f"{kind} " if number else ""
            scores |= {prefix + measure: value for measure, value in total.scores().items()}
        return scores

    def right(self, gold: Sentence, found: Sentence) -> dict[str, Bool[np.ndarray, " words"]]:
        """Nothing: such a layer is not scored word by word."""
        return {}
