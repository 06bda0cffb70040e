"""The decoder of roles: against loops that build every span and pair as the paper writes them."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, relu

from encoder_atlas.errors import DataError
from encoder_atlas.text.layers import Frame, Sentence, Span
from encoder_atlas.training.decoders import DecoderSettings
from encoder_atlas.training.decoders.losses import UNKNOWN
from encoder_atlas.training.decoders.roles import RoleDecoder, SpanLinear, best_of, roles_of_pairs

HIDDEN, LONGEST = 6, 3
SETTINGS = DecoderSettings(role_width=5, longest_argument=LONGEST, argument_ratio=1.5, predicate_ratio=0.8)


def sentence(n: int, *frames: Frame, name: str = "s") -> Sentence:
    return Sentence(name, tuple(f"w{i}" for i in range(n)), frames=frames)


SENTENCES = [
    sentence(
        5,
        Frame(1, "give.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"), Span(2, 4, "ARG1"))),
        Frame(3, "be.01", (Span(4, 5, "NEW"),)),
    ),
    sentence(1, Frame(0, "go.01", (Span(0, 1, "V"),))),
    sentence(3),
    sentence(6, Frame(0, "see.01", (Span(1, 6, "ARG1"),))),
]


@pytest.fixture
def decoder() -> RoleDecoder:
    torch.manual_seed(0)
    decoder = RoleDecoder(HIDDEN, ["ARG0", "ARG1"], SETTINGS)
    for weight in decoder.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    return decoder.eval()


def vectors_of(sentences: list[Sentence], seed: int = 1) -> tuple[Tensor, Tensor]:
    counts = torch.tensor([len(one.words) for one in sentences])
    longest = int(counts.max())
    vectors = torch.randn(len(sentences), longest, HIDDEN, generator=torch.Generator().manual_seed(seed))
    return vectors, torch.arange(longest) < counts[:, None]


def span_vector(layer: SpanLinear, vectors: Tensor, start: int, length: int) -> Tensor:
    """[start; end; length; mean] of one span of one sentence."""
    words = vectors[start : start + length]
    return torch.cat([words[0], words[-1], layer.lengths.weight[length - 1], words.mean(dim=0)])


def ffnn(first: Tensor, rest: torch.nn.Sequential) -> Tensor:
    """The layers after the first one, written out; no dropout."""
    second, third = (layer for layer in rest if isinstance(layer, torch.nn.Linear))
    return third.weight @ relu(second.weight @ relu(first) + second.bias) + third.bias


def argument(decoder: RoleDecoder, vectors: Tensor, start: int, length: int) -> Tensor:
    own = decoder.argument_input
    return ffnn(own.linear(span_vector(own, vectors, start, length)), decoder.argument_score)


def predicate(decoder: RoleDecoder, vector: Tensor) -> Tensor:
    first = decoder.predicate_score[0]
    return ffnn(first(vector), torch.nn.Sequential(*list(decoder.predicate_score)[1:]))


def logits_of_sentence(decoder: RoleDecoder, vectors: Tensor) -> dict[tuple[int, int, int], Tensor]:
    """Of each pair of candidates the logits, by predicate, first word and length."""
    n = len(vectors)
    spans = [(start, length) for start in range(n) for length in range(1, min(LONGEST, n - start) + 1)]
    spans = sorted(spans, key=lambda one: -argument(decoder, vectors, *one).item())[: max(1, int(1.5 * n))]
    words = sorted(range(n), key=lambda i: -predicate(decoder, vectors[i]).item())[: max(1, int(0.8 * n))]
    own, pairs = decoder.pair_argument, {}
    for p in words:
        for start, length in spans:
            # One linear layer on the span's vector and the predicate's, one after the other.
            weight = torch.cat([own.linear.weight, decoder.pair_predicate.weight], dim=1)
            both = torch.cat([span_vector(own, vectors, start, length), vectors[p]])
            pair = ffnn(weight @ both + own.linear.bias, decoder.pair_score)
            unary = argument(decoder, vectors, start, length) + predicate(decoder, vectors[p])
            pairs[p, start, length] = torch.cat([torch.zeros(1), pair + unary])
    return pairs


def test_loss_against_loops_over_pairs(decoder: RoleDecoder) -> None:
    vectors, mask = vectors_of(SENTENCES)
    losses, roles = [], 0
    for row, one in enumerate(SENTENCES):
        gold = {
            (frame.predicate, start, end - start): label
            for frame in one.frames or ()
            for start, end, label in frame.arguments
        }
        for pair, logits in logits_of_sentence(decoder, vectors[row, : len(one.words)]).items():
            label = gold.get(pair, "")
            if label != "NEW":
                losses.append(cross_entropy(logits, torch.tensor(["", "ARG0", "ARG1"].index(label))))
                roles += label != ""
    found = decoder.loss(vectors, mask, decoder.targets(SENTENCES))
    torch.testing.assert_close(found, torch.stack(losses).mean())
    assert roles, "no gold pair was a candidate: the test asks too little"


def test_decoding_against_loops_over_pairs(decoder: RoleDecoder) -> None:
    decoder.settings = SETTINGS.model_copy(update={"overlapping_roles": True})
    sentences, some = [sentence(n) for n in (6, 1, 4)], 0
    vectors, mask = vectors_of(sentences, seed=2)
    for row, fields in enumerate(decoder.decode(vectors, mask)):
        found = {
            (frame.predicate, start, end - start): label
            for frame in fields["frames"]
            for start, end, label in frame.roles
        }
        pairs = logits_of_sentence(decoder, vectors[row, : len(sentences[row].words)])
        best = {pair: ["", "ARG0", "ARG1"][int(logits.argmax())] for pair, logits in pairs.items()}
        assert found == {pair: label for pair, label in best.items() if label}
        some += len(found)
    assert some > 4


def test_no_roles_of_a_predicate_overlap_by_default(decoder: RoleDecoder) -> None:
    vectors, mask = vectors_of([sentence(6), sentence(5)], seed=2)
    free = decoder.decode(vectors, mask)
    decoder.settings = SETTINGS.model_copy(update={"overlapping_roles": True})
    for flat, all_of_them in zip(free, decoder.decode(vectors, mask), strict=True):
        for frame, full in zip(flat["frames"], all_of_them["frames"], strict=True):
            assert frame.predicate == full.predicate and set(frame.roles) <= set(full.roles)
            assert all(a.end <= b.start for a, b in pairwise(frame.roles))


def test_padding_changes_nothing(decoder: RoleDecoder) -> None:
    vectors, mask = vectors_of(SENTENCES)
    alone = [
        decoder.decode(vectors[i : i + 1, :n], mask[i : i + 1, :n])[0] for i, n in enumerate((5, 1, 3, 6))
    ]
    assert decoder.decode(vectors, mask) == alone


def test_candidates_by_hand() -> None:
    scores = torch.tensor([[0.1, 0.9, 0.5, 0.7], [9.0, 1.0, 9.0, 9.0]])
    mask = torch.tensor([[True, True, True, True], [False, True, False, False]])
    assert best_of(scores, mask, mask, 0.7).tolist() == [
        [False, True, False, True],
        [False, True, False, False],
    ]
    assert best_of(scores, mask, mask, 5.0).tolist() == mask.tolist()  # never more than there are


def test_roles_of_pairs_by_hand() -> None:
    targets = torch.tensor([[0, 2, 1, 1, 3], [0, 1, 2, 1, 4], [1, 0, 0, 9, UNKNOWN]])
    where = torch.tensor([[0, 1, 2, 1], [0, 2, 1, 1], [0, 1, 1, 2], [1, 0, 0, 9], [1, 0, 0, 1]])
    assert roles_of_pairs(where, targets).tolist() == [4, 3, 0, UNKNOWN, 0]
    assert roles_of_pairs(where, targets[:0]).tolist() == [0] * 5


def test_targets_leave_out_what_is_too_long_and_the_predicate_itself(decoder: RoleDecoder) -> None:
    expected = [[0, 1, 0, 1, 1], [0, 1, 2, 2, 2], [0, 3, 4, 1, UNKNOWN]]
    assert decoder.targets(SENTENCES).tolist() == expected
    assert decoder.targets([sentence(2)]).shape == (0, 5)


def test_a_batch_without_predicates_and_of_one_word(decoder: RoleDecoder) -> None:
    one = [sentence(1)]
    loss = decoder.loss(*vectors_of(one), decoder.targets(one))
    loss.backward()
    assert torch.isfinite(loss) and len(decoder.decode(*vectors_of(one))) == 1


def test_overlapping_roles_are_refused_by_name(decoder: RoleDecoder) -> None:
    bad = Frame(0, "go.01", (Span(1, 3, "ARG1"), Span(2, 4, "ARG2")))
    with pytest.raises(DataError, match=r"sentence 'odd', roles of 'go.01'"):
        decoder.targets([sentence(5, bad, name="odd")])


def test_counts_worked_by_hand(decoder: RoleDecoder) -> None:
    gold = SENTENCES[0]
    found = sentence(
        5,
        Frame(1, "", (Span(0, 1, "ARG0"), Span(2, 5, "ARG1"))),  # one right, one with a wrong end
        Frame(2, "", (Span(4, 5, "ARG0"),)),  # no predicate
    )
    # Gold: ARG0, ARG1 and NEW (V does not count); predicates at 1 and 3.
    assert decoder.counts(gold, found) == {"role": (1, 3, 3), "predicate": (1, 2, 2)}
    assert decoder.score([gold, sentence(3)], [found, sentence(3)]) == pytest.approx(
        {"f1": 1 / 3, "precision": 1 / 3, "recall": 1 / 3}
        | {"predicate f1": 0.5, "predicate precision": 0.5, "predicate recall": 0.5}
    )


def test_it_learns_to_rank_and_to_name() -> None:
    """Words are vectors that say what they are: a predicate, an agent before it or a patient after it."""
    torch.manual_seed(0)
    decoder = RoleDecoder(HIDDEN, ["ARG0", "ARG1"], DecoderSettings(role_width=16, role_word_dropout=0.0))
    frame = Frame(1, "", (Span(0, 1, "ARG0"), Span(2, 4, "ARG1")))
    sentences = [sentence(4, frame), sentence(3)]
    vectors = torch.zeros(2, 4, HIDDEN)
    for word, kind in enumerate((0, 1, 2, 3)):
        vectors[0, word, kind] = 3
    vectors[1, :, 4] = 3
    mask = torch.tensor([[True] * 4, [True] * 3 + [False]])
    optimizer = torch.optim.AdamW(decoder.parameters(), lr=1e-2)
    for _ in range(150):
        optimizer.zero_grad()
        decoder.loss(vectors, mask, decoder.targets(sentences)).backward()
        optimizer.step()
    assert decoder.eval().decode(vectors, mask) == [{"frames": (frame,)}, {"frames": ()}]
