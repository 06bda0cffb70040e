"""Copies during training: they do not disturb it, and are what it went through."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.finetuning import Timeline, TimelineHook, rsa_by_text, timeline_rsa
from encoder_atlas.text import AnnotatedCorpus, Task
from encoder_atlas.text.layers import Sentence
from encoder_atlas.training import DecoderSettings, FitSettings, FittedModel, Hook, fit, fit_annotator

SETTINGS = FitSettings(epochs=2, batch_size=8, max_length=24, lr_encoder=1e-3, keep="last")
SMALL = DecoderSettings(arc_width=16, label_width=8, mlp_dropout=0.1)
TEXTS = [f"the {a} {b} was seen" for a in ("old", "new", "red") for b in ("cat", "dog", "house", "hat")]


@pytest.fixture(scope="module")
def task() -> Task:
    texts = [f"{word} film number {i}" for i in range(30) for word in ("good", "bad")]
    labels = [0, 1] * 30
    frame = pd.DataFrame({"text": texts, "label": labels})
    splits = {"train": frame.iloc[:40], "dev": frame.iloc[40:]}
    return Task("tone", "single", ("text",), ("good", "bad"), "accuracy", splits, "Made for a test.")


@pytest.fixture(scope="module")
def base() -> Encoder:
    return load_encoder("tiny:bert")


def fitted(base: Encoder, task: Task, hook: Hook | None = None, **changes: Any) -> FittedModel:
    settings = FitSettings.model_validate({**SETTINGS.model_dump(), **changes})
    return fit(base, [task], settings, mode="FT", seed=3, device="cpu", hook=hook)


@pytest.fixture(scope="module")
def plain(base: Encoder, task: Task) -> FittedModel:
    return fitted(base, task)


def equal(first: Encoder, second: Encoder) -> bool:
    pairs = zip(first.model.state_dict().items(), second.model.state_dict().items(), strict=True)
    return all(a == b and torch.equal(x, y) for (a, x), (b, y) in pairs)


class Everything(Hook):
    """Copies all weights before every step."""

    def begin(self, loop: Any, optimizer: Any, steps: int) -> None:
        self.loop, self.seen = loop, []

    def before_step(self) -> None:
        self.seen.append({name: w.clone() for name, w in self.loop.net.body.model.state_dict().items()})


@pytest.mark.parametrize("precision", ["exact", "half"])
def test_training_is_not_disturbed(base: Encoder, task: Task, plain: FittedModel, precision: Any) -> None:
    hook = TimelineHook((0.0, 0.3, 1.0), precision)
    watched = fitted(base, task, hook)
    hook.timeline()
    assert equal(watched.encoder, plain.encoder)
    assert watched.history.equals(plain.history)
    heads = zip(watched.heads.state_dict().values(), plain.heads.state_dict().values(), strict=True)
    assert all(torch.equal(x, y) for x, y in heads)


def test_points_are_what_training_went_through(base: Encoder, task: Task, plain: FittedModel) -> None:
    every, exact, half = Everything(), TimelineHook(precision="exact"), TimelineHook()
    for hook in (every, exact, half):
        fitted(base, task, hook)
    timeline = exact.timeline()
    # 10 steps: .05 rounds to 0, as 0 does.
    assert timeline.steps == half.timeline().steps == (0, 1, 2, 4, 7, 10)
    assert timeline.shares == (0, 0.1, 0.2, 0.4, 0.7, 1)
    assert equal(timeline.encoder(base, 0), base)
    assert equal(timeline.encoder(base, 5), plain.encoder)
    for point, step in enumerate(timeline.steps[:-1]):
        found = timeline.encoder(base, point).model.state_dict()
        assert all(torch.equal(found[name], weight) for name, weight in every.seen[step].items())
    for point in range(6):
        first, second = timeline.encoder(base, point), half.timeline().encoder(base, point)
        start, tensors = base.model.state_dict(), second.model.state_dict()
        for name, weight in first.model.state_dict().items():
            torch.testing.assert_close(
                tensors[name] - start[name], weight - start[name], rtol=1e-3, atol=1e-7
            )


def test_parsers_are_followed_too(base: Encoder) -> None:
    sentences = [
        Sentence(f"{i}", ("the", noun, verb), heads=(2, 3, 0), deprels=("det", "nsubj", "root"))
        for i, (noun, verb) in enumerate(product(("cat", "dog", "house", "hat"), ("sees", "has", "runs")))
    ]
    corpus = AnnotatedCorpus(
        "toy", {"train": tuple(sentences[:8]), "dev": tuple(sentences[8:])}, "Made for a test."
    )
    settings = FitSettings(epochs=2, batch_size=4, keep="last")
    hook = TimelineHook((0.0, 0.5), "exact")
    plain, watched = (
        fit_annotator(base, corpus, ["dep"], settings, decoders=SMALL, seed=1, device="cpu", hook=given)
        for given in (None, hook)
    )
    timeline = hook.timeline()
    assert timeline.steps == (0, 2, 4)
    assert equal(watched.encoder, plain.encoder)
    assert equal(timeline.encoder(base, 2), plain.encoder)


def test_only_what_differs_is_kept(base: Encoder, task: Task) -> None:
    hook = TimelineHook((0.0, 1.0))
    fitted(base, task, hook, frozen_layers=1)
    first, last = hook.timeline().changes
    assert not first
    assert last and not any("embeddings" in name or "layer.0" in name for name in last)
    assert all(weight.dtype == torch.float16 for weight in last.values())


def test_the_end_is_what_the_fit_gave(base: Encoder, task: Task) -> None:
    hook = TimelineHook((0.5,), "exact")
    stopped = fitted(base, task, hook, keep="best", patience=1, epochs=8, lr_encoder=1e-7, lr_head=1e-7)
    timeline = hook.timeline()
    assert timeline.total == 40 and timeline.steps[-1] < 40, "training stopped early"
    assert equal(timeline.encoder(base, len(timeline.steps) - 1), stopped.encoder)


def test_rsa_in_time(base: Encoder, task: Task) -> None:
    hook = TimelineHook((0.0, 0.4), "exact")
    model = fitted(base, task, hook)
    found = timeline_rsa(base, hook.timeline(), {"made": TEXTS}, tokens=50, samples=2, seed=1)
    assert found.columns.tolist()[:2] == ["step", "share"]
    assert found["step"].unique().tolist() == [0, 4, 10]
    np.testing.assert_allclose(found.query("step == 0")["similarity"], 1, atol=1e-9)
    end = rsa_by_text(base, {"end": model.encoder}, {"made": TEXTS}, tokens=50, samples=2, seed=1)
    np.testing.assert_allclose(found.query("step == 10")["similarity"], end["similarity"], atol=1e-9)
    top = found.query("layer == 2").pivot_table(index="step", values="similarity")
    assert (np.diff(top["similarity"]) < 0).all()


def test_saved_loaded_and_damaged(base: Encoder, task: Task, tmp_path: Path) -> None:
    hook = TimelineHook((0.0, 0.5))
    fitted(base, task, hook)
    timeline = hook.timeline()
    timeline.save(tmp_path / "a")
    found = Timeline.load(tmp_path / "a")
    assert (found.steps, found.total, found.base) == (timeline.steps, timeline.total, timeline.base)
    for point in range(3):
        assert equal(found.encoder(base, point), timeline.encoder(base, point))
    (tmp_path / "a" / "point-01.safetensors").unlink()
    with pytest.raises(DataError, match="holds no timeline"):
        Timeline.load(tmp_path / "a")


def test_what_cannot_be_kept(base: Encoder, task: Task, plain: FittedModel) -> None:
    with pytest.raises(SettingsError, match=r"between 0 and 1, not at 1\.2"):
        TimelineHook((0.5, 1.2))
    hook = TimelineHook((0.5,))
    with pytest.raises(SettingsError, match="there was no fit yet"):
        hook.timeline()
    with pytest.raises(SettingsError, match="a frozen encoder does not move"):
        fit(base, [task], SETTINGS, mode="PT", device="cpu", hook=hook)
    fitted(base, task, hook)
    with pytest.raises(SettingsError, match="holds the timeline of another fit"):
        fitted(base, task, hook)
    with pytest.raises(DataError, match="has other weights than the encoder that this training began with"):
        hook.timeline().encoder(plain.encoder, 0)
    with pytest.raises(DataError, match="there is no point 2: the timeline has 0 to 1"):
        hook.timeline().encoder(base, 2)
