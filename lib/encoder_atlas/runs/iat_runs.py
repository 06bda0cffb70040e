"""How chapter 2 trains its arms of head-wise training: whole, or on from a finished model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from encoder_atlas.runs.chapter import Chapter
from encoder_atlas.runs.trained import head_trained
from encoder_atlas.specialization.iat import IATModel
from encoder_atlas.specialization.iat_arms import ANNEALED, PROPORTIONAL
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel
from encoder_atlas.training.mixing import Sampling, sampling_exponent

Train = Callable[[IATSettings, int], IATModel]


def arm_trainer(
    chapter: Chapter,
    tasks: Sequence[Task],
    measuring: SpecializationSettings,
    finished: Mapping[int, FittedModel] | None = None,
) -> Train:
    """What trains one arm with one seed, and keeps it.

    As in the paper the last δ of the training is head-wise. Where the chapter's setting ``appended`` is a
    share, the finished model of the seed goes on instead, for one pass over that share of the texts at a
    constant rate, without a second warm-up, in which δ is all: far cheaper, and with more of the learning
    rate than the last tenth of a schedule that falls to zero.

    Args:
        finished: the models that go on, by seed; without them every arm is trained whole.
    """
    share = chapter.settings.appended
    if share is None or finished is None:
        return lambda iat, seed: head_trained(chapter, tasks, chapter.fit_settings, iat, measuring, seed=seed)
    part = [
        task.sampled({"train": max(2, round(share * len(task.split("train"))))}, seed=0) for task in tasks
    ]
    changes: dict[str, Any] = {"schedule": "constant", "warmup": 0, "epochs": 1}
    before = chapter.fit_settings
    if before.sampling == "annealed":  # it goes on as often as annealing ended, not from its beginning
        last = sampling_exponent("annealed", before.epochs, before.epochs)
        changes |= {"sampling": "proportional", "sampling_power": last}
    how = FitSettings.model_validate({**before.model_dump(), **changes})

    def go_on(iat: IATSettings, seed: int) -> IATModel:
        whole = iat if iat.plain else iat.model_copy(update={"delta": 1.0})
        return head_trained(chapter, part, how, whole, measuring, seed=seed, start=finished[seed])

    return go_on


def sampled_arms(
    chapter: Chapter, tasks: Sequence[Task], measuring: SpecializationSettings, seeds: Sequence[int]
) -> dict[str, list[IATModel]]:
    """Plain multi-task models whose tasks were drawn by Eq. (8) (Table 13), one a seed; all trained whole."""
    ways: dict[str, Sampling] = {PROPORTIONAL: "proportional", ANNEALED: "annealed"}
    plain = IATSettings(delta=0)
    return {
        arm: [
            head_trained(
                chapter,
                tasks,
                chapter.fit_settings.model_copy(update={"sampling": way}),
                plain,
                measuring,
                seed=seed,
            )
            for seed in seeds
        ]
        for arm, way in ways.items()
    }
