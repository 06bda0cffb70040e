"""A fitted model: an encoder with its heads, ready to be looked into, and saved whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.text import Task
from encoder_atlas.training.examples import Texts, representations
from encoder_atlas.training.heads import make_heads
from encoder_atlas.training.saved import Description, read_model, write_model
from encoder_atlas.training.scores import measure, predictions
from encoder_atlas.training.settings import FitSettings, Mode


@dataclass(frozen=True, eq=False)
class FittedModel:
    """What ``fit`` gives.

    Attributes:
        encoder: the encoder, fine-tuned or as it was; on the device it was fitted on.
        heads: one head a task, from representations to logits (or a score); small, and always on the CPU.
        settings, mode, seed: how it was fitted.
        label_names: of each task; class ``i`` is ``label_names[task][i]``. () for a task with scores.
        history: tidy records of training: epoch, step, task, split, measure, value.
    """

    encoder: Encoder
    heads: nn.ModuleDict
    settings: FitSettings
    mode: Mode
    seed: int
    label_names: Mapping[str, tuple[str, ...]]
    history: pd.DataFrame

    def head(self, task_name: str) -> nn.Module:
        """The head of a task: representations (points, hidden) to logits (points, classes), without dropout.

        Of a task with scores it gives the score: (points, 1).

        Raises:
            SettingsError: if the model was not fitted to that task.
        """
        if task_name not in self.label_names:
            known = near(task_name, self.label_names)
            raise SettingsError(f"the model has no head for task {task_name!r}; {known}")
        return self.heads[task_name]

    def represent(self, texts: Texts, batch_size: int = 64) -> Float[np.ndarray, "points hidden"]:
        """Representations of ``texts`` in fp32, pooled as in training, in the order given.

        Raises:
            DataError: if there are no texts, or one is empty.
        """
        if not len(texts):
            raise DataError("there are no texts to represent")
        for i, text in enumerate(texts):
            if not all(part.strip() for part in ([text] if isinstance(text, str) else text)):
                raise DataError(f"text {i} is empty: drop it first")
        return representations(
            self.encoder,
            texts,
            pooling=self.settings.pooling,
            max_length=self.settings.max_length,
            batch_size=batch_size,
        ).numpy()

    def logits(
        self, task_name: str, texts: Texts, batch_size: int = 64
    ) -> Float[np.ndarray, "points classes"]:
        """Logits of ``texts`` under the head of ``task_name``.

        Raises:
            SettingsError: if the model has no such head, or its task has scores.
        """
        self._check_target(task_name, "class")
        return self._outputs(task_name, texts, batch_size)

    def predict_proba(
        self, task_name: str, texts: Texts, batch_size: int = 64
    ) -> Float[np.ndarray, "points classes"]:
        """Probabilities of the classes, float64; rows sum to 1. Raises as ``logits`` does."""
        logits = torch.from_numpy(self.logits(task_name, texts, batch_size))
        return logits.double().softmax(dim=1).numpy()

    def predict_scores(
        self, task_name: str, texts: Texts, batch_size: int = 64
    ) -> Float[np.ndarray, " points"]:
        """Scores of ``texts`` under the head of ``task_name``, not cut to the task's range.

        Raises:
            SettingsError: if the model has no such head, or its task has classes.
        """
        self._check_target(task_name, "score")
        return self._outputs(task_name, texts, batch_size)[:, 0]

    def score(self, task: Task, split: str = "dev", metric: str | None = None) -> float:
        """Score on a split of ``task``, in its own metric where none is named (see ``scores.measure``)."""
        self._check_target(task.name, task.target)
        outputs = self._outputs(task.name, task.texts(split))
        return measure(metric or task.metric, task.labels(split), predictions(outputs))

    def _check_target(self, task_name: str, target: str) -> None:
        self.head(task_name)
        found = "class" if self.label_names[task_name] else "score"
        if found != target:
            raise SettingsError(
                f"the head for task {task_name!r} has the target {found!r}, not {target!r}: ask for "
                f"{'predict_proba' if found == 'class' else 'predict_scores'}, or name a task of that target"
            )

    def _outputs(
        self, task_name: str, texts: Texts, batch_size: int = 64
    ) -> Float[np.ndarray, "points outputs"]:
        head = self.head(task_name)
        with torch.no_grad():
            return head(torch.from_numpy(self.represent(texts, batch_size))).numpy()

    def save(self, folder: Path) -> None:
        """Write the whole model into ``folder``, new or empty: safetensors and JSON, no pickle.

        The description is written last: a folder cut short has none, and ``load`` refuses it.

        Raises:
            StoreError: if the folder holds something.
        """
        describe = partial(
            Description,
            mode=self.mode,
            seed=self.seed,
            settings=self.settings,
            label_names=dict(self.label_names),
        )
        write_model(folder, self.encoder, self.heads, self.history, describe)

    @classmethod
    def load(cls, folder: Path) -> "FittedModel":
        """Read what ``save`` wrote, onto the CPU and without a network; every file is checked.

        Raises:
            EncoderError: if the folder holds no fitted model, or a file of it is missing, damaged or swapped.
        """
        saved, encoder, heads = read_model(
            folder,
            Description,
            lambda saved, hidden: make_heads(saved.mode, hidden, saved.label_names, saved.settings),
        )
        return cls(
            encoder=encoder,
            heads=heads,
            settings=saved.settings,
            mode=saved.mode,
            seed=saved.seed,
            label_names=saved.label_names,
            history=pd.DataFrame(saved.history),
        )
