"""Word-level attention and attended values against loops over pieces, in every family."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from encoder_atlas.encoders import Encoder, HeadGates, load_encoder
from encoder_atlas.encoders.tiny import TINY
from encoder_atlas.encoders.words import split_words
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.stem_cells.attention import NOWHERE, head_batches, read_heads, word_attention

SENTENCES = [["the", "elephants", "slept"], ["yes"], ["an", "extraordinary", "marmalade", "sandwich", "fell"]]


def literal(encoder: Encoder, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attention by position, attended values and embeddings of one sentence, piece by piece."""
    batch = split_words(encoder, [words])
    encoder.model.set_attn_implementation("eager")
    with torch.no_grad(), HeadGates(encoder, record=True) as gates:
        output = encoder.model(**batch.inputs, output_attentions=True, output_hidden_states=True)
        contexts = gates.contexts
    owner = batch.word[0].tolist()
    places = [[t for t, word in enumerate(owner) if word == w] for w in range(len(words))]
    positions = [[] if encoder.family.causal else [0], *places]
    size = len(positions)
    attention = np.zeros((encoder.n_layers, encoder.n_heads, size, size))
    values = np.zeros((encoder.n_layers, len(words), encoder.n_heads, encoder.d_head))
    for layer in range(encoder.n_layers):
        for head in range(encoder.n_heads):
            a = output.attentions[layer][0, head]
            for q, asking in enumerate(positions):
                for k, asked in enumerate(positions):
                    total = sum(float(a[i, j]) for i in asking for j in asked)
                    attention[layer, head, q, k] = total / max(1, len(asking))
            for w, own in enumerate(places):
                values[layer, w, head] = np.mean([contexts[layer][0, t, head].numpy() for t in own], axis=0)
    embeddings = [output.hidden_states[0][0, own].mean(0).numpy() for own in places]
    return attention, values, np.stack(embeddings)


@pytest.mark.parametrize("kind", TINY)
def test_words_of_a_batch_are_those_of_loops_over_pieces(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    implementation = encoder.model.config._attn_implementation
    batches = list(head_batches(encoder, SENTENCES, batch_size=2))
    assert encoder.model.config._attn_implementation == implementation
    assert sorted(n for batch in batches for n in batch.numbers) == [0, 1, 2]
    looks, word_values = read_heads(encoder, SENTENCES, batch_size=2)
    for batch in batches:
        for at, number in enumerate(batch.numbers):
            attention, values, embeddings = literal(encoder, SENTENCES[number])
            n = len(SENTENCES[number]) + 1
            assert np.allclose(batch.attention[:, at, :, :n, :n].numpy(), attention, atol=1e-5)
            assert not batch.attention[:, at, :, n:].any() and not batch.attention[:, at, :, :, n:].any()
            own = slice(word_values.first[number], word_values.first[number + 1])
            assert np.allclose(word_values.values[:, own], values, atol=1e-4)
            assert np.allclose(word_values.embeddings[own], embeddings, atol=1e-5)
            shown = slice(looks.first[number], looks.first[number + 1])
            for q in range(n):
                if not attention[:, :, q].any():
                    assert (looks.with_cls[:, :, shown][:, :, q] == NOWHERE).all()
                    continue
                assert np.array_equal(looks.with_cls[:, :, shown][:, :, q], attention[:, :, q].argmax(-1))
                best = attention[:, :, q, 1:].argmax(-1) + 1
                seen = attention[:, :, q, 1:].any(-1)
                assert np.array_equal(looks.words_only[:, :, shown][:, :, q], np.where(seen, best, NOWHERE))


def test_mean_over_asking_pieces_and_sum_over_those_asked() -> None:
    """[CLS] a b b [SEP], worked by hand."""
    encoder = load_encoder("tiny:bert")
    batch = split_words(encoder, [["a", "bcd"]])
    assert batch.word.tolist() == [[-1, 0, 1, 1, -1]]
    a = torch.tensor(
        [
            [0.2, 0.2, 0.2, 0.2, 0.2],
            [0.5, 0.1, 0.1, 0.2, 0.1],
            [0.3, 0.2, 0.1, 0.2, 0.2],
            [0.1, 0.2, 0.3, 0.4, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )
    found = word_attention([a[None, None]], batch, with_cls=True)[0, 0, 0]
    wanted = torch.tensor([[0.2, 0.2, 0.4], [0.5, 0.1, 0.3], [0.2, 0.2, 0.5]])
    assert torch.allclose(found, wanted)
    without = word_attention([a[None, None]], batch, with_cls=False)[0, 0, 0]
    assert (
        torch.allclose(without[1:, 1:], wanted[1:, 1:]) and not without[0].any() and not without[:, 0].any()
    )


def test_long_sentences_are_read_in_windows() -> None:
    encoder = load_encoder("tiny:bert", attn_implementation="eager")
    words = [f"{letter}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] * 6
    looks, values = read_heads(encoder, [words, ["a", "b"]])
    assert looks.first.tolist() == [0, len(words) + 1, len(words) + 4]
    assert (looks.with_cls[:, :, 1:-3] >= 0).all() and looks.with_cls.max() <= len(words)
    assert np.isfinite(values.values).all() and len(values.embeddings) == len(words) + 2
    (batch,) = (b for b in head_batches(encoder, [words]) if b.counts[0] == len(words))
    rows = split_words(encoder, [words])
    assert len(rows.word) > 1, "several windows"
    with torch.no_grad():
        weights = encoder.model(**rows.inputs, output_attentions=True).attentions[1][:, 1]
    for word in range(0, len(words), 13):
        (row,) = {int(place) for place in (rows.word == word).any(1).nonzero()}
        own = rows.word[row].tolist()
        asking = [t for t, number in enumerate(own) if number == word]
        wanted = np.zeros(len(words) + 1)
        for t, number in enumerate(own):
            if number >= 0 or t == 0:
                wanted[number + 1] += np.mean([float(weights[row, a, t]) for a in asking])
        assert np.allclose(batch.attention[1, 0, 1, word + 1], wanted, atol=1e-5)
    cls = batch.attention[:, 0, :, 0].sum(-1)
    assert (cls <= 1 + 1e-5).all() and (cls > 0.5).all()


def test_training_mode_makes_no_difference(encoder: Encoder) -> None:
    before = read_heads(encoder, SENTENCES)[1].values
    encoder.model.train()
    try:
        assert np.array_equal(read_heads(encoder, SENTENCES)[1].values, before)
        assert encoder.model.training
    finally:
        encoder.model.eval()


def test_bad_input(encoder: Encoder) -> None:
    with pytest.raises(DataError, match="no sentences to attend in, or one of them has no words"):
        read_heads(encoder, [["a"], []])
    with pytest.raises(DataError, match="no sentences to attend in"):
        read_heads(encoder, [])
    with pytest.raises(SettingsError, match="batch_size=0"):
        read_heads(encoder, [["a"]], batch_size=0)
