"""Models that are trained in other ways than plain fitting, each once: head-wise, and from a teacher."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from encoder_atlas.encoders import Encoder
from encoder_atlas.runs.chapter import FITTING_CODE, Chapter
from encoder_atlas.runs.contents import weights_digest
from encoder_atlas.runs.fitting import fit_together
from encoder_atlas.specialization.iat import IATModel, iat_fit
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import DistillationSettings, FitSettings, FittedModel, choose_device, distil

# Only what training itself runs through: a new figure of the wing shall not train anything again.
IAT_CODE = tuple(
    f"encoder_atlas.specialization.{module}"
    for module in ("iat", "iat_hook", "iat_settings", "head_rows", "heads", "iap", "importance", "readings")
)


def head_trained(
    chapter: Chapter,
    tasks: Sequence[Task],
    settings: FitSettings,
    iat: IATSettings,
    measuring: SpecializationSettings,
    *,
    seed: int,
    start: FittedModel | None = None,
) -> IATModel:
    """What `iat_fit` gives, or the model that an earlier run trained so.

    Where ``iat`` leaves plain multi-task training as it is, the model is the chapter's own, shared with it.

    Args:
        start: a fitted model whose training goes on; by default the chapter's encoder with new heads.
    """
    encoder, heads = (start.encoder, start.heads) if start else (chapter.encoder, None)
    if iat.plain and start is None:
        return IATModel(chapter.fitted(encoder, tasks, settings, mode="FT", seed=seed), iat, {}, {})
    device = choose_device(chapter.settings.device)
    key = chapter.fit_key(encoder, tasks, settings, mode="FT", seed=seed) | {"iat": iat}
    key |= {"measuring": measuring, "heads": None if heads is None else weights_digest(heads)}
    how = {"encoder": encoder, "tasks": tasks, "settings": settings, "iat": iat, "seed": seed}
    how |= {"heads": heads, "measuring": measuring}

    def build(folder: Path) -> None:
        fit_together(save_iat_fit, {"folder": folder, **how}, chapter.processes, device)

    found = chapter.store.get("head-trained", key, build, IATModel.load, FITTING_CODE + IAT_CODE)
    found.model.encoder.to(device)
    return found


def save_iat_fit(
    folder: Path,
    encoder: Encoder,
    tasks: Sequence[Task],
    settings: FitSettings,
    iat: IATSettings,
    *,
    main: bool,
    **how: Any,
) -> None:
    """What `iat_fit` gives, kept in ``folder`` by the ``main`` one of the processes that fit it."""
    made = iat_fit(encoder, tasks, settings, iat, **how)
    if main:
        made.save(folder)


def distilled(
    chapter: Chapter,
    teacher: FittedModel,
    student: Encoder,
    tasks: Sequence[Task],
    settings: FitSettings,
    how: DistillationSettings | None = None,
    *,
    seed: int,
) -> FittedModel:
    """What `distil` gives, or the student that an earlier run taught so.

    Args:
        how: by default `DistillationSettings`; a student of other head counts than its teacher's learns the
            mean attention of each layer, as there is no head to learn from for each of its own.
    """
    how = how or DistillationSettings(heads="equal" if student.n_heads == teacher.encoder.n_heads else "mean")
    device = choose_device(chapter.settings.device)
    key = chapter.fit_key(student, tasks, settings, mode="FT", seed=seed) | {"how": how}
    key |= {"teacher": weights_digest(teacher.encoder.model), "heads": weights_digest(teacher.heads)}

    def build(folder: Path) -> None:
        distil(teacher, student, tasks, settings, how, seed=seed, device=str(device)).save(folder)

    model = chapter.store.get("distilled", key, build, FittedModel.load, FITTING_CODE)
    model.encoder.to(device)
    return model
