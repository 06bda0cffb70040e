"""Plain multi-task training, IAT and its ablations, held against each other: pairs of one seed, on one text.

Arms of one seed share all steps but the last δ, so that their differences are paired by construction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float64

from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.progress import track
from encoder_atlas.specialization.dissociation import dissociation, dissociation_scores
from encoder_atlas.specialization.iap import LEAST, run_iap
from encoder_atlas.specialization.iat import IATModel
from encoder_atlas.specialization.iat_settings import Choice, IATSettings
from encoder_atlas.specialization.pruning import BASE, Pruned, predict_pruned, prune, relative_performance
from encoder_atlas.specialization.resampling import Draws, resample
from encoder_atlas.specialization.saved import read_pruned, write_pruned
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task

PLAIN, IAT, RANDOM, LEAST_TUNED = "plain", "IAT", "random heads", "least important heads"
LEAST_PRUNED = "least important pruned"
MOMENTUM, AT_START, SHUT = "IAT, momentum left on", "IAT, δ = 1", "other heads shut, δ = 1"

PROPORTIONAL, ANNEALED = "proportional sampling", "annealed sampling"
"""Plain training with tasks drawn by Eq. (8): their batches differ from the first one on."""


def ablation_arms(alpha: float = 0.3, delta: float = 0.1) -> dict[str, IATSettings]:
    """Table 7: plain training, and tuning random, least and most important heads.

    Its fourth row, `LEAST_PRUNED`, needs no training: `measure_arms` reads it off the plain models.
    """
    choices: dict[str, Choice] = {RANDOM: "random", LEAST_TUNED: "least", IAT: "most"}
    arms = {name: IATSettings(alpha=alpha, delta=delta, heads=choice) for name, choice in choices.items()}
    return {PLAIN: IATSettings(delta=0), **arms}


def reading_arms(alpha: float = 0.3, delta: float = 0.1) -> dict[str, IATSettings]:
    """Other readings of IAT: the released code's, and towards Ticket-Share in two ways.

    With δ = 1 `IAT` of `ablation_arms` is `AT_START` already: one model shall not be two rows of a table.
    """
    arms = {
        MOMENTUM: IATSettings(alpha=alpha, delta=delta, reading="gradient"),
        AT_START: IATSettings(alpha=alpha, delta=1),
        SHUT: IATSettings(alpha=alpha, delta=1, reading="forward"),
    }
    return {name: how for name, how in arms.items() if delta < 1 or name != AT_START}


def swept_arms(alphas: Sequence[float] = (), deltas: Sequence[float] = ()) -> dict[str, IATSettings]:
    """Figures 9 and 10: δ with α = 50 %, α with δ = 10 %; and plain training."""
    over_delta = {f"α = 0.5, δ = {delta:g}": IATSettings(alpha=0.5, delta=delta) for delta in deltas}
    over_alpha = {f"α = {alpha:g}, δ = 0.1": IATSettings(alpha=alpha, delta=0.1) for alpha in alphas}
    return {PLAIN: IATSettings(delta=0), **over_delta, **over_alpha}


@dataclass(frozen=True, eq=False)
class Arms:
    """Predictions of the models of several arms, one model a seed, in the same order of seeds.

    Attributes:
        pruned: with each task's most important heads taken out, and with none; of an arm whose other heads
            are shut anyway, with none only.
    """

    settings: Mapping[str, IATSettings]
    pruned: Mapping[str, Sequence[Pruned]]

    @property
    def seeds(self) -> int:
        return len(next(iter(self.pruned.values())))

    def of(self, arm: str) -> Sequence[Pruned]:
        """The models of one arm.

        Raises:
            DataError: no such arm was measured.
        """
        if arm not in self.pruned:
            raise DataError(f"no arm {arm!r} was measured; {near(arm, self.pruned)}")
        return self.pruned[arm]

    def to_frame(self) -> pd.DataFrame:
        """One row an arm, seed, task and measure: arm, alpha, delta, seed, task, measure, value.

        Measures: "score", the task's own metric in percent; "dissociation", D_i in points, where heads of
        all tasks were taken out.
        """
        rows = []
        for arm, models in self.pruned.items():
            how = self.settings.get(arm, IATSettings(delta=0))
            for model in models:
                values = [("score", 100 * model.scores[model.rows([BASE])[0]])]
                if has_dissociation(model):
                    values.append(("dissociation", dissociation(model).scores))
                rows += [
                    (arm, how.alpha, how.delta, model.seed, task, measure, float(value))
                    for measure, column in values
                    for task, value in zip(model.tasks, column, strict=True)
                ]
        return pd.DataFrame(rows, columns=["arm", "alpha", "delta", "seed", "task", "measure", "value"])

    def gain(self, arm: str, over: str = PLAIN, measure: str = "score", resamples: int = 2000) -> Draws:
        """``arm`` minus ``over`` in points, mean over tasks and seeds, with resamples of the dev texts.

        Texts are the same for both arms in every resample. The interval is over texts: it says nothing about
        other seeds (`seed_gains` does).

        Raises:
            DataError: no such arm, no such measure, or one without heads taken out.
        """
        statistic, parts = _statistic(measure), []
        for name in (arm, over):
            models = self.of(name)
            if measure == "dissociation" and not all(map(has_dissociation, models)):
                raise DataError(f"no heads were taken out of {name!r}: it has no dissociation")
            names = {task: task for task in models[0].tasks} if measure == "dissociation" else {}
            parts += [model.only(names) for model in models]

        def difference(scores: np.ndarray) -> np.ndarray:
            own = statistic(scores)
            half = own.shape[-1] // 2
            return own[..., :half].mean(axis=-1) - own[..., half:].mean(axis=-1)

        return resample(parts, difference, resamples)

    def seed_gains(
        self, arm: str, over: str = PLAIN, measure: str = "score"
    ) -> Float64[np.ndarray, " seeds"]:
        """The same difference seed by seed, on the texts as they are.

        Raises:
            DataError: see `gain`.
        """
        table = self.to_frame()
        if measure not in set(table["measure"]):
            raise DataError(f"no measure is called {measure!r}; {near(measure, MEASURES)}")
        means = [
            table.loc[table["arm"].eq(name) & table["measure"].eq(measure)].groupby("seed")["value"].mean()
            for name in (arm, over)
            if self.of(name)
        ]
        if any(mean.empty for mean in means):
            raise DataError(f"no heads were taken out of {arm!r} or of {over!r}: it has no dissociation")
        return (means[0] - means[1]).to_numpy(dtype=np.float64)

    def save(self, folder: Path) -> None:
        """Write it into ``folder``: a folder for each arm and seed, in order."""
        for place, (arm, models) in enumerate(self.pruned.items()):
            how = self.settings[arm].model_dump() if arm in self.settings else None
            for number, model in enumerate(models):
                write_pruned(model, folder / f"{place:03d}" / f"{number:03d}", arm=arm, iat=how)

    @classmethod
    def load(cls, folder: Path) -> "Arms":
        """Read what ``save`` wrote. Raises DataError where a file is missing or damaged."""
        settings: dict[str, IATSettings] = {}
        pruned: dict[str, list[Pruned]] = {}
        for path in sorted(folder.glob("*/*")):
            part, _, rest = read_pruned(path)
            pruned.setdefault(rest["arm"], []).append(part)
            if rest["iat"] is not None:
                settings[rest["arm"]] = IATSettings.model_validate(rest["iat"])
        return cls(settings, pruned)


MEASURES = ("score", "dissociation")


def train_arms(
    train: Callable[[IATSettings, int], IATModel], arms: Mapping[str, IATSettings], seeds: Sequence[int]
) -> dict[str, list[IATModel]]:
    """One model an arm and seed.

    Args:
        train: from settings and a seed to a model: `iat_fit` with the rest filled in, or a store before it.
    """
    runs = [(arm, seed) for arm in arms for seed in seeds]
    found: dict[str, list[IATModel]] = {arm: [] for arm in arms}
    for arm, seed in track(runs, "Arms of head-wise training", unit="model"):
        found[arm].append(train(arms[arm], seed))
    return found


def measure_arms(
    models: Mapping[str, Sequence[IATModel]],
    tasks: Sequence[Task],
    measuring: SpecializationSettings | None = None,
) -> Arms:
    """Score every model on dev, and its dissociation by IAP; adds `LEAST_PRUNED` from the plain models.

    Random sets are not taken out, and the least important heads of the plain models only.

    Raises:
        SettingsError: no arms, or arms with different seeds.
    """
    seeds = {arm: [model.model.seed for model in parts] for arm, parts in models.items()}
    if not seeds or len({tuple(part) for part in seeds.values()}) > 1:
        raise SettingsError(f"arms are compared seed by seed: give each the same ones (got {seeds})")
    bare = (measuring or SpecializationSettings()).model_copy(update={"random_sets": 0})
    pruned: dict[str, list[Pruned]] = {}
    for arm, parts in models.items():
        how = bare.model_copy(update={"least": arm == PLAIN})
        pruned[arm] = [_measured(model, tasks, how) for model in parts]
    if PLAIN in pruned:
        pruned[LEAST_PRUNED] = [_least_taken_out(part) for part in pruned[PLAIN]]
    settings = {arm: parts[0].settings for arm, parts in models.items()}
    return Arms(settings, pruned)


def has_dissociation(pruned: Pruned) -> bool:
    """Whether every task's heads were taken out."""
    return set(pruned.tasks) <= set(pruned.sets)


def _measured(model: IATModel, tasks: Sequence[Task], measuring: SpecializationSettings) -> Pruned:
    if not model.shut:
        return run_iap(model.model, tasks, measuring).pruned
    # Through each task's own heads alone: taking out more of them is another question.
    whole, predicted = prune(model.model, tasks, {}), {}
    for task in tasks:
        with model.serving(task.name):
            predicted[task.name] = predict_pruned(model.model, task, whole.sets[BASE][None], whole.split)
    return replace(whole, predicted=predicted)


def _least_taken_out(pruned: Pruned) -> Pruned:
    """Each task without its least important heads, and nothing trained after."""
    row = {task: pruned.rows([f"{LEAST}: {task}"])[0] for task in pruned.tasks}
    predicted = {task: pruned.predicted[task][[row[task]]] for task in pruned.tasks}
    return replace(pruned.only({}), predicted=predicted)


def _statistic(measure: str) -> Callable[[np.ndarray], np.ndarray]:
    """From scores (…, models, sets, tasks), the whole model first, to a number a model, in points."""
    if measure == "score":
        return lambda scores: 100 * scores[..., 0, :].mean(axis=-1)
    if measure == "dissociation":
        return lambda scores: dissociation_scores(
            relative_performance(scores[..., 1:, :], scores[..., 0, :])
        ).mean(axis=-1)
    raise DataError(f"no measure is called {measure!r}; {near(measure, MEASURES)}")
