"""Weights of tasks' losses: those that run low are raised, so that all push alike."""

from collections import deque
from typing import Literal

from encoder_atlas.errors import SettingsError

Balance = Literal["none", "running"]

WINDOW = 5  # losses of a task that are averaged


class RunningBalance:
    """Weighs each task's loss by the running averages of all tasks' losses.

    ``w_k = Σ_j avg_j / avg_k`` over the tasks seen so far, ``avg`` the mean of the last five losses of a task
    (of fewer, at the start), its present one included; an average of 0 counts as 1. So every weighted loss is
    about Σ avg: all tasks pull alike, and harder the more there are. Weights are plain numbers: no gradient
    goes through them. Source: the stem-cell paper's code; the paper says only that losses are balanced.
    """

    def __init__(self, window: int = WINDOW) -> None:
        """
        Raises:
            SettingsError: a window of less than one loss.
        """
        if window < 1:
            raise SettingsError(f"a running average needs at least one loss (window={window})")
        self.window = window
        self._losses: dict[str, deque[float]] = {}

    def weight(self, task: str, loss: float) -> float:
        """The factor for the loss of a batch of ``task``, which is ``loss`` (nats) and counts from now on."""
        self._losses.setdefault(task, deque(maxlen=self.window)).append(loss)
        averages = {name: sum(own) / len(own) or 1.0 for name, own in self._losses.items()}
        return sum(averages.values()) / averages[task]
