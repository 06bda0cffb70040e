"""What stands for an object in a key: equal contents alike, other contents not."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.runs.chapter import Chapter, open_chapter
from encoder_atlas.runs.contents import content
from encoder_atlas.text import Task

CALLS: list[int] = []


@dataclass(frozen=True)
class Box:
    inner: np.ndarray
    name: str


def doubled(numbers: np.ndarray, times: int = 2) -> pd.DataFrame:
    CALLS.append(times)
    return pd.DataFrame({"number": times * numbers})


doubled.__module__ = "encoder_atlas.specialization.tests"


def test_arrays_differ_by_values_shape_and_type() -> None:
    four = np.arange(4)
    made = [content(array) for array in (four, four.reshape(2, 2), four.astype(np.int32), four + 1)]
    assert len({str(part) for part in made}) == 4
    assert content(four) == content(np.arange(4))


def test_dataclasses_and_containers_are_gone_through() -> None:
    box = Box(np.arange(2), "x")
    assert content({"k": [box, (1, "a")]}) == {"k": [{"inner": content(np.arange(2)), "name": "x"}, [1, "a"]]}


def test_a_task_is_its_texts(chapter: Chapter) -> None:
    task = chapter.task
    other = Task(**{**task.__dict__, "splits": task.splits | {"dev": task.split("dev").iloc[:-1]}})
    assert content(task) != content(other)
    assert content(task) == content(Task(**task.__dict__))


def test_an_encoder_is_its_weights(chapter: Chapter) -> None:
    before = content(chapter.encoder)
    assert before == content(open_chapter("01_deepview", {"profile": "tiny"}).encoder)


def test_a_measurement_is_made_once(chapter: Chapter) -> None:
    CALLS.clear()
    first = chapter.keep(doubled, np.arange(3))
    again = chapter.keep(doubled, np.arange(3))
    pd.testing.assert_frame_equal(first, again)
    assert CALLS == [2]
    chapter.keep(doubled, np.arange(3), times=3)
    chapter.keep(doubled, np.arange(4))
    assert CALLS == [2, 3, 2]


@pytest.fixture
def chapter(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Chapter:
    monkeypatch.setenv("ENCODER_ATLAS_STORE", str(tmp_path))
    return open_chapter("01_deepview", {"profile": "tiny"})
