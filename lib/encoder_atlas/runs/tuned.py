"""How chapter 3 tunes its encoder: each model once, with a look at it while it learned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from encoder_atlas.encoders import Encoder
from encoder_atlas.estimates import Counts
from encoder_atlas.finetuning import Source, TimelineHook, Tuned, ablate, timeline_rsa, tune
from encoder_atlas.runs.chapter import FITTING_CODE, Chapter
from encoder_atlas.runs.contents import content
from encoder_atlas.runs.store_formats import load_table, save_table
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.training import Annotator, FitSettings, FittedModel, Reader, choose_device

MODEL, TIME = "model", "time"
WING = ("encoder_atlas.finetuning",)


@dataclass(frozen=True, eq=False)
class Tuning:
    """A tuned model, and RSA with Base along its training (see `timeline_rsa`)."""

    model: Tuned
    time: pd.DataFrame

    @property
    def encoder(self) -> Encoder:
        return self.model.encoder


def settings_for(chapter: Chapter, source: Source) -> FitSettings:
    """How the chapter tunes on ``source``: paragraphs are read in longer windows than sentences."""
    answers = not isinstance(source, AnnotatedCorpus) and source.target == "answer"
    s = chapter.settings
    changes = {"max_length": s.answer_length, "epochs": s.answer_epochs or s.epochs} if answers else {}
    return FitSettings.model_validate({**chapter.fit_settings.model_dump(), **changes})


def tuned(
    chapter: Chapter,
    source: Source,
    seed: int,
    texts: Mapping[str, Sequence[Any]],
    *,
    tokens: int,
    samples: int,
    shares: Sequence[float],
) -> Tuning:
    """Tune the chapter's encoder on ``source``, or take what an earlier run made of it.

    Args:
        texts: what Base and the encoder read at each of ``shares`` of the steps: ``samples`` of ``tokens``.
    """
    settings, device = settings_for(chapter, source), choose_device(chapter.settings.device)
    kind = Annotator if isinstance(source, AnnotatedCorpus) else Reader
    if not isinstance(source, AnnotatedCorpus) and source.target == "class":
        kind = FittedModel
    key = _key(chapter, source, settings, seed)
    look = {"tokens": tokens, "samples": samples}
    key |= {"texts": content(texts), "shares": list(shares), **look}

    def build(folder: Path) -> None:
        hook = TimelineHook(shares)
        model = tune(chapter.encoder, source, settings, seed=seed, device=str(device), hook=hook)
        longest = chapter.encoder.max_length
        time = timeline_rsa(chapter.encoder, hook.timeline(), texts, **look, max_length=longest)
        model.save(folder / MODEL)
        (folder / TIME).mkdir()
        save_table(time, folder / TIME)

    def load(folder: Path) -> Tuning:
        return Tuning(kind.load(folder / MODEL), load_table(folder / TIME))

    found = chapter.store.get("tuned", key, build, load, FITTING_CODE + WING)
    found.encoder.to(device)
    return found


def ablated(
    chapter: Chapter, source: Source, seed: int, layers: Mapping[str, Sequence[int]]
) -> dict[tuple[str, int], Counts]:
    """What `ablate` counts, for each way ("frozen", "truncated") at each number of layers."""
    settings, device = settings_for(chapter, source), choose_device(chapter.settings.device)
    found = {}
    for how, numbers in layers.items():
        for number in numbers:
            key = _key(chapter, source, settings, seed) | {"how": how, "layers": number}

            def compute(how: str = how, number: int = number) -> pd.DataFrame:
                return ablate(chapter.encoder, source, settings, how, number, seed=seed, device=str(device))

            found[how, number] = chapter.store.table("ablation", key, compute, FITTING_CODE + WING)
    return found


def _key(chapter: Chapter, source: Source, settings: FitSettings, seed: int) -> dict[str, Any]:
    key = chapter.fit_key(chapter.encoder, [source], settings, mode="FT", seed=seed)
    key.pop("processes", None)  # one process fits it, whatever the run was told
    return key
