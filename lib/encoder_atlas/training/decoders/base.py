"""What every decoder is: from the vectors of a sentence's words to one layer, learnt and scored."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Bool, Float
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer, Sentence

# What a decoder says of a sentence: fields of `Sentence` and their values.
Fields = dict[str, Any]


class DecoderSettings(BaseModel):
    """Sizes of decoders and how they read out a layer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arc_width: int = Field(default=500, ge=1, description="dependencies: width of the MLPs that find heads")
    label_width: int = Field(default=100, ge=1, description="… and of those that name relations")
    mlp_dropout: float = Field(default=0.33, ge=0, lt=1, description="in these MLPs, one mask a sentence")
    tree: Literal["maximum", "projective", "greedy"] = Field(
        default="maximum",
        description="the best tree, the best without crossing arcs (Eisner), or each word's best head, which "
        "need make no tree",
    )
    span_width: int = Field(
        default=500,
        ge=1,
        description="constituents: width of the MLPs that find spans; label_width names them",
    )
    parse: Literal["risk", "best"] = Field(
        default="risk", description="constituents: the tree of least risk, or the likeliest one"
    )
    entity_width: int = Field(
        default=150, ge=1, description="entities: of the layers for first and last word"
    )
    role_width: int = Field(default=150, ge=1, description="roles: of the hidden layers of the FFNNs")
    role_dropout: float = Field(default=0.2, ge=0, lt=1, description="… after each of these layers")
    role_word_dropout: float = Field(default=0.5, ge=0, lt=1, description="… and on the vectors of words")
    argument_ratio: float = Field(default=0.8, gt=0, description="roles: candidate arguments a word")
    predicate_ratio: float = Field(default=0.4, gt=0, description="roles: candidate predicates a word")
    longest_argument: int = Field(default=30, ge=1, description="roles: words of the longest argument")
    overlapping_roles: bool = Field(default=False, description="roles of one predicate may share words")


class Decoder(nn.Module, ABC):
    """A decoder of one layer; the base class keeps the labels.

    Attributes:
        layer: the layer it reads and writes.
        labels: what can be predicted, in the order of its outputs. A label that is not among them, as dev and
            test may hold, is not learnt from and always counts as wrong.
    """

    layer: ClassVar[Layer]

    def __init__(self, width: int, labels: Sequence[str], settings: DecoderSettings) -> None:
        """
        Args:
            width: of the vectors of words.
        """
        super().__init__()
        self.labels = tuple(labels)
        self.numbers = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def labels_of(cls, corpus: AnnotatedCorpus) -> tuple[str, ...]:
        """What can be predicted after learning from the corpus: the labels that its train split has.

        Raises:
            DataError: if train has none.
        """
        return corpus.labels(cls.layer)

    @abstractmethod
    def targets(self, sentences: Sequence[Sentence]) -> Any:
        """What `loss` takes for these sentences, on the CPU."""

    @abstractmethod
    def loss(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"], targets: Any
    ) -> Float[Tensor, ""]:
        """Mean loss a word, in nats; 0 where no label is known."""

    @abstractmethod
    def decode(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> list[Fields]:
        """The layer of each sentence, as fields of `Sentence`."""

    @abstractmethod
    def right(self, gold: Sentence, found: Sentence) -> dict[str, Bool[np.ndarray, " words"]]:
        """By measure, whether each word is right; `score` is the mean over all words."""

    def score(self, gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
        """By measure, the share in [0, 1] of all words that are right."""
        rights = [self.right(*pair) for pair in zip(gold, found, strict=True)]
        return {
            measure: float(np.concatenate([right[measure] for right in rights]).mean())
            for measure in rights[0]
        }
