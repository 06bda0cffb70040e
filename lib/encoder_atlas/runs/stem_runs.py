"""How chapter 4 fits its models: each once; of pruned ones the marks and gates are kept, not the weights."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from zlib import crc32

from encoder_atlas.runs.chapter import FITTING_CODE, Chapter
from encoder_atlas.runs.contents import content
from encoder_atlas.stem_cells import GateSettings, Scored, fit_gated, prune_static, scored
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer
from encoder_atlas.training import Annotator, FitSettings, choose_device, fit_annotator

WING = ("encoder_atlas.stem_cells",)


def joint_settings(chapter: Chapter, layers: Sequence[Layer], epochs: int | None = None) -> FitSettings:
    """How the chapter learns ``layers``: several tasks are drawn by size^0.8, and their losses balanced.

    Source: the paper's section on multi-task learning; words are dropped, and weights not decayed, as in its
    released code.
    """
    changes: dict[str, Any] = {
        "lr_head": chapter.settings.lr_decoder,
        "keep": "last",
        "evaluate": "end",
        "word_dropout": chapter.settings.word_dropout,
        "weight_decay": 0.0,
    }
    if epochs is not None:
        changes["epochs"] = epochs
    if len(layers) > 1:
        changes |= {"sampling": "proportional", "sampling_power": 0.8, "balance": "running"}
    return FitSettings.model_validate({**chapter.fit_settings.model_dump(), **changes})


def learned(chapter: Chapter, corpus: AnnotatedCorpus, layers: Sequence[Layer], seed: int) -> Annotator:
    """An annotator of ``layers``: the paper's STL with one, MTL with several; fitted once."""
    settings, device = joint_settings(chapter, layers), choose_device(chapter.settings.device)
    key = _key(chapter, corpus, layers, settings, seed)

    def build(folder: Path) -> None:
        fit_annotator(chapter.encoder, corpus, layers, settings, seed=seed, device=str(device)).save(folder)

    model = chapter.store.get("annotator", key, build, Annotator.load, FITTING_CODE)
    model.encoder.to(device)
    return model


def pruned(
    chapter: Chapter,
    corpus: AnnotatedCorpus,
    layers: Sequence[Layer],
    gates: GateSettings,
    seed: int,
    *,
    start: Annotator | None = None,
) -> Scored:
    """Marks on dev and gates of an annotator that is pruned: while it learns (dynamic), or after (static).

    The noise of the gates, and where they begin unless that is fully open, is another for every set of layers
    and every seed, so that what they share is not their start.

    Args:
        start: the fitted annotator that static pruning goes on from.
    """
    settings = joint_settings(chapter, layers, chapter.settings.gate_epochs)
    device = choose_device(chapter.settings.device)
    # Any number that differs: of what is learned, and of the seed.
    begin = crc32("+".join(layers).encode()) + seed
    key = _key(chapter, corpus, layers, settings, seed)
    key |= {"gates": gates, "gate_seed": begin, "start": content(start)}
    how: dict[str, Any] = {"seed": seed, "gate_seed": begin, "device": str(device)}

    def build(folder: Path) -> None:
        if start is None:
            model = fit_gated(chapter.encoder, corpus, layers, settings, gates, **how)
        else:
            model = prune_static(start, corpus, settings, gates, **how)
        scored(model, corpus.split("dev")).save(folder)

    return cast(Scored, chapter.store.get("pruned", key, build, Scored.load, FITTING_CODE + WING))


def _key(
    chapter: Chapter, corpus: AnnotatedCorpus, layers: Sequence[Layer], settings: FitSettings, seed: int
) -> dict[str, Any]:
    key = chapter.fit_key(chapter.encoder, [corpus], settings, mode="FT", seed=seed)
    key.pop("processes", None)  # one process fits it, whatever the run was told
    return key | {"layers": list(layers)}
