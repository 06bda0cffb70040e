"""The running balance of losses, by hand and against a literal twin."""

import numpy as np
import pytest

from encoder_atlas.errors import SettingsError
from encoder_atlas.training.balancing import RunningBalance


def test_worked_by_hand() -> None:
    balance = RunningBalance()
    assert balance.weight("a", 2.0) == 1.0  # alone: Σ avg / avg
    assert balance.weight("b", 0.5) == pytest.approx((2 + 0.5) / 0.5)
    assert balance.weight("a", 1.0) == pytest.approx((1.5 + 0.5) / 1.5)


def test_literal_twin() -> None:
    random = np.random.default_rng(0)
    balance, history = RunningBalance(), {"a": [], "b": [], "c": []}
    for _ in range(60):
        task = str(random.choice(list(history)))
        loss = float(random.gamma(2))
        history[task].append(loss)
        averages = {name: np.mean(own[-5:]) for name, own in history.items() if own}
        expected = sum(averages.values()) / averages[task]
        assert balance.weight(task, loss) == pytest.approx(expected)


def test_a_loss_of_zero_counts_as_one() -> None:
    balance = RunningBalance(window=1)
    assert balance.weight("a", 0.0) == 1.0
    assert balance.weight("b", 4.0) == pytest.approx(5 / 4)
    assert balance.weight("a", 0.0) == pytest.approx(5.0)


def test_weighted_losses_are_alike() -> None:
    balance, weighted = RunningBalance(), {}
    for _ in range(5):
        weighted = {task: loss * balance.weight(task, loss) for task, loss in (("a", 3.0), ("b", 0.1))}
    assert weighted["a"] == pytest.approx(weighted["b"]) == pytest.approx(3.1)


def test_an_empty_window_is_refused() -> None:
    with pytest.raises(SettingsError, match="window=0"):
        RunningBalance(window=0)
