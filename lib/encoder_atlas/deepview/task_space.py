"""Where an encoder puts the texts of several tasks: Section 5.3 of the paper, with the control it lacks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64, Int, Shaped
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import KNeighborsClassifier

from encoder_atlas.deepview import cases
from encoder_atlas.deepview.points import check_points
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.view import DeepView
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.show import DecisionMap
from encoder_atlas.text import Task
from encoder_atlas.text.checks import text_keys
from encoder_atlas.training import FittedModel

Represent = Callable[[Task], Shaped[np.ndarray, "..."]]
RESAMPLES = 9999


@dataclass(frozen=True)
class TaskSpace:
    """Texts of several tasks in one space, and a nearest-neighbour classifier that tells the tasks apart.

    The classifier is fitted on `reference` points, and confusions are counted on others, so that no point is
    its own neighbour; no text of a pair stands on both sides either.
    """

    tasks: tuple[str, ...]
    classifier: KNeighborsClassifier
    """Fitted on as many reference points of every task; columns are tasks, in the order of `tasks`."""
    points: Float64[np.ndarray, "points dim"]
    """As many held-out points of every task."""
    task: Int[np.ndarray, "points"]
    """The task each point comes from."""
    rows: Int[np.ndarray, "points"]
    """Its row in the split of that task."""
    predicted: Int[np.ndarray, "points"]
    """The task that the classifier takes it for."""

    @property
    def counts(self) -> Int[np.ndarray, "tasks tasks"]:
        """Confusion matrix: the row is the true task, the column the predicted one."""
        return confusion_matrix(self.task, self.predicted, labels=np.arange(len(self.tasks)))

    @property
    def correct(self) -> Bool[np.ndarray, "points"]:
        """Points whose task the classifier names."""
        return self.task == self.predicted

    def confused(self, first: str, second: str) -> Bool[np.ndarray, "both"]:
        """Points of two tasks, in order: whether each is taken for the other of the two.

        Raises:
            SettingsError: a task that is not there.
        """
        for name in (first, second):
            if name not in self.tasks:
                raise SettingsError(f"there is no task {name!r}; {near(name, self.tasks)}")
        a, b = self.tasks.index(first), self.tasks.index(second)
        other = np.where(self.task == a, b, a)
        return (self.predicted == other)[np.isin(self.task, (a, b))]

    def to_frame(self) -> pd.DataFrame:
        """The confusion matrix, one row a cell: true, predicted, count, share (of the true task's points)."""
        counts = self.counts
        true, predicted = np.indices(counts.shape).reshape(2, -1)
        names = np.array(self.tasks)
        return pd.DataFrame(
            {
                "true": names[true],
                "predicted": names[predicted],
                "count": counts.ravel(),
                "share": (counts / counts.sum(axis=1, keepdims=True)).ravel(),
            }
        )

    def live(self, texts: Sequence[Sequence[str]], settings: DeepViewSettings) -> DecisionMap:
        """The map of the held-out points at λ = 1; see `view` for why no other.

        Args:
            texts: for every task the texts of the split, as a page shows them.
        """
        shown = [texts[int(task)][int(row)] for task, row in zip(self.task, self.rows, strict=True)]
        frame = self.view(settings).frame(1.0)
        return DecisionMap([frame], shown, self.task, self.tasks, title="Which task?")

    def view(self, settings: DeepViewSettings | None = None) -> DeepView:
        """DeepView of the held-out points, with the tasks for classes.

        The classifier's probabilities are votes of k neighbours, so they are constant between steps of 1/k.
        Along a path the Jensen-Shannon sum then counts the steps it meets, which is neither a length nor
        free of n: a path inside one cell has length 0 however long it is, two votes that change within one
        segment count less than two that change in two, and more segments find more steps. Points of one cell
        lie at distance 0 of each other at λ = 0. So read this map at λ = 1, as the paper does for a
        fine-tuned encoder, or with a good share of the cosine.

        Raises:
            SettingsError, DataError: see `DeepView.fit`.
        """
        return DeepView(self.classifier, settings or DeepViewSettings(lambda_=1.0)).fit(self.points)


def task_space(
    tasks: Sequence[Task],
    represent: Represent,
    per_task: int = 100,
    k: int = 5,
    seed: int = 0,
    split: str = "dev",
) -> TaskSpace:
    """Draw ``per_task`` reference and as many held-out texts of every task and tell the tasks apart.

    Tasks count alike, whatever their size, because votes of neighbours follow the commonest. The same
    arguments draw the same texts for every encoder: the space of the multi-task encoder and that of the
    untouched one, its control, can be compared point by point.

    Args:
        tasks: at least two, of different names.
        represent: gives the points of the whole split of a task, in order.
        k: neighbours that vote, by Euclidean distance; of equal votes the first task wins.

    Raises:
        SettingsError: fewer than two tasks; two of one name; k above the number of reference points.
        DataError: a task with too few texts; points that are no finite matrix, or not one a text.
    """
    names = tuple(task.name for task in tasks)
    if len(names) < 2 or len(set(names)) < len(names):
        raise SettingsError(f"a task space needs two tasks or more, of different names (got {list(names)})")
    if not 1 <= k <= per_task * len(tasks):
        raise SettingsError(f"k={k}: from 1 to {per_task * len(tasks)} neighbours can vote")
    halves = [_halves(task, split, per_task, seed) for task in tasks]
    points = [_points_of(task, represent(task), split) for task in tasks]
    reference, shown = (
        np.concatenate([rows[half[side]] for rows, half in zip(points, halves, strict=True)])
        for side in (0, 1)
    )
    task = np.repeat(np.arange(len(tasks)), per_task)
    classifier = KNeighborsClassifier(k).fit(reference, task)
    rows = np.concatenate([held_out for _, held_out in halves])
    return TaskSpace(names, classifier, shown, task, rows, classifier.predict(shown))


def task_spaces(
    tasks: Sequence[Task], models: Mapping[str, FittedModel], represent: cases.Represent, per_task: int
) -> dict[str, TaskSpace]:
    """`task_space` of several models, of the same texts, by the names of the models."""
    return {
        name: task_space(tasks, lambda task, model=model: represent(model, task, "dev"), per_task)
        for name, model in models.items()
    }


def confused_pairs(space: TaskSpace, level: float = 0.95, seed: int = 0) -> pd.DataFrame:
    """Which two tasks are taken for each other, most often first: first, second, count, share, low, high.

    ``share`` is that of both tasks' points, low and high its percentile bootstrap interval over held-out
    points (drawn within tasks; the reference points stay as they are).
    """
    counts, generator = space.counts, np.random.default_rng(seed)
    sizes = counts.sum(axis=1)
    drawn = np.stack(
        [generator.multinomial(n, row / n, RESAMPLES) for n, row in zip(sizes, counts, strict=True)]
    )
    rows = []
    for a, b in zip(*np.triu_indices(len(sizes), 1), strict=True):
        both, total = drawn[a, :, b] + drawn[b, :, a], sizes[a] + sizes[b]
        low, high = np.quantile(both / total, [(1 - level) / 2, (1 + level) / 2])
        count = int(counts[a, b] + counts[b, a])
        rows.append((space.tasks[a], space.tasks[b], count, count / total, low, high))
    table = pd.DataFrame(rows, columns=["first", "second", "count", "share", "low", "high"])
    return table.sort_values("share", ascending=False, kind="stable", ignore_index=True)


def confusion_frame(spaces: Mapping[str, TaskSpace]) -> pd.DataFrame:
    """The confusion matrices of several encoders one below the other: model, then `TaskSpace.to_frame`."""
    return _stacked({name: space.to_frame() for name, space in spaces.items()})


def confused_pairs_frame(spaces: Mapping[str, TaskSpace]) -> pd.DataFrame:
    """The confused pairs of several encoders one below the other: model, then `confused_pairs`."""
    return _stacked({name: confused_pairs(space) for name, space in spaces.items()})


def _stacked(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    if not tables:
        raise DataError("there are no task spaces to show: give at least one")
    for name, table in tables.items():
        table.insert(0, "model", name)
    return pd.concat(tables.values(), ignore_index=True)


def _halves(
    task: Task, split: str, size: int, seed: int
) -> tuple[Int[np.ndarray, "size"], Int[np.ndarray, "size"]]:
    """Rows for reference and rows held out, so many of each; rows that share a text stay on one side."""
    keys = text_keys(task.split(split), task.text_columns)
    group = _linked(keys)
    order = np.random.default_rng(seed).permutation(group.max() + 1)
    # The first row of equal ones stands for all.
    unique = np.array(sorted({key: row for row, key in reversed(list(enumerate(keys)))}.values()))
    rows = unique[np.argsort(order[group[unique]], kind="stable")]
    held_out = rows[:size]
    reference = rows[~np.isin(group[rows], group[held_out])][:size]
    if len(reference) < size:
        raise DataError(
            f"task {task.name!r} has too few texts in {split!r} for {size} of reference and {size} held out: "
            f"{len(unique)} different ones, of which those that share a sentence must stay together"
        )
    return reference, held_out


def _linked(keys: Sequence[tuple[str, ...]]) -> Int[np.ndarray, "rows"]:
    """A number for each row; the same for rows that share a text, directly or over others."""
    texts, _ = pd.factorize(np.array([text for key in keys for text in key], dtype=object))
    rows = np.repeat(np.arange(len(keys)), len(keys[0]))
    n = len(keys) + texts.max() + 1
    links = coo_array((np.ones(len(rows)), (rows, len(keys) + texts)), shape=(n, n))
    return connected_components(links, directed=False)[1][: len(keys)]


def _points_of(
    task: Task, points: Shaped[np.ndarray, "..."], split: str
) -> Float64[np.ndarray, "points dim"]:
    if len(points) != len(task.split(split)):
        raise DataError(
            f"task {task.name!r} has {len(task.split(split))} texts in {split!r}, but {len(points)} points"
        )
    return check_points(points)
