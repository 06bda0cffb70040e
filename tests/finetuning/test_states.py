"""Hidden states of every layer: held against one sentence at a time, for every family."""

import numpy as np
import pytest
import torch

from encoder_atlas.encoders import TINY, Encoder, load_encoder
from encoder_atlas.encoders.words import split_words
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.finetuning import layer_states

SENTENCES = [
    ["the", "committee", "has", "gone", "to", "the", "far", "river", "."],
    ["yes"],
    ["a", "most", "extraordinary", "thing", "was", "said"],
    ["no", "one", "knew"],
]


@pytest.fixture(scope="module")
def bert() -> Encoder:
    return load_encoder("tiny:bert")


def alone(encoder: Encoder, words: list[str]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """States, word numbers and pieces of one sentence, run by itself."""
    batch = split_words(encoder, [words])
    with torch.no_grad():
        hidden = encoder.model(**batch.inputs, output_hidden_states=True).hidden_states
    kept = batch.word[0] >= 0
    pieces = encoder.tokenizer.convert_ids_to_tokens(batch.inputs["input_ids"][0][kept].tolist())
    return torch.stack(hidden)[:, 0, kept].numpy(), batch.word[0][kept].numpy(), list(pieces)


@pytest.mark.parametrize("kind", sorted(TINY))
def test_a_batch_gives_what_each_sentence_gives_alone(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    found = layer_states(encoder, SENTENCES, batch_size=3)
    assert found.n_layers == encoder.n_layers + 1
    assert found.words == tuple(word for words in SENTENCES for word in words)
    for number, words in enumerate(SENTENCES):
        states, word, pieces = alone(encoder, words)
        first = int(found.first_word[number])
        own = np.flatnonzero(found.sentence[found.word] == number)
        np.testing.assert_allclose(found.states[:, own], states, atol=2e-5)
        np.testing.assert_array_equal(found.word[own], word + first)
        assert [found.pieces[piece] for piece in own] == pieces


def test_pieces_of_a_word_stand_together_and_none_is_lost(bert: Encoder) -> None:
    found = layer_states(bert, SENTENCES)
    assert (np.diff(found.word) >= 0).all() and set(found.word) == set(range(len(found.words)))
    np.testing.assert_array_equal(found.first_word, [0, 9, 10, 16, 19])
    word = found.words.index("extraordinary")
    own = found.pieces[found.first_piece[word] : found.first_piece[word + 1]]
    assert "".join(piece.removeprefix("##") for piece in own) == "extraordinary"


def test_word_means_are_means_of_pieces(bert: Encoder) -> None:
    found = layer_states(bert, SENTENCES)
    means = found.word_means()
    for word in range(len(found.words)):
        expected = found.states[:, found.word == word].mean(axis=1)
        np.testing.assert_allclose(means[:, word], expected, atol=1e-6)


def test_dropout_is_off_and_the_mode_is_given_back(bert: Encoder) -> None:
    expected = layer_states(bert, SENTENCES).states
    bert.model.train()
    np.testing.assert_array_equal(layer_states(bert, SENTENCES).states, expected)
    assert bert.model.training
    bert.model.eval()


def test_a_sentence_longer_than_the_encoder_keeps_every_word(bert: Encoder) -> None:
    words = ["ab"] * (2 * bert.max_length)
    found = layer_states(bert, [["a"], words])
    assert found.words == ("a", *words)
    np.testing.assert_array_equal(found.word, np.arange(len(words) + 1))


def test_layers_and_sentences_that_are_not_there_are_refused(bert: Encoder) -> None:
    found = layer_states(bert, SENTENCES)
    np.testing.assert_array_equal(found.layer(2), found.states[2])
    for layer in (-1, 3):
        with pytest.raises(SettingsError, match=f"no layer {layer}: this encoder has 0 .* to 2"):
            found.layer(layer)
    with pytest.raises(DataError, match="no sentences"):
        layer_states(bert, [])
    with pytest.raises(DataError, match="sentence 1 has no words"):
        layer_states(bert, [["a"], []])
    with pytest.raises(SettingsError, match="batch_size=0"):
        layer_states(bert, SENTENCES, batch_size=0)
