"""An annotator with gates on its heads: fitted, scored with soft gates and with hard ones, saved."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float32, Int64
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save_file

from encoder_atlas.encoders import Encoder, HeadGates
from encoder_atlas.errors import EncoderError, SettingsError, StoreError, near
from encoder_atlas.stem_cells.gate_hook import GateHook, StaticGateHook
from encoder_atlas.stem_cells.gates import OPEN, GateSettings
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training import Annotator, DecoderSettings, FitSettings, fit_annotator
from encoder_atlas.training.decoders import Decoder

Pruning = Literal["dynamic", "static"]

VIEWS = ("soft", "hard", "none")
"""What heads are scaled by: the gates as learnt (the paper's scores), 0 or 1 by a threshold, or nothing."""

LAST = FitSettings(keep="last", evaluate="end")
"""The best epoch on dev would most often be an early one, in which no gate has closed yet."""

SETTLED = 0.01
"""Gates have settled if in the last tenth of the steps they moved less than this on average."""

DESCRIPTION, GATES, ANNOTATOR = "gated.json", "gates.safetensors", "annotator"


@dataclass(frozen=True, eq=False)
class GatedAnnotator:
    """What `fit_gated` and `prune_static` give.

    Attributes:
        annotator: encoder and decoders as they learnt under the gates. What it says itself it says with all
            heads open, for which it was not fitted: ask the methods here.
        gates: the deterministic gates at the end, in [0, 1].
        settings: of the gates.
        pruning: "dynamic" or "static".
        steps, path: how many steps were done, and the gates then; first and last step are among them.
    """

    annotator: Annotator
    gates: Float32[np.ndarray, "layers heads"]
    settings: GateSettings
    pruning: Pruning
    steps: Int64[np.ndarray, " points"]
    path: Float32[np.ndarray, "points layers heads"]

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers it writes."""
        return self.annotator.layers

    @property
    def seed(self) -> int:
        """Of its fit."""
        return self.annotator.seed

    def open_heads(self, threshold: float = OPEN) -> Bool[np.ndarray, "layers heads"]:
        """The heads that are kept: those whose gate is above ``threshold``."""
        return self.gates > threshold

    @property
    def moved(self) -> float:
        """How far a gate moved in the last tenth of the steps: the mean over heads of |change|.

        Gates that are shut for good do not move, so that a small number may also mean that nearly all are.
        """
        since = int(np.searchsorted(self.steps, 0.9 * self.steps[-1], side="right")) - 1
        return float(np.abs(self.path[-1] - self.path[since]).mean())

    @property
    def settled(self) -> bool:
        """Whether `moved` is below SETTLED: else the number of open heads depends on when training ended."""
        return self.moved < SETTLED

    @contextmanager
    def through(self, view: str = "soft", threshold: float = OPEN) -> Iterator[Annotator]:
        """The annotator, whose encoder goes through the gates inside the ``with`` block.

        Args:
            view: one of VIEWS.
            threshold: with "hard", heads whose gate is above it are at 1, the others at 0.

        Raises:
            SettingsError: an unknown view.
        """
        seen = (self.gates, self.open_heads(threshold), np.ones_like(self.gates))
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
        """Write it into ``folder``, new or empty: the annotator, the gates, and last a description.

        Raises:
            StoreError: if the folder holds something.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise StoreError(f"{folder} is no empty folder: a gated annotator is written into a new one")
        self.annotator.save(folder / ANNOTATOR)
        save_file({"gates": self.gates, "steps": self.steps, "path": self.path}, folder / GATES)
        sha256 = hashlib.sha256((folder / GATES).read_bytes()).hexdigest()
        description = _Description(settings=self.settings, pruning=self.pruning, gates_sha256=sha256)
        (folder / DESCRIPTION).write_text(description.model_dump_json(indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "GatedAnnotator":
        """Read what ``save`` wrote, onto the CPU.

        Raises:
            EncoderError: if the folder holds no gated annotator, or a file of it is missing or damaged.
        """
        refit = "delete the folder and fit it again"
        try:
            said = _Description.model_validate_json((folder / DESCRIPTION).read_bytes())
            content = (folder / GATES).read_bytes()
            if hashlib.sha256(content).hexdigest() != said.gates_sha256:
                raise EncoderError(f"{folder / GATES} is damaged or was swapped: {refit}")
            arrays = load(content)
        except (OSError, ValidationError, SafetensorError) as error:
            raise EncoderError(f"{folder} holds no whole gated annotator ({error}): {refit}") from None
        return cls(Annotator.load(folder / ANNOTATOR), settings=said.settings, pruning=said.pruning, **arrays)


class _Description(BaseModel):
    """What is saved beside the annotator and the gates."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    settings: GateSettings
    pruning: Pruning
    gates_sha256: str


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
    gates = hook.gates.values().detach().cpu().numpy()
    return GatedAnnotator(fitted, gates, hook.settings, pruning, *hook.path)


def _check_labels(annotator: Annotator, corpus: AnnotatedCorpus) -> None:
    for layer, decoder in zip(annotator.layers, annotator.decoders.values(), strict=True):
        if corpus.labels(layer) != cast(Decoder, decoder).labels:
            raise SettingsError(
                f"corpus {corpus.name!r} has other labels of {layer!r} than the annotator was fitted to: "
                "give the corpus of its fit"
            )
