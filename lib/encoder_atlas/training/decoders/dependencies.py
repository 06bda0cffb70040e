"""Dependency trees: the deep biaffine parser of Dozat and Manning (2017)."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training.decoders.base import Decoder, DecoderSettings, Fields
from encoder_atlas.training.decoders.biaffine import Biaffine, word_mlp
from encoder_atlas.training.decoders.losses import UNKNOWN, known_cross_entropy
from encoder_atlas.training.decoders.trees import maximum_tree, projective_tree

Targets = tuple[Int64[Tensor, "batch words"], Int64[Tensor, "batch words"]]


class DependencyDecoder(Decoder):
    """Scores of heads and of relations, both biaffine, each from MLPs of its own.

    Trained greedily, each word's head and the relation to its right head by cross-entropy; read out as
    ``settings.tree`` says. ROOT is a learned vector. (The stem-cell paper takes [CLS], which causal encoders
    and later windows of a long sentence do not have.)
    """

    layer: ClassVar[Layer] = "dep"

    def __init__(self, width: int, labels: Sequence[str], settings: DecoderSettings) -> None:
        super().__init__(width, labels, settings)
        self.tree = settings.tree
        self.root = nn.Parameter(torch.randn(width))
        arc, label, dropout = settings.arc_width, settings.label_width, settings.mlp_dropout
        self.arc_dependent, self.arc_head = (word_mlp(width, arc, dropout) for _ in range(2))
        self.label_dependent, self.label_head = (word_mlp(width, label, dropout) for _ in range(2))
        # The bias is how likely a word is to be a head at all.
        self.arcs = Biaffine(arc, 1, left_bias=True, right_bias=False)
        self.relations = Biaffine(label, len(self.labels), left_bias=True, right_bias=True)

    def targets(self, sentences: Sequence[Sentence]) -> Targets:
        """Heads (0 is ROOT) and numbers of relations; UNKNOWN for padding and unknown relations."""
        heads = [torch.tensor(sentence.heads or ()) for sentence in sentences]
        relations = [
            torch.tensor([self.numbers.get(deprel, UNKNOWN) for deprel in sentence.deprels or ()])
            for sentence in sentences
        ]
        padded_heads = pad_sequence(heads, batch_first=True, padding_value=UNKNOWN)
        return padded_heads, pad_sequence(relations, batch_first=True, padding_value=UNKNOWN)

    def arc_scores(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> Float[Tensor, "batch words nodes"]:
        """Logits of each word's head, ROOT first; padding and the word itself have −inf."""
        nodes = self._with_root(vectors)
        scores = self.arcs(self.arc_dependent(vectors), self.arc_head(nodes))[:, 0]
        impossible = torch.nn.functional.pad(~mask, (1, 0))[:, None, :].expand_as(scores).clone()
        impossible.diagonal(offset=1, dim1=1, dim2=2).fill_(True)
        return scores.masked_fill(impossible, -torch.inf)

    def relation_scores(
        self,
        vectors: Float[Tensor, "batch words hidden"],
        mask: Bool[Tensor, "batch words"],
        heads: Int64[Tensor, "batch words"],
    ) -> Float[Tensor, "all labels"]:
        """Logits of the relation of each word that is no padding to the head that is given for it."""
        nodes = self.label_head(self._with_root(vectors))
        sentence = mask.nonzero()[:, 0]
        return self.relations.of_pairs(self.label_dependent(vectors)[mask], nodes[sentence, heads[mask]])

    def loss(
        self,
        vectors: Float[Tensor, "batch words hidden"],
        mask: Bool[Tensor, "batch words"],
        targets: Targets,
    ) -> Float[Tensor, ""]:
        """Cross-entropy of heads, plus that of relations to the right heads; each the mean over words."""
        heads, relations = (part.to(mask.device) for part in targets)
        arcs = known_cross_entropy(self.arc_scores(vectors, mask)[mask], heads[mask])
        return arcs + known_cross_entropy(self.relation_scores(vectors, mask, heads), relations[mask])

    @torch.no_grad()
    def decode(
        self, vectors: Float[Tensor, "batch words hidden"], mask: Bool[Tensor, "batch words"]
    ) -> list[Fields]:
        """Heads by ``tree``, and the likeliest relation to each."""
        scores = self.arc_scores(vectors, mask).log_softmax(dim=-1)
        heads = scores.argmax(dim=-1)
        if self.tree != "greedy":
            heads = self._trees(scores, mask, heads)
        best = self.relation_scores(vectors, mask, heads).argmax(dim=-1)
        counts = mask.sum(dim=1).tolist()
        return [
            {"heads": tuple(own.tolist()), "deprels": tuple(self.labels[i] for i in relations.tolist())}
            for own, relations in zip(heads[mask].split(counts), best.split(counts), strict=True)
        ]

    def _trees(
        self,
        scores: Float[Tensor, "batch words nodes"],
        mask: Bool[Tensor, "batch words"],
        greedy: Int64[Tensor, "batch words"],
    ) -> Int64[Tensor, "batch words"]:
        """Heads that make a tree; sentences in which the greedy ones do already keep them."""
        heads = greedy.cpu().clone()
        counts = mask.sum(dim=1).tolist()
        done = are_trees(heads, mask.cpu()).tolist()
        find = projective_tree if self.tree == "projective" else maximum_tree
        for row, n in enumerate(counts):
            if not done[row] or self.tree == "projective":
                table = np.zeros((n + 1, n + 1))
                table[1:] = scores[row, :n, : n + 1].double().cpu().numpy()
                heads[row, :n] = torch.from_numpy(find(table))
        return heads.to(greedy.device)

    def right(self, gold: Sentence, found: Sentence) -> dict[str, Bool[np.ndarray, " words"]]:
        """Measures "uas" and "las", as `attachment` has them."""
        return attachment(gold, found)

    def _with_root(self, vectors: Float[Tensor, "batch words hidden"]) -> Float[Tensor, "batch nodes hidden"]:
        root = self.root.to(vectors.dtype).expand(len(vectors), 1, -1)
        return torch.cat([root, vectors], dim=1)


def are_trees(
    heads: Int64[Tensor, "batch words"], mask: Bool[Tensor, "batch words"]
) -> Bool[Tensor, " batch"]:
    """Whether the heads of each sentence make one tree: one word on ROOT, and all words under it."""
    roots = ((heads == 0) & mask).sum(dim=1)
    above = torch.nn.functional.pad(heads.masked_fill(~mask, 0), (1, 0))
    for _ in range(max(1, heads.shape[1].bit_length())):  # each time a jump twice as far up
        above = above.gather(1, above)
    return (roots == 1) & (above == 0).all(dim=1)


def attachment(
    gold: Sentence, found: Sentence, *, subtypes: bool = False
) -> dict[str, Bool[np.ndarray, " words"]]:
    """Whether each word has the right head ("uas"), and the right relation to it too ("las").

    By the rules of the CoNLL 2017 shared task: all words count, punctuation too, and of relations the
    universal part, before a colon. Words are those of ``gold``, so that precision and recall are one number.

    Args:
        subtypes: relations must agree with their subtypes (nsubj:pass).
    """
    same_head = np.array([a == b for a, b in zip(gold.heads or (), found.heads or (), strict=True)])
    relations = [
        [deprel if subtypes else deprel.partition(":")[0] for deprel in sentence.deprels or ()]
        for sentence in (gold, found)
    ]
    same = np.array([a == b for a, b in zip(*relations, strict=True)])
    return {"uas": same_head, "las": same_head & same}
