"""Shift of words against one text at a time, and the table of those that moved most."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cosine
from scipy.stats import ttest_1samp

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError
from encoder_atlas.finetuning import Context, WordShift, word_shift

TEXTS = ["The cat saw the house .", "a very old cat", "the dog , the cat and the hat"]


@pytest.fixture(scope="module")
def pair() -> tuple[Encoder, Encoder]:
    return load_encoder("tiny:bert"), load_encoder("tiny:bert", seed=1)


@pytest.fixture(scope="module")
def shift(pair: tuple[Encoder, Encoder]) -> WordShift:
    return word_shift(*pair, TEXTS)


def test_each_word_by_itself(pair: tuple[Encoder, Encoder], shift: WordShift) -> None:
    expected = []
    for text in TEXTS:
        batch = pair[0].tokenize([text])
        layers = [encoder.model(**batch, output_hidden_states=True).hidden_states for encoder in pair]
        words = batch.word_ids(0)
        for word in range(max(i for i in words if i is not None) + 1):
            pieces = [at for at, own in enumerate(words) if own == word]
            vectors = [[layer[0, pieces].mean(0).detach().numpy() for layer in one] for one in layers]
            expected.append([cosine(*both) for both in zip(*vectors, strict=True)])
    np.testing.assert_allclose(shift.shift, np.array(expected).T, atol=1e-5)
    assert shift.words == tuple(" ".join(TEXTS).split())


def test_parts_pairs_and_words(
    pair: tuple[Encoder, Encoder], shift: WordShift, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encoder_atlas.finetuning.shift.ROWS", 2)
    words = word_shift(*pair, [text.split() for text in TEXTS])
    np.testing.assert_allclose(words.shift, shift.shift, atol=1e-6)
    assert words.texts == tuple(TEXTS) and words.words == shift.words
    pairs = word_shift(*pair, [("the cat", "saw a hat")])
    assert pairs.words == ("the", "cat", "saw", "a", "hat")
    assert pairs.contexts(1, "saw") == [Context("the cat | ", "saw", " a hat", float(pairs.shift[1, 2]))]
    same = word_shift(pair[0], pair[0], TEXTS)
    np.testing.assert_allclose(same.shift, 0, atol=1e-6)


def test_long_sentences_of_words_are_windowed(pair: tuple[Encoder, Encoder]) -> None:
    found = word_shift(*pair, [["the", "cat"] * 60])
    assert found.shift.shape == (3, 120) and np.isfinite(found.shift).all()


def test_frame_has_a_row_a_layer_and_word(shift: WordShift) -> None:
    frame = shift.to_frame()
    assert frame.columns.tolist() == ["layer", "word", "shift", "text", "position"]
    row = frame.query("layer == 2 and word == 'dog'").iloc[0]
    assert TEXTS[row["text"]][row["position"] :].startswith("dog")
    assert row["shift"] == shift.shift[2, shift.words.index("dog")]


@pytest.fixture
def made() -> WordShift:
    """Nine words of which "cat" moves most."""
    texts = ("Cat , the old one", "the cat", "a cat the")
    spans = [
        (0, 0, 3),
        (0, 4, 5),
        (0, 6, 9),
        (0, 10, 13),
        (1, 0, 3),
        (1, 4, 7),
        (2, 0, 1),
        (2, 2, 5),
        (2, 6, 9),
    ]
    shift = [0.5, 2.0, 0.1, 1.0, 0.2, 0.7, 0.9, 0.3, 0.3]
    return WordShift(np.array([np.zeros(9), shift], dtype=np.float32), texts, np.array(spans))


def test_most_moved_by_hand(made: WordShift) -> None:
    found = made.most_moved(1)
    assert found["word"].tolist() == ["cat", "the"], "rare words and punctuation are left out"
    assert found["count"].tolist() == [3, 3]
    np.testing.assert_allclose(found["shift"], [0.5, 0.2], atol=1e-6)
    interval = ttest_1samp([0.5, 0.7, 0.3], 0).confidence_interval(0.95)
    np.testing.assert_allclose(
        found.loc[0, ["low", "high"]].astype(float), [interval.low, interval.high], atol=1e-6
    )
    assert made.most_moved(1, 1)["word"].tolist() == ["cat"]


def test_contexts_are_the_texts_where_it_moved_most(made: WordShift) -> None:
    found = made.contexts(1, "CAT", 2)
    assert [(one.before, one.word, one.after) for one in found] == [
        ("the ", "cat", ""),
        ("", "Cat", " , the old one"),
    ]
    assert [one.shift for one in found] == pytest.approx([0.7, 0.5])
    assert made.contexts(1, "old", around=6)[0] == Context("…the ", "old", " one", 1.0)


def test_what_cannot_be_asked(made: WordShift) -> None:
    for ask, message in (
        (lambda: made.most_moved(2), r"there is no layer 2: 0 \(embeddings\) to 1"),
        (lambda: made.most_moved(1, least=4), "no word occurs 4 times in these 3 texts: lower least"),
        (lambda: made.most_moved(1, least=1), "an interval needs at least 2"),
        (lambda: made.contexts(1, "catt"), "the word 'catt' is not in these texts; did you mean 'cat'"),
    ):
        with pytest.raises(DataError, match=message):
            ask()


def test_saved_and_damaged(shift: WordShift, tmp_path: Path) -> None:
    shift.save(tmp_path / "a")
    found = WordShift.load(tmp_path / "a")
    assert (
        found.texts == shift.texts
        and (found.shift == shift.shift).all()
        and (found.spans == shift.spans).all()
    )
    (tmp_path / "a" / "shift.safetensors").write_bytes(b"no")
    with pytest.raises(DataError, match=r"holds no shift of words .*: measure it again"):
        WordShift.load(tmp_path / "a")
