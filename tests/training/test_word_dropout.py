"""Pieces that are [MASK] in training: which, how many, and when."""

import pytest
import torch

from encoder_atlas.encoders import load_encoder, split_words
from encoder_atlas.errors import SettingsError
from encoder_atlas.text.layers import Sentence
from encoder_atlas.training.word_net import WordBody, some_masked

SENTENCES = [Sentence("a", ("the", "old", "house", "is", "good")), Sentence("b", ("films",))] * 100


@pytest.mark.parametrize("family", ["bert", "roberta", "deberta-v2"])
def test_specials_and_padding_stay_and_pieces_go(family: str) -> None:
    encoder = load_encoder(f"tiny:{family}")
    batch = split_words(encoder, [sentence.words for sentence in SENTENCES])
    before, pieces = batch.inputs["input_ids"], batch.word >= 0
    torch.manual_seed(0)
    after = some_masked(encoder, batch.inputs, 0.2)
    changed = after["input_ids"] != before
    assert not changed[~pieces].any()
    assert after["input_ids"][changed].unique().tolist() == [encoder.tokenizer.mask_token_id]
    n = int(pieces.sum())
    assert changed.sum().item() / n == pytest.approx(0.2, abs=4 * (0.16 / n) ** 0.5)
    assert after.keys() == batch.inputs.keys() and after["attention_mask"] is batch.inputs["attention_mask"]


def test_each_piece_is_drawn_for_itself() -> None:
    """Of two pieces of a row, 4 % are both gone: no whole sentence goes, no word takes another with it."""
    encoder = load_encoder("tiny:bert")
    inputs = split_words(encoder, [("good", "film")] * 2000).inputs
    torch.manual_seed(0)
    gone = some_masked(encoder, inputs, 0.2)["input_ids"] != inputs["input_ids"]
    first, second = gone[:, 1], gone[:, 2]
    assert (first & second).float().mean().item() == pytest.approx(0.04, abs=4 * (0.04 * 0.96 / 2000) ** 0.5)


def test_only_while_the_body_learns() -> None:
    encoder = load_encoder("tiny:bert")
    body, plain = WordBody(encoder, word_dropout=0.5), WordBody(encoder)
    expected = plain.eval()(SENTENCES)[0]
    torch.testing.assert_close(body.eval()(SENTENCES)[0], expected)
    torch.manual_seed(0)
    assert not torch.allclose(body.train()(SENTENCES)[0], expected, atol=1e-3)


def test_an_encoder_without_a_mask_token_is_refused() -> None:
    encoder = load_encoder("tiny:gpt2")
    encoder.tokenizer.mask_token = None  # as GPT-2 has it
    with pytest.raises(SettingsError, match=r"tiny:gpt2 has no mask token: word_dropout=0.2"):
        WordBody(encoder, word_dropout=0.2)
    WordBody(encoder)
