"""The decoder of entities: against loops over spans, and its F1 against seqeval's."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from seqeval.metrics import f1_score, precision_score, recall_score
from torch import Tensor
from torch.nn.functional import cross_entropy

from encoder_atlas.errors import DataError
from encoder_atlas.text.layers import Sentence, Span
from encoder_atlas.training.decoders import DecoderSettings
from encoder_atlas.training.decoders.entities import EntityDecoder
from encoder_atlas.training.decoders.losses import UNKNOWN

WORDS = 8


def sentence(n: int, *entities: Span, name: str = "s") -> Sentence:
    return Sentence(name, tuple(f"w{i}" for i in range(n)), entities=entities)


SENTENCES = [
    sentence(5, Span(0, 2, "PER"), Span(3, 4, "LOC")),
    sentence(1, Span(0, 1, "LOC")),
    sentence(3),
    sentence(4, Span(1, 4, "NEW")),
]


@pytest.fixture
def decoder() -> EntityDecoder:
    """One whose weights, which start at 0, are drawn."""
    torch.manual_seed(0)
    decoder = EntityDecoder(6, ["LOC", "PER"], DecoderSettings(entity_width=4))
    torch.nn.init.normal_(decoder.kinds.weight)
    return decoder


def vectors_of(sentences: list[Sentence]) -> tuple[Tensor, Tensor]:
    counts = torch.tensor([len(one.words) for one in sentences])
    vectors = torch.randn(len(sentences), int(counts.max()), 6, generator=torch.Generator().manual_seed(1))
    return vectors, torch.arange(int(counts.max())) < counts[:, None]


def one_score(decoder: EntityDecoder, first: Tensor, last: Tensor) -> Tensor:
    """[left; 1]ᵀ W [right; 1] of one span, kind by kind."""
    left = torch.cat([decoder.first.weight @ first + decoder.first.bias, torch.ones(1)])
    right = torch.cat([decoder.last.weight @ last + decoder.last.bias, torch.ones(1)])
    return torch.stack([left @ weight @ right for weight in decoder.kinds.weight])


def test_loss_against_a_loop_over_spans(decoder: EntityDecoder) -> None:
    vectors, mask = vectors_of(SENTENCES)
    losses = []
    for row, one in enumerate(SENTENCES):
        gold = {(span.start, span.end - 1): span.label for span in one.entities or ()}
        for start in range(len(one.words)):
            for last in range(start, len(one.words)):
                label = gold.get((start, last), "")
                if label == "NEW":  # not seen in train: nothing is learnt of it
                    continue
                number = ["", "LOC", "PER"].index(label)
                logits = one_score(decoder, vectors[row, start], vectors[row, last])
                losses.append(cross_entropy(logits, torch.tensor(number)))
    found = decoder.loss(vectors, mask, decoder.targets(SENTENCES))
    torch.testing.assert_close(found, torch.stack(losses).mean())


def test_decoding_against_a_loop_over_spans(decoder: EntityDecoder) -> None:
    sentences = [sentence(n) for n in (8, 1, 5, 7)]
    vectors, mask = vectors_of(sentences)
    some = 0
    for row, fields in enumerate(decoder.decode(vectors, mask)):
        n, candidates = len(sentences[row].words), []
        for start in range(n):
            for last in range(start, n):
                logits = one_score(decoder, vectors[row, start], vectors[row, last]).tolist()
                best = max(range(3), key=lambda kind: logits[kind])
                if best:
                    candidates.append((logits[best], Span(start, last + 1, ["", "LOC", "PER"][best])))
        taken: list[Span] = []
        for _, span in sorted(candidates, reverse=True):
            if not any(set(range(*span[:2])) & set(range(*other[:2])) for other in taken):
                taken.append(span)
        assert fields == {"entities": tuple(sorted(taken))}
        some += len(taken)
    assert some > 4


def test_padding_changes_nothing(decoder: EntityDecoder) -> None:
    vectors, mask = vectors_of(SENTENCES)
    alone = [
        decoder.decode(vectors[i : i + 1, :n], mask[i : i + 1, :n])[0] for i, n in enumerate((5, 1, 3, 4))
    ]
    assert decoder.decode(vectors, mask) == alone


def test_targets(decoder: EntityDecoder) -> None:
    targets = decoder.targets(SENTENCES)
    assert targets.shape == (4, 5, 5)
    assert targets[0].nonzero().tolist() == [[0, 1], [3, 3]]
    assert (targets[0, 0, 1], targets[0, 3, 3], targets[3, 1, 3]) == (2, 1, UNKNOWN)
    assert not targets[2].any()


def test_a_batch_of_unknown_kinds_only_learns_that_the_other_spans_are_none(decoder: EntityDecoder) -> None:
    one = [sentence(1, Span(0, 1, "NEW"))]
    loss = decoder.loss(*vectors_of(one), decoder.targets(one))
    assert loss == 0
    loss.backward()


def iob(spans: tuple[Span, ...]) -> list[str]:
    tags = ["O"] * WORDS
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return tags


def random_entities(random: np.random.Generator) -> tuple[Span, ...]:
    cuts = sorted(random.choice(WORDS + 1, size=5, replace=False).tolist())
    pairs = pairwise(cuts)
    return tuple(Span(a, b, str(random.choice(["LOC", "PER"]))) for a, b in pairs if random.random() < 0.6)


def test_scores_are_those_of_seqeval(decoder: EntityDecoder) -> None:
    random = np.random.default_rng(3)
    golds = [random_entities(random) for _ in range(40)]
    founds = [gold if random.random() < 0.4 else random_entities(random) for gold in golds]
    tags = [iob(own) for own in golds], [iob(own) for own in founds]
    scores = decoder.score([sentence(8, *own) for own in golds], [sentence(8, *own) for own in founds])
    assert scores == pytest.approx(
        {"f1": f1_score(*tags), "precision": precision_score(*tags), "recall": recall_score(*tags)}
    )
    assert 0.2 < scores["f1"] < 0.9


def test_worked_example_and_nothing_to_count(decoder: EntityDecoder) -> None:
    gold = sentence(5, Span(0, 2, "PER"), Span(3, 4, "NEW"))
    found = sentence(5, Span(0, 2, "PER"), Span(2, 3, "LOC"), Span(3, 4, "LOC"))
    assert decoder.counts(gold, found) == {"entity": (1, 3, 2)}
    assert decoder.score([gold], [found]) == pytest.approx({"f1": 0.4, "precision": 1 / 3, "recall": 0.5})
    assert decoder.score([sentence(2)], [sentence(2)]) == {"f1": 0.0, "precision": 0.0, "recall": 0.0}


@pytest.mark.parametrize("other", [Span(1, 3, "LOC"), Span(0, 1, "LOC"), Span(4, 6, "LOC")])
def test_clashing_or_outside_entities_are_refused_by_name(decoder: EntityDecoder, other: Span) -> None:
    with pytest.raises(DataError, match="sentence 'odd', entities"):
        decoder.targets([sentence(5, Span(0, 2, "PER"), other, name="odd")])
