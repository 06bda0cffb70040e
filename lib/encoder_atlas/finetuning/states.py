"""Hidden states of every layer at every word piece: what probes and RSA of a frozen encoder read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import cast

import numpy as np
import torch
from jaxtyping import Float32, Int64
from torch import Tensor
from transformers import BatchEncoding

from encoder_atlas.encoders import Encoder
from encoder_atlas.encoders.words import WordBatch, split_words
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.progress import bar


@dataclass(frozen=True, eq=False)
class LayerStates:
    """What a frozen encoder makes of sentences, layer by layer; word pieces in the order of the text.

    Special tokens, padding and what a window repeats for context are left out. Layer 0 is what the embeddings
    give to the first layer; the last is the encoder's output.

    Attributes:
        states: 32-bit floats: layers × pieces × hidden × 4 bytes (7 layers of 10,000 pieces at width 384:
            108 MB; 13 layers at width 768: 400 MB).
        word: for each piece the number of its word, over all sentences; never falls.
        sentence: for each word the number of its sentence.
        pieces: the pieces as the tokenizer writes them.
        words: the words of all sentences.
    """

    states: Float32[np.ndarray, "layers pieces hidden"]
    word: Int64[np.ndarray, " pieces"]
    sentence: Int64[np.ndarray, " words"]
    pieces: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def n_layers(self) -> int:
        """Layers with the embeddings counted."""
        return len(self.states)

    @cached_property
    def first_piece(self) -> Int64[np.ndarray, " words_and_end"]:
        """Where each word's pieces begin, and the number of pieces at the end: word w has
        ``first_piece[w]`` to ``first_piece[w + 1]``, end exclusive."""
        return np.searchsorted(self.word, np.arange(len(self.words) + 1)).astype(np.int64)

    @cached_property
    def first_word(self) -> Int64[np.ndarray, " sentences_and_end"]:
        """Where each sentence's words begin, and the number of words at the end."""
        sentences = int(self.sentence[-1]) + 1
        return np.searchsorted(self.sentence, np.arange(sentences + 1)).astype(np.int64)

    def find(self, sentences: Sequence[Sequence[str]]) -> Int64[np.ndarray, " sentences"]:
        """The numbers under which sentences stand here, found by their words.

        Raises:
            DataError: a sentence of which there are no states.
        """
        missing = next((words for words in sentences if tuple(words) not in self._numbers), None)
        if missing is not None:
            raise DataError(f"there are no states of the sentence {' '.join(missing)[:60]!r}: encode it too")
        return np.array([self._numbers[tuple(words)] for words in sentences], dtype=np.int64)

    @cached_property
    def _numbers(self) -> dict[tuple[str, ...], int]:
        first = self.first_word.tolist()
        return {self.words[start:end]: number for number, (start, end) in enumerate(pairwise(first))}

    def layer(self, layer: int) -> Float32[np.ndarray, "pieces hidden"]:
        """The states of one layer, 0 for the embeddings.

        Raises:
            SettingsError: no such layer.
        """
        check_layer(layer, self.n_layers)
        return self.states[layer]

    def word_means(self) -> Float32[np.ndarray, "layers words hidden"]:
        """The mean of each word's pieces, at every layer: as much memory again as the states."""
        first = self.first_piece
        sums = np.add.reduceat(self.states, first[:-1], axis=1)
        sums /= np.diff(first).astype(np.float32)[:, None]
        return sums


def check_layer(layer: int, n_layers: int) -> None:
    """Refuse a layer that an encoder does not have.

    Raises:
        SettingsError: saying which there are.
    """
    if not 0 <= layer < n_layers:
        raise SettingsError(
            f"there is no layer {layer}: this encoder has 0 (the embeddings) to {n_layers - 1} (the top)"
        )


def layer_states(encoder: Encoder, sentences: Sequence[Sequence[str]], batch_size: int = 32) -> LayerStates:
    """Run sentences through a frozen encoder and keep every layer.

    In 32-bit floats, without dropout and without gradients, on the device where the encoder is; the states
    come back to main memory (see `LayerStates` for how much). A sentence that is too long for the encoder is
    read in overlapping windows, each word where it stands most central (see `split_words`).

    Args:
        sentences: each a sequence of words.
        batch_size: sentences a forward pass; no result depends on it but for rounding.

    Raises:
        DataError: no sentences, one without words, or a word that the encoder cannot read.
    """
    if batch_size < 1:
        raise SettingsError(f"batch_size={batch_size}: at least 1")
    if not len(sentences) or not all(map(len, sentences)):
        empty = next((number for number, words in enumerate(sentences) if not len(words)), None)
        raise DataError("there are no sentences" if empty is None else f"sentence {empty} has no words")
    counts = np.array([len(words) for words in sentences])
    first = np.concatenate([[0], counts.cumsum()])
    order: list[int] = np.argsort(counts, kind="stable").tolist()
    parts = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    batches = [split_words(encoder, [sentences[number] for number in part]) for part in parts]
    numbers = [_numbers(batch, first, part) for batch, part in zip(batches, parts, strict=True)]
    # Stable, so that the pieces of a word, which all stand in one row, keep their order.
    place = np.argsort(np.argsort(np.concatenate(numbers), kind="stable"), kind="stable")
    states, ids = _read(encoder, batches, np.split(place, np.cumsum([len(n) for n in numbers])[:-1]))
    return LayerStates(
        states=states,
        word=np.sort(np.concatenate(numbers), kind="stable"),
        sentence=np.repeat(np.arange(len(counts)), counts),
        pieces=tuple(cast(list[str], encoder.tokenizer.convert_ids_to_tokens(ids.tolist()))),
        words=tuple(chain.from_iterable(sentences)),
    )


def _numbers(
    batch: WordBatch, first: Int64[np.ndarray, " sentences_and_end"], part: Sequence[int]
) -> Int64[np.ndarray, " pieces"]:
    """The number over all sentences of the word of each piece of a batch."""
    own = np.concatenate([np.arange(int(first[number]), int(first[number + 1])) for number in part])
    word = batch.word.cpu().numpy()
    return own[word[word >= 0]]


def _read(
    encoder: Encoder, batches: Sequence[WordBatch], places: Sequence[Int64[np.ndarray, " _"]]
) -> tuple[Float32[np.ndarray, "layers pieces hidden"], Int64[np.ndarray, " pieces"]]:
    """The states of all batches, each piece put into its place, and the pieces' ids."""
    total = sum(map(len, places))
    ids = np.zeros(total, dtype=np.int64)
    states: np.ndarray | None = None
    training = encoder.model.training
    encoder.model.eval()
    try:
        with torch.inference_mode(), bar("Hidden states", len(batches), "batch") as shown:
            for batch, place in zip(batches, places, strict=True):
                found = _hidden(encoder, batch.inputs)
                kept = batch.word >= 0
                if states is None:
                    states = np.empty((len(found), total, encoder.hidden), dtype=np.float32)
                for layer, values in enumerate(found):
                    states[layer, place] = values[kept.to(values.device)].float().cpu().numpy()
                ids[place] = batch.inputs["input_ids"][kept].cpu().numpy()
                shown.update(1)
    finally:
        encoder.model.train(training)
    return cast(np.ndarray, states), ids


def _hidden(encoder: Encoder, inputs: BatchEncoding | dict[str, Tensor]) -> tuple[Tensor, ...]:
    on_device = {key: value.to(encoder.device) for key, value in inputs.items()}
    return encoder.model(**on_device, output_hidden_states=True).hidden_states
