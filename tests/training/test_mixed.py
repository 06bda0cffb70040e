"""Several tasks at once: of unlike sizes, numbers of classes, kinds of text and measures."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from tests.training.test_loop import literal_fit

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit
from encoder_atlas.training.examples import Examples
from encoder_atlas.training.mixing import mixed_batches

ENDINGS = ("the sky is red", "the sky is green", "nobody saw the sky")


def pair_task(train: int = 240, dev: int = 30) -> Task:
    """Three classes that the second sentence of a pair gives away; the first is the same for all."""
    random = np.random.default_rng(0)
    frames = {}
    for split, n in (("train", train), ("dev", dev)):
        labels = np.concatenate([np.arange(3), random.integers(3, size=n - 3)])
        first = [f"a painter works {'here' if split == 'train' else 'there'} {row}" for row in range(n)]
        second = [ENDINGS[label] for label in labels]
        frames[split] = pd.DataFrame({"first": first, "second": second, "label": labels})
    names = ("yes", "maybe", "no")
    return Task("sky", "pair", ("first", "second"), names, "f1", frames, "Generated for a test.")


@pytest.fixture(scope="module")
def sky() -> Task:
    return pair_task()


@pytest.fixture(scope="module")
def mixed(tense: Task, sky: Task) -> FittedModel:
    """A model of a task of 40 sentences and one of 240 pairs."""
    settings = FitSettings(
        epochs=12, batch_size=8, max_length=32, lr_encoder=3e-3, lr_head=1e-2, pooling="mean", keep="last"
    )
    return fit(load_encoder("tiny:bert"), [tense, sky], settings, mode="FT", device="cpu")


def test_each_learns_beside_the_other(mixed: FittedModel, tense: Task, sky: Task) -> None:
    assert mixed.score(sky, metric="accuracy") >= 0.9
    assert mixed.score(tense) >= 0.75, "a sixth of the steps, and chance is a half"
    assert mixed.head("sky").out_features == 3
    assert mixed.head("tense").out_features == 2


def test_each_is_measured_in_its_own_measure(mixed: FittedModel) -> None:
    dev = mixed.history.query("split == 'dev' and measure != 'loss'")
    assert set(zip(dev["task"], dev["measure"], strict=True)) == {("tense", "accuracy"), ("sky", "f1")}


def test_a_representation_is_of_a_text_and_not_of_a_task(
    mixed: FittedModel, tense: Task, sky: Task, tmp_path: Path
) -> None:
    mixed.save(tmp_path / "model")
    loaded = FittedModel.load(tmp_path / "model")
    for task in (tense, sky):
        points = mixed.represent(task.texts("dev"))
        with torch.no_grad():
            logits = mixed.head(task.name)(torch.from_numpy(points)).numpy()
        np.testing.assert_array_equal(mixed.logits(task.name, task.texts("dev")), logits)
        np.testing.assert_array_equal(loaded.logits(task.name, task.texts("dev")), logits)


def test_every_text_once_an_epoch_in_batches_of_one_task(tense: Task, sky: Task) -> None:
    settings = FitSettings(max_length=32)
    encoder = load_encoder("tiny:bert")
    parts = {
        task.name: Examples.of_task(task, "train", encoder, settings, mode="FT").lengths
        for task in (tense, sky)
    }
    batches = list(mixed_batches(parts, 8, seed=0, epoch=1))
    assert Counter(name for name, _ in batches) == {"sky": 30, "tense": 5}
    for name, part in parts.items():
        seen = sorted(row for of, index in batches for row in index if of == name)
        assert seen == list(range(len(part)))
    places = [place for place, (name, _) in enumerate(batches) if name == "tense"]
    assert places[-1] - places[0] > 5, "the small task is spread over the epoch"
    assert [name for name, _ in mixed_batches(parts, 8, seed=0, epoch=2)] != [name for name, _ in batches]


def test_equals_plain_pytorch_on_pairs_and_sentences(tense: Task, encoder: Encoder) -> None:
    small = pair_task(train=40, dev=6)
    settings = FitSettings(epochs=2, batch_size=16, max_length=32, keep="last")
    fitted = fit(encoder, [small, tense], settings, mode="FT", seed=1, device="cpu")
    model, heads = literal_fit(encoder, [small, tense], settings, seed=1)
    for name, weight in fitted.encoder.model.state_dict().items():
        if not name.endswith("key.bias"):  # its gradient is rounding noise
            torch.testing.assert_close(weight, model.state_dict()[name], atol=1e-6, rtol=0)
    for name, head in heads.items():
        torch.testing.assert_close(fitted.head(name).state_dict(), head.state_dict(), atol=1e-6, rtol=0)


def test_a_task_smaller_than_a_batch(tense: Task, encoder: Encoder) -> None:
    few = pair_task(train=4, dev=3)
    settings = FitSettings(epochs=1, batch_size=32, max_length=32)
    fitted = fit(encoder, [tense, few], settings, mode="FT", device="cpu")
    assert fitted.predict_proba("sky", [("a painter", "the sky is red")]).shape == (1, 3)


def test_frozen_heads_of_several_tasks(tense: Task, sky: Task, encoder: Encoder) -> None:
    settings = FitSettings(frozen_epochs=40, max_length=32, lr_head=1e-2, pooling="mean", keep="last")
    fitted = fit(encoder, [tense, sky], settings, mode="PT", device="cpu")
    assert fitted.encoder.fingerprint == load_encoder("tiny:bert").fingerprint
    assert fitted.score(sky, metric="accuracy") >= 0.9
