"""Which words moved: the cosine distance of each word's vector between base and tuned model, by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Float32, Int64
from scipy.stats import t as student

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, near
from encoder_atlas.finetuning.tokens import PIECE, TokenRows, same_tokens, states_at, token_rows
from encoder_atlas.progress import track
from encoder_atlas.results import read_result, write_result

ROWS = 256  # rows whose states are held at a time


@dataclass(frozen=True)
class Context:
    """One occurrence of a word: the text before it, itself, the text after it, and how far it moved."""

    before: str
    word: str
    after: str
    shift: float


@dataclass(frozen=True, eq=False)
class WordShift:
    """How far every word of some texts moved.

    Attributes:
        shift: 1 − cosine of a word's vectors (the mean of its pieces) in base and tuned model: 0 where the
            direction is the same, 1 where they stand at right angles, at most 2. Layer 0 is the embeddings.
        texts: as a reader sees them.
        spans: of each word its text, its first character there and the one after its last.
    """

    shift: Float32[np.ndarray, "layers words"]
    texts: tuple[str, ...]
    spans: Int64[np.ndarray, "words 3"]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(self.texts[text][start:stop].strip() for text, start, stop in self.spans)

    def to_frame(self) -> pd.DataFrame:
        """A row a layer and word: layer, word, shift, text (its number) and position (its character)."""
        layers, words = self.shift.shape
        return pd.DataFrame(
            {
                "layer": np.repeat(np.arange(layers), words),
                "word": list(self.words) * layers,
                "shift": self.shift.ravel(),
                "text": np.tile(self.spans[:, 0], layers),
                "position": np.tile(self.spans[:, 1], layers),
            }
        )

    def most_moved(self, layer: int, n: int = 10, *, least: int = 3, level: float = 0.95) -> pd.DataFrame:
        """The ``n`` words that moved most on average, of those that occur at least ``least`` times.

        Letter case makes no difference, and words without a letter or digit are left out. The interval is
        Student's for the mean over occurrences, as if they were independent; since the table takes the
        largest of many means, rare words at its top are there partly by chance.

        Returns:
            Columns word (lower case), count, shift (the mean), low and high.

        Raises:
            DataError: no such layer, fewer than 2 occurrences asked for (no interval), or no word that often.
        """
        if least < 2:
            raise DataError(f"least={least}: an interval needs at least 2 occurrences of a word")
        moved = self._layer(layer)
        words = pd.Series([word.casefold() for word in self.words])
        spoken = words.map(lambda word: any(letter.isalnum() for letter in word))
        table = pd.DataFrame({"word": words, "shift": moved.astype(float)})[spoken]
        found = table.groupby("word")["shift"].agg(["size", "mean", "std"]).query("size >= @least")
        if found.empty:
            raise DataError(f"no word occurs {least} times in these {len(self.texts)} texts: lower least")
        found = found.sort_values("mean", ascending=False, kind="stable").head(n)
        half = student.ppf(0.5 + level / 2, found["size"] - 1) * found["std"] / np.sqrt(found["size"])
        return pd.DataFrame(
            {
                "word": found.index.astype(str),
                "count": found["size"].to_numpy(),
                "shift": found["mean"].to_numpy(),
                "low": (found["mean"] - half).clip(lower=0).to_numpy(),
                "high": (found["mean"] + half).to_numpy(),
            }
        )

    def contexts(self, layer: int, word: str, n: int = 2, *, around: int = 60) -> list[Context]:
        """Up to ``n`` texts in which ``word`` moved most, cut to ``around`` characters on either side.

        Raises:
            DataError: no such layer or word.
        """
        moved = self._layer(layer)
        there = [i for i, own in enumerate(self.words) if own.casefold() == word.casefold()]
        if not there:
            raise DataError(f"the word {word!r} is not in these texts; {near(word, set(self.words))}")
        found: dict[int, Context] = {}
        for i in sorted(there, key=lambda i: -moved[i]):
            text, start, stop = self.spans[i].tolist()
            if len(found) < n and text not in found:
                whole = self.texts[text]
                before, after = _before(whole[:start], around), _after(whole[stop:], around)
                found[text] = Context(before, whole[start:stop], after, float(moved[i]))
        return list(found.values())

    def save(self, folder: Path) -> None:
        """Write into ``folder``, which is made where it is missing."""
        write_result(folder, "shift", {"shift": self.shift, "spans": self.spans}, self.texts)

    @classmethod
    def load(cls, folder: Path) -> "WordShift":
        """Read what ``save`` wrote.

        Raises:
            DataError: a file is missing or damaged.
        """
        with read_result(folder, "shift", "shift of words", "measure it again") as (texts, arrays):
            return cls(arrays["shift"], tuple(texts), arrays["spans"])

    def _layer(self, layer: int) -> Float32[np.ndarray, " words"]:
        if not 0 <= layer < len(self.shift):
            raise DataError(f"there is no layer {layer}: 0 (embeddings) to {len(self.shift) - 1}")
        return self.shift[layer]


def word_shift(
    base: Encoder,
    tuned: Encoder,
    texts: Sequence[Any],
    *,
    max_length: int | None = None,
    batch_size: int = 64,
) -> WordShift:
    """How far each word of ``texts`` moved from ``base`` to ``tuned``, at every layer.

    Args:
        texts, max_length: as `rsa_by_text` has them. Words of sentences are those that the tokenizer cuts
            into pieces (its pre-tokenizer's); given lists of words are kept.

    Raises:
        DataError: texts that cannot be read, or a word's vector that is zero.
        EncoderError: the models have other tokens or layers.
    """
    same_tokens(base, tuned, "the tuned model")
    rows = token_rows(base, texts, max_length)
    shift = np.empty((base.n_layers + 1, len(rows.spans)), dtype=np.float32)
    for first in track(range(0, len(rows.ids), ROWS), "shift of words", unit="part"):
        pieces = np.flatnonzero((rows.row >= first) & (rows.row < first + ROWS) & (rows.kind == PIECE))
        if not len(pieces):
            continue
        before, after = (_word_means(encoder, rows, pieces, batch_size) for encoder in (base, tuned))
        lengths = np.linalg.norm(before, axis=2) * np.linalg.norm(after, axis=2)
        words = np.unique(rows.word[pieces])
        if not lengths.all():
            layer, at = np.argwhere(lengths == 0)[0]
            word = rows.words[words[at]]
            raise DataError(f"layer {layer}: the vector of {word!r} is zero and has no direction")
        shift[:, words] = 1 - (before * after).sum(axis=2) / lengths
    return WordShift(shift.clip(0, 2), rows.texts, rows.spans)


def _word_means(
    encoder: Encoder, rows: TokenRows, pieces: Int64[np.ndarray, " pieces"], batch_size: int
) -> Float[np.ndarray, "layers words hidden"]:
    """The mean of each word's pieces, of words in the order of their numbers."""
    order = pieces[np.argsort(rows.word[pieces], kind="stable")]
    _, starts, counts = np.unique(rows.word[order], return_index=True, return_counts=True)
    states = states_at(encoder, rows, order, batch_size).astype(np.float64)
    return np.add.reduceat(states, starts, axis=1) / counts[:, None]


def _before(text: str, around: int) -> str:
    """The end of what comes before a word, from the beginning of a word on."""
    return text if len(text) <= around else "…" + text[-around:].partition(" ")[2]


def _after(text: str, around: int) -> str:
    return text if len(text) <= around else text[:around].rpartition(" ")[0] + "…"
