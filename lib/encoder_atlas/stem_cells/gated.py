"""An annotator with gates on its heads: fitted, scored with soft gates and with hard ones, saved."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
import torch

from encoder_atlas.encoders import Encoder, HeadGates
from encoder_atlas.errors import SettingsError, near
from encoder_atlas.stem_cells.gate_hook import GateHook, StaticGateHook
from encoder_atlas.stem_cells.gates import OPEN, GateSettings
from encoder_atlas.stem_cells.learnt import LearntGates, Pruning
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training import Annotator, DecoderSettings, FitSettings, fit_annotator
from encoder_atlas.training.decoders import Decoder

VIEWS = ("soft", "hard", "none")
"""What heads are scaled by: the gates as learnt (the paper's scores), 0 or 1 by a threshold, or nothing."""

LAST = FitSettings(keep="last", evaluate="end")
"""The best epoch on dev would most often be an early one, in which no gate has closed yet."""

GATES = "gates"


@dataclass(frozen=True, eq=False)
class GatedAnnotator:
    """What `fit_gated` and `prune_static` give.

    Attributes:
        annotator: encoder and decoders as they learnt under the gates. What it says itself it says with all
            heads open, for which it was not fitted: ask the methods here.
        gates: on the heads of its encoder.
    """

    annotator: Annotator
    gates: LearntGates

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers it writes."""
        return self.annotator.layers

    @contextmanager
    def through(self, view: str = "soft", threshold: float = OPEN) -> Iterator[Annotator]:
        """The annotator, whose encoder goes through the gates inside the ``with`` block.

        Args:
            view: one of VIEWS.
            threshold: with "hard", heads whose gate is above it are at 1, the others at 0.

        Raises:
            SettingsError: an unknown view.
        """
        values = self.gates.values
        seen = (values, self.gates.open_heads(threshold), np.ones_like(values))
        if view not in VIEWS:
            raise SettingsError(f"gates have no view {view!r}; {near(view, VIEWS)}")
        gates = torch.from_numpy(seen[VIEWS.index(view)].astype(np.float32))
        with HeadGates(self.annotator.encoder) as on_heads:
            on_heads.set(gates.to(self.annotator.encoder.device))
            yield self.annotator

    def annotate(
        self, sentences: Sequence[Sentence], view: str = "soft", threshold: float = OPEN
    ) -> list[Sentence]:
        """As `Annotator.annotate`, through the gates."""
        with self.through(view, threshold) as annotator:
            return annotator.annotate(sentences)

    def score(
        self, sentences: Sequence[Sentence], view: str = "soft", threshold: float = OPEN
    ) -> pd.DataFrame:
        """As `Annotator.score`, through the gates."""
        with self.through(view, threshold) as annotator:
            return annotator.score(sentences)

    def save(self, folder: Path) -> None:
        """Write annotator and gates into ``folder``, new or empty.

        Raises:
            StoreError: if the folder holds something.
        """
        self.annotator.save(folder)
        self.gates.save(folder / GATES)

    @classmethod
    def load(cls, folder: Path) -> "GatedAnnotator":
        """Read what ``save`` wrote, onto the CPU.

        Raises:
            EncoderError: if the folder holds no gated annotator, or a file of it is missing or damaged.
        """
        return cls(Annotator.load(folder), LearntGates.load(folder / GATES))


def fit_gated(
    encoder: Encoder,
    corpus: AnnotatedCorpus,
    layers: Sequence[Layer],
    settings: FitSettings = LAST,
    gates: GateSettings | None = None,
    *,
    seed: int = 0,
    gate_seed: int | None = None,
    device: str = "auto",
    decoders: DecoderSettings | None = None,
) -> GatedAnnotator:
    """Dynamic pruning: fit an annotator as `fit_annotator` does, with gates on its heads that learn to close.

    With one layer this is the paper's STL-DP, with several MTL-DP, whose tasks share one set of gates.

    Args:
        gate_seed: of the gates' beginning and noise, by default ``seed``. Two fits with the same start look
            more alike than their tasks are: give different seeds to fits whose heads are compared.

    Raises:
        DataError, SettingsError: as `fit_annotator` does.
    """
    hook = GateHook(gates or GateSettings(), seed if gate_seed is None else gate_seed)
    fitted = fit_annotator(
        encoder, corpus, layers, settings, seed=seed, device=device, decoders=decoders, hook=hook
    )
    return _gated(fitted, hook, "dynamic")


def prune_static(
    annotator: Annotator,
    corpus: AnnotatedCorpus,
    settings: FitSettings = LAST,
    gates: GateSettings | None = None,
    *,
    tune_encoder: bool = True,
    seed: int = 0,
    gate_seed: int | None = None,
    device: str = "auto",
) -> GatedAnnotator:
    """Static pruning: go on from a fitted annotator with its decoders held still, while gates learn to close.

    Args:
        annotator: is left as it is; its copy learns.
        corpus: the one it was fitted to.
        tune_encoder: whether the encoder goes on learning under the gates, as in the released code, or the
            gates alone learn.

    Raises:
        SettingsError: the corpus has other labels than those the annotator was fitted to.
        DataError, SettingsError: as `fit_annotator` does.
    """
    _check_labels(annotator, corpus)
    hook = StaticGateHook(
        gates or GateSettings(),
        annotator,
        seed if gate_seed is None else gate_seed,
        tune_encoder=tune_encoder,
    )
    fitted = fit_annotator(
        annotator.encoder,
        corpus,
        annotator.layers,
        settings,
        seed=seed,
        device=device,
        decoders=annotator.decoder_settings,
        hook=hook,
    )
    return _gated(fitted, hook, "static")


def _gated(fitted: Annotator, hook: GateHook, pruning: Pruning) -> GatedAnnotator:
    fitted.decoders.requires_grad_(True)
    values, (steps, path) = hook.gates.values().detach().cpu().numpy(), hook.path
    gates = LearntGates(values, fitted.layers, fitted.seed, hook.settings, pruning, steps, path)
    return GatedAnnotator(fitted, gates)


def _check_labels(annotator: Annotator, corpus: AnnotatedCorpus) -> None:
    for layer, decoder in zip(annotator.layers, annotator.decoders.values(), strict=True):
        own = cast(Decoder, decoder)
        if tuple(own.labels_of(corpus)) != own.labels:
            raise SettingsError(
                f"corpus {corpus.name!r} has other labels of {layer!r} than the annotator was fitted to: "
                "give the corpus of its fit"
            )
