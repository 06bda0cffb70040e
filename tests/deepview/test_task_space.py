from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from encoder_atlas.deepview import DeepViewSettings
from encoder_atlas.deepview.task_space import (
    TaskSpace,
    confused_pairs,
    confused_pairs_frame,
    confusion_frame,
    task_space,
)
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.text import Task

CENTRES = {"reviews": 0.0, "plots": 1.0, "speeches": 30.0}


def pair_task(name: str, dev: list[tuple[str, str]]) -> Task:
    train = pd.DataFrame({"first": ["a", "b"], "second": ["c", "d"], "label": [0, 1]})
    frame = pd.DataFrame(dev, columns=["first", "second"]).assign(label=0)
    columns = ("first", "second")
    return Task(name, "pair", columns, ("no", "yes"), "accuracy", {"train": train, "dev": frame}, "A test.")


def single_task(name: str, size: int) -> Task:
    return pair_task(name, [(f"{name} {row}", f"second {name} {row}") for row in range(size)])


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return [single_task(name, 60 + extra) for extra, name in enumerate(CENTRES)]


def around_centres(task: Task) -> np.ndarray:
    """Reviews and plots overlap, speeches lie far off."""
    noise = np.random.default_rng(len(task.split("dev"))).normal(size=(len(task.split("dev")), 4))
    return noise + CENTRES[task.name]


@pytest.fixture(scope="module")
def space(tasks: list[Task]) -> TaskSpace:
    return task_space(tasks, around_centres, per_task=30, seed=1)


def test_tasks_count_alike_and_no_point_judges_itself(space: TaskSpace, tasks: list[Task]) -> None:
    assert np.bincount(space.task).tolist() == [30, 30, 30]
    for number, task in enumerate(tasks):
        rows = space.rows[space.task == number]
        assert len(set(rows)) == 30
        assert space.points[space.task == number] == pytest.approx(around_centres(task)[rows])
    assert space.counts.sum() == 90
    assert space.classifier.n_samples_fit_ == 90
    distances, _ = space.classifier.kneighbors(space.points)
    assert distances.min() > 0, "a reference point is held out as well"


def test_confusions_are_those_of_scikit_learn(space: TaskSpace) -> None:
    literal = np.zeros((3, 3), dtype=int)
    for true, point in zip(space.task, space.points, strict=True):
        literal[true, space.classifier.predict(point[None])[0]] += 1
    assert space.counts.tolist() == literal.tolist()
    assert space.correct.mean() == pytest.approx(np.trace(literal) / 90)
    table = space.to_frame()
    assert table["count"].tolist() == literal.ravel().tolist()
    assert table["share"].to_numpy().reshape(3, 3).sum(axis=1) == pytest.approx(1)
    assert table.iloc[1][["true", "predicted"]].tolist() == ["reviews", "plots"]


def hand_made(predicted: list[int]) -> TaskSpace:
    """Four points of task a, four of b, two of c."""
    classifier = KNeighborsClassifier(1).fit(np.arange(3.0)[:, None], np.arange(3))
    task = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    return TaskSpace(("a", "b", "c"), classifier, np.zeros((10, 1)), task, task, np.array(predicted))


def test_confused_pairs_by_hand() -> None:
    made = hand_made([0, 1, 1, 2, 1, 0, 1, 1, 2, 2])
    table = confused_pairs(made)
    found = list(table[["first", "second", "count"]].itertuples(index=False, name=None))
    assert found == [("a", "b", 3), ("a", "c", 1), ("b", "c", 0)]
    assert table["share"].tolist() == pytest.approx([3 / 8, 1 / 6, 0])
    low, share, high = table[["low", "share", "high"]].to_numpy().T
    assert ((low <= share) & (share <= high)).all()
    assert table["high"].tolist()[2] == 0, "nothing confused, nothing to draw"
    assert made.confused("a", "b").tolist() == [False, True, True, False, False, True, False, False]
    assert made.confused("b", "a").mean() == pytest.approx(3 / 8)


def test_the_interval_is_a_bootstrap_within_tasks() -> None:
    made = hand_made([0, 1, 1, 2, 1, 0, 1, 1, 2, 2])
    generator, shares = np.random.default_rng(3), []
    for _ in range(4000):
        drawn = np.concatenate([generator.choice(np.arange(start, start + 4), 4) for start in (0, 4)])
        wrong = ((made.task == 0) & (made.predicted == 1)) | ((made.task == 1) & (made.predicted == 0))
        shares.append(wrong[drawn].mean())
    expected = np.quantile(shares, [0.025, 0.975])
    assert confused_pairs(made).iloc[0][["low", "high"]].tolist() == pytest.approx(expected, abs=1e-9)


def test_the_near_tasks_are_the_confused_ones(space: TaskSpace) -> None:
    table = confused_pairs(space)
    assert table.iloc[0][["first", "second"]].tolist() == ["reviews", "plots"]
    assert table["low"].iloc[0] > table["high"].iloc[1] == 0


def test_a_control_is_measured_on_the_same_texts(space: TaskSpace, tasks: list[Task]) -> None:
    far = task_space(tasks, lambda task: 50 * around_centres(task) ** 3, per_task=30, seed=1)
    assert (far.rows == space.rows).all()
    frame = confusion_frame({"MT": space, "PT": far})
    assert frame["model"].tolist() == ["MT"] * 9 + ["PT"] * 9
    assert frame["count"].to_numpy().sum() == 180
    pairs = confused_pairs_frame({"MT": space, "PT": far})
    assert list(pairs.columns) == ["model", "first", "second", "count", "share", "low", "high"]
    difference = space.confused("reviews", "plots") * 1.0 - far.confused("reviews", "plots")
    assert difference.shape == (60,)
    other = task_space(tasks, around_centres, per_task=30, seed=2)
    assert not np.array_equal(other.rows, space.rows)


def test_pairs_that_share_a_sentence_stay_on_one_side() -> None:
    # Ten chains: x-y, y-z share y, so that all three rows hang together.
    chains = [
        pair
        for n in range(10)
        for pair in ((f"x{n}", f"Y{n}"), (f"y{n} ", f"z{n}"), (f"w{n}", f"z{n}"), (f"w{n}", f"z{n}"))
    ]
    task = pair_task("chains", chains)
    other = single_task("single", 40)

    def chain_and_half(task: Task) -> np.ndarray:
        rows = np.arange(len(task.split("dev")), dtype=float)
        return np.stack([rows, np.full_like(rows, task.name == "chains")], axis=1)

    for seed in range(5):
        found = task_space([task, other], chain_and_half, per_task=8, k=1, seed=seed)
        held_out = found.rows[found.task == 0]
        fitted = np.asarray(found.classifier._fit_X)
        reference = fitted[fitted[:, 1] == 1, 0].astype(int)
        assert not {row // 4 for row in held_out} & {row // 4 for row in reference}
        assert not {row for row in (*held_out, *reference) if row % 4 == 3}, "of equal rows the first stands"


def test_the_map_of_a_task_space(space: TaskSpace) -> None:
    view = space.view(DeepViewSettings(n_neighbors=10, resolution=8, segments=3))
    assert (view.predicted == space.predicted).all()
    frame = view.frame(1.0)
    assert set(np.unique(frame.grid_class)) <= {0, 1, 2}
    steps = view.probabilities * 5
    assert steps == pytest.approx(steps.round()), "votes of five neighbours"
    inside = (view.discriminative == 0).sum() > len(view.points)
    assert inside, "different points with equal votes all the way lie at distance 0"


@pytest.mark.parametrize(
    ("names", "how", "error", "message"),
    [
        (["reviews"], {}, SettingsError, "two tasks or more, of different names"),
        (["reviews", "reviews"], {}, SettingsError, "of different names"),
        (["reviews", "plots"], {"k": 0}, SettingsError, "k=0: from 1 to 40 neighbours"),
        (["reviews", "plots"], {"k": 41}, SettingsError, "k=41"),
        (["reviews", "plots"], {"per_task": 31}, DataError, "'reviews' has too few texts in 'dev' for 31"),
        (["reviews", "plots"], {"split": "devel"}, DataError, "no split 'devel'; did you mean 'dev'"),
    ],
)
def test_spaces_that_cannot_be(
    tasks: list[Task], names: list[str], how: dict[str, int], error: type[Exception], message: str
) -> None:
    chosen = [next(task for task in tasks if task.name == name) for name in names]
    with pytest.raises(error, match=message):
        task_space(chosen, around_centres, **({"per_task": 20} | how))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("represent", "message"),
    [
        (lambda task: around_centres(task)[:-1], "'reviews' has 60 texts in 'dev', but 59 points"),
        (lambda task: around_centres(task) * np.nan, "NaN or infinity"),
    ],
)
def test_points_that_cannot_be(
    tasks: list[Task], represent: Callable[[Task], np.ndarray], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        task_space(tasks, represent, per_task=20)


def test_names_that_are_not_there(space: TaskSpace) -> None:
    with pytest.raises(SettingsError, match="no task 'review'; did you mean 'reviews'"):
        space.confused("review", "plots")
    with pytest.raises(DataError, match="no task spaces"):
        confusion_frame({})
