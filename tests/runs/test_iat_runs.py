"""How the arms of chapter 2 are trained: whole, or on from a finished model at a constant rate."""

from pathlib import Path
from typing import Any

import pytest

from encoder_atlas.runs import iat_runs
from encoder_atlas.runs.chapter import Chapter, open_chapter
from encoder_atlas.runs.contents import weights_digest
from encoder_atlas.runs.iat_runs import arm_trainer, sampled_arms
from encoder_atlas.specialization.iat import IATModel
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.training import FitSettings

MEASURING = SpecializationSettings(importance_examples=16)


def chapter_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **values: Any) -> Chapter:
    monkeypatch.setenv("ENCODER_ATLAS_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("ENCODER_ATLAS_CLAIMS", str(tmp_path / "claims.json"))
    return open_chapter("02_specialization", {"profile": "tiny", **values})


def trained_with(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> tuple[FitSettings, IATSettings, Any]:
    """What an arm with δ = 0.1 would be trained with, if it were."""
    asked: list[Any] = []

    finished = {0: chapter.fit(chapter.tasks, "FT", 0)}

    def instead(
        chapter: Chapter, tasks: Any, settings: FitSettings, iat: IATSettings, *_: Any, **how: Any
    ) -> IATModel:
        asked.extend((settings, iat, how.get("start")))
        return IATModel(finished[0], iat, {}, {})

    monkeypatch.setattr(iat_runs, "head_trained", instead)
    arm_trainer(chapter, chapter.tasks, MEASURING, finished)(IATSettings(delta=0.1), 0)
    return asked[0], asked[1], asked[2]


def test_a_whole_training_is_the_chapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = chapter_of(tmp_path, monkeypatch)
    chapter.settings = chapter.settings.model_copy(update={"appended": None})
    settings, iat, start = trained_with(chapter, monkeypatch)
    assert settings == chapter.fit_settings and settings.schedule == "linear"
    assert iat.delta == 0.1 and start is None


def test_going_on_is_at_a_constant_rate_from_the_first_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, iat, start = trained_with(chapter_of(tmp_path, monkeypatch), monkeypatch)
    assert (settings.schedule, settings.warmup, settings.epochs) == ("constant", 0, 1)
    assert iat.delta == 1 and start is not None


def test_annealed_training_goes_on_as_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = chapter_of(tmp_path, monkeypatch, sampling="annealed", epochs=2)
    assert chapter.fit_settings.sampling == "annealed"
    settings, _, _ = trained_with(chapter, monkeypatch)
    assert (settings.sampling, settings.sampling_power) == ("proportional", pytest.approx(0.2))


def test_both_ways_of_drawing_tasks_are_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = chapter_of(tmp_path, monkeypatch, epochs=2)
    found = sampled_arms(chapter, chapter.tasks, MEASURING, seeds=[0])
    ways = {arm: [model.model.settings.sampling for model in models] for arm, models in found.items()}
    assert ways == {"proportional sampling": ["proportional"], "annealed sampling": ["annealed"]}
    assert all(model.settings.plain for models in found.values() for model in models)
    # Tasks of one size are drawn alike under every exponent, as the page says.
    digests = {weights_digest(models[0].model.encoder.model) for models in found.values()}
    assert len({len(task.split("train")) for task in chapter.tasks}) == len(digests) == 1
