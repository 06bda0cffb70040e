"""One pass of an encoder over sentences: what every head attends to and what it carries, word by word.

After He and Choi (2021), whose rule for pieces is that of Clark et al. (2019): the attention from a word is
the mean over its pieces, that to a word the sum over its pieces.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float32, Int16, Int64
from torch import Tensor

from encoder_atlas.encoders import Encoder, HeadGates
from encoder_atlas.encoders.words import WordBatch, split_words, word_means
from encoder_atlas.errors import DataError, EncoderError, SettingsError
from encoder_atlas.progress import bar

NOWHERE = -1  # a look that goes to no word: of an encoder without [CLS], where only [CLS] is left
_ATTENTIONS = 32_000_000  # numbers of attention that one batch may hold, 128 MB, beside what the model needs


@dataclass(frozen=True, eq=False)
class HeadBatch:
    """What the heads do in one batch of sentences.

    Attributes:
        numbers: which sentences, as numbers in the order in which they were given.
        counts: words of each.
        attention: from and to words, which count from 1; 0 is [CLS]. Rows do not sum to 1: what goes to [SEP]
            is dropped. Beyond a sentence's words, and for [CLS] of an encoder without one, zeros.
        values: attended values H = A·V before the output projection, mean over each word's pieces.
        embeddings: layer 0, what the embeddings give to the first layer, mean over pieces.
    """

    numbers: tuple[int, ...]
    counts: tuple[int, ...]
    attention: Float[Tensor, "layers sentences heads positions positions"]
    values: Float[Tensor, "layers words heads d_head"]
    embeddings: Float[Tensor, "words hidden"]


def head_batches(
    encoder: Encoder, sentences: Sequence[Sequence[str]], batch_size: int = 32
) -> Iterator[HeadBatch]:
    """Run sentences through a frozen encoder, and give each batch before the next is run.

    In 32-bit floats, without dropout; sentences of like lengths go together, fewer where they are long, so
    that the attention of a batch stays at about 128 MB (of one sentence alone it may be more). A sentence
    that is too long for the encoder is read in windows (`split_words`): a word then sees the words that count
    in its own window only, and [CLS] is the mean of the windows'.

    Raises:
        DataError: no sentences, one without words, or a word that the encoder cannot read.
        SettingsError: a batch size below 1.
    """
    if batch_size < 1:
        raise SettingsError(f"batch_size={batch_size}: at least 1")
    if not len(sentences) or not all(len(words) for words in sentences):
        raise DataError("there are no sentences to attend in, or one of them has no words: leave it out")
    with _eager(encoder), bar("Heads", len(sentences), "sentence") as shown:
        for part in _parts(encoder, sentences, batch_size):
            yield _read(encoder, split_words(encoder, [sentences[number] for number in part]), tuple(part))
            shown.update(len(part))


@torch.no_grad()
def _read(encoder: Encoder, batch: WordBatch, numbers: tuple[int, ...]) -> HeadBatch:
    with HeadGates(encoder, record=True) as gates:
        output = encoder.model(**batch.inputs, output_attentions=True, output_hidden_states=True)
        contexts = gates.contexts
    values = [word_means(context.flatten(-2).float(), batch) for context in contexts]
    return HeadBatch(
        numbers=numbers,
        counts=batch.counts,
        attention=word_attention(output.attentions, batch, _reads_cls(encoder)),
        values=torch.stack(values).unflatten(-1, (encoder.n_heads, encoder.d_head)),
        embeddings=word_means(output.hidden_states[0].float(), batch),
    )


def word_attention(
    attentions: Sequence[Float[Tensor, "rows heads tokens tokens"]], batch: WordBatch, with_cls: bool
) -> Float[Tensor, "layers sentences heads positions positions"]:
    """Attention between tokens as attention between words: mean over asking pieces, sum over pieces asked.

    Args:
        attentions: one tensor a layer, as the model gives them.
        with_cls: the first token of each row is [CLS] and becomes position 0.
    """
    words = torch.tensor(batch.counts, device=batch.word.device)
    first = words.cumsum(0) - words
    owner = _sentence_of_rows(batch)
    local = torch.where(batch.word >= 0, batch.word - first[owner][:, None] + 1, -1)
    if with_cls:  # but for a window in which no word counts
        local[:, 0] = torch.where(batch.word.amax(dim=1) >= 0, 0, -1)
    positions = int(words.max()) + 1
    member = (local[..., None] == torch.arange(positions, device=local.device)).float()
    # The pieces of a word stand in one row; [CLS] stands in every window of its sentence.
    pieces = member.new_zeros(len(words), positions).index_add(0, owner, member.sum(1)).clamp(min=1)
    asking = (member / pieces[owner][:, None]).transpose(1, 2)[:, None]
    found = [
        layer.new_zeros(len(words), layer.shape[1], positions, positions).index_add(
            0, owner, asking @ layer.float() @ member[:, None]
        )
        for layer in attentions
    ]
    return torch.stack(found)


@dataclass(frozen=True, eq=False)
class Looks:
    """Where each head looks from each word: the one to which it attends most. Ties go to the earlier word.

    Positions of all sentences stand one after another, [CLS] (0) and then the words (from 1) of each. Two
    bytes a look: 144 heads over 25,000 words are 14 MB with both tables.

    Attributes:
        with_cls: the look when [CLS] may be looked at, else to words only; [SEP] never counts.
        words_only: the look when only words may be looked at.
        first: where each sentence's positions begin, and their number at the end.
    """

    with_cls: Int16[np.ndarray, "layers heads positions"]
    words_only: Int16[np.ndarray, "layers heads positions"]
    first: Int64[np.ndarray, " sentences_and_end"]


@dataclass(frozen=True, eq=False)
class WordValues:
    """Attended values of every head at every word, and the embeddings; sentences one after another.

    32-bit floats: 6 layers of width 384 over 10,000 words take 92 MB, 12 of width 768 take 370 MB.
    """

    values: Float32[np.ndarray, "layers words heads d_head"]
    embeddings: Float32[np.ndarray, "words hidden"]
    first: Int64[np.ndarray, " sentences_and_end"]


def read_heads(
    encoder: Encoder, sentences: Sequence[Sequence[str]], batch_size: int = 32
) -> tuple[Looks, WordValues]:
    """Both readings of all heads in one pass. Raises as `head_batches` does, and

    EncoderError: the encoder gives attention that is not a number.
    """
    counts = np.array([len(words) for words in sentences], dtype=np.int64)
    words = np.concatenate([[0], counts.cumsum()])
    positions = words + np.arange(len(words))
    shape = (encoder.n_layers, encoder.n_heads)
    looks = [np.full((*shape, int(positions[-1])), NOWHERE, dtype=np.int16) for _ in range(2)]
    values = np.empty((shape[0], int(words[-1]), shape[1], encoder.d_head), dtype=np.float32)
    embeddings: np.ndarray | None = None
    for batch in head_batches(encoder, sentences, batch_size):
        found = [_argmax(batch.attention, batch.counts, cls).cpu().numpy() for cls in (True, False)]
        for at, (number, count) in enumerate(zip(batch.numbers, batch.counts, strict=True)):
            own = slice(int(positions[number]), int(positions[number + 1]))
            for kept, new in zip(looks, found, strict=True):
                kept[:, :, own] = new[:, at, :, : count + 1]
        place = np.concatenate([np.arange(int(words[n]), int(words[n + 1])) for n in batch.numbers])
        values[:, place] = batch.values.cpu().numpy()
        own_embeddings = batch.embeddings.cpu().numpy()
        if embeddings is None:
            embeddings = np.empty((int(words[-1]), own_embeddings.shape[1]), dtype=np.float32)
        embeddings[place] = own_embeddings
    assert embeddings is not None
    return Looks(looks[0], looks[1], positions), WordValues(values, embeddings, words)


def _argmax(
    attention: Float[Tensor, "layers sentences heads positions positions"], counts: Sequence[int], cls: bool
) -> Int16[Tensor, "layers sentences heads positions"]:
    if not attention.isfinite().all():
        raise EncoderError("this encoder's attention is not a number: its weights are damaged")
    keys = torch.arange(attention.shape[-1], device=attention.device)
    ends = torch.tensor(counts, device=attention.device)[:, None]
    barred = (keys > ends) | ((keys == 0) & (not cls))
    # A causal model's early words see no others, and padding has zeros: neither may win.
    best = attention.masked_fill(barred[:, None, None], -1.0).max(dim=-1)
    return torch.where(best.values > 0, best.indices, NOWHERE).to(torch.int16)


def _sentence_of_rows(batch: WordBatch) -> Int64[Tensor, " rows"]:
    """Of each row its sentence; a word that it counts says so."""
    ends = torch.tensor(batch.counts, device=batch.word.device).cumsum(0)
    return torch.bucketize(batch.word.amax(dim=1), ends, right=True)


def _reads_cls(encoder: Encoder) -> bool:
    """Whether sentences begin with [CLS] (<s> in RoBERTa); not so in families that read left to right."""
    first = encoder.tokenizer("a")["input_ids"][0]
    return not encoder.family.causal and first == encoder.tokenizer.cls_token_id


def _parts(encoder: Encoder, sentences: Sequence[Sequence[str]], batch_size: int) -> Iterator[list[int]]:
    """Sentences by length, in parts of at most ``batch_size`` whose attention stays in bounds.

    By characters, as pieces are not known yet: a piece has seldom fewer than three with its space.
    """
    lengths = [2 + sum(1 + len(word) // 3 for word in words) for words in sentences]
    part: list[int] = []
    for number in np.argsort(lengths, kind="stable").tolist():
        size = (len(part) + 1) * lengths[number] ** 2 * encoder.n_layers * encoder.n_heads
        if part and (len(part) == batch_size or size > _ATTENTIONS):
            yield part
            part = []
        part.append(number)
    yield part


@contextmanager
def _eager(encoder: Encoder) -> Iterator[None]:
    """Evaluation mode with attention that is written out, for as long as the block runs."""
    model = encoder.model
    training, implementation = model.training, str(model.config._attn_implementation)
    model.eval()
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(implementation)
        model.train(training)
