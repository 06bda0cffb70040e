"""An encoder that annotates: fitted to layers of a corpus, one decoder a layer on shared vectors of words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import pandas as pd
from torch import nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training.decoders import DECODERS, CountedDecoder, Decoder, DecoderSettings
from encoder_atlas.training.device import accelerator_on, choose_device, choose_precision, seeded
from encoder_atlas.training.loop import Hook, Loop, Record, learning_copy, learnt
from encoder_atlas.training.saved import Saved, read_model, write_model
from encoder_atlas.training.settings import FitSettings
from encoder_atlas.training.word_net import (
    Annotated,
    WordBody,
    WordNet,
    annotated,
    check_layers,
    decoder_loss,
    make_decoders,
)

BATCH = 64  # sentences at once where nothing is learnt


@dataclass(frozen=True, eq=False)
class Annotator:
    """What `fit_annotator` gives.

    Attributes:
        encoder: on the device it was fitted on.
        decoders: one a layer, by its name; on the CPU.
        settings, decoder_settings, seed: how it was fitted.
        history: tidy records of training: epoch, step, task (the layer), split, measure, value.
    """

    encoder: Encoder
    decoders: nn.ModuleDict
    settings: FitSettings
    decoder_settings: DecoderSettings
    seed: int
    history: pd.DataFrame

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers it writes."""
        return tuple(decoder.layer for decoder in self._decoders())

    def annotate(self, sentences: Sequence[Sentence], batch_size: int = BATCH) -> list[Sentence]:
        """The sentences with the annotator's layers in place of their own; in fp32, without dropout.

        Raises:
            DataError: no sentences, or a word longer than the encoder takes.
        """
        return annotated(self.encoder, self._decoders(), sentences, batch_size)

    def score(self, sentences: Sequence[Sentence], batch_size: int = BATCH) -> pd.DataFrame:
        """How well it annotates: "layer", "measure", "value" (in [0, 1]); see the decoders' ``score``.

        Of each layer the sentences count that have it.

        Raises:
            DataError: no sentence has one of the layers.
        """
        rows = []
        for decoder, gold, found in self._compared(sentences, batch_size):
            scores = decoder.score(gold, found).items()
            rows += [{"layer": decoder.layer, "measure": name, "value": value} for name, value in scores]
        return pd.DataFrame(rows)

    def correct(self, sentences: Sequence[Sentence], batch_size: int = BATCH) -> pd.DataFrame:
        """A row a word, layer and measure: "sentence" (its id), "word" (from 0), and whether it is "right".

        Of layers that are scored word by word. For bootstraps over sentences: means of "right" by layer and
        measure are what `score` says. Raises as it does.
        """
        rows = [
            {
                "layer": decoder.layer,
                "measure": measure,
                "sentence": one.id,
                "word": word,
                "right": bool(right),
            }
            for decoder, gold, found in self._compared(sentences, batch_size)
            for one, other in zip(gold, found, strict=True)
            for measure, rights in decoder.right(one, other).items()
            for word, right in enumerate(rights)
        ]
        return pd.DataFrame(rows)

    def span_counts(self, sentences: Sequence[Sentence], batch_size: int = BATCH) -> pd.DataFrame:
        """A row a sentence, layer and kind: how many are "right", how many "found", how many "gold".

        Of layers that are scored by what is found of them (entities, phrases, roles). For bootstraps over
        sentences: `Counts` of the sums has precision, recall and F1. Raises as `score` does.
        """
        rows = [
            {"layer": decoder.layer, "kind": kind, "sentence": one.id, **counts._asdict()}
            for decoder, gold, found in self._compared(sentences, batch_size)
            if isinstance(decoder, CountedDecoder)
            for one, other in zip(gold, found, strict=True)
            for kind, counts in decoder.counts(one, other).items()
        ]
        return pd.DataFrame(rows)

    def save(self, folder: Path) -> None:
        """Write the whole annotator into ``folder``, new or empty: safetensors and JSON, no pickle.

        Raises:
            StoreError: if the folder holds something.
        """
        describe = partial(
            AnnotatorDescription,
            seed=self.seed,
            settings=self.settings,
            decoders=self.decoder_settings,
            labels={decoder.layer: decoder.labels for decoder in self._decoders()},
        )
        write_model(folder, self.encoder, self.decoders, self.history, describe)

    @classmethod
    def load(cls, folder: Path) -> "Annotator":
        """Read what ``save`` wrote, onto the CPU and without a network; every file is checked.

        Raises:
            EncoderError: if the folder holds no annotator, or a file of it is missing, damaged or swapped.
        """
        saved, encoder, decoders = read_model(
            folder,
            AnnotatorDescription,
            lambda saved, hidden: make_decoders(hidden, saved.labels, saved.decoders),
        )
        history = pd.DataFrame(saved.history)
        return cls(encoder, decoders.eval(), saved.settings, saved.decoders, saved.seed, history)

    def _decoders(self) -> list[Decoder]:
        return [cast(Decoder, decoder) for decoder in self.decoders.values()]

    def _compared(
        self, sentences: Sequence[Sentence], batch_size: int
    ) -> Iterator[tuple[Decoder, list[Sentence], list[Sentence]]]:
        """Of each decoder the sentences that have its layer, and what is found of them."""
        missing = [layer for layer in self.layers if not any(layer in one.layers for one in sentences)]
        if missing:
            raise DataError(
                f"none of {len(sentences)} sentences has the layer {missing[0]!r}: nothing to compare"
            )
        found = self.annotate(sentences, batch_size)
        for decoder in self._decoders():
            pairs = [pair for pair in zip(sentences, found, strict=True) if decoder.layer in pair[0].layers]
            yield decoder, [pair[0] for pair in pairs], [pair[1] for pair in pairs]


class AnnotatorDescription(Saved):
    """What is saved of an `Annotator` beside its weights."""

    decoders: DecoderSettings
    labels: dict[Layer, tuple[str, ...]]


def fit_annotator(
    encoder: Encoder,
    corpus: AnnotatedCorpus,
    layers: Sequence[Layer],
    settings: FitSettings | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    decoders: DecoderSettings | None = None,
    hook: Hook | None = None,
) -> Annotator:
    """Fit a copy of ``encoder``, with a decoder a layer, on the train split; the epoch is chosen on dev.

    A word's vector is the mean of its pieces' last hidden states. Several layers are learnt together: each
    batch is of one layer, mixed as ``settings.sampling`` says. Sentences are read whole, in windows where the
    encoder does not take them; ``settings.max_length`` and what is said of heads and pooling have no meaning
    here. Same arguments give the same bits on one machine, as in `fit`.

    Raises:
        DataError: a layer that the corpus does not have in train and dev, or a word longer than the encoder.
        SettingsError: no layer, one twice or without a decoder, an unknown device, a precision that the
            device lacks, more ``frozen_layers`` than there are, and if the loss stops being a number.
    """
    settings, decoders = settings or FitSettings(), decoders or DecoderSettings()
    check_layers(layers)
    target = choose_device(device)
    train: dict[Layer, Sequence[Sentence]] = {layer: corpus.sentences("train", [layer]) for layer in layers}
    dev: dict[Layer, Sequence[Sentence]] = {layer: corpus.sentences("dev", [layer]) for layer in layers}
    labels: dict[Layer, tuple[str, ...]] = {layer: DECODERS[layer].labels_of(corpus) for layer in layers}
    encoder = learning_copy(encoder, settings, target)
    with (
        seeded(seed, target),
        accelerator_on(target, choose_precision(settings.precision, target)) as accelerator,
    ):
        heads = make_decoders(encoder.hidden, labels, decoders)
        net = WordNet(WordBody(encoder, settings.word_dropout), heads, settings.dropout).to(target)
        hook = hook or Hook()
        history = Loop(
            net=net,
            train={layer: Annotated.of(encoder, train[layer], heads[layer]) for layer in layers},
            evaluate=lambda: _dev_records(encoder, heads, dev, hook),
            settings=settings,
            epochs=settings.epochs,
            seed=seed,
            accelerator=accelerator,
            stage=f"FT: {', '.join(layers)}",
            loss=decoder_loss,
            hook=hook,
        ).run()
    return Annotator(learnt(encoder), heads.cpu().eval(), settings, decoders, seed, pd.DataFrame(history))


def _dev_records(
    encoder: Encoder, decoders: nn.ModuleDict, dev: Mapping[Layer, Sequence[Sentence]], hook: Hook
) -> list[Record]:
    """The scores of each layer on its dev sentences, without dropout and in fp32."""
    records = []
    for layer, gold in dev.items():
        decoder = cast(Decoder, decoders[layer])
        with hook.forward(layer):
            found = annotated(encoder, [decoder], gold, BATCH)
        common = {"task": layer, "split": "dev"}
        scores = decoder.score(gold, found).items()
        records += [{**common, "measure": measure, "value": value} for measure, value in scores]
    return records
