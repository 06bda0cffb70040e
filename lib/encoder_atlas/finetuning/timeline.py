"""Training in time: copies of the encoder at chosen steps of a fit, and RSA with the base at each of them."""

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import PreTrainedModel

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.finetuning.rsa_texts import rsa_frame
from encoder_atlas.training import Hook
from encoder_atlas.training.loop import Loop

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
REST = "timeline.json"
HALF = torch.float16

Weights = Mapping[str, Tensor]


@dataclass(frozen=True, eq=False)
class Timeline:
    """The encoder at some steps of its training, as what differs from the encoder it began with.

    Attributes:
        steps: how many steps were done at each point; the first is 0 where the beginning is one of them.
        total: how many steps the fit had.
        changes: of each point the weights that differ: whole in the precision of the model ("exact"), or as
            differences in half precision ("half", each right to 3 digits).
        precision: which of the two.
        base: sha256 of the weights that training began with.
    """

    steps: tuple[int, ...]
    total: int
    changes: tuple[Weights, ...]
    precision: Literal["exact", "half"]
    base: str

    @property
    def shares(self) -> tuple[float, ...]:
        """The steps as shares of all."""
        return tuple(step / self.total for step in self.steps)

    def encoder(self, base: Encoder, point: int) -> Encoder:
        """The encoder at one point: a copy of ``base`` with the weights of then.

        Raises:
            DataError: ``base`` is not what the training began with, or there is no such point.
        """
        if _digest(base.model) != self.base:
            raise DataError(f"{base.name} has other weights than the encoder that this training began with")
        if not 0 <= point < len(self.steps):
            raise DataError(f"there is no point {point}: the timeline has 0 to {len(self.steps) - 1}")
        model = copy.deepcopy(base.model)
        weights = model.state_dict()
        for name, change in self.changes[point].items():
            change = change.to(weights[name].device)
            weights[name].copy_(change if self.precision == "exact" else weights[name] + change)
        return Encoder.of(model, base.tokenizer, f"{base.name} after {self.steps[point]} steps")

    def save(self, folder: Path) -> None:
        """Write into ``folder``, which is made where it is missing: a file a point, then the description."""
        folder.mkdir(parents=True, exist_ok=True)
        for point, weights in enumerate(self.changes):
            save_file(dict(weights), folder / _file(point))
        rest = {"steps": self.steps, "total": self.total, "precision": self.precision, "base": self.base}
        (folder / REST).write_text(json.dumps(rest), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Timeline":
        """Read what ``save`` wrote.

        Raises:
            DataError: a file is missing or damaged.
        """
        try:
            rest = json.loads((folder / REST).read_bytes())
            changes = tuple(load_file(folder / _file(point)) for point in range(len(rest["steps"])))
            return cls(tuple(rest["steps"]), rest["total"], changes, rest["precision"], rest["base"])
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise DataError(f"{folder} holds no timeline ({error}): fit the model again") from None


class TimelineHook(Hook):
    """Keeps copies of the encoder during one fit, and leaves the fit as it is, bit for bit.

    Give it to a fit, then ask for ``timeline()``. Kept are copies of weights on the CPU: of the beginning
    whole, of each later point what differs from it. For MiniLM (91 MB) seven points need about 0.4 GB in half
    precision and 0.6 GB exactly: AdamW decays every row of the embeddings, also of words it never meets.

    Args:
        shares: of the steps after which to look, from 0 (before the first) to 1. The end is always kept too.
            Shares that round to one step are one point.
        precision: "half" keeps differences as float16, in half the memory; "exact" the weights themselves.

    Raises:
        SettingsError: a share outside 0 to 1, or an unknown precision.
    """

    def __init__(
        self, shares: Sequence[float] = SHARES, precision: Literal["exact", "half"] = "half"
    ) -> None:
        outside = [share for share in shares if not 0 <= share <= 1]
        if outside:
            raise SettingsError(f"shares of the steps lie between 0 and 1, not at {outside[0]}")
        if precision not in ("exact", "half"):
            raise SettingsError(f"precision={precision!r}: give 'exact' or 'half'")
        self.shares = sorted({*shares})
        self.precision: Literal["exact", "half"] = precision
        self._loop: Loop | None = None

    def begin(self, loop: Loop, optimizer: torch.optim.Optimizer, steps: int) -> None:
        models = [module for module in loop.net.modules() if isinstance(module, PreTrainedModel)]
        if not models:
            raise SettingsError("a frozen encoder does not move in training: a timeline needs FT")
        if self._loop is not None:
            raise SettingsError("this hook holds the timeline of another fit: make one for each")
        self._loop, self._model, self._total = loop, models[0], steps
        self._start = {name: _kept(weight) for name, weight in self._model.state_dict().items()}
        self._base = _digest(self._model)
        self._due = {round(share * steps) for share in self.shares} - {steps}
        self._found: dict[int, Weights] = {}

    def before_step(self) -> None:
        assert self._loop is not None
        if self._loop.step in self._due:
            self._found[self._loop.step] = self._changes()

    def timeline(self) -> Timeline:
        """What was kept, and as its end the weights that the fit gave.

        Those are its last, or with ``keep="best"`` those of its best epoch. Call it when the fit is done, and
        before the model is trained any further.

        Raises:
            SettingsError: there was no fit.
        """
        if self._loop is None:
            raise SettingsError("there was no fit yet: give this hook to one first")
        found = {**self._found, self._loop.step: self._changes()}
        return Timeline(tuple(found), self._total, tuple(found.values()), self.precision, self._base)

    def _changes(self) -> Weights:
        found = {}
        for name, weight in self._model.state_dict().items():
            now, start = weight.detach().cpu(), self._start[name]
            if not torch.equal(now, start):
                half = self.precision == "half" and now.is_floating_point()
                found[name] = (now - start).to(HALF) if half else _kept(now)
        return found


def timeline_rsa(
    base: Encoder,
    timeline: Timeline,
    texts: Mapping[str, Sequence[Any]],
    *,
    tokens: int = 5000,
    samples: int = 3,
    seed: int = 0,
    max_length: int | None = None,
    batch_size: int = 64,
) -> pd.DataFrame:
    """RSA (and CKA) of the base with the encoder at each point of its training; see `rsa_by_text`.

    Returns:
        Columns step, share (of all steps done), text, tokens, sample, points, layer, similarity and cka.

    Raises:
        DataError, EncoderError: as `rsa_by_text` and `Timeline.encoder` do.
    """
    timeline.encoder(base, 0)  # another base is refused before anything is encoded
    models: list[tuple[Mapping[str, Any], Callable[[], Encoder]]] = [
        ({"step": step, "share": share}, lambda point=point: timeline.encoder(base, point))
        for point, (step, share) in enumerate(zip(timeline.steps, timeline.shares, strict=True))
    ]
    return rsa_frame(
        base,
        models,
        texts,
        tokens=tokens,
        samples=samples,
        seed=seed,
        max_length=max_length,
        batch_size=batch_size,
    )


def _kept(weight: Tensor) -> Tensor:
    """A copy on the CPU that training does not touch."""
    return weight.detach().to("cpu", copy=True).contiguous()


def _digest(model: nn.Module) -> str:
    digest = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(weight.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def _file(point: int) -> str:
    return f"point-{point:02}.safetensors"
