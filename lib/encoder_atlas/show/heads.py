"""What a grid of heads must hold to be drawn, and the check that it does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray

from encoder_atlas.errors import DataError


@dataclass(frozen=True, eq=False)
class HeadStep:
    """What holds at one place of the slider: at one share α of pruned heads, or one coefficient of a penalty.

    Attributes
    ----------
    value
        The number at the slider. Steps are shown in order of it.
    selected
        The heads singled out: those pruned for each task, or those that stay open.
    performance
        In percent: a row for each task's selected heads, a column for each measure (see ``HeadScores``). NaN
        is not measured.
    dissociation
        D_i of each task in percentage points. Its mean is shown as D.
    scores
        Scores of this step alone, in place of ``HeadScores.values``: gates learned at this coefficient.
    note
        A sentence that the page shows with this step, such as the kind of dissociation.
    """

    value: float
    selected: Bool[ndarray, "tasks layers heads"]
    performance: Float[ndarray, "tasks measures"] | None = None
    dissociation: Float[ndarray, " tasks"] | None = None
    scores: Float[ndarray, "tasks layers heads"] | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class HeadScores:
    """A score of every head for every task, from one run.

    Attributes
    ----------
    tasks
        What the rows of ``values`` belong to: tasks, or models such as "DEP alone" and "all five".
    values
        A score of at least 0; larger is more important, or more open.
    steps
        What the slider shows. Without any there is no slider and no head is singled out.
    measures
        What performance was measured on: the columns of its table. By default the tasks.
    run
        What the run is called where several are compared.
    counted
        How many rows, from the first, are tasks that can share a head; by default all. A model of all tasks
        at once stands after them and counts as none more.
    """

    tasks: Sequence[str]
    values: Float[ndarray, "tasks layers heads"]
    steps: Sequence[HeadStep] = ()
    measures: Sequence[str] | None = None
    run: str = ""
    counted: int | None = None

    @property
    def sharing(self) -> int:
        """How many rows can share a head."""
        return len(self.tasks) if self.counted is None else self.counted


@dataclass(frozen=True)
class HeadWords:
    """What the quantities are called, on the page and in figures; the defaults are those of chapter 2."""

    step: str = "α"
    score: str = "importance"
    selected: str = "pruned"
    performance: str = "Relative performance (%)"
    rows: str = "pruned for"


def check_runs(runs: Sequence[HeadScores]) -> list[HeadScores]:
    """Give the runs with their steps in order of value, or say what keeps them from being drawn.

    Raises
    ------
    DataError
        No run, task, layer or head; a name given twice or empty; a score that is negative or not a number;
        shapes that disagree; one step's value twice; performance in fractions; runs of different tasks, heads
        or steps.
    """
    if not runs:
        raise DataError("a grid of heads needs at least one run: give HeadScores")
    for run in runs:
        _check_run(run, f" of run {run.run!r}" if len(runs) > 1 else "")
    if len(runs) > 1:
        _check_names("runs", [run.run for run in runs])
        for run in runs[1:]:
            _check_alike(runs[0], run)
    ordered = [sorted(run.steps, key=lambda step: step.value) for run in runs]
    return [
        replace(run, tasks=list(run.tasks), steps=steps, measures=list(run.measures or run.tasks))
        for run, steps in zip(runs, ordered, strict=True)
    ]


def as_runs(scores: HeadScores | Sequence[HeadScores]) -> list[HeadScores]:
    """Give one run or several as ``check_runs`` does, where at most three go into one picture."""
    runs = check_runs([scores] if isinstance(scores, HeadScores) else scores)
    if len(runs) > 3:
        raise DataError(
            f"{len(runs)} runs do not fit into one picture, which has three colours; draw up to 3"
        )
    return runs


def step_index(value: float | None, run: HeadScores, name: str) -> int:
    """Find the step whose value is given among those of a checked run; none means the first.

    Raises ``DataError`` where there is no such step.
    """
    values = [step.value for step in run.steps]
    if value is None:
        return 0
    near = [index for index, known in enumerate(values) if np.isclose(known, value, rtol=1e-9, atol=0)]
    if not near:
        known = ", ".join(f"{known:g}" for known in values) or "no steps"
        raise DataError(f"no step at {name} = {value:g}; there are {known}")
    return near[0]


def check_scale(runs: Sequence[HeadScores], scale: str) -> None:
    """Raise ``DataError`` where ``scale`` is no scale, or its colours could not tell the scores apart."""
    if scale not in ("share", "value"):
        raise DataError(f"scale {scale!r} is neither 'share' nor 'value'")
    largest = max(scores.max() for run in runs for scores in all_scores(run))
    if scale == "value" and largest > 1:
        raise DataError(f"scale 'value' is for scores in [0, 1], and one is {largest:g}; use scale='share'")


def all_scores(run: HeadScores) -> list[Float[ndarray, "tasks layers heads"]]:
    """Give the scores that hold at each step, or where there are no steps those that hold at all."""
    return [run.values if step.scores is None else step.scores for step in run.steps] or [run.values]


def _check_run(run: HeadScores, where: str) -> None:
    _check_names(f"tasks{where}", run.tasks)
    if run.measures is not None:
        _check_names(f"measures{where}", run.measures)
    if run.values.ndim != 3 or len(run.values) != len(run.tasks) or 0 in run.values.shape:
        raise DataError(
            f"values{where} have shape {run.values.shape}; "
            f"wanted (tasks, layers, heads) with {len(run.tasks)} tasks and at least one head"
        )
    if not 0 <= run.sharing <= len(run.tasks):
        raise DataError(f"counted={run.counted}: there are {len(run.tasks)} rows{where}")
    _check_scores(f"values{where}", run.values, run.tasks)
    numbers = [step.value for step in run.steps]
    if not np.isfinite(numbers).all():
        raise DataError(f"steps{where}: a step's value is NaN or infinite")
    if len(set(numbers)) < len(numbers):
        twice = next(value for value in numbers if numbers.count(value) > 1)
        raise DataError(f"steps{where}: the value {twice:g} comes more than once; give each step once")
    for step in run.steps:
        _check_step(step, run, f" of the step {step.value:g}{where}")
    known = [step.performance for step in run.steps if step.performance is not None]
    if known and 0 < np.nanmax(known, initial=0) <= 1.5:
        raise DataError(
            f"performance{where} is nowhere above {np.nanmax(known):g}: give percent, not fractions"
        )


def _check_step(step: HeadStep, run: HeadScores, where: str) -> None:
    measures = len(run.tasks if run.measures is None else run.measures)
    wanted = {
        "selected": run.values.shape,
        "scores": run.values.shape,
        "performance": (len(run.tasks), measures),
        "dissociation": (len(run.tasks),),
    }
    for name, shape in wanted.items():
        given = getattr(step, name)
        if given is not None and given.shape != shape:
            raise DataError(f"{name}{where} has shape {given.shape}; wanted {shape}")
    if step.scores is not None:
        _check_scores(f"scores{where}", step.scores, run.tasks)
    if step.performance is not None and np.isinf(step.performance).any():
        raise DataError(f"performance{where} holds an infinite number; NaN says that it was not measured")
    if step.dissociation is not None and not np.isfinite(step.dissociation).all():
        task = run.tasks[int(np.argmin(np.isfinite(step.dissociation)))]
        raise DataError(f"dissociation{where} is NaN or infinite for task {task!r}")


def _check_scores(name: str, scores: Float[ndarray, "tasks layers heads"], tasks: Sequence[str]) -> None:
    bad = np.argwhere(~(np.isfinite(scores) & (scores >= 0)))
    if len(bad):
        task, layer, head = bad[0]
        raise DataError(
            f"{name}: task {tasks[task]!r}, layer {layer + 1}, head {head + 1} is {scores[tuple(bad[0])]:g}; "
            f"scores are finite and at least 0 ({len(bad)} are not)"
        )


def _check_names(what: str, names: Sequence[str]) -> None:
    if not names:
        raise DataError(f"{what}: none given; a grid of heads needs at least one")
    for name in names:
        if not name.strip():
            raise DataError(f"{what}: one has no name")
        if list(names).count(name) > 1:
            raise DataError(f"{what}: {name!r} comes more than once; names tell them apart")


def _check_alike(first: HeadScores, other: HeadScores) -> None:
    pair = f"runs {first.run!r} and {other.run!r}"
    if list(first.tasks) != list(other.tasks):
        raise DataError(f"{pair} hold different tasks: {list(first.tasks)} and {list(other.tasks)}")
    if first.values.shape != other.values.shape:
        raise DataError(f"{pair} differ in layers or heads: {first.values.shape} and {other.values.shape}")
    if list(first.measures or first.tasks) != list(other.measures or other.tasks):
        raise DataError(f"{pair} were measured on different things; give both the same measures")
    values = [sorted(step.value for step in run.steps) for run in (first, other)]
    if values[0] != values[1]:
        raise DataError(f"{pair} have different steps: {values[0]} and {values[1]}")
