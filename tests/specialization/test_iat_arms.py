"""Arms against each other: differences by hand, what is measured of which arm, tables, figures and claims."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.heads import least_heads
from encoder_atlas.specialization.iap import find_importance
from encoder_atlas.specialization.iat import iat_fit
from encoder_atlas.specialization.iat_arms import (
    ANNEALED,
    AT_START,
    IAT,
    LEAST_PRUNED,
    PLAIN,
    PROPORTIONAL,
    RANDOM,
    SHUT,
    Arms,
    ablation_arms,
    measure_arms,
    reading_arms,
    swept_arms,
    train_arms,
)
from encoder_atlas.specialization.iat_claims import (
    iat_claims,
    iat_seed_claims,
    transfer_claims,
)
from encoder_atlas.specialization.iat_figures import plot_arms, plot_few_shot, plot_rate, plot_swept
from encoder_atlas.specialization.iat_hook import only_heads
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.iat_tables import (
    ablation_table,
    few_shot_table,
    printed_glue_table,
    score_table,
)
from encoder_atlas.specialization.pruning import prune
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.transfer import few_shot_summary
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings

SETTINGS = FitSettings(
    epochs=6, batch_size=8, max_length=24, lr_encoder=3e-3, lr_head=1e-2, pooling="mean", keep="last"
)
MEASURING = SpecializationSettings(alpha=0.5, importance_examples=16, random_sets=0, batch_size=32)


@pytest.fixture(scope="module")
def trained(tasks: list[Task]) -> Arms:
    """Every kind of arm, one seed, on the tiny encoder."""
    arms = ablation_arms(alpha=0.5, delta=0.5) | reading_arms(alpha=0.5, delta=0.5)

    def train(iat: IATSettings, seed: int) -> Any:
        encoder = load_encoder("tiny:bert")
        return iat_fit(encoder, tasks, SETTINGS, iat, seed=seed, device="cpu", measuring=MEASURING)

    return measure_arms(train_arms(train, arms, seeds=(4,)), tasks, MEASURING)


@pytest.fixture
def made(make_pruned: Callable[..., Any]) -> Arms:
    """Two seeds by hand: (none, a's heads, b's heads) of tasks a and b, right of 100."""

    def model(seed: int, none: tuple[int, int], a: tuple[int, int], b: tuple[int, int]) -> Any:
        rows = {"none": none, "a": a, "b": b}
        right = {name: dict(zip("ab", values, strict=True)) for name, values in rows.items()}
        return make_pruned(right, seed=seed)

    plain = [model(0, (80, 80), (60, 80), (80, 60)), model(1, (80, 80), (60, 80), (80, 60))]
    better = [model(0, (90, 80), (45, 80), (90, 60)), model(1, (80, 84), (60, 84), (80, 42))]
    settings = {PLAIN: IATSettings(delta=0), IAT: IATSettings()}
    return Arms(settings, {PLAIN: plain, IAT: better})


def test_gains_by_hand(made: Arms) -> None:
    assert made.seed_gains(IAT).tolist() == pytest.approx([5, 2])
    assert float(made.gain(IAT).value) == pytest.approx(3.5)
    # D: 25 and 25 for plain; 50 and 25, then 25 and 50 for the other.
    assert made.seed_gains(IAT, measure="dissociation").tolist() == pytest.approx([12.5, 12.5])
    assert float(made.gain(IAT, measure="dissociation").value) == pytest.approx(12.5)
    low, high = made.gain(IAT).interval()
    assert 0 < low < 3.5 < high


def test_the_interval_against_a_loop_over_texts(made: Arms) -> None:
    """Texts that both arms get right or wrong alike add nothing: the spread is that of their differences."""
    random = np.random.default_rng(1)
    values = []
    for _ in range(4000):
        gain = 0.0
        for task in "ab":
            texts = random.integers(100, size=100)
            for arm, sign in ((IAT, 1), (PLAIN, -1)):
                for model in made.of(arm):
                    right = model.predicted[task][0] == model.labels[task]
                    gain += sign * 100 * right[texts].mean() / 4
        values.append(gain)
    low, high = made.gain(IAT).interval()
    assert [float(low), float(high)] == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.3)


def test_frame_has_scores_and_dissociation(made: Arms) -> None:
    table = made.to_frame()
    assert len(table) == 2 * 2 * 2 * 2
    assert set(table["measure"]) == {"score", "dissociation"}
    own = table.query("arm == 'IAT' and seed == 0 and measure == 'score'")
    assert own["value"].tolist() == [90, 80]


def test_every_arm_is_measured(trained: Arms, tasks: list[Task]) -> None:
    assert list(trained.pruned) == [*ablation_arms(), *reading_arms(), LEAST_PRUNED]
    table = trained.to_frame()
    without = {LEAST_PRUNED, SHUT}
    assert set(table.query("measure == 'dissociation'")["arm"]) == set(trained.pruned) - without
    with pytest.raises(DataError, match="it has no dissociation"):
        trained.gain(SHUT, measure="dissociation")
    with pytest.raises(DataError, match="no dissociation"):
        trained.seed_gains(SHUT, measure="dissociation")


def test_no_arm_is_there_twice() -> None:
    for delta in (0.1, 1.0):
        arms = ablation_arms(delta=delta) | reading_arms(delta=delta)
        assert len(set(arms.values())) == len(arms)
    assert AT_START in reading_arms(delta=0.1) and AT_START not in reading_arms(delta=1.0)


def test_arms_of_classes_and_scores(mixed: list[Task]) -> None:
    arms = {PLAIN: IATSettings(delta=0), **reading_arms(alpha=0.5, delta=0.5)}
    settings = FitSettings.model_validate({**SETTINGS.model_dump(), "epochs": 10, "lr_head": 3e-2})

    def train(iat: IATSettings, seed: int) -> Any:
        encoder = load_encoder("tiny:bert")
        return iat_fit(encoder, mixed, settings, iat, seed=seed, device="cpu", measuring=MEASURING)

    models = train_arms(train, arms, seeds=(0,))
    found = measure_arms(models, mixed, MEASURING)
    for arm, (model,) in models.items():
        pruned = found.of(arm)[0]
        assert pruned.predicted["likeness"].dtype == np.float64
        expected = [model.score(task) for task in mixed]
        np.testing.assert_allclose(pruned.scores[0], expected, atol=1e-6)
        said = model.predict_scores("likeness", mixed[1].texts("dev"))
        np.testing.assert_allclose(pruned.predicted["likeness"][0], said, atol=1e-5)
        if arm == PLAIN:
            assert not model.importance
    shut = models[SHUT][0]
    with only_heads(shut.model.encoder, shut.heads["likeness"]):
        by_hand = shut.model.predict_scores("likeness", mixed[1].texts("dev"))
    np.testing.assert_array_equal(shut.predict_scores("likeness", mixed[1].texts("dev")), by_hand)
    assert np.isfinite(found.gain(SHUT).interval()).all()
    assert list(score_table(found).columns) == ["tone", "likeness", "Avg"]


def test_least_pruned_is_the_plain_model_without_each_tasks_least_heads(tasks: list[Task]) -> None:
    encoder = load_encoder("tiny:bert")
    plain = iat_fit(encoder, tasks, SETTINGS, IATSettings(delta=0), device="cpu")
    found = measure_arms({PLAIN: [plain]}, tasks, MEASURING).of(LEAST_PRUNED)[0]
    importance = find_importance(plain.model, tasks, MEASURING)
    for task in tasks:
        own = prune(plain.model, [task], {"least": least_heads(importance[task.name].scores, 0.5)})
        np.testing.assert_array_equal(found.predicted[task.name][0], own.predicted[task.name][1])


def test_tables(trained: Arms, made: Arms) -> None:
    table = score_table(made)
    assert table.loc[IAT].tolist() == ["85.0 ± 7.1", "82.0 ± 2.8", "83.5 ± 2.1"]
    assert list(score_table(trained).index) == list(trained.pruned)
    ablation = ablation_table(made)
    assert ablation.loc[IAT, "tasks improved"] == "2"
    assert ablation.loc[IAT, "gain by seed"] == "+5.00 +2.00"
    assert ablation.loc[IAT, "printed Avg"] == "83.41 ± 0.20"
    assert ablation.loc[IAT, "gain of D (points)"].startswith("+12.50 [")
    assert ablation.loc[PLAIN, "gain (points)"] == "–"
    assert ablation_table(trained).loc[SHUT, "gain of D (points)"] == "–"
    assert printed_glue_table("test").loc[("BERT-base", "gain"), "Avg"] == "+0.8"


def few_shot_scores() -> pd.DataFrame:
    random = np.random.default_rng(0)
    rows = [
        ("target", arm, size, seed, mean + (0.1 if size == 16 else 0) + random.normal(0, 0.01))
        for arm, mean in ((PLAIN, 0.6), (RANDOM, 0.65), (IAT, 0.7))
        for size in (4, 16)
        for seed in range(8)
    ]
    return pd.DataFrame(rows, columns=["target", "arm", "size", "seed", "score"])


def test_few_shot_table_and_claims() -> None:
    table = few_shot_table(few_shot_summary(few_shot_scores()))
    assert table.loc[IAT, ("target", 4)].endswith("*")
    assert not table.loc[RANDOM, ("target", 4)].endswith("*")
    assert table.loc["IAT (printed)", ("SciTail", 4)] == "75.7 ± 4.0"
    assert table.loc[[IAT, "IAT (printed)"], ("draws", "")].tolist() == ["8", "30"]
    found = transfer_claims(few_shot_scores())
    assert found["iat-few-shot"].mean() == pytest.approx(10, abs=1.5)
    assert found["iat-few-shot-fades"].mean() == pytest.approx(0, abs=2)
    assert len(found["iat-few-shot"]) == 8
    with pytest.raises(DataError, match="holds no few-shot run"):
        few_shot_table(few_shot_summary(few_shot_scores()).iloc[:0])


def test_no_star_of_four_draws() -> None:
    """Ahead in all of four draws has p = 0 by the bootstrap, and happens by luck once in 16 times."""
    for n, star in ((4, ""), (5, "*")):
        summary = few_shot_summary(few_shot_scores().query("seed < @n"))
        assert summary.query("arm == @IAT")["p"].to_numpy().max() < 0.05
        table = few_shot_table(summary, printed=False)
        assert table.loc[IAT, ("target", 4)].endswith("*") == bool(star)
        assert set(table["draws", ""]) == {str(n)}
        assert bool(transfer_claims(few_shot_scores().query("seed < @n"))) == bool(star)


def test_claims(trained: Arms, made: Arms) -> None:
    found = iat_claims(trained)
    assert set(found) == {
        "iat-score",
        "iat-dissociation",
        "iat-random-score",
        "iat-most-over-random",
        "iat-least-pruned",
    }
    assert all(estimate.low <= estimate.value <= estimate.high for estimate in found.values())
    assert set(iat_claims(made)) == {"iat-score", "iat-dissociation"}
    assert iat_seed_claims(made)["iat-score"].tolist() == pytest.approx([5, 2])
    ways = Arms({}, {PROPORTIONAL: made.of(PLAIN), ANNEALED: made.of(IAT)})
    assert set(iat_claims(ways)) == set(iat_seed_claims(ways)) == {"iat-annealed"}
    assert iat_seed_claims(ways)["iat-annealed"].tolist() == pytest.approx([5, 2])


def test_figures(trained: Arms, made: Arms) -> None:
    for figure in (plot_arms(trained), plot_arms(made), plot_rate(), plot_few_shot(few_shot_scores())):
        figure.canvas.draw()
        plt.close(figure)
    settings = swept_arms(alphas=(0.1, 0.3), deltas=(0.1, 0.5))
    models = {arm: made.of(IAT if how.delta else PLAIN) for arm, how in settings.items()}
    swept = Arms(settings, models)
    for over, fixed in (("delta", 0.5), ("alpha", 0.1)):
        figure = plot_swept(swept, over, fixed)
        line = figure.axes[0].lines[0].get_xdata()
        assert list(np.asarray(line)) == ([0.1, 0.5] if over == "delta" else [0.1, 0.3, 0.5])
        plt.close(figure)
    with pytest.raises(SettingsError, match="'alpha' or 'delta'"):
        plot_swept(swept, "gamma", 0.1)
    with pytest.raises(DataError, match=r"no arm with delta=0\.9"):
        plot_swept(swept, "alpha", 0.9)
    with pytest.raises(DataError, match="no few-shot run to draw"):
        plot_few_shot(few_shot_scores().iloc[:0])


def test_arms_that_cannot_be_compared(trained: Arms, made: Arms, tasks: list[Task]) -> None:
    with pytest.raises(SettingsError, match="give each the same ones"):
        measure_arms({}, tasks)
    with pytest.raises(DataError, match="no arm 'plan' was measured; did you mean 'plain'"):
        made.gain("plan")
    with pytest.raises(DataError, match="no measure is called 'scores'; did you mean 'score'"):
        made.gain(IAT, measure="scores")
    with pytest.raises(DataError, match="no measure is called 'scores'"):
        made.seed_gains(IAT, measure="scores")
