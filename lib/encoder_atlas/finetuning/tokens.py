"""Texts as rows of tokens: which are pieces of words, which words they belong to, their hidden states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float32, Int64
from torch.nn.utils.rnn import pad_sequence

from encoder_atlas.encoders import Encoder
from encoder_atlas.encoders.words import split_words
from encoder_atlas.errors import DataError, EncoderError

PIECE, CLS, SEP, OTHER = range(4)
BETWEEN = " | "  # stands between the texts of a pair where both are shown


@dataclass(frozen=True, eq=False)
class TokenRows:
    """Texts as an encoder reads them. Tokens are counted over all rows, without padding.

    Attributes:
        texts: each text as a reader sees it; the two of a pair with a stroke between.
        ids, types: token ids and token types of each row: a text, or a window of one that is too long.
        row: the row of each token.
        kind: PIECE of a word, CLS, SEP, or OTHER: further special tokens, and what a window holds as context.
        word: the number of each piece's word, over all texts; −1 for tokens that are none.
        spans: of each word the text it stands in, and its first character and the one after its last there.
    """

    texts: tuple[str, ...]
    ids: tuple[list[int], ...]
    types: tuple[list[int], ...]
    row: Int64[np.ndarray, " tokens"]
    kind: Int64[np.ndarray, " tokens"]
    word: Int64[np.ndarray, " tokens"]
    spans: Int64[np.ndarray, "words 3"]

    @property
    def words(self) -> tuple[str, ...]:
        """All words as they are written, in order."""
        return tuple(self.texts[text][start:stop].strip() for text, start, stop in self.spans)


def token_rows(
    encoder: Encoder, texts: Sequence[Any], max_length: int | None = None, name: str = "the text"
) -> TokenRows:
    """The tokens of ``texts``, all of one kind: sentences, pairs (tuples) or lists of words.

    Args:
        max_length: tokens a sentence or pair is cut to, as in training, or words are windowed to. When left
            out nothing is cut.
        name: what errors call the texts.

    Raises:
        DataError: no texts, texts of several kinds, an empty one, or one longer than the encoder takes.
    """
    if not len(texts):
        raise DataError(f"{name} holds no sentence: give at least one")
    kinds = {_kind(text, name) for text in texts}
    if len(kinds) > 1:
        raise DataError(f"{name} mixes {' and '.join(sorted(kinds))}: give texts of one kind")
    if kinds == {"lists of words"}:
        return _of_words(encoder, cast(Sequence[list[str]], texts), max_length)
    return _of_sentences(encoder, cast(Sequence[str] | Sequence[tuple[str, str]], texts), max_length, name)


@torch.no_grad()
def states_at(
    encoder: Encoder, rows: TokenRows, wanted: Int64[np.ndarray, " points"], batch_size: int = 64
) -> Float32[np.ndarray, "layers points hidden"]:
    """Hidden states of the tokens ``wanted``, in their order: embeddings first, then each layer.

    In fp32 and without dropout. Only rows that hold a wanted token are encoded, rows of similar length
    together. Memory: the result, and the hidden states of one batch.
    """
    place = np.full(len(rows.row), -1)
    place[wanted] = np.arange(len(wanted))
    firsts = np.searchsorted(rows.row, np.arange(len(rows.ids)))
    needed = sorted(set(rows.row[wanted].tolist()), key=lambda row: len(rows.ids[row]))
    found = np.empty((encoder.n_layers + 1, len(wanted), encoder.hidden), dtype=np.float32)
    was_training = encoder.model.training
    encoder.model.eval()
    try:
        for start in range(0, len(needed), batch_size):
            batch = needed[start : start + batch_size]
            layers = encoder.model(**_padded(encoder, rows, batch), output_hidden_states=True).hidden_states
            for at, row in enumerate(batch):
                own = place[firsts[row] : firsts[row] + len(rows.ids[row])]
                tokens = np.flatnonzero(own >= 0)
                for layer, hidden in enumerate(layers):
                    found[layer, own[tokens]] = hidden[at, tokens].float().cpu().numpy()
    finally:
        encoder.model.train(was_training)
    return found


def same_tokens(base: Encoder, other: Encoder, name: str) -> None:
    """Refuse an encoder whose tokens or layers are not those of ``base``.

    Raises:
        EncoderError: naming the encoder, and in what the two differ.
    """
    if base.tokenizer.get_vocab() != other.tokenizer.get_vocab():
        raise EncoderError(f"{name} has other tokens than the base: compare models tuned from one encoder")
    if base.n_layers != other.n_layers:
        raise EncoderError(
            f"{name} has {other.n_layers} layers and the base {base.n_layers}: layers are compared one by one"
        )


def _kind(text: Any, name: str) -> str:
    if isinstance(text, str):
        kind, parts = "sentences", [text]
    elif isinstance(text, list):
        kind, parts = "lists of words", text
    elif isinstance(text, tuple) and len(text) == 2:
        kind, parts = "pairs", list(text)
    else:
        raise DataError(
            f"{name} holds {str(text)[:60]!r} ({type(text).__name__}): a text is a string, a pair (a tuple "
            "of two strings) or a list of words"
        )
    if not parts or not all(isinstance(part, str) and part.strip() for part in parts):
        raise DataError(f"{name} holds {text!r}, which is empty in part: leave it out")
    return kind


def _of_words(encoder: Encoder, sentences: Sequence[list[str]], max_length: int | None) -> TokenRows:
    batch = split_words(encoder, sentences, max_length)
    lengths = batch.inputs["attention_mask"].sum(1).tolist()
    cut = lambda rows: [row[:n] for row, n in zip(rows.tolist(), lengths, strict=True)]  # noqa: E731
    ids, numbers = cut(batch.inputs["input_ids"]), cut(batch.word)
    spans = []
    for number, words in enumerate(sentences):
        ends = np.cumsum([len(word) + 1 for word in words])  # words are shown with a space between
        spans += [
            (number, end - len(word) - 1, end - 1) for word, end in zip(words, ends.tolist(), strict=True)
        ]
    word = np.array([n for row in numbers for n in row])
    flat = np.array([i for row in ids for i in row])
    return TokenRows(
        texts=tuple(" ".join(words) for words in sentences),
        ids=tuple(ids),
        types=tuple([0] * len(row) for row in ids),
        row=np.repeat(np.arange(len(ids)), lengths),
        kind=_kinds(encoder, flat, word >= 0),
        word=word,
        spans=np.array(spans, dtype=np.int64),
    )


def _of_sentences(
    encoder: Encoder, texts: Sequence[str] | Sequence[tuple[str, str]], max_length: int | None, name: str
) -> TokenRows:
    encodings = _encoded(encoder, texts, max_length, name)
    word: list[int] = []
    spans: list[tuple[int, int, int]] = []
    for number, (text, found) in enumerate(zip(texts, encodings, strict=True)):
        shift = 0 if isinstance(text, str) else len(text[0]) + len(BETWEEN)
        known: dict[tuple[int, int], int] = {}
        columns = (found.word_ids, found.sequence_ids, found.offsets)
        for own, side, (start, stop) in zip(*columns, strict=True):
            if own is None or side is None:
                word.append(-1)
                continue
            if (side, own) not in known:
                known[side, own] = len(spans)
                spans.append((number, start + side * shift, 0))
            at = known[side, own]
            spans[at] = (*spans[at][:2], stop + side * shift)
            word.append(at)
    flat, numbers = np.array([i for found in encodings for i in found.ids]), np.array(word)
    return TokenRows(
        texts=tuple(text if isinstance(text, str) else BETWEEN.join(text) for text in texts),
        ids=tuple(found.ids for found in encodings),
        types=tuple(found.type_ids for found in encodings),
        row=np.repeat(np.arange(len(texts)), [len(found.ids) for found in encodings]),
        kind=_kinds(encoder, flat, numbers >= 0),
        word=numbers,
        spans=np.array(spans, dtype=np.int64).reshape(-1, 3),
    )


def _encoded(
    encoder: Encoder, texts: Sequence[str] | Sequence[tuple[str, str]], max_length: int | None, name: str
) -> Sequence[Any]:
    """What the tokenizer makes of each text, cut only where that is asked for."""
    # encoder.tokenize checks max_length, but pads and always cuts.
    longest = encoder.max_length if max_length is None else max_length
    encoder.tokenize(texts[:1], longest)
    cut: dict[str, Any] = {} if max_length is None else {"truncation": True, "max_length": max_length}
    found = encoder.tokenizer(cast(Any, list(texts)), verbose=False, **cut).encodings
    assert found is not None  # every tokenizer of transformers 5 that we load is a fast one
    for text, encoding in zip(texts, found, strict=True):
        if not len(encoding.ids):
            raise DataError(f"{encoder.name} finds no token in {text!r} of {name}: leave it out")
        if len(encoding.ids) > longest:
            raise DataError(
                f"{name} holds a text of {len(encoding.ids)} tokens ({str(text)[:40]!r} …) and "
                f"{encoder.name} takes {longest}: split it, or give max_length to have texts cut"
            )
    return found


def _kinds(
    encoder: Encoder, ids: Int64[np.ndarray, " tokens"], pieces: np.ndarray
) -> Int64[np.ndarray, " tokens"]:
    kind = np.full(len(ids), OTHER)
    # RoBERTa's <s> and </s> are its cls and sep tokens too.
    kind[ids == encoder.tokenizer.cls_token_id] = CLS
    kind[ids == encoder.tokenizer.sep_token_id] = SEP
    kind[pieces] = PIECE
    return kind


def _padded(encoder: Encoder, rows: TokenRows, batch: Sequence[int]) -> dict[str, torch.Tensor]:
    ids = [torch.tensor(rows.ids[row]) for row in batch]
    fill = float(cast(int, encoder.tokenizer.pad_token_id))
    inputs = {
        "input_ids": pad_sequence(ids, batch_first=True, padding_value=fill),
        "attention_mask": pad_sequence([torch.ones_like(row) for row in ids], batch_first=True),
    }
    if encoder.family.token_types:
        types = [torch.tensor(rows.types[row]) for row in batch]
        inputs["token_type_ids"] = pad_sequence(types, batch_first=True)
    return {key: value.to(encoder.device) for key, value in inputs.items()}
