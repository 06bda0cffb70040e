"""Few-shot transfer: what is drawn, that runs are paired, and the table of means."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.specialization.conftest import score_task, word_task

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.paired import bootstrap_p
from encoder_atlas.specialization.transfer import SHOTS, few_shot, few_shot_summary, shots_of
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

SETTINGS = FitSettings.model_validate(
    {**SHOTS.model_dump(), "epochs": 2, "max_length": 24, "lr_encoder": 1e-3, "batch_size": 4}
)


@pytest.fixture(scope="module")
def target() -> Task:
    return word_task("tense")


@pytest.fixture(scope="module")
def encoders(model: FittedModel) -> Mapping[str, Encoder]:
    return {"untouched": load_encoder("tiny:bert"), "multi-task": model.encoder}


def test_a_row_a_run_as_fits_by_hand_give(target: Task, encoders: Mapping[str, Encoder]) -> None:
    found = few_shot(encoders, target, sizes=(4, 8), seeds=(0, 1), settings=SETTINGS)
    table = found.to_frame()
    assert len(table) == 2 * 2 * 2
    assert found.n == len(target.split("dev"))
    by_hand = fit(encoders["multi-task"], [shots_of(target, 8, 1)], SETTINGS, mode="FT", seed=1)
    row = table.query("arm == 'multi-task' and size == 8 and seed == 1")
    assert row["score"].tolist() == [by_hand.score(target)]


def test_every_encoder_gets_the_same_texts_and_seed(target: Task, encoders: Mapping[str, Encoder]) -> None:
    asked: list[tuple[Any, ...]] = []

    def note(encoder: Encoder, tasks: list[Task], settings: FitSettings, **how: Any) -> FittedModel:
        asked.append((tasks[0].fingerprint("train"), how["seed"], settings))
        return fit(encoder, tasks, settings, **how)

    few_shot(encoders, target, sizes=(4,), seeds=(0, 1), settings=SETTINGS, fit_one=note)
    assert asked[0] == asked[1]
    assert asked[2] == asked[3]
    assert asked[0][0] != asked[2][0]


def test_dev_is_measured_once_at_the_end(target: Task, encoders: Mapping[str, Encoder]) -> None:
    history = fit(encoders["untouched"], [target], SETTINGS, mode="FT").history
    assert history.loc[history["split"].eq("dev"), "epoch"].tolist() == [2, 2]


def test_draws() -> None:
    target = word_task("place")
    for seed in range(20):
        random = shots_of(target, 2, seed).split("train")
        assert len(set(random["label"])) == 2, "a draw of one class is drawn again"
        balanced = shots_of(target, 7, seed, "balanced").split("train")
        assert sorted(balanced["label"].value_counts()) == [2, 2, 3]
    smaller, larger = (shots_of(target, size, 3).split("train")["id"].tolist() for size in (8, 16))
    assert larger[:8] == smaller
    assert shots_of(target, 8, 4).fingerprint("train") != shots_of(target, 8, 3).fingerprint("train")


def test_draws_that_cannot_be(target: Task) -> None:
    with pytest.raises(DataError, match="at least two"):
        shots_of(target, 1, 0)
    with pytest.raises(DataError, match="500 texts are wanted, and train of 'tense' has"):
        shots_of(target, 500, 0)
    with pytest.raises(SettingsError, match="two, a size and a seed"):
        few_shot({"one": load_encoder("tiny:bert")}, target)


def test_a_target_with_scores_is_refused(encoders: Mapping[str, Encoder]) -> None:
    with pytest.raises(SettingsError, match=r"'likeness' has no classes, .* take a target with classes"):
        few_shot(encoders, score_task(), sizes=(4,), seeds=(0,))


def scores() -> pd.DataFrame:
    random = np.random.default_rng(0)
    parts = [
        pd.DataFrame(
            {
                "target": "t",
                "size": 4,
                "arm": arm,
                "seed": range(30),
                "score": mean + random.normal(0, 0.02, 30),
            }
        )
        for arm, mean in (("plain", 0.7), ("random", 0.72), ("IAT", 0.76))
    ]
    return pd.concat(parts, ignore_index=True)


def test_summary_holds_each_against_the_best_of_the_others() -> None:
    table = few_shot_summary(scores()).set_index("arm")
    assert table["against"].to_dict() == {"plain": "IAT", "random": "IAT", "IAT": "random"}
    own = scores().pivot(index="seed", columns="arm", values="score")
    assert table.loc["IAT", "p"] == bootstrap_p((own["IAT"] - own["random"]).to_numpy())
    assert table.loc["IAT", "mean"] == pytest.approx(own["IAT"].mean())
    assert table.loc["IAT", "sd"] == pytest.approx(own["IAT"].std(ddof=1))
    named = few_shot_summary(scores(), against="plain").set_index("arm")
    assert np.isnan(named.loc["plain", "p"])
    assert named.loc["random", "against"] == "plain"


def test_summaries_that_cannot_be() -> None:
    with pytest.raises(DataError, match="not every arm was measured with every seed"):
        few_shot_summary(scores().iloc[:-1])
    with pytest.raises(DataError, match="nothing was measured for 'x'"):
        few_shot_summary(scores(), against="x")
