"""Words and their pieces, in every family of tokenizers and in windows."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from encoder_atlas.encoders import TINY, Encoder, WordBatch, load_encoder, padded, split_words, word_means
from encoder_atlas.errors import DataError, SettingsError

SENTENCES = [
    ["The", "film", "is", "wonderful", "."],
    ["Dull"],
    ["a", "plot", "(", "again", ")", "goes", "on"],
]
SPECIAL = {f"{role}_token": f"[{role.upper()}]" for role in ("pad", "unk", "cls", "sep", "mask")}


@pytest.fixture(params=TINY)
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return load_encoder(f"tiny:{request.param}")


def test_means_equal_a_loop_over_words_alone(encoder: Encoder) -> None:
    """Each sentence by itself, without padding; each word's pieces found by tokenizing it alone."""
    batch = split_words(encoder, SENTENCES)
    with torch.no_grad():
        together = word_means(encoder.model(**batch.inputs).last_hidden_state, batch)
    expected = []
    for words in SENTENCES:
        tokens = encoder.tokenize([" ".join(words)])
        with torch.no_grad():
            states = encoder.model(**tokens).last_hidden_state[0]
        place = 0 if encoder.family.causal else 1
        for word in words:
            n = len(encoder.tokenizer.tokenize(word))
            expected.append(states[place : place + n].mean(0))
            place += n
        assert place == len(states) - (0 if encoder.family.causal else 1)
    assert batch.counts == (5, 1, 7)
    assert (together - torch.stack(expected)).abs().max() < 1e-5


def test_inputs_are_those_of_the_running_text(encoder: Encoder) -> None:
    whole = encoder.tokenize([" ".join(words) for words in SENTENCES])
    inputs = split_words(encoder, SENTENCES).inputs
    assert inputs.keys() == whole.keys()
    assert all(torch.equal(inputs[key], whole[key]) for key in inputs)


def test_padded_and_mask() -> None:
    batch = split_words(load_encoder("tiny:bert"), SENTENCES)
    vectors = torch.arange(13.0)[:, None] + 1
    rows = padded(vectors, batch.counts)
    assert rows[..., 0].tolist() == [[1, 2, 3, 4, 5, 0, 0], [6, 0, 0, 0, 0, 0, 0], [7, 8, 9, 10, 11, 12, 13]]
    assert torch.equal(rows[batch.mask], vectors)
    assert torch.equal(rows[..., 0] > 0, batch.mask)


def test_gradients_reach_every_piece_of_a_word() -> None:
    batch = split_words(load_encoder("tiny:bert"), [["wonderful", "a"]])
    hidden = torch.ones(*batch.word.shape, 2, requires_grad=True)
    word_means(hidden, batch).sum().backward()
    assert hidden.grad is not None
    assert hidden.grad[0, :, 0].tolist() == pytest.approx([0, *[1 / 5] * 5, 1, 0])


def _byte_level() -> PreTrainedTokenizerFast:
    """As GPT-2, RoBERTa and DeBERTa v1 have it: a space is part of the piece, none is put before a text."""
    vocabulary = {token: i for i, token in enumerate(["Ġ", "Ġa", *SPECIAL.values(), *"abcdefghij"])}
    backend = Tokenizer(models.BPE(vocabulary, [("Ġ", "a")]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    ids = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    backend.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ids)
    return PreTrainedTokenizerFast(tokenizer_object=backend, **SPECIAL)


def _sentence_piece() -> PreTrainedTokenizerFast:
    """As ALBERT and DeBERTa v3 have it: a mark stands before each word."""
    tokens = [*SPECIAL.values(), "▁", "▁a", *"abcdefghij"]
    backend = Tokenizer(models.Unigram([(token, -1.0) for token in tokens], unk_id=1))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    return PreTrainedTokenizerFast(tokenizer_object=backend, **SPECIAL)


@pytest.mark.parametrize("make", [_byte_level, _sentence_piece])
def test_words_keep_their_space(make: Callable[[], PreTrainedTokenizerFast]) -> None:
    tokenizer = make()
    encoder = replace(load_encoder("tiny:roberta"), tokenizer=tokenizer)
    batch = split_words(encoder, [["a", "ab"], ["b", "a"]])
    words = batch.inputs["input_ids"][batch.word >= 0].tolist()
    mark = tokenizer.tokenize(" a")[0][0]
    assert tokenizer.convert_ids_to_tokens(words) == [f"{mark}a", f"{mark}a", "b", mark, "b", f"{mark}a"]
    assert batch.word[batch.word >= 0].tolist() == [0, 1, 1, 2, 2, 3]


def test_a_word_of_which_nothing_is_left_becomes_unknown() -> None:
    encoder = load_encoder("tiny:bert")
    batch = split_words(encoder, [["ab", "\u200b", "\x01", "cd"]])
    assert encoder.tokenizer.convert_ids_to_tokens(batch.inputs["input_ids"][0].tolist()) == [
        *("[CLS]", "ab", "[UNK]", "[UNK]", "cd", "[SEP]")
    ]
    assert batch.word.tolist() == [[-1, 0, 1, 2, 3, -1]]


def test_a_lost_word_is_refused_where_nothing_is_unknown() -> None:
    encoder = load_encoder("tiny:gpt2")
    encoder.tokenizer.unk_token = None
    with pytest.raises(DataError, match=r"no token in the word '\\u200b'"):
        split_words(encoder, [["ab", "\u200b"]])


def _single(batch: WordBatch) -> dict[int, list[int]]:
    """Of each counted word the rows in which it counts."""
    rows: dict[int, list[int]] = {}
    for row, words in enumerate(batch.word.tolist()):
        for word in sorted({word for word in words if word >= 0}):
            rows.setdefault(word, []).append(row)
    return rows


@pytest.mark.parametrize("max_length", [5, 6, 9, 10, 16, 40])
def test_windows_count_every_word_once_where_it_stands_most_central(max_length: int) -> None:
    encoder = load_encoder("tiny:bert")
    words = ["ab", "cde", "f", "ghijkl", "m", "no", "p", "qrst", "uv", "w", "xyz", "ab", "c"] * 3
    batch = split_words(encoder, [["dull"], words, ["on"]], max_length)
    assert batch.inputs["input_ids"].shape[1] <= max_length
    rows = _single(batch)
    assert sorted(rows) == list(range(len(words) + 2))
    assert all(len(found) == 1 for found in rows.values())
    pieces = [encoder.tokenizer(word, add_special_tokens=False)["input_ids"] for word in words]
    for i, own in enumerate(pieces, start=1):
        kept = batch.inputs["input_ids"][batch.word == i].tolist()
        assert kept == own
    if max_length > 10:  # a window is wide enough for words away from the ends to see both sides
        for i in range(5, len(words) - 4):
            place = torch.nonzero(batch.word[rows[i][0]] == i)[:, 0]
            length = int(batch.inputs["attention_mask"][rows[i][0]].sum())
            assert place.min() > 1 and place.max() < length - 2


def test_a_short_sentence_is_no_window_beside_a_long_one() -> None:
    encoder = load_encoder("tiny:bert")
    batch = split_words(encoder, [["a"] * 300, ["b"]])
    alone = split_words(encoder, [["b"]])
    assert batch.inputs["input_ids"].shape == (5, 128)  # windows of 126 pieces from 0, 63, 126 and 174
    assert batch.inputs["input_ids"][-1, :3].tolist() == alone.inputs["input_ids"][0].tolist()


def test_bad_input_is_refused() -> None:
    encoder = load_encoder("tiny:bert")
    with pytest.raises(DataError, match="no words"):
        split_words(encoder, [])
    with pytest.raises(DataError, match="no words"):
        split_words(encoder, [["a"], []])
    with pytest.raises(DataError, match=r"'Donaudampfschiff' .16 characters. has 8 pieces, and 6"):
        split_words(encoder, [["a", "Donaudampfschiff"]], 8)
    with pytest.raises(SettingsError, match="max_length is 2; tiny:bert takes 3 to 128"):
        split_words(encoder, [["a"]], 2)
    with pytest.raises(SettingsError, match="max_length is 200"):
        split_words(encoder, [["a"]], 200)
