"""Head-wise training and distillation are done once, and every setting of theirs is in the key."""

import copy
from pathlib import Path

import numpy as np
import pytest
from transformers import AutoModel

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.runs import trained as trained_module
from encoder_atlas.runs.chapter import Chapter, open_chapter
from encoder_atlas.runs.contents import weights_digest
from encoder_atlas.runs.trained import distilled, head_trained
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.training import DistillationSettings, FitSettings

SETTINGS = FitSettings(epochs=1, batch_size=16, max_length=24, keep="last")
IAT = IATSettings(alpha=0.5, delta=0.5)
MEASURING = SpecializationSettings(importance_examples=16)


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chapter:
    monkeypatch.setenv("ENCODER_ATLAS_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("ENCODER_ATLAS_CLAIMS", str(tmp_path / "claims.json"))
    return open_chapter("01_deepview", {"profile": "tiny"})


@pytest.fixture
def tasks() -> list[Task]:
    corpora = {"toy-reviews": 48, "toy-inference": 48}
    return [
        load_task(TaskSpec(name=name, source="generated", corpus=name, train=train, dev=24))
        for name, train in corpora.items()
    ]


def kinds(chapter: Chapter) -> list[str]:
    return sorted(entry.kind for entry in chapter.store.entries())


def test_trained_once_and_then_loaded(
    chapter: Chapter, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = head_trained(chapter, tasks, SETTINGS, IAT, MEASURING, seed=0)
    monkeypatch.setattr(trained_module, "iat_fit", lambda *_, **__: pytest.fail("it was trained again"))
    again = head_trained(chapter, tasks, SETTINGS, IAT, MEASURING, seed=0)
    assert again.to_frame().equals(first.to_frame())
    texts = tasks[0].texts("dev")
    np.testing.assert_array_equal(again.logits(tasks[0].name, texts), first.logits(tasks[0].name, texts))


def test_settings_of_iat_and_of_importance_make_another_entry(chapter: Chapter, tasks: list[Task]) -> None:
    for iat, measuring in (
        (IAT, MEASURING),
        (IAT.model_copy(update={"reading": "gradient"}), MEASURING),
        (IAT.model_copy(update={"delta": 0.4}), MEASURING),
        (IAT, MEASURING.model_copy(update={"importance_examples": 8})),
    ):
        head_trained(chapter, tasks, SETTINGS, iat, measuring, seed=0)
    assert kinds(chapter) == ["head-trained"] * 4


def test_plain_arm_is_the_chapters_own_model_and_goes_on(chapter: Chapter, tasks: list[Task]) -> None:
    plain = IATSettings(delta=0)
    found = head_trained(chapter, tasks, SETTINGS, plain, MEASURING, seed=0)
    own = chapter.fitted(chapter.encoder, tasks, SETTINGS, mode="FT", seed=0)
    assert weights_digest(found.model.encoder.model) == weights_digest(own.encoder.model)
    assert kinds(chapter) == ["model"]
    more = [
        head_trained(chapter, tasks, SETTINGS, iat, MEASURING, seed=0, start=own)
        for iat in (plain, IATSettings(alpha=0.5, delta=1))
    ]
    assert len({weights_digest(model.model.encoder.model) for model in (found, *more)}) == 3
    assert kinds(chapter) == ["head-trained", "head-trained", "model"]


def test_a_student_is_taught_once(
    chapter: Chapter, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = chapter.fitted(chapter.encoder, tasks, SETTINGS, mode="FT", seed=0)
    how = DistillationSettings(intermediate_epochs=1, prediction_epochs=1)
    student = load_encoder("tiny:bert", seed=5)
    first = distilled(chapter, teacher, student, tasks, SETTINGS, how, seed=0)
    monkeypatch.setattr(trained_module, "distil", lambda *_, **__: pytest.fail("it was taught again"))
    again = distilled(chapter, teacher, student, tasks, SETTINGS, how, seed=0)
    assert weights_digest(again.encoder.model) == weights_digest(first.encoder.model)
    assert kinds(chapter) == ["distilled", "model"]


def test_a_student_of_other_head_counts_learns_the_mean_over_heads(
    chapter: Chapter, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = chapter.fitted(chapter.encoder, tasks, SETTINGS, mode="FT", seed=0)
    config = copy.deepcopy(chapter.encoder.model.config)
    config.num_attention_heads = 4
    student = Encoder.of(AutoModel.from_config(config), chapter.encoder.tokenizer, "four heads")
    assert student.n_heads == 4 and chapter.encoder.n_heads == 2
    with pytest.raises(SettingsError, match="use heads='mean' or attention='none'"):
        distilled(chapter, teacher, student, tasks, SETTINGS, DistillationSettings(heads="equal"), seed=0)
    taught = distilled(chapter, teacher, student, tasks, SETTINGS, seed=0)
    assert taught.encoder.n_heads == 4
    losses = taught.history.query("measure == 'intermediate loss'")["value"]
    assert np.isfinite(losses).all() and len(losses) > 0
