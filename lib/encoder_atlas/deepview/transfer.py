"""Does an encoder fine-tuned on one task serve another? The check that ends Section 5.3 of the paper."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64
from scipy.stats import bootstrap

from encoder_atlas.deepview.models import Fit, models_of
from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.progress import track
from encoder_atlas.text import Task
from encoder_atlas.text.baselines import majority_accuracy, second_text_accuracy, word_overlap_accuracy
from encoder_atlas.training import FitSettings, FittedModel, fit

WHOLE = "fine-tuned on the target"
RESAMPLES = 9999
_NUMBERS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Transfer:
    """Which dev examples of the target each way of reaching it gets right."""

    target: str
    correct: Mapping[str, Bool[np.ndarray, "seeds points"]]
    baselines: Mapping[str, float]
    """Accuracy on dev, in [0, 1], of what needs no encoder: see `baselines_of`."""
    source: str = ""
    """Which entry of ``correct`` is the transfer in question, where it was made `with_controls`."""
    unrelated: str = ""
    """Which is its control, an encoder that was fine-tuned on another task."""

    def hits(self, encoder: str) -> Float64[np.ndarray, "points"]:
        """Each example's share of seeds that got it right; the mean is the accuracy.

        Raises:
            SettingsError: no such encoder.
        """
        if encoder not in self.correct:
            raise SettingsError(f"nothing was measured for {encoder!r}; {near(encoder, self.correct)}")
        return self.correct[encoder].mean(axis=0)

    def gain(self, encoder: str, over: str) -> Float64[np.ndarray, "points"]:
        """Example by example, what ``encoder`` gets right above ``over``; the mean is the gain in accuracy.

        Raises:
            SettingsError: no such encoder.
        """
        return self.hits(encoder) - self.hits(over)

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row an encoder: encoder, accuracy in [0, 1], low, high, seeds, n.

        The interval is a percentile bootstrap over examples; the spread over seeds is not in it.
        """
        rows = [
            (name, *_interval(self.hits(name), level), *correct.shape)
            for name, correct in self.correct.items()
        ]
        table = pd.DataFrame(rows, columns=["encoder", "accuracy", "low", "high", "seeds", "n"])
        return table.assign(target=self.target)


def baselines_of(task: Task) -> dict[str, float]:
    """Accuracy on dev, in [0, 1], without an encoder: the commonest class; of pairs also what the second text
    alone gives away, and which words the two have in common. What is not above them has not been understood.
    """
    found = {"commonest class": majority_accuracy(task)}
    if task.kind == "pair":
        found["second text alone"] = second_text_accuracy(task)
        found["words in common"] = word_overlap_accuracy(task)
    return found


def learned_table(models: Sequence[FittedModel], tasks: Sequence[Task], level: float = 0.95) -> pd.DataFrame:
    """Has a task been learned at all? A row a task: accuracy of its models with an interval, and baselines.

    The interval is a percentile bootstrap over dev examples.
    """
    rows = {}
    for task in tasks:
        right = _correct(list(models_of(models, task).values()), task)
        value, low, high = _interval(right.mean(axis=0), level)
        sizes = {"train": len(task.split("train")), "dev": len(task.split("dev"))}
        rows[task.name] = {**sizes, "accuracy": value, "low": low, "high": high, **baselines_of(task)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")


def head_transfer(
    target: Task,
    frozen: Mapping[str, Mapping[int, Encoder]],
    fine_tuned: Mapping[str, Mapping[int, FittedModel]] | None = None,
    settings: FitSettings | None = None,
    fit_head: Callable[..., FittedModel] = fit,
) -> Transfer:
    """Freeze encoders, train a new head on ``target`` for each, and hold them against whole fine-tuning.

    The paper freezes the encoder that was fine-tuned on MNLI and gets 0.76 on RTE, against 0.68 of
    fine-tuning on RTE alone. Two controls tell a synergy of these tasks from what any encoder would give: the
    untouched encoder, and one that was fine-tuned on an unrelated task.

    Args:
        frozen: encoders by the name that tables shall show, then by seed; each gets a new head of that seed.
        fine_tuned: models that were fitted to the target, likewise; they are measured as they are.
        settings: of the new heads; by default the last epoch is kept, for dev measures and must not choose.
            Heads of mode PT have hidden layers; with ``mlp_widths=()`` they are linear.
        fit_head: called as ``training.fit`` is; another may keep what it fitted.

    Raises:
        SettingsError: nothing to compare; a name twice; see `training.fit`.
        DataError: an entry without a single encoder or model.
    """
    fine_tuned = fine_tuned or {}
    _check_names(frozen, fine_tuned)
    settings = settings or FitSettings(keep="last")
    correct: dict[str, Bool[np.ndarray, "seeds points"]] = {}
    for name, encoders in track(frozen.items(), f"New heads for {target.name}", unit="encoder"):
        models = [
            fit_head(encoder, [target], settings, mode="PT", seed=seed) for seed, encoder in encoders.items()
        ]
        correct[name] = _correct(models, target)
    correct |= {name: _correct(list(models.values()), target) for name, models in fine_tuned.items()}
    return Transfer(target.name, correct, baselines_of(target))


def transfer_with_controls(
    source: Task,
    target: Task,
    others: Sequence[Task],
    fit_model: Fit,
    fit_head: Callable[..., FittedModel],
    settings: FitSettings,
    seeds: Sequence[int],
) -> Transfer:
    """`head_transfer` from ``source`` to ``target``, with both controls and whole fine-tuning beside it.

    The unrelated task is the first of ``others`` that is neither of the two.

    Args:
        fit_model: gives the model of a task, mode and seed, as ``Chapter.fit`` does.
        fit_head, settings: see `head_transfer`.

    Raises:
        SettingsError: no unrelated task.
    """
    unrelated = next((task for task in others if task.name not in (source.name, target.name)), None)
    if unrelated is None:
        raise SettingsError(f"the control needs a task that is neither {source.name!r} nor {target.name!r}")
    frozen = {
        f"fine-tuned on {task.name}": {seed: fit_model(task, "FT", seed).encoder for seed in seeds}
        for task in (source, unrelated)
    }
    frozen["untouched"] = {seed: fit_model(target, "PT", seed).encoder for seed in seeds}
    whole = {WHOLE: {seed: fit_model(target, "FT", seed) for seed in seeds}}
    found = head_transfer(target, frozen, whole, settings, fit_head)
    return replace(found, source=f"fine-tuned on {source.name}", unrelated=f"fine-tuned on {unrelated.name}")


def _check_names(
    frozen: Mapping[str, Mapping[int, Encoder]], fine_tuned: Mapping[str, Mapping[int, FittedModel]]
) -> None:
    if both := sorted(frozen.keys() & fine_tuned.keys()):
        raise SettingsError(f"{both[0]!r} names a frozen encoder and a fine-tuned model: rename one")
    everyone = {**frozen, **fine_tuned}
    if len(everyone) < 2:
        raise SettingsError("a transfer is held against something: give at least two encoders or models")
    for name, entries in everyone.items():
        if not len(entries):
            raise DataError(f"{name!r} holds no encoder: give one for each seed")


def _correct(models: Sequence[FittedModel], target: Task) -> Bool[np.ndarray, "seeds points"]:
    texts, labels = target.texts("dev"), target.labels("dev")
    return np.stack([model.logits(target.name, texts).argmax(axis=1) == labels for model in models])


def _interval(hits: Float64[np.ndarray, "points"], level: float) -> tuple[float, float, float]:
    found = bootstrap(
        (hits,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method="percentile",
        batch=max(1, _NUMBERS_AT_ONCE // len(hits)),
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(hits.mean()), float(found.low), float(found.high)
