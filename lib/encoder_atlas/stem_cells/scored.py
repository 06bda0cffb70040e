"""What a model gets right, sentence by sentence: behind every table, figure and claim on accuracy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Int64

from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.estimates import percent
from encoder_atlas.results import read_result, write_result
from encoder_atlas.stem_cells.gated import GatedAnnotator
from encoder_atlas.stem_cells.gates import OPEN
from encoder_atlas.stem_cells.learnt import LearntGates
from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.training import Annotator
from encoder_atlas.training.decoders import Decoder
from encoder_atlas.training.decoders.counted import CountedDecoder

MEASURES: Mapping[str, str] = {"pos": "accuracy", "ner": "f1", "dep": "las", "con": "f1", "srl": "f1"}
"""The measure of each layer in the paper's Table 1, in the order of its tasks."""

GATES = "gates"

Right = Int64[np.ndarray, "sentences 2"]
"""Right and total of each sentence; of an F1, twice the right, and found + gold: their ratio is the F1."""


@dataclass(frozen=True, eq=False)
class Scored:
    """A model's marks on some sentences; small enough to keep where the model is not.

    Attributes:
        layers: what it was trained on.
        seed: of its fit.
        soft: of each layer its marks; of a model with gates, through the gates as they are.
        gates: None for a model without.
        hard: of a model with gates, its marks when each is 0 or 1.
    """

    layers: tuple[Layer, ...]
    seed: int
    soft: Mapping[str, Right]
    gates: LearntGates | None = None
    hard: Mapping[str, Right] | None = None

    @property
    def kind(self) -> str:
        """ "plain", "dynamic" or "static"."""
        return self.gates.pruning if self.gates else "plain"

    def counts(self, layer: str, *, hard: bool = False) -> pd.DataFrame:
        """The marks as `estimates.contrast` takes them: columns "right" and "total", a row a sentence.

        Raises:
            SettingsError: a layer that it does not write, or hard gates of a model that has none.
        """
        marks = self.hard if hard else self.soft
        if marks is None:
            raise SettingsError(f"a plain model of {'+'.join(self.layers)} has no gates to make hard")
        if layer not in marks:
            raise SettingsError(f"this model was not trained on {layer!r}; {near(layer, marks)}")
        return pd.DataFrame(marks[layer], columns=["right", "total"])

    def score(self, layer: str, *, hard: bool = False) -> float:
        """The layer's measure (`MEASURES`), in percent. Raises as `counts` does."""
        return percent(self.counts(layer, hard=hard))

    def save(self, folder: Path) -> None:
        """Write into ``folder``, which is made where it is missing."""
        views = {"soft": self.soft, "hard": self.hard or {}}
        arrays = {f"{view} {layer}": one for view, marks in views.items() for layer, one in marks.items()}
        if self.gates:
            self.gates.save(folder / GATES)
        rest = {"layers": self.layers, "seed": self.seed, "gated": self.gates is not None}
        write_result(folder, "scores", arrays, rest)

    @classmethod
    def load(cls, folder: Path) -> "Scored":
        """Read what ``save`` wrote.

        Raises:
            DataError, EncoderError: a file is missing or damaged.
        """
        with read_result(folder, "scores", "scores", "measure the model again") as (rest, arrays):
            layers, seed, is_gated = tuple(rest["layers"]), rest["seed"], rest["gated"]
            soft = {layer: arrays[f"soft {layer}"] for layer in layers}
            hard = {layer: arrays[f"hard {layer}"] for layer in layers} if is_gated else None
        gates = LearntGates.load(folder / GATES) if is_gated else None
        return cls(layers, seed, soft, gates, hard)


def by_task(models: Iterable[Scored]) -> dict[str, list[Scored]]:
    """Of models that were trained on one task alone those of each task; models of several are left out."""
    found: dict[str, list[Scored]] = {}
    for model in models:
        if len(model.layers) == 1:
            found.setdefault(model.layers[0], []).append(model)
    return found


def scored(
    model: Annotator | GatedAnnotator, sentences: Sequence[Sentence], *, threshold: float = OPEN
) -> Scored:
    """Let a model annotate ``sentences``, and mark it by what they say themselves.

    A sentence without a layer counts nothing for it.

    Args:
        threshold: above which a hard gate is 1.

    Raises:
        DataError: none of the sentences has a layer of the model.
    """
    if isinstance(model, Annotator):
        return Scored(model.layers, model.seed, _marks(model, sentences, model.annotate(sentences)))
    soft, hard = (
        _marks(model.annotator, sentences, model.annotate(sentences, view, threshold))
        for view in ("soft", "hard")
    )
    return Scored(model.layers, model.annotator.seed, soft, model.gates, hard)


def _marks(annotator: Annotator, gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, Right]:
    marks: dict[str, Right] = {}
    for layer, decoder in zip(annotator.layers, annotator.decoders.values(), strict=True):
        assert isinstance(decoder, Decoder)
        rows = [
            _mark(decoder, layer, *pair) if layer in pair[0].layers else (0, 0)
            for pair in zip(gold, found, strict=True)
        ]
        marks[layer] = np.array(rows, dtype=np.int64)
        if not marks[layer][:, 1].sum():
            raise DataError(f"none of {len(gold)} sentences has anything of the layer {layer!r} to mark")
    return marks


def _mark(decoder: Decoder, layer: Layer, gold: Sentence, found: Sentence) -> tuple[int, int]:
    if isinstance(decoder, CountedDecoder):
        counts = next(iter(decoder.counts(gold, found).values()))
        return 2 * counts.right, counts.found + counts.gold
    right = decoder.right(gold, found)[MEASURES[layer]]
    return int(right.sum()), len(right)
