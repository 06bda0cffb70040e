"""Task similarity from transfer (AHP, after Zamir et al. 2018): which source serves a target best."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Float64
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit
from encoder_atlas.training.heads import head_loss

LOSSES = "losses.safetensors"
CLIP = 0.001
"""Shares are kept within [0.001, 0.999], so that a source that never wins still has a ratio."""


@dataclass(frozen=True, eq=False)
class TransferLosses:
    """The loss of every dev text of every target under a head on every source's encoder (see `head_loss`).

    Nats; of a target with scores, squared error. Losses of different targets are never compared.
    """

    sources: tuple[str, ...]
    losses: Mapping[str, Float64[np.ndarray, "sources points"]]

    def to_frame(self) -> pd.DataFrame:
        """Mean loss: one row a source, one column a target."""
        means = {target: rows.mean(axis=1) for target, rows in self.losses.items()}
        return pd.DataFrame(means, index=list(self.sources))

    def save(self, folder: Path) -> None:
        """Write it into ``folder``: arrays by number, and the names that the numbers stand for."""
        arrays = {str(i): np.ascontiguousarray(rows) for i, rows in enumerate(self.losses.values())}
        names = {"sources": json.dumps(self.sources), "targets": json.dumps(list(self.losses))}
        save_file(arrays, folder / LOSSES, metadata=names)

    @classmethod
    def load(cls, folder: Path) -> "TransferLosses":
        """Read what ``save`` wrote. Raises DataError where the file is missing or damaged."""
        try:
            with safe_open(folder / LOSSES, framework="np") as stored:
                names = {name: json.loads(text) for name, text in stored.metadata().items()}
                losses = {target: stored.get_tensor(str(i)) for i, target in enumerate(names["targets"])}
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise DataError(f"{folder} holds no losses of transfer ({error}): measure them again") from None
        return cls(tuple(names["sources"]), losses)


def transfer_losses(
    models: Mapping[str, FittedModel],
    tasks: Sequence[Task],
    settings: FitSettings | None = None,
    seed: int = 0,
    device: str = "auto",
) -> TransferLosses:
    """Train a linear head for every task on every task's frozen encoder, and measure it on dev.

    Args:
        models: for each task the model fine-tuned on it alone, from one start.
        settings: of the heads' training; ``mlp_widths=()`` (one linear layer) where none are given.

    Raises:
        SettingsError: fewer than two tasks, or one without a model.
    """
    names = [task.name for task in tasks]
    missing = [name for name in names if name not in models]
    if len(set(names)) < 2 or missing:
        raise SettingsError(
            f"transfer needs two tasks or more and a model of each; missing: {missing or names}"
        )
    settings = settings or FitSettings(mlp_widths=(), keep="last")
    losses = {}
    for task in tasks:
        labels = torch.from_numpy(task.labels("dev"))
        rows = []
        for name in names:
            head = fit(models[name].encoder, [task], settings, mode="PT", seed=seed, device=device)
            rows.append(head_loss(_outputs(head, task), labels, "none").numpy())
        losses[task.name] = np.stack(rows)
    return TransferLosses(tuple(names), losses)


def _outputs(model: FittedModel, task: Task) -> Float64[torch.Tensor, "points outputs"]:
    texts = task.texts("dev")
    scored = task.target == "score"
    found = model.predict_scores(task.name, texts)[:, None] if scored else model.logits(task.name, texts)
    return torch.from_numpy(found).double()


def win_shares(losses: Float[np.ndarray, "sources points"]) -> Float64[np.ndarray, "sources sources"]:
    """Share of the items on which source i (row) has a lower loss than source j; a tie is half a win."""
    lower = losses[:, None] < losses[None]
    equal = losses[:, None] == losses[None]
    return lower.mean(axis=2) + equal.mean(axis=2) / 2


def affinities(shares: Float64[np.ndarray, "sources sources"]) -> Float64[np.ndarray, " sources"]:
    """How well each source serves one target: the principal eigenvector of W / Wᵀ, with sum 1.

    Saaty's analytic hierarchy process: an entry says how many times as often i wins as j.

    Raises:
        DataError: shares outside [0, 1].
    """
    if not ((shares >= 0) & (shares <= 1)).all():
        raise DataError("shares of wins lie in [0, 1]")
    kept = np.clip(shares, CLIP, 1 - CLIP)
    values, vectors = np.linalg.eig(kept / kept.T)
    # A positive matrix has one largest eigenvalue, real, with a vector of one sign (Perron).
    principal = np.abs(vectors[:, np.real(values).argmax()])
    return principal / principal.sum()


def ahp(found: TransferLosses) -> pd.DataFrame:
    """Task similarities: the mean of how well a serves b and b serves a.

    The paper does not say how it makes the affinities symmetric. The diagonal holds how well a task serves
    itself.

    Raises:
        SettingsError: sources and targets are not the same tasks.
    """
    if set(found.losses) != set(found.sources):
        raise SettingsError(
            f"similarity needs every task as a source and a target: {list(found.sources)} serve "
            f"{list(found.losses)}"
        )
    tasks = list(found.sources)
    # Row source, column target.
    served = np.stack([affinities(win_shares(found.losses[target])) for target in tasks], axis=1)
    return pd.DataFrame((served + served.T) / 2, index=tasks, columns=tasks)
