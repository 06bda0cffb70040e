from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.deepview.transfer import (
    Transfer,
    baselines_of,
    head_transfer,
    learned_table,
    transfer_with_controls,
)
from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

SUBJECTS = ("the film", "this plot", "her song", "a long scene", "the old house", "my coat", "that train")
SETTINGS = FitSettings(pooling="mean", epochs=2, frozen_epochs=3, max_length=24, lr_encoder=1e-3, keep="last")


def word_task(name: str, words: tuple[str, str], train: int = 48) -> Task:
    """Which of two words ends the sentence."""
    random = np.random.default_rng(len(name))
    rows = [
        (f"{subject} {random.integers(10**6)} is {word}", label)
        for subject in SUBJECTS
        for label, word in enumerate(words)
        for _ in range(6)
    ]
    rows = [rows[i] for i in random.permutation(len(rows))]
    frames = {"train": rows[:train], "dev": rows[train:]}
    splits = {split: pd.DataFrame(part, columns=["text", "label"]) for split, part in frames.items()}
    return Task(name, "single", ("text",), ("first", "second"), "accuracy", splits, "Generated for a test.")


@pytest.fixture(scope="module")
def target() -> Task:
    return word_task("target", ("good", "bad"))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder("tiny:bert")


@pytest.fixture(scope="module")
def source_model(encoder: Encoder) -> FittedModel:
    return fit(encoder, [word_task("source", ("good", "awful"))], SETTINGS, mode="FT", device="cpu")


def test_transfer_measures_what_fits_by_hand_give(
    target: Task, encoder: Encoder, source_model: FittedModel
) -> None:
    direct = {seed: fit(encoder, [target], SETTINGS, mode="FT", seed=seed) for seed in (0, 1)}
    frozen = {"untouched": {0: encoder, 1: encoder}, "source": {0: source_model.encoder}}
    found = head_transfer(target, frozen, {"fine-tuned": direct}, SETTINGS)
    table = found.to_frame()
    assert table["encoder"].tolist() == ["untouched", "source", "fine-tuned"]
    assert table["seeds"].tolist() == [2, 1, 2]
    assert set(table["n"]) == {len(target.split("dev"))}
    low, accuracy, high = table[["low", "accuracy", "high"]].to_numpy().T
    assert ((low <= accuracy) & (accuracy <= high)).all()
    by_hand = fit(source_model.encoder, [target], SETTINGS, mode="PT", seed=0)
    scores = [by_hand.score(target), np.mean([model.score(target) for model in direct.values()])]
    assert table["accuracy"].tolist()[1:] == pytest.approx(scores)
    labels = target.labels("dev")
    always = np.bincount(target.labels("train")).argmax()
    assert found.baselines == {"commonest class": pytest.approx((labels == always).mean())}


def test_the_encoders_stay_as_they_are(target: Task, encoder: Encoder, source_model: FittedModel) -> None:
    before = source_model.represent(target.texts("dev"))
    head_transfer(target, {"untouched": {0: encoder}, "source": {0: source_model.encoder}}, settings=SETTINGS)
    assert (source_model.represent(target.texts("dev")) == before).all()


def test_heads_can_come_from_elsewhere(target: Task, encoder: Encoder) -> None:
    asked = []

    def fit_head(*given: Any, **named: Any) -> FittedModel:
        asked.append((given[1][0].name, given[2].keep, named))
        return fit(given[0], given[1], SETTINGS, **named)

    head_transfer(target, {"a": {7: encoder}, "b": {3: encoder}}, fit_head=fit_head)
    expected = [("target", "last", {"mode": "PT", "seed": seed}) for seed in (7, 3)]
    assert asked == expected


def made() -> Transfer:
    right = {"a": [[1, 1, 1, 0], [1, 1, 0, 0]], "b": [[1, 0, 0, 0]]}
    return Transfer("target", {name: np.array(rows, dtype=bool) for name, rows in right.items()}, {})


def test_accuracy_and_gain_by_hand() -> None:
    assert made().hits("a").tolist() == [1, 1, 0.5, 0]
    assert made().gain("a", over="b").tolist() == [0, 1, 0.5, 0]
    table = made().to_frame()
    assert table["accuracy"].tolist() == [0.625, 0.25]
    assert table.loc[1, ["low", "high"]].tolist() == [0, 0.75]
    with pytest.raises(SettingsError, match="nothing was measured for 'c'"):
        made().gain("a", over="c")


def test_requests_that_cannot_be_met(target: Task, encoder: Encoder, source_model: FittedModel) -> None:
    with pytest.raises(SettingsError, match="at least two encoders"):
        head_transfer(target, {"untouched": {0: encoder}})
    with pytest.raises(SettingsError, match="'a' names a frozen encoder and a fine-tuned model"):
        head_transfer(target, {"a": {0: encoder}}, {"a": {0: source_model}})
    with pytest.raises(DataError, match="'b' holds no encoder"):
        head_transfer(target, {"a": {0: encoder}, "b": {}})


def test_a_transfer_with_its_controls(target: Task, encoder: Encoder) -> None:
    source, other = word_task("source", ("good", "awful")), word_task("other", ("red", "blue"))

    def fit_model(task: Task, mode: str, seed: int) -> FittedModel:
        return fit(encoder, [task], SETTINGS, mode=mode, seed=seed, device="cpu")

    others = [target, source, other]
    found = transfer_with_controls(source, target, others, fit_model, fit, SETTINGS, seeds=(0,))
    assert list(found.correct) == [
        "fine-tuned on source", "fine-tuned on other", "untouched", "fine-tuned on the target",
    ]  # fmt: skip
    assert (found.source, found.unrelated) == ("fine-tuned on source", "fine-tuned on other")
    whole = fit_model(target, "FT", 0).score(target)
    assert found.hits("fine-tuned on the target").mean() == pytest.approx(whole)
    assert found.hits("untouched").mean() == pytest.approx(fit_model(target, "PT", 0).score(target))
    with pytest.raises(SettingsError, match="a task that is neither 'source' nor 'target'"):
        transfer_with_controls(source, target, [source, target], fit_model, fit, SETTINGS, seeds=(0,))


def test_what_was_learned_stands_beside_what_needs_no_encoder(
    source_model: FittedModel, made_task: Callable[..., Task]
) -> None:
    source = word_task("source", ("good", "awful"))
    row = learned_table([source_model], [source]).loc["source"]
    assert row["accuracy"] == pytest.approx(source_model.score(source))
    assert row["low"] <= row["accuracy"] <= row["high"]
    assert (row["train"], row["dev"]) == (48, len(source.split("dev")))
    pairs = baselines_of(made_task("link", pairs=True))
    assert list(pairs) == ["commonest class", "second text alone", "words in common"]
    assert pairs["second text alone"] == 1, "the last word tells the class"
