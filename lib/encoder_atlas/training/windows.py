"""Questions on paragraphs as rows of tokens: long paragraphs in windows, tokens tied to characters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError

NO_ANSWER = 0  # the first token, which no paragraph holds, stands for "not in this window"


@dataclass(frozen=True)
class Window:
    """One row: a question and a part of its paragraph.

    Attributes:
        question: its number among the questions.
        inputs: what the model takes, each a tensor of the row's tokens.
        first, stop: the tokens of the paragraph, from 0, end exclusive.
        offsets: of each token the characters, start and end, in the text that it comes from.
    """

    question: int
    inputs: dict[str, Int64[Tensor, " tokens"]]
    first: int
    stop: int
    offsets: Int64[np.ndarray, "tokens 2"]

    def tokens_of(self, start: int, end: int) -> tuple[int, int]:
        """First and last token of these characters of the paragraph; NO_ANSWER if not all stand here."""
        own = self.offsets[self.first : self.stop]
        if not len(own) or start < own[0, 0] or end > own[-1, 1]:
            return NO_ANSWER, NO_ANSWER
        touched = np.flatnonzero((own[:, 1] > start) & (own[:, 0] < end)) + self.first
        return (int(touched[0]), int(touched[-1])) if len(touched) else (NO_ANSWER, NO_ANSWER)


def cut_windows(
    encoder: Encoder, pairs: Sequence[tuple[str, str]], max_length: int, stride: int
) -> list[Window]:
    """The windows of all questions, in order.

    Args:
        pairs: questions and paragraphs.
        max_length: tokens of a row, special ones counted.
        stride: tokens that neighbouring windows of a paragraph share.

    Raises:
        SettingsError: ``max_length`` is more than the encoder takes.
        DataError: a question leaves its paragraph no room, or the paragraph has no token.
    """
    if max_length > encoder.max_length:
        raise SettingsError(f"max_length is {max_length}; {encoder.name} takes up to {encoder.max_length}")
    windows: list[Window] = []
    for start in range(0, len(pairs), 1000):  # the tokenizer's own records are large
        windows += _cut(encoder, pairs[start : start + 1000], max_length, stride, start)
    return windows


def _cut(
    encoder: Encoder, pairs: Sequence[tuple[str, str]], max_length: int, stride: int, number: int
) -> list[Window]:
    questions = [question for question, _ in pairs]
    special = encoder.tokenizer.num_special_tokens_to_add(pair=True)
    bare = encoder.tokenizer(questions, add_special_tokens=False)["input_ids"]
    for question, ids in zip(questions, bare, strict=True):
        if len(ids) + special + stride >= max_length:
            raise DataError(
                f"the question {question[:60]!r} has {len(ids)} tokens: with {special} special ones and a "
                f"stride of {stride}, rows of {max_length} leave no room for its text; raise max_length"
            )
    rows = encoder.tokenizer(
        questions,
        [text for _, text in pairs],
        truncation="only_second",
        max_length=max_length,
        stride=stride,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        return_attention_mask=True,
        return_token_type_ids=encoder.family.token_types,
    )
    keys = [key for key in ("input_ids", "attention_mask", "token_type_ids") if key in rows]
    windows = []
    for i, own in enumerate(rows["overflow_to_sample_mapping"]):
        second = [place for place, part in enumerate(rows.sequence_ids(i)) if part == 1]
        if not second:
            raise DataError(f"{encoder.name} finds no token in the text of {questions[own][:60]!r}")
        offsets = np.array(rows["offset_mapping"][i], dtype=np.int64)
        inputs = {key: torch.tensor(rows[key][i]) for key in keys}
        windows.append(Window(number + own, inputs, second[0], second[-1] + 1, offsets))
    return windows


def collate(windows: Sequence[Window], encoder: Encoder) -> dict[str, Tensor]:
    """Windows as one padded batch, on the CPU."""
    fill = {"input_ids": encoder.tokenizer.pad_token_id}
    return {
        key: pad_sequence(
            [window.inputs[key] for window in windows],
            batch_first=True,
            padding_value=float(fill.get(key, 0)),  # pyright: ignore[reportArgumentType]
        )
        for key in windows[0].inputs
    }


def outside(windows: Sequence[Window]) -> Bool[Tensor, "batch tokens"]:
    """Where the rows of `collate` hold no token of a paragraph."""
    place = torch.arange(max(len(window.offsets) for window in windows))
    first = torch.tensor([window.first for window in windows])[:, None]
    stop = torch.tensor([window.stop for window in windows])[:, None]
    return (place < first) | (place >= stop)


def best_spans(
    logits: Float[Tensor, "batch tokens 2"], longest: int
) -> tuple[Float[Tensor, " batch"], Int64[Tensor, " batch"], Int64[Tensor, " batch"]]:
    """The span of at most ``longest`` tokens with the highest sum of logits: the sum, first and last token.

    Args:
        logits: of start and end; −inf for tokens that cannot be part of an answer.
    """
    start, end = logits.unbind(dim=-1)
    ends = torch.nn.functional.pad(end, (0, longest - 1), value=-torch.inf).unfold(1, longest, 1)
    score, place = (start[:, :, None] + ends).flatten(1).max(dim=1)
    first = place // longest
    return score, first, first + place % longest
