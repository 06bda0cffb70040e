"""Hard concrete gates: the closed form, its limits, and what a gradient says."""

import math

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from encoder_atlas.stem_cells import OPEN, GateSettings, HardConcrete


def with_log_a(values: list[list[float]], seed: int = 0) -> HardConcrete:
    gates = HardConcrete(len(values), len(values[0]), seed=seed).double()
    with torch.no_grad():
        gates.log_a.copy_(torch.tensor(values))
    return gates


def sample_literally(log_a: float, u: float) -> float:
    """Eq. (10) to (12) of Louizos et al., one number at a time."""
    s = 1 / (1 + math.exp(-(math.log(u) - math.log(1 - u) + log_a) / 0.33))
    return min(1.0, max(0.0, s * (1.1 - -0.1) + -0.1))


def test_samples_are_those_of_the_formula() -> None:
    gates = with_log_a([[-2.0, -0.3], [0.4, 2.0]], seed=5)
    twin = torch.Generator().manual_seed(5)
    start = torch.empty(2, 2).uniform_(-1, 1, generator=twin)  # the beginning takes its numbers first
    assert start.shape == gates.log_a.shape
    u = 1e-6 + (1 - 2e-6) * torch.rand(2, 2, generator=twin, dtype=torch.float64)
    log_a = gates.log_a.tolist()
    wanted = [[sample_literally(log_a[i][j], float(u[i, j])) for j in (0, 1)] for i in (0, 1)]
    np.testing.assert_allclose(gates.sample().detach().numpy(), wanted, atol=1e-9)


@pytest.mark.parametrize("log_a", [-3.0, -1.0, 0.0, 1.5])
def test_p_open_is_how_often_a_sample_is_not_zero(log_a: float) -> None:
    gates = with_log_a([[log_a] * 100], seed=3)
    with torch.no_grad():
        drawn = torch.stack([gates.sample() for _ in range(200)])
    p = gates.p_open()[0, 0].item()
    assert (drawn > 0).double().mean().item() == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 20_000))
    # σ(log a + 0.7913): the constant that the released code's numbers give.
    assert p == pytest.approx(1 / (1 + math.exp(-log_a - 0.7913)), abs=1e-4)


def test_a_worked_example_of_the_penalty() -> None:
    """Two layers, log a = 0: every p is 1/(1 + e^−0.7913) = 0.6881, three heads a layer."""
    assert with_log_a([[0.0] * 3] * 2).penalty().item() == pytest.approx(3 * 0.6881, abs=1e-3)


def test_deterministic_gates_and_their_limits() -> None:
    gates = with_log_a([[-50.0, -2.398, -2.39, 0.0, 2.39, 50.0]])
    values = gates.values()[0].tolist()
    assert values[0] == values[1] == 0 and values[-1] == 1
    assert 0 < values[2] < OPEN and values[3] == pytest.approx(0.5) and values[4] < 1
    torch.testing.assert_close(gates.p_open()[0, [0, -1]], torch.tensor([1e-6, 1 - 1e-6]).double())
    # The paper's count: a gate is above 1e-3 where log a is above −2.387.
    assert with_log_a([[-2.386]]).values().item() > OPEN > with_log_a([[-2.389]]).values().item()


def test_gradients_agree_with_finite_differences() -> None:
    start = torch.linspace(-0.6, 0.6, 6, dtype=torch.float64).view(2, 3)
    for name in ("sample", "values", "penalty"):
        gates = HardConcrete(2, 3, seed=1).double()

        def of(log_a: torch.Tensor, name: str = name) -> float:
            fresh = HardConcrete(2, 3, seed=1).double()  # the same noise each time
            with torch.no_grad():
                fresh.log_a.copy_(log_a)
            return (getattr(fresh, name)() ** 2).sum().item()

        with torch.no_grad():
            gates.log_a.copy_(start)
        (getattr(gates, name)() ** 2).sum().backward()
        assert gates.log_a.grad is not None
        for i in range(6):
            step = torch.zeros(6, dtype=torch.float64)
            step[i] = 1e-6
            slope = (of(start + step.view(2, 3)) - of(start - step.view(2, 3))) / 2e-6
            assert float(gates.log_a.grad.view(-1)[i]) == pytest.approx(slope, abs=1e-6)


def test_beginnings() -> None:
    first, same, other = (HardConcrete(6, 12, seed=seed) for seed in (0, 0, 1))
    assert torch.equal(first.log_a, same.log_a) and not torch.equal(first.log_a, other.log_a)
    assert 0.5 < float(first.log_a.detach().abs().max()) <= math.sqrt(6 / 13)
    assert torch.equal(HardConcrete(6, 12, init="open").values(), torch.ones(6, 12))


def test_noise_leaves_torchs_own_numbers_alone() -> None:
    torch.manual_seed(0)
    wanted = torch.rand(3)
    torch.manual_seed(0)
    gates = HardConcrete(2, 2)
    drawn = [gates.sample() for _ in range(2)]
    assert torch.equal(torch.rand(3), wanted)
    assert not torch.equal(*drawn)


def test_settings_that_cannot_be() -> None:
    for wrong in ({"coefficient": -1}, {"rate": 0}, {"init": "closed"}, {"coeficient": 1}):
        with pytest.raises(ValidationError):
            GateSettings.model_validate(wrong)
