"""Networks over words: an encoder's vectors of words under decoders; sentences made ready for the loop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from encoder_atlas.encoders import Encoder, padded, split_words, word_means
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training.decoders import DECODERS, Decoder, DecoderSettings
from encoder_atlas.training.loop import TaskNet


class WordBody(nn.Module):
    """The part of a network that an encoder makes: sentences in, padded vectors of words and their mask out.

    Sentences longer than the encoder takes are read in windows, see `split_words`. While it learns, each
    piece is [MASK] with a chance of ``word_dropout``, see `some_masked`.
    """

    def __init__(self, encoder: Encoder, word_dropout: float = 0.0) -> None:
        """
        Raises:
            SettingsError: pieces are to be masked, and the tokenizer has no token for it.
        """
        super().__init__()
        if word_dropout and encoder.tokenizer.mask_token_id is None:
            raise SettingsError(
                f"{encoder.name} has no mask token: word_dropout={word_dropout:g} cannot be; set it to 0"
            )
        self.model = encoder.model
        self.encoder = encoder
        self.word_dropout = word_dropout

    def forward(
        self, sentences: Sequence[Sentence]
    ) -> tuple[Float[Tensor, "batch words hidden"], Bool[Tensor, "batch words"]]:
        batch = split_words(self.encoder, [sentence.words for sentence in sentences])
        inputs = batch.inputs
        if self.training and self.word_dropout:
            inputs = some_masked(self.encoder, inputs, self.word_dropout)
        vectors = word_means(self.model(**inputs).last_hidden_state, batch)
        return padded(vectors, batch.counts), batch.mask


def some_masked(encoder: Encoder, inputs: Mapping[str, Tensor], share: float) -> dict[str, Tensor]:
    """The inputs with each piece replaced by the mask token with a chance of ``share``, independently.

    Padding and special tokens stay as they are; the unknown token is a piece like any other. Source: the
    stem-cell paper's code, which has a share of 0.2. Reads torch's generator.
    """
    ids, tokenizer = inputs["input_ids"], encoder.tokenizer
    special = torch.tensor(
        [number for number in tokenizer.all_special_ids if number != tokenizer.unk_token_id],
        device=ids.device,
    )
    pieces = inputs["attention_mask"].bool() & ~torch.isin(ids, special)
    dropped = pieces & (torch.rand(ids.shape, device=ids.device) < share)
    return {**inputs, "input_ids": ids.masked_fill(dropped, cast(int, tokenizer.mask_token_id))}


class WordNet(TaskNet):
    """A `TaskNet` of decoders: it gives what their loss takes, vectors after dropout and their mask."""

    def forward(
        self, task: str, inputs: Sequence[Sentence]
    ) -> tuple[Float[Tensor, "batch words hidden"], Bool[Tensor, "batch words"]]:
        vectors, mask = self.body(inputs)
        return self.dropout(vectors), mask


def decoder_loss(net: nn.Module, task: str, inputs: Sequence[Sentence], labels: Any) -> Float[Tensor, ""]:
    """The loss of the task's decoder, computed in fp32: mean nats a word."""
    vectors, mask = net(task, inputs)
    return cast(Decoder, cast(WordNet, net).heads[task]).loss(vectors.float(), mask, labels)


class Targets:
    """The labels of a layer, made batch by batch by its decoder."""

    def __init__(self, sentences: Sequence[Sentence], decoder: Decoder) -> None:
        self.sentences, self.decoder = sentences, decoder

    def __getitem__(self, index: list[int], /) -> Any:
        return self.decoder.targets([self.sentences[i] for i in index])


@dataclass(frozen=True)
class Annotated:
    """The train sentences of one layer, ready for the loop; ``lengths`` are pieces."""

    sentences: Sequence[Sentence]
    labels: Targets
    lengths: Sequence[int]

    @classmethod
    def of(cls, encoder: Encoder, sentences: Sequence[Sentence], decoder: nn.Module) -> "Annotated":
        """
        Raises:
            DataError: a word is longer than the encoder takes.
        """
        lengths: list[int] = []
        for start in range(0, len(sentences), 1024):
            batch = split_words(encoder, [one.words for one in sentences[start : start + 1024]])
            pieces = torch.bincount(batch.word[batch.word >= 0]).split(list(batch.counts))
            lengths += [int(part.sum()) for part in pieces]
        return cls(sentences, Targets(sentences, cast(Decoder, decoder)), lengths)

    def take(self, index: Sequence[int]) -> list[Sentence]:
        """The sentences of a batch."""
        return [self.sentences[i] for i in index]


@torch.no_grad()
def annotated(
    encoder: Encoder, decoders: Sequence[Decoder], sentences: Sequence[Sentence], batch_size: int
) -> list[Sentence]:
    """The sentences with the layers that ``decoders`` find, in the order given; in fp32, without dropout.

    Sentences of similar length share a batch.

    Raises:
        DataError: there are no sentences, or a word is longer than the encoder takes.
    """
    if not len(sentences):
        raise DataError("there are no sentences to annotate")
    body, found = WordBody(encoder), list(sentences)
    modules = [encoder.model, *decoders]
    training = [module.training for module in modules]
    for module in modules:
        module.eval()
    try:
        order = np.argsort([len(sentence.words) for sentence in sentences], kind="stable")
        for start in range(0, len(order), batch_size):
            index = order[start : start + batch_size].tolist()
            vectors, mask = body([sentences[i] for i in index])
            for decoder in decoders:
                device = next(decoder.parameters()).device
                fields = decoder.decode(vectors.to(device), mask.to(device))
                for i, own in zip(index, fields, strict=True):
                    found[i] = replace(found[i], **own)
    finally:
        for module, was in zip(modules, training, strict=True):
            module.train(was)
    return found


def make_decoders(
    width: int, labels: Mapping[Layer, Sequence[str]], settings: DecoderSettings
) -> nn.ModuleDict:
    """New decoders, one a layer, for vectors of this width."""
    return nn.ModuleDict({layer: DECODERS[layer](width, own, settings) for layer, own in labels.items()})


def check_layers(layers: Sequence[Layer]) -> None:
    """Refuse layers that cannot be fitted.

    Raises:
        SettingsError: none, one twice, or one without a decoder.
    """
    if not layers or len(set(layers)) < len(layers):
        raise SettingsError(f"fit at least one layer, and none twice (got {list(layers)})")
    for layer in layers:
        if layer not in DECODERS:
            known = near(layer, DECODERS)
            raise SettingsError(f"there is no decoder for the layer {layer!r}; {known}")
