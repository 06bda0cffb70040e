"""Important attention-head training (IAT): the last part of training tunes each task's own heads only."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from torch import nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.specialization.heads import head_count, least_heads, random_heads, top_heads
from encoder_atlas.specialization.iap import find_importance
from encoder_atlas.specialization.iat_hook import Heads, HeadTraining, Scores, only_heads
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit
from encoder_atlas.training.examples import TextBody, Texts
from encoder_atlas.training.loop import Loop

MODEL, SETTINGS, HEADS = "model", "iat.json", "heads.safetensors"


@dataclass(frozen=True, eq=False)
class IATModel:
    """What `iat_fit` gives: the model, and the heads that each task tuned.

    Attributes:
        importance: of every head for each task when the choice was made (Eq. 4, loss a unit of the gate);
            empty where heads were drawn at random, or training was plain.
        heads: the heads that each task tuned; empty where training was plain.
    """

    model: FittedModel
    settings: IATSettings
    importance: Scores
    heads: Heads

    @property
    def label_names(self) -> Mapping[str, tuple[str, ...]]:
        """Classes of each task; () of a task with scores."""
        return self.model.label_names

    @property
    def shut(self) -> bool:
        """Whether a task's texts go through its own heads alone: the reading "forward"."""
        return self.settings.reading == "forward" and bool(self.heads)

    def serving(self, task_name: str) -> AbstractContextManager[object]:
        """Inside, ``model`` works as this one does for a task: through its own heads where others are `shut`.

        Raises:
            SettingsError: the model was not fitted to that task.
        """
        self.model.head(task_name)  # names the near match
        return only_heads(self.model.encoder, self.heads[task_name]) if self.shut else nullcontext()

    def logits(self, task_name: str, texts: Texts) -> Float[np.ndarray, "points classes"]:
        """Logits of ``texts``. Raises as `FittedModel.logits` does."""
        with self.serving(task_name):
            return self.model.logits(task_name, texts)

    def predict_scores(self, task_name: str, texts: Texts) -> Float[np.ndarray, " points"]:
        """Scores of ``texts``. Raises as `FittedModel.predict_scores` does."""
        with self.serving(task_name):
            return self.model.predict_scores(task_name, texts)

    def score(self, task: Task, split: str = "dev", metric: str | None = None) -> float:
        """Score on a split of ``task``, in its own metric where none is named."""
        with self.serving(task.name):
            return self.model.score(task, split, metric)

    def to_frame(self) -> pd.DataFrame:
        """One row a task and head: task, layer and head (from 1), tuned, importance (NaN where not read)."""
        parts = []
        for task, mask in self.heads.items():
            layers, heads = np.indices(mask.shape) + 1
            columns = {"task": task, "layer": layers.ravel(), "head": heads.ravel(), "tuned": mask.ravel()}
            scores = self.importance.get(task, np.full(mask.shape, np.nan))
            parts.append(pd.DataFrame(columns | {"importance": scores.ravel()}))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(FRAME))

    def save(self, folder: Path) -> None:
        """Write model, settings and heads into ``folder``, new or empty: safetensors and JSON.

        Raises:
            StoreError: if the folder holds something.
        """
        self.model.save(folder / MODEL)
        arrays = {f"importance.{task}": scores for task, scores in self.importance.items()}
        arrays |= {f"heads.{task}": mask for task, mask in self.heads.items()}
        save_file(arrays, folder / HEADS)
        (folder / SETTINGS).write_text(self.settings.model_dump_json(indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "IATModel":
        """Read what ``save`` wrote.

        Raises:
            EncoderError, DataError: if a file is missing or damaged.
        """
        model = FittedModel.load(folder / MODEL)
        try:
            settings = IATSettings.model_validate(json.loads((folder / SETTINGS).read_bytes()))
            arrays = load_file(folder / HEADS)
        except (OSError, ValueError, SafetensorError) as error:
            raise DataError(
                f"{folder} holds no model of important attention-head training ({error}): delete it and fit "
                "again"
            ) from None

        def of(kind: str) -> dict[str, np.ndarray]:
            named = {task: f"{kind}.{task}" for task in model.label_names}
            return {task: arrays[name] for task, name in named.items() if name in arrays}

        return cls(model, settings, importance=of("importance"), heads=of("heads"))


FRAME = ("task", "layer", "head", "tuned", "importance")


def iat_fit(
    encoder: Encoder,
    tasks: Sequence[Task],
    settings: FitSettings | None = None,
    iat: IATSettings | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    heads: nn.ModuleDict | None = None,
    measuring: SpecializationSettings | None = None,
) -> IATModel:
    """Fit an encoder to several tasks; in the last δ of the steps each task tunes its chosen heads only.

    Until then everything is, bit for bit, what ``training.fit`` does in mode FT with the same seed. Then the
    importance of heads is read once for every task, on its training texts, without dropout (Eq. 4, all layers
    alike; no gradient of it stays, and dropout is back on for what follows), and the choice is kept.

    Args:
        settings: of the training; ``keep`` is "last" by default and must be, for a kept best epoch could be
            one from before heads were chosen.
        iat: α, δ, which heads and in which reading.
        heads: the weights from which heads start, as in ``training.fit``. A fitted model's encoder and heads,
            δ = 1, ``schedule="constant"`` and ``warmup=0`` continue its training at a constant rate.
        measuring: how importance is read: its sample, reading and seed.

    Raises:
        SettingsError: fewer than two tasks, α that selects no head, ``keep="best"``; see ``training.fit``.
    """
    settings, iat = settings or FitSettings(keep="last"), iat or IATSettings()
    if len(tasks) < 2:
        raise SettingsError("important attention-head training parts heads between tasks: give at least two")
    if settings.keep == "best" and not iat.plain:
        raise SettingsError(
            "keep='best' may keep the weights of an epoch before heads were chosen: use keep='last'"
        )
    if not iat.plain:
        head_count(iat.alpha, encoder.n_layers, encoder.n_heads)  # before hours of training, not after
    measuring = measuring or SpecializationSettings()
    hook = HeadTraining(iat, lambda loop: _choose(loop, tasks, iat, measuring))
    model = fit(encoder, tasks, settings, mode="FT", seed=seed, device=device, heads=heads, hook=hook)
    return IATModel(model, iat, hook.importance, hook.heads)


def chosen_heads(
    scores: Scores, tasks: Sequence[str], shape: tuple[int, int], iat: IATSettings, seed: int
) -> dict[str, Bool[np.ndarray, "layers heads"]]:
    """The heads that each task tunes: its most or least important ones, or random ones of its own.

    Raises:
        SettingsError: α that selects no head.
        DataError: no scores for a task whose most or least important heads are wanted.
    """
    if iat.heads == "random":
        drawn = random_heads(len(tasks), *shape, iat.alpha, seed)
        return dict(zip(tasks, drawn, strict=True))
    for task in tasks:
        if task not in scores:
            raise DataError(f"no importance was read for task {task!r}; {near(task, scores)}")
    pick = top_heads if iat.heads == "most" else least_heads
    return {task: pick(scores[task], iat.alpha) for task in tasks}


def _choose(
    loop: Loop, tasks: Sequence[Task], iat: IATSettings, measuring: SpecializationSettings
) -> tuple[Scores, Heads]:
    """Read importance from the loop's net as it stands, and choose."""
    encoder = cast(TextBody, loop.net.body).encoder
    names = [task.name for task in tasks]
    scores: dict[str, np.ndarray] = {}
    if iat.heads != "random":
        found = find_importance(_as_it_stands(loop, encoder, tasks), tasks, measuring)
        scores = {task: importance.scores for task, importance in found.items()}
    return scores, chosen_heads(scores, names, (encoder.n_layers, encoder.n_heads), iat, loop.seed)


def _as_it_stands(loop: Loop, encoder: Encoder, tasks: Sequence[Task]) -> FittedModel:
    """The net in the middle of its training, to be measured like any fitted model."""
    return FittedModel(
        encoder=encoder,
        heads=loop.net.heads,
        settings=loop.settings,
        mode="FT",
        seed=loop.seed,
        label_names={task.name: task.label_names for task in tasks},
        history=pd.DataFrame(),
    )
