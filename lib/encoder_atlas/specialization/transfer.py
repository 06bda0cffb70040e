"""Few-shot transfer: encoders of multi-task models, tuned on a handful of texts of a task they never saw."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

import numpy as np
import pandas as pd

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.progress import track
from encoder_atlas.specialization.paired import bootstrap_p
from encoder_atlas.text import Task
from encoder_atlas.text.checks import text_keys
from encoder_atlas.training import FitSettings, FittedModel, fit

FILE = "few_shot.json"

Draw = Literal["random", "balanced"]

PAPER_SIZES = (4, 16, 32, 100)
PAPER_SEEDS = 30
SHOTS = FitSettings(epochs=20, lr_encoder=2e-5, keep="last", evaluate="end")
"""20 epochs at 2e-5 (Appendix A.2). The rate of the new head is the library's."""


@dataclass(frozen=True)
class FewShot:
    """Accuracy on dev, in [0, 1], of every encoder, size and seed: arm, size, seed, score."""

    target: str
    n: int
    """Dev texts."""
    scores: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """One row an arm, size and seed: target, arm, size, seed, score."""
        table = self.scores.copy()
        table.insert(0, "target", self.target)
        return table

    def save(self, folder: Path) -> None:
        """Write it into ``folder``: one JSON file."""
        content = {"target": self.target, "n": self.n, "scores": self.scores.to_dict(orient="list")}
        (folder / FILE).write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "FewShot":
        """Read what ``save`` wrote. Raises DataError where the file is missing or damaged."""
        try:
            content = json.loads((folder / FILE).read_bytes())
            return cls(content["target"], content["n"], pd.DataFrame(content["scores"]))
        except (OSError, ValueError, KeyError) as error:
            raise DataError(f"{folder} holds no few-shot scores ({error}): measure them again") from None


def few_shot(
    encoders: Mapping[str, Encoder],
    target: Task,
    sizes: Sequence[int] = PAPER_SIZES,
    seeds: Sequence[int] = tuple(range(PAPER_SEEDS)),
    settings: FitSettings = SHOTS,
    *,
    draw: Draw = "random",
    fit_one: Callable[..., FittedModel] = fit,
) -> FewShot:
    """Tune each encoder, whole and with a new head, on a few train texts of ``target``; accuracy on its dev.

    Of one size and seed all encoders get the same texts, the same new head and the same order of batches, so
    that their differences are paired. (The released code has no script for it; how it would run is in its
    options: a random sample of ``size`` texts in all, not by class, and one initial head for all seeds.)

    Args:
        encoders: by the name that tables shall show: those of multi-task models, and the untouched one.
        draw: "random" texts, drawn again where they are of one class; or "balanced", as many of each class as
            can be.
        fit_one: called as ``training.fit`` is; another may keep what it fitted.

    Raises:
        SettingsError: nothing to compare, no size or seed, or a target without classes.
        DataError: more texts wanted than train has, or fewer than two.
    """
    if len(encoders) < 2 or not len(sizes) or not len(seeds):
        raise SettingsError("few-shot transfer holds encoders against each other: two, a size and a seed")
    rows = []
    runs = [(size, seed) for size in sizes for seed in seeds]
    for size, seed in track(runs, f"Few-shot: {target.name}", unit="draw"):
        shots = shots_of(target, size, seed, draw)
        for arm, encoder in encoders.items():
            model = fit_one(encoder, [shots], settings, mode="FT", seed=seed)
            rows.append((arm, size, seed, model.score(shots, metric="accuracy")))
    scores = pd.DataFrame(rows, columns=["arm", "size", "seed", "score"])
    return FewShot(target.name, len(target.split("dev")), scores)


def shots_of(target: Task, size: int, seed: int, draw: Draw = "random") -> Task:
    """The task with ``size`` texts of its train split; a draw of ``seed`` is the same for every encoder.

    Raises:
        SettingsError: a target without classes.
        DataError: fewer than two texts wanted, or more than there are different ones.
    """
    if target.target != "class":
        raise SettingsError(
            f"{target.name!r} has no classes, and few-shot transfer draws by class and measures accuracy: "
            "take a target with classes"
        )
    if size < 2:
        raise DataError(f"{size} texts cannot be of two classes: take at least two")
    train = target.sample("train", _different(target), seed)
    if size > len(train):
        raise DataError(f"{size} texts are wanted, and train of {target.name!r} has {len(train)}")
    if draw == "balanced":
        # The first text of every class, then the second of every class, …: as many of each as can be.
        turn = train.groupby("label").cumcount()
        chosen = train.loc[turn.sort_values(kind="stable").index[:size]]
    else:
        chosen = train.iloc[:size]
        random = np.random.default_rng([seed, size])
        while chosen["label"].nunique() < 2:
            chosen = train.iloc[random.permutation(len(train))[:size]]
    return replace(target, splits=target.splits | {"train": chosen.reset_index(drop=True)})


def few_shot_summary(scores: pd.DataFrame, against: str | None = None) -> pd.DataFrame:
    """One row a target, size and arm: mean, sd (n - 1), seeds, against, p (paired bootstrap, one-sided).

    Args:
        scores: rows of `FewShot.to_frame`, of one target or several.
        against: whom every other arm is tested against; by default the best of the others (the paper does not
            say; its stars in Table 6 fit that and not its plain multi-task row).

    Raises:
        DataError: arms of one target and size with different seeds, or ``against`` that was not measured.
    """
    rows = []
    for key, part in scores.groupby(["target", "size"], sort=False):
        target, size = cast(tuple[str, int], key)
        table = part.pivot(index="seed", columns="arm", values="score")
        if table.isna().any(axis=None):
            raise DataError(f"{target}, {size} texts: not every arm was measured with every seed")
        if against is not None and against not in table:
            raise DataError(f"{target}: nothing was measured for {against!r}")
        means = table.mean()
        for arm in dict.fromkeys(part["arm"]):
            other = against or str(means.drop(arm).idxmax())
            p = (
                np.nan
                if other == arm or len(table) < 2
                else bootstrap_p((table[arm] - table[other]).to_numpy())
            )
            sd = table[arm].std(ddof=1)
            rows.append((target, size, arm, means[arm], sd, len(table), other, p))
    columns = ["target", "size", "arm", "mean", "sd", "seeds", "against", "p"]
    return pd.DataFrame(rows, columns=columns)


def _different(target: Task) -> int:
    return len(set(text_keys(target.split("train"), target.text_columns)))
