"""How often each task is drawn: Eq. (8) by hand, by a literal twin and by counts."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, fit
from encoder_atlas.training.mixing import (
    Sampling,
    SizeUnit,
    batches_an_epoch,
    mixed_batches,
    sampling_exponent,
    task_probabilities,
)

LENGTHS = {"large": [5] * 3200, "middle": [5] * 800, "small": [5] * 200}


def literal(sizes: list[int], epoch: int, epochs: int) -> list[float]:
    """Eq. (8) as it is printed."""
    exponent = 1 - 0.8 * (epoch - 1) / (epochs - 1)
    powers = [size**exponent for size in sizes]
    return [power / sum(powers) for power in powers]


def test_the_exponent_by_hand() -> None:
    assert [sampling_exponent("annealed", e, 5) for e in range(1, 6)] == pytest.approx(
        [1, 0.8, 0.6, 0.4, 0.2]
    )
    assert [sampling_exponent("proportional", e, 5) for e in (1, 5)] == [1, 1]
    assert [sampling_exponent("proportional", e, 5, power=0.8) for e in (1, 5)] == [0.8, 0.8]
    assert sampling_exponent("annealed", 1, 1) == 1, "the formula divides by 0; the released code stops there"
    with pytest.raises(SettingsError, match="epoch 6 of 5"):
        sampling_exponent("annealed", 6, 5)


def test_probabilities_by_hand() -> None:
    assert task_probabilities([300, 100], 1.0).tolist() == pytest.approx([0.75, 0.25])
    assert task_probabilities([16, 1], 0.5).tolist() == pytest.approx([0.8, 0.2])
    assert task_probabilities([7, 7, 7], 0.2).tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("epoch", [1, 3, 5])
def test_probabilities_against_the_printed_formula(epoch: int) -> None:
    sizes = [392_702, 363_846, 104_743, 67_349, 8_551, 5_749, 3_668, 2_490]  # Table 1
    found = task_probabilities(sizes, sampling_exponent("annealed", epoch, 5))
    assert found.tolist() == pytest.approx(literal(sizes, epoch, 5))


def test_annealing_draws_small_tasks_more_and_more() -> None:
    shares = [
        task_probabilities([3200, 800, 200], sampling_exponent("annealed", e, 5))[2] for e in range(1, 6)
    ]
    assert all(now > before for before, now in pairwise(shares))


@pytest.mark.parametrize(
    ("epoch", "sampling"), [(1, "proportional"), (5, "proportional"), (3, "annealed"), (5, "annealed")]
)
def test_counts_follow_the_probabilities(epoch: int, sampling: Sampling) -> None:
    counts: Counter[str] = Counter()
    for seed in range(200):
        drawn = mixed_batches(LENGTHS, 8, seed, epoch, epochs=5, sampling=sampling)
        counts.update(name for name, _ in drawn)
    total = 200 * batches_an_epoch(LENGTHS, 8)
    assert counts.total() == total
    expected = literal([3200, 800, 200], epoch if sampling == "annealed" else 1, 5)
    for name, share in zip(LENGTHS, expected, strict=True):
        deviation = np.sqrt(share * (1 - share) / total)
        assert counts[name] / total == pytest.approx(share, abs=4 * deviation)


@pytest.mark.parametrize("unit", ["texts", "batches"])
def test_a_power_of_the_sizes_by_counts(unit: SizeUnit) -> None:
    """The stem-cell paper: sizes to the power of 0.8, each batch drawn anew."""
    sizes = {"texts": (3200, 800, 200), "batches": (400, 100, 25)}[unit]
    powers = [size**0.8 for size in sizes]
    counts: Counter[str] = Counter()
    for seed in range(200):
        drawn = mixed_batches(LENGTHS, 8, seed, 2, epochs=5, sampling="proportional", unit=unit, power=0.8)
        counts.update(name for name, _ in drawn)
    total = counts.total()
    assert total == 200 * 525
    for name, power in zip(LENGTHS, powers, strict=True):
        share = power / sum(powers)
        assert counts[name] / total == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / total))


def test_a_tasks_size_is_its_texts_or_its_batches() -> None:
    lengths = {"nine": [5] * 9, "one": [5]}
    expected: dict[SizeUnit, float] = {"texts": 0.9, "batches": 2 / 3}
    for unit, share in expected.items():
        drawn = Counter(
            name
            for seed in range(2000)
            for name, _ in mixed_batches(lengths, 8, seed, 1, sampling="proportional", unit=unit)
        )
        assert drawn["nine"] / drawn.total() == pytest.approx(share, abs=0.03)


def test_a_batch_is_of_one_task_and_a_pass_repeats_nothing() -> None:
    lengths = {"large": list(range(160)), "small": list(range(12))}
    batches = list(mixed_batches(lengths, 8, 3, 2, epochs=2, sampling="annealed"))
    assert batches == list(mixed_batches(lengths, 8, 3, 2, epochs=2, sampling="annealed"))
    assert batches != list(mixed_batches(lengths, 8, 4, 2, epochs=2, sampling="annealed"))
    small = [i for name, index in batches if name == "small" for i in index]
    assert len(small) > 12, "a small task comes round more than once"
    assert sorted(small[:12]) == list(range(12))
    assert len(set(small[12:24])) == len(small[12:24])


def test_proportional_and_once_have_as_many_batches() -> None:
    samplings: tuple[Sampling, ...] = ("once", "proportional")
    for sampling in samplings:
        assert len(list(mixed_batches(LENGTHS, 32, 0, 1, sampling=sampling))) == 100 + 25 + 7


@pytest.mark.parametrize("sizes", [[], [3, 0]])
def test_tasks_that_cannot_be_drawn(sizes: list[int]) -> None:
    with pytest.raises(SettingsError, match="cannot be drawn"):
        task_probabilities(sizes, 1.0)


def test_fit_draws_as_it_is_told(tone: Task, tense: Task) -> None:
    settings = FitSettings(epochs=2, batch_size=8, max_length=24, sampling="annealed", keep="last")
    encoder = load_encoder("tiny:bert")
    fitted = fit(encoder, [tone, tense], settings, mode="FT", seed=2, device="cpu")
    assert set(fitted.history["step"]) == {8 + 5, 2 * (8 + 5)}
    once = fit(
        encoder,
        [tone, tense],
        settings.model_copy(update={"sampling": "once"}),
        mode="FT",
        seed=2,
        device="cpu",
    )
    assert fitted.history["value"].tolist() != once.history["value"].tolist()


def test_a_constant_rate_learns_on_to_the_end(tone: Task) -> None:
    encoder = load_encoder("tiny:bert")
    runs = {}
    for schedule in ("linear", "constant"):
        given = {"epochs": 1, "batch_size": 8, "max_length": 24, "schedule": schedule, "keep": "last"}
        settings = FitSettings.model_validate(given)
        runs[schedule] = fit(encoder, [tone], settings, mode="FT", device="cpu")
    falling, held = (runs[schedule].history["value"].tolist() for schedule in ("linear", "constant"))
    assert falling != held
