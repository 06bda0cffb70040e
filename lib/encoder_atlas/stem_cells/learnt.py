"""Gates as a fit left them, and how they came to be: small enough to keep where the model is not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float32, Int64
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from encoder_atlas.errors import EncoderError
from encoder_atlas.stem_cells.gates import OPEN, GateSettings
from encoder_atlas.text.layers import Layer

Pruning = Literal["dynamic", "static"]

SETTLED = 0.01
"""Gates have settled if in the last tenth of the steps they moved less than this on average."""

ARRAYS, REST = "gates.safetensors", "gates.json"


@dataclass(frozen=True, eq=False)
class LearntGates:
    """The deterministic gates at the end of a fit.

    Attributes:
        values: in [0, 1].
        layers: what was learnt under them.
        seed: of the fit.
        settings: of the gates.
        pruning: "dynamic" or "static".
        steps, path: how many steps were done, and the gates then; the first and the last step are among them.
    """

    values: Float32[np.ndarray, "layers heads"]
    layers: tuple[Layer, ...]
    seed: int
    settings: GateSettings
    pruning: Pruning
    steps: Int64[np.ndarray, " points"]
    path: Float32[np.ndarray, "points layers heads"]

    def open_heads(self, threshold: float = OPEN) -> Bool[np.ndarray, "layers heads"]:
        """The heads that are kept: those whose gate is above ``threshold``."""
        return self.values > threshold

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

    def save(self, folder: Path) -> None:
        """Write into ``folder``, which is made where it is missing: safetensors, then JSON."""
        folder.mkdir(parents=True, exist_ok=True)
        save_file({"values": self.values, "steps": self.steps, "path": self.path}, folder / ARRAYS)
        rest = {"layers": self.layers, "seed": self.seed, "pruning": self.pruning}
        rest |= {"settings": self.settings.model_dump()}
        (folder / REST).write_text(json.dumps(rest), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "LearntGates":
        """Read what ``save`` wrote.

        Raises:
            EncoderError: a file is missing or damaged.
        """
        try:
            rest: Mapping[str, Any] = json.loads((folder / REST).read_bytes())
            arrays = load_file(folder / ARRAYS)
            return cls(
                arrays["values"],
                tuple(rest["layers"]),
                rest["seed"],
                GateSettings.model_validate(rest["settings"]),
                rest["pruning"],
                arrays["steps"],
                arrays["path"],
            )
        except (OSError, ValueError, KeyError, ValidationError, SafetensorError) as error:
            raise EncoderError(
                f"{folder} holds no learnt gates ({error}): delete it, and fit them again"
            ) from None
