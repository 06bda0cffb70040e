"""A fitted model answers, is saved whole, and is refused when a file of it is not what was saved."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError, EncoderError, SettingsError, StoreError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

TEXTS = ["the film was bad", "a long scene 5 is fine", "good"]


@pytest.fixture
def folder(fitted: FittedModel, tmp_path: Path) -> Path:
    """A saved model."""
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def test_probabilities_are_the_softmax_of_the_heads_logits_on_representations(fitted: FittedModel) -> None:
    rows = fitted.represent(TEXTS, batch_size=2)
    weight, bias = (value.detach().numpy() for value in fitted.head("tone").parameters())
    logits = rows @ weight.T + bias
    np.testing.assert_allclose(fitted.logits("tone", TEXTS), logits, atol=1e-5)
    exponentials = np.exp(logits.astype(np.float64))
    probabilities = fitted.predict_proba("tone", TEXTS)
    np.testing.assert_allclose(
        probabilities, exponentials / exponentials.sum(axis=1, keepdims=True), atol=1e-5
    )
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)


def test_score_in_the_tasks_metric_or_another(fitted: FittedModel, tone: Task) -> None:
    predicted = fitted.predict_proba("tone", tone.texts("dev")).argmax(axis=1)
    assert fitted.score(tone) == np.mean(predicted == tone.labels("dev"))
    assert fitted.score(tone, "train", metric="mcc") <= 1


@pytest.mark.parametrize("mode", ["PT", "FT"])
def test_a_saved_model_comes_back_the_same(tone: Task, quick: FitSettings, tmp_path: Path, mode: str) -> None:
    before = fit(load_encoder("tiny:bert"), [tone], quick, mode=mode, seed=9, device="cpu")
    before.save(tmp_path / "model")
    after = FittedModel.load(tmp_path / "model")
    assert np.array_equal(after.predict_proba("tone", TEXTS), before.predict_proba("tone", TEXTS))
    pd.testing.assert_frame_equal(after.history, before.history)
    assert (after.settings, after.mode, after.seed) == (quick, mode, 9)
    assert after.label_names == {"tone": ("first", "second")}
    assert (after.encoder.name, after.encoder.fingerprint) == ("tiny:bert", before.encoder.fingerprint)
    kinds = {path.suffix for path in (tmp_path / "model").rglob("*") if path.is_file()}
    assert kinds == {".json", ".safetensors"}


def test_an_empty_folder_is_written_and_a_full_one_is_not(fitted: FittedModel, tmp_path: Path) -> None:
    fitted.save(tmp_path)
    with pytest.raises(StoreError, match="no empty folder"):
        fitted.save(tmp_path)
    with pytest.raises(StoreError, match="no empty folder"):
        fitted.save(tmp_path / "fitted.json")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut, flip, Path.unlink])
@pytest.mark.parametrize("file", ["heads.safetensors", "encoder/model.safetensors"])
def test_damaged_weights(folder: Path, file: str, damage: Callable[[Path], None]) -> None:
    damage(folder / file)
    with pytest.raises(EncoderError, match=file.split("/")[0].split(".")[0]):
        FittedModel.load(folder)


def test_damaged_description(folder: Path) -> None:
    path = folder / "fitted.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "format": 2}))
    with pytest.raises(EncoderError, match=r"damaged \(format"):
        FittedModel.load(folder)
    path.write_text(json.dumps({**content, "label_names": {"tone": ["a", "b", "c"], "tense": ["a", "b"]}}))
    with pytest.raises(EncoderError, match="does not hold the model's heads"):
        FittedModel.load(folder)
    cut(path)
    with pytest.raises(EncoderError, match="damaged"):
        FittedModel.load(folder)
    path.unlink()
    with pytest.raises(EncoderError, match="holds no fitted model"):
        FittedModel.load(folder)


def test_another_models_heads_or_encoder(folder: Path) -> None:
    heads = folder / "heads.safetensors"
    kept = heads.read_bytes()
    save_file({name: value + 1 for name, value in load_file(heads).items()}, heads)
    with pytest.raises(EncoderError, match="swapped"):
        FittedModel.load(folder)
    heads.write_bytes(kept)
    load_encoder("tiny:bert", seed=1).save(folder / "encoder")
    with pytest.raises(EncoderError, match="not the encoder that was saved there"):
        FittedModel.load(folder)


def test_what_cannot_be_asked(fitted: FittedModel, make_task: Callable[..., Task]) -> None:
    with pytest.raises(SettingsError, match=r"no head for task 'tones'; did you mean 'tone'"):
        fitted.head("tones")
    with pytest.raises(DataError, match="no texts"):
        fitted.represent([])
    for texts in (["good", "  "], [("good", "bad"), ("good", "")]):
        with pytest.raises(DataError, match="text 1 is empty"):
            fitted.predict_proba("tone", texts)
    with pytest.raises(DataError, match="no split 'test'"):
        fitted.score(make_task("tone"), "test")
    with pytest.raises(SettingsError, match="no metric"):
        fitted.score(make_task("tone"), metric="auc")


def test_heads_stay_on_the_cpu(fitted: FittedModel) -> None:
    assert {weight.device for weight in fitted.heads.parameters()} == {torch.device("cpu")}
