"""What fitting changes and what it leaves alone."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, EncoderError, SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit, shuffled


def weights(model: FittedModel) -> dict[str, Tensor]:
    """All weights of a fitted model, by name."""
    heads = {f"heads.{name}": value for name, value in model.heads.state_dict().items()}
    return {**model.encoder.model.state_dict(), **heads}


def dev_accuracy(model: FittedModel) -> list[float]:
    """Dev accuracy after each epoch."""
    rows = model.history.to_dict(orient="records")
    return [row["value"] for row in rows if (row["split"], row["measure"]) == ("dev", "accuracy")]


def equal(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def copied(encoder: Encoder) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in encoder.model.state_dict().items()}


@pytest.mark.parametrize("mode", ["PT", "FT"])
def test_twice_gives_the_same_bits_whatever_was_drawn_before(
    tone: Task, encoder: Encoder, quick: FitSettings, mode: str
) -> None:
    torch.manual_seed(1)
    first = fit(encoder, [tone], quick, mode=mode, seed=5, device="cpu")
    torch.manual_seed(2)
    expected_next = torch.rand(2)
    torch.manual_seed(2)
    second = fit(encoder, [tone], quick, mode=mode, seed=5, device="cpu")
    assert torch.equal(torch.rand(2), expected_next)
    assert equal(weights(first), weights(second))
    pd.testing.assert_frame_equal(first.history, second.history)
    other = fit(encoder, [tone], quick, mode=mode, seed=6, device="cpu")
    assert not equal(weights(first), weights(other))


def test_pt_leaves_every_bit_of_the_encoder(tone: Task, encoder: Encoder, quick: FitSettings) -> None:
    before = copied(encoder)
    fitted = fit(encoder, [tone], quick, mode="PT", device="cpu")
    assert equal(before, copied(fitted.encoder))
    assert fitted.encoder.fingerprint == load_encoder("tiny:bert").fingerprint
    assert not any(module.training for module in encoder.model.modules())
    assert len(dev_accuracy(fitted)) == quick.frozen_epochs


def test_pt_heads_learn(tone: Task, encoder: Encoder) -> None:
    settings = FitSettings(frozen_epochs=60, max_length=24, lr_head=1e-2, pooling="mean", keep="last")
    assert fit(encoder, [tone], settings, mode="PT", device="cpu").score(tone, "train") >= 0.8


def test_ft_changes_a_copy_of_the_encoder(tone: Task, encoder: Encoder, quick: FitSettings) -> None:
    before = copied(encoder)
    encoder.model.requires_grad_(False)
    fitted = fit(encoder, [tone], quick, mode="FT", device="cpu")
    assert equal(before, copied(encoder))
    after = copied(fitted.encoder)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    # The pooler is not asked under [CLS] pooling, and stays as it was.
    assert changed == {name for name in before if not name.startswith("pooler.")}
    assert fitted.encoder.fingerprint != encoder.fingerprint
    assert fitted.encoder.name == encoder.name
    assert not fitted.encoder.model.training


def test_several_tasks_have_a_head_each_and_each_learns(tone: Task, tense: Task, encoder: Encoder) -> None:
    settings = FitSettings(
        epochs=12, batch_size=8, max_length=24, lr_encoder=3e-3, lr_head=1e-2, pooling="mean"
    )
    fitted = fit(encoder, [tone, tense], settings, mode="FT", device="cpu")
    assert list(fitted.heads) == ["tone", "tense"]
    assert fitted.score(tone) >= 0.9
    assert fitted.score(tense) >= 0.9


def test_history_is_tidy(fitted: FittedModel, quick: FitSettings) -> None:
    history = fitted.history
    assert list(history.columns) == ["epoch", "step", "task", "split", "measure", "value"]
    assert len(history) == quick.epochs * 2 * 3
    # 64 and 40 training examples in batches of 16: 4 + 3 steps an epoch.
    assert history.groupby("epoch")["step"].unique().map(list).to_dict() == {1: [7], 2: [14]}
    assert set(zip(history["split"], history["measure"], strict=True)) == {
        ("train", "loss"),
        ("dev", "loss"),
        ("dev", "accuracy"),
    }
    assert np.isfinite(history["value"].to_numpy()).all()


def test_early_stop_gives_the_best_epochs_weights(tone: Task, encoder: Encoder) -> None:
    settings = FitSettings(epochs=15, max_length=24, lr_encoder=5e-3, patience=2, pooling="mean")
    fitted = fit(encoder, [shuffled(tone, 0)], settings, mode="FT", device="cpu")
    dev = dev_accuracy(fitted)
    assert len(dev) < settings.epochs
    assert dev.index(max(dev)) == len(dev) - 1 - 2
    assert fitted.score(tone) == max(dev) > dev[-1]


def test_keep_last_gives_the_last_epochs_weights(tone: Task, encoder: Encoder) -> None:
    settings = FitSettings(epochs=3, max_length=24, lr_encoder=5e-3, keep="last", pooling="mean")
    fitted = fit(encoder, [tone], settings, mode="FT", device="cpu")
    dev = dev_accuracy(fitted)
    assert len(dev) == 3
    assert fitted.score(tone) == dev[-1]


def test_bf16_on_a_cpu_when_asked_trains_and_measures_in_fp32(tone: Task, encoder: Encoder) -> None:
    settings = FitSettings(epochs=1, max_length=24, precision="bf16")
    fitted = fit(encoder, [tone], settings, mode="FT", device="cpu")
    assert {weight.dtype for weight in weights(fitted).values() if weight.is_floating_point()} == {
        torch.float32
    }
    plain = fit(encoder, [tone], settings.model_copy(update={"precision": "fp32"}), mode="FT", device="cpu")
    assert not equal(weights(fitted), weights(plain))


@pytest.mark.parametrize("name", ["tiny:distilbert", "tiny:gpt2", "tiny:deberta-v3"])
def test_families_without_pooler_or_with_other_parts(name: str, tone: Task, quick: FitSettings) -> None:
    settings = quick.model_copy(update={"pooling": "mean", "epochs": 1})
    fitted = fit(load_encoder(name), [tone], settings, mode="FT", device="cpu")
    assert fitted.predict_proba("tone", ["good"]).shape == (1, 2)


def test_what_cannot_be_asked(tone: Task, encoder: Encoder, quick: FitSettings) -> None:
    with pytest.raises(SettingsError, match="no mode is called 'ft'"):
        fit(encoder, [tone], quick, mode="ft", device="cpu")
    with pytest.raises(SettingsError, match="at least one task"):
        fit(encoder, [], quick, mode="FT", device="cpu")
    with pytest.raises(SettingsError, match="no two of one name"):
        fit(encoder, [tone, tone], quick, mode="FT", device="cpu")
    with pytest.raises(SettingsError, match="did you mean 'cpu'"):
        fit(encoder, [tone], quick, mode="FT", device="cpuu")
    with pytest.raises(SettingsError, match="max_length is 500"):
        fit(encoder, [tone], FitSettings(max_length=500), mode="FT", device="cpu")
    with pytest.raises(EncoderError, match="pooling"):
        fit(load_encoder("tiny:gpt2"), [tone], FitSettings(max_length=24), mode="PT", device="cpu")


def test_a_task_of_one_class_cannot_be_made(make_task: Callable[..., Task]) -> None:
    with pytest.raises(DataError, match="one class only"):
        make_task("tone", train=1)


def test_shuffled_labels_are_as_frequent_and_of_other_texts(tone: Task) -> None:
    control = shuffled(tone, seed=4)
    assert sorted(control.labels("train")) == sorted(tone.labels("train"))
    assert not np.array_equal(control.labels("train"), tone.labels("train"))
    assert control.texts("train") == tone.texts("train")
    pd.testing.assert_frame_equal(control.split("dev"), tone.split("dev"))
    assert control.fingerprint("train") != tone.fingerprint("train")
    assert control.fingerprint("train") == shuffled(tone, seed=4).fingerprint("train")
    assert control.fingerprint("train") != shuffled(tone, seed=5).fingerprint("train")
    assert "shuffled" in control.source_note
