"""The decoder of phrases: binary trees and back, its loss against loops, and what it reads out."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError
from encoder_atlas.text import AnnotatedCorpus, CorpusSpec, load_corpus
from encoder_atlas.text.formats import read_layered_jsonl
from encoder_atlas.text.layers import Sentence, Span, Tree, check_sentence
from encoder_atlas.training import DecoderSettings, FitSettings, fit_annotator
from encoder_atlas.training.decoders import ConstituentDecoder
from encoder_atlas.training.decoders.binary import NONE, binarised, unbinarised
from encoder_atlas.training.decoders.losses import UNKNOWN

LABELS = (NONE, "NP", "PP", "S", "S+VP")
SMALL = DecoderSettings(span_width=5, label_width=4)


def sentence(n: int, *spans: tuple[int, int, str], name: str = "s") -> Sentence:
    phrases = tuple(Span(*span) for span in spans)
    return Sentence(name, tuple(f"w{i}" for i in range(n)), tree=Tree(phrases, ("NN",) * n))


SENTENCES = [
    sentence(4, (0, 4, "S"), (0, 1, "NP"), (1, 4, "S"), (1, 4, "VP"), (2, 4, "NEW")),
    sentence(1, (0, 1, "NP")),
    sentence(5, (0, 5, "S"), (1, 3, "PP")),
]


@pytest.fixture
def decoder() -> ConstituentDecoder:
    """One whose weights, which start at 0, are drawn; without dropout."""
    torch.manual_seed(0)
    decoder = ConstituentDecoder(6, LABELS, SMALL)
    for biaffine in (decoder.spans, decoder.names):
        torch.nn.init.normal_(biaffine.weight)
    return decoder.eval()


def vectors_of(sentences: list[Sentence]) -> tuple[Tensor, Tensor]:
    counts = torch.tensor([len(one.words) for one in sentences])
    vectors = torch.randn(len(sentences), int(counts.max()), 6, generator=torch.Generator().manual_seed(1))
    return vectors, torch.arange(int(counts.max())) < counts[:, None]


def test_a_tree_made_binary_by_hand() -> None:
    """S over "a b c d e", its children "a", "[b c]", "d", "e": 0–3 and 0–4 are added, without a label."""
    spans = binarised(SENTENCES[2].tree or Tree((), ()))
    words = {(i, i + 1): NONE for i in range(5)}
    assert spans == words | {(0, 5): "S", (1, 3): "PP", (0, 3): NONE, (0, 4): NONE}
    chain = binarised(SENTENCES[0].tree or Tree((), ()))
    assert chain[1, 4] == "S+VP" and chain[0, 1] == "NP" and len(chain) == 7


def random_tree(random: np.random.Generator, n: int) -> Tree:
    """Phrases over phrases, with up to three over the same words."""
    spans: list[Span] = []

    def grow(start: int, end: int, top: bool = False) -> None:
        labels = random.choice(["NP", "PP", "S"], size=random.integers(1 if top else 0, 4))
        spans.extend(Span(start, end, str(label)) for label in labels)
        if end - start > 1:
            inner = random.choice(
                np.arange(start + 1, end), size=random.integers(1, end - start), replace=False
            )
            for i, j in pairwise([start, *sorted(inner.tolist()), end]):
                grow(i, j)

    grow(0, n, top=True)
    return Tree(tuple(spans), ("NN",) * n)


def test_trees_come_back_as_they_were() -> None:
    random = np.random.default_rng(0)
    for n in [*range(1, 12)] * 8:
        tree = random_tree(random, n)
        check_sentence(Sentence("s", ("w",) * n, tree=tree), "drawn")
        spans = binarised(tree)
        assert len(spans) == 2 * n - 1
        assert not any(a < c < b < d for a, b in spans for c, d in spans)
        assert unbinarised(spans, tree.tags) == tree


def test_targets(decoder: ConstituentDecoder) -> None:
    targets = decoder.targets(SENTENCES)
    assert len(targets) == 7 + 1 + 9
    rows = targets.tolist()
    assert [0, 1, 4, LABELS.index("S+VP")] in rows and [0, 2, 4, UNKNOWN] in rows
    assert [1, 0, 1, LABELS.index("NP")] in rows and [2, 0, 3, LABELS.index(NONE)] in rows


def fence(decoder: ConstituentDecoder, vectors: Tensor, at: int) -> Tensor:
    first, last = decoder.ends
    before = vectors[at - 1] if at else first
    after = vectors[at] if at < len(vectors) else last
    return torch.cat([before, after])[None, None]


def all_trees(start: int, end: int) -> list[set[tuple[int, int]]]:
    if end - start == 1:
        return [{(start, end)}]
    halves = [(all_trees(start, k), all_trees(k, end)) for k in range(start + 1, end)]
    return [left | right | {(start, end)} for lefts, rights in halves for left in lefts for right in rights]


def test_loss_against_a_loop_over_trees(decoder: ConstituentDecoder) -> None:
    """−log of the gold tree's share among all trees, a word, and cross-entropy of known labels, a span."""
    vectors, mask = vectors_of(SENTENCES)
    trees, labels = [], []
    for row, one in enumerate(SENTENCES):
        n = len(one.words)
        fences = [fence(decoder, vectors[row, :n], i) for i in range(n + 1)]
        scores = {
            (i, j): decoder.spans(decoder.span_first(fences[i]), decoder.span_last(fences[j])).squeeze()
            for i in range(n)
            for j in range(i + 1, n + 1)
        }
        totals = torch.stack([torch.stack([scores[span] for span in tree]).sum() for tree in all_trees(0, n)])
        gold = binarised(one.tree or Tree((), ()))
        trees.append(totals.logsumexp(0) - torch.stack([scores[span] for span in gold]).sum())
        for (i, j), label in gold.items():
            if label in LABELS:
                logits = decoder.names(
                    decoder.label_first(fences[i]), decoder.label_last(fences[j])
                ).flatten()
                labels.append(-logits.log_softmax(0)[LABELS.index(label)])
    expected = torch.stack(trees).sum() / 10 + torch.stack(labels).mean()
    torch.testing.assert_close(decoder.loss(vectors, mask, decoder.targets(SENTENCES)), expected)


def test_trees_read_out_are_proper_and_padding_changes_nothing(decoder: ConstituentDecoder) -> None:
    sentences = [sentence(n, (0, n, "S")) for n in (9, 1, 4, 2)]
    vectors, mask = vectors_of(sentences)
    found = decoder.decode(vectors, mask)
    for row, (one, fields) in enumerate(zip(sentences, found, strict=True)):
        check_sentence(replace(one, **fields), "found")
        assert all(label in {"NP", "PP", "S", "VP"} for _, _, label in fields["tree"].spans)
        n = len(one.words)
        assert decoder.decode(vectors[row : row + 1, :n], mask[row : row + 1, :n]) == [fields]


@pytest.mark.parametrize("parse", ["risk", "best"])
def test_a_few_trees_can_be_learnt_by_heart(parse: str) -> None:
    torch.manual_seed(0)
    known = [replace(one, id=str(i)) for i, one in enumerate(SENTENCES[1:])]
    known += [sentence(6, (0, 6, "S"), (0, 2, "NP"), (2, 6, "S"), (2, 6, "VP"), (3, 6, "PP"), (4, 6, "NP"))]
    settings = DecoderSettings.model_validate({"span_width": 20, "label_width": 20, "parse": parse})
    decoder = ConstituentDecoder(6, LABELS, settings)
    vectors, mask = vectors_of(known)
    optimizer = torch.optim.Adam(decoder.parameters(), lr=0.02)
    for _ in range(80):
        loss = decoder.loss(vectors, mask, decoder.targets(known))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = [
        replace(one, **fields)
        for one, fields in zip(known, decoder.eval().decode(vectors, mask), strict=True)
    ]
    assert [one.tree and one.tree.spans for one in found] == [one.tree and one.tree.spans for one in known]
    assert decoder.score(known, found) == {"f1": 1, "precision": 1, "recall": 1, "complete": 1}
    assert all(one.tree and set(one.tree.tags) == {"XX"} for one in found)


def test_scores_are_sums_over_sentences(decoder: ConstituentDecoder) -> None:
    """7 of 8 found brackets are among 9; the phrase of an unknown kind counts as missed."""
    gold = [SENTENCES[0], SENTENCES[2], sentence(3, (0, 3, "S"), (0, 1, "NP"))]
    found = [
        sentence(4, (0, 4, "S"), (0, 1, "NP"), (1, 4, "S"), (1, 4, "VP")),
        sentence(5, (0, 5, "S"), (1, 3, "NP")),
        sentence(3, (0, 3, "S"), (0, 1, "NP")),
    ]
    assert decoder.counts(gold[0], found[0]) == {"phrase": (4, 4, 5)}
    expected = {"f1": 14 / 17, "precision": 7 / 8, "recall": 7 / 9, "complete": 1 / 3}
    assert decoder.score(gold, found) == pytest.approx(expected)


def test_gold_tags_say_what_is_punctuation(decoder: ConstituentDecoder) -> None:
    """The full stop is outside of the gold S and inside of the one found: it does not count."""
    gold = sentence(3, (0, 3, "TOP"), (0, 2, "S"))
    gold = replace(gold, tree=Tree(gold.tree.spans if gold.tree else (), ("NN", "VB", ".")))
    assert decoder.counts(gold, sentence(3, (0, 3, "S"))) == {"phrase": (1, 1, 1)}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (Sentence("bad", ("a", "b")), "'bad' has no tree to learn from"),
        (
            replace(sentence(3, (0, 3, "S")), words=("a", "b"), id="bad"),
            "'bad'.*tree has 3 words.*sentence 2",
        ),
        (sentence(3, (0, 2, "S"), name="bad"), "'bad'.*first phrase must span all 3 words"),
        (sentence(3, (0, 3, "S"), (0, 2, "NP"), (1, 3, "NP"), name="bad"), "'bad'.*crosses"),
        (sentence(2, (0, 2, "S+VP"), name="bad"), "label 'S\\+VP'.*rename it"),
    ],
)
def test_trees_that_cannot_be_learnt_are_refused(
    decoder: ConstituentDecoder, bad: Sentence, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        decoder.targets([SENTENCES[0], bad])


def test_labels_are_chains_of_train() -> None:
    corpus = AnnotatedCorpus(
        "c", {"train": (SENTENCES[0],), "dev": (replace(SENTENCES[1], id="d"),)}, "Made."
    )
    assert ConstituentDecoder.labels_of(corpus) == (NONE, "NEW", "NP", "S", "S+VP")


def test_fitted_with_other_layers() -> None:
    """Phrases, tags and dependencies on one tiny encoder; phrases are learnt and can be saved."""
    spec = CorpusSpec(name="made", source="generated", corpus="language", train=64, dev=16, test=16)
    corpus = load_corpus(spec)
    settings = FitSettings(epochs=2, batch_size=16, lr_encoder=1e-3)
    small = DecoderSettings(span_width=32, label_width=16, arc_width=16)
    fitted = fit_annotator(
        load_encoder("tiny:bert"), corpus, ["con", "pos", "dep"], settings, device="cpu", decoders=small
    )
    table = fitted.score(corpus.split("test"))
    assert set(table.query("layer == 'con'")["measure"]) == {"f1", "precision", "recall", "complete"}
    losses = fitted.history.query("task == 'con' and measure == 'loss'")["value"].tolist()
    assert losses[1] < losses[0]
    assert set(fitted.correct(corpus.split("test"))["layer"]) == {"pos", "dep"}
    for one in fitted.annotate(corpus.split("test")):
        check_sentence(one, one.id)


@pytest.mark.real
def test_all_trees_of_ewt_come_back(real_data: Path) -> None:
    trees = [one.tree for one in read_layered_jsonl(real_data / "ewt_layers" / "test.jsonl") if one.tree]
    assert len(trees) == 2061
    for tree in trees:
        assert unbinarised(binarised(tree), tree.tags) == tree
