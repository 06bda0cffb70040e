"""Sentences that are cut into words already: their pieces, in rows that fit an encoder, and back to words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.errors import DataError, SettingsError


@dataclass(frozen=True, eq=False)
class WordBatch:
    """Sentences ready for an encoder, and which of its tokens belong to which word.

    Attributes:
        inputs: what the model takes, ``model(**batch.inputs)``, on the encoder's device. A row is a sentence,
            or a window of one that is longer than the encoder takes.
        word: of each token the number of its word in the whole batch, sentences one after another; −1 where a
            token counts for none: special tokens, padding, and words that a window holds as context only.
        counts: words of each sentence.
    """

    inputs: dict[str, Tensor]
    word: Int64[Tensor, "rows tokens"]
    counts: tuple[int, ...]

    @property
    def mask(self) -> Bool[Tensor, "sentences longest"]:
        """Where `padded` has words, and not padding."""
        counts = torch.tensor(self.counts, device=self.word.device)
        return torch.arange(max(self.counts), device=counts.device) < counts[:, None]


def split_words(
    encoder: Encoder, sentences: Sequence[Sequence[str]], max_length: int | None = None
) -> WordBatch:
    """The pieces of words, word by word, with a space before each, as words in running text have it.

    A sentence with more pieces than fit is cut into overlapping windows, each about half a window further on;
    a word counts in the one window in which it has most context on its poorer side. A word of which the
    tokenizer leaves nothing (odd control characters) becomes the unknown token.

    Args:
        max_length: tokens of a row, special ones counted; what the encoder takes when left out.

    Raises:
        DataError: no sentences, one without words, a word that no window can hold, or one of which nothing is
            left where the tokenizer has no unknown token.
        SettingsError: a ``max_length`` that leaves no room for words or is more than the encoder takes.
    """
    if not len(sentences) or not all(len(words) for words in sentences):
        raise DataError("there are no sentences to split, or one of them has no words: leave it out")
    before, after = _special_tokens(encoder)
    longest = encoder.max_length if max_length is None else max_length
    room = longest - len(before) - len(after)
    if room < 1 or longest > encoder.max_length:
        raise SettingsError(
            f"max_length is {longest}; {encoder.name} takes {len(before) + len(after) + 1} to "
            f"{encoder.max_length}"
        )
    pieces = _pieces(encoder, sentences, room)
    ids: list[Tensor] = []
    numbers: list[Tensor] = []
    first = 0
    for words in sentences:
        own = pieces[first : first + len(words)]
        for start, stop, counted in _windows([len(word) for word in own], room):
            ids.append(torch.tensor([*before, *(i for word in own[start:stop] for i in word), *after]))
            row = [first + i if i in counted else -1 for i in range(start, stop) for _ in own[i]]
            numbers.append(torch.tensor([-1] * len(before) + row + [-1] * len(after)))
        first += len(words)
    return WordBatch(
        inputs=_inputs(encoder, ids),
        word=pad_sequence(numbers, batch_first=True, padding_value=-1).to(encoder.device),
        counts=tuple(len(words) for words in sentences),
    )


def word_means(
    hidden: Float[Tensor, "rows tokens hidden"], batch: WordBatch
) -> Float[Tensor, "words hidden"]:
    """One vector a word, the mean over its pieces, for all words of the batch in their order.

    Gradients flow. The stem-cell paper averages subtokens so.
    """
    counted = batch.word >= 0
    word = batch.word[counted]
    sums = hidden.new_zeros(sum(batch.counts), hidden.shape[-1]).index_add(0, word, hidden[counted])
    return sums / torch.bincount(word, minlength=len(sums))[:, None].to(hidden.dtype)


def padded(
    vectors: Float[Tensor, "words hidden"], counts: Sequence[int]
) -> Float[Tensor, "sentences longest hidden"]:
    """The vectors of the words, a row a sentence, zeros after its last word."""
    return pad_sequence(list(torch.split(vectors, list(counts))), batch_first=True)


def _special_tokens(encoder: Encoder) -> tuple[list[int], list[int]]:
    """What the tokenizer puts before and after a single sentence."""
    bare = encoder.tokenizer("a", add_special_tokens=False)["input_ids"]
    full = encoder.tokenizer("a")["input_ids"]
    start = next(i for i in range(len(full)) if full[i : i + len(bare)] == bare)
    return full[:start], full[start + len(bare) :]


def _pieces(encoder: Encoder, sentences: Sequence[Sequence[str]], room: int) -> list[list[int]]:
    """The token ids of every word, of all sentences."""
    words = list(dict.fromkeys(word for sentence in sentences for word in sentence))
    # Byte-level tokenizers tell a word by the space before it; the others drop that space.
    found = encoder.tokenizer([f" {word}" for word in words], add_special_tokens=False)["input_ids"]
    pieces = dict(zip(words, found, strict=True))
    unknown = encoder.tokenizer.unk_token_id
    for word, ids in pieces.items():
        if not ids and unknown is None:
            raise DataError(
                f"{encoder.name} finds no token in the word {word!r} and has no unknown token: replace it"
            )
        if len(ids) > room:
            raise DataError(
                f"the word {word[:40]!r} ({len(word)} characters) has {len(ids)} pieces, and {room} is the "
                f"most that one row takes: shorten it, or allow a greater max_length ({encoder.name} takes "
                f"up to {encoder.max_length})"
            )
        pieces[word] = ids or [unknown]
    return [pieces[word] for sentence in sentences for word in sentence]


def _windows(lengths: Sequence[int], room: int) -> list[tuple[int, int, frozenset[int] | range]]:
    """Cut words of so many pieces into windows: first word, one after the last, and the words that count."""
    n, ends = len(lengths), [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    if ends[n] <= room:
        return [(0, n, range(n))]
    spans, start, stop = [], 0, 0
    while stop < n:
        stop = next((i for i in range(start + 1, n) if ends[i + 1] - ends[start] > room), n)
        spans.append((start, stop))
        half = next((i for i in range(start + 1, n) if ends[i] - ends[start] >= room // 2), n)
        full = next(i for i in range(n) if ends[n] - ends[i] <= room)  # the last window is a full one
        start = min(stop, half, full)
    best = [
        max(
            (i for i, (start, stop) in enumerate(spans) if start <= word < stop),
            key=lambda i: min(ends[word] - ends[spans[i][0]], ends[spans[i][1]] - ends[word + 1]),
        )
        for word in range(n)
    ]
    return [
        (start, stop, frozenset(word for word in range(start, stop) if best[word] == i))
        for i, (start, stop) in enumerate(spans)
    ]


def _inputs(encoder: Encoder, ids: list[Tensor]) -> dict[str, Tensor]:
    """Rows of one length with the masks that the family's models take."""
    fill = float(cast(int, encoder.tokenizer.pad_token_id))
    inputs = {
        "input_ids": pad_sequence(ids, batch_first=True, padding_value=fill),
        "attention_mask": pad_sequence([torch.ones_like(row) for row in ids], batch_first=True),
    }
    if encoder.family.token_types:
        inputs["token_type_ids"] = torch.zeros_like(inputs["input_ids"])
    return {key: value.to(encoder.device) for key, value in inputs.items()}
