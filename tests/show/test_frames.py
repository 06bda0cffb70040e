"""What cannot be drawn is refused by name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.show import MapFrame, check_frames

NAMES = ["negative", "positive"]


def test_frames_come_in_order_of_lambda(frames: list[Any]) -> None:
    shuffled = [frames[2], frames[0], frames[3], frames[1]]
    assert isinstance(frames[0], MapFrame)
    assert check_frames(shuffled, frames[0].predicted, NAMES) == frames


def spoilt(array: np.ndarray, at: Any, value: float) -> np.ndarray:
    copy = array.copy()
    copy[at] = value
    return copy


BAD: list[tuple[str, Callable[[Any], dict[str, Any]]]] = [
    ("embedding of the frame at λ = 0.8: 39 given for 40", lambda f: {"embedding": f.embedding[:-1]}),
    ("predicted of the frame at λ = 0.8: 39 given", lambda f: {"predicted": f.predicted[:-1]}),
    ("neighbours of the frame at λ = 0.8: 39 given", lambda f: {"neighbours": f.neighbours[:-1]}),
    ("point 3 is NaN or infinite", lambda f: {"embedding": spoilt(f.embedding, (3, 1), np.nan)}),
    ("point 5 is NaN or infinite", lambda f: {"embedding": spoilt(f.embedding, (5, 0), np.inf)}),
    ("extent .* has no area", lambda f: {"extent": (1.0, 1.0, 0.0, 2.0)}),
    ("grid_class and grid_certainty differ in shape", lambda f: {"grid_certainty": f.grid_certainty[1:]}),
    (r"grid_certainty .* \[0, 1\]", lambda f: {"grid_certainty": spoilt(f.grid_certainty, (0, 0), np.nan)}),
    (r"grid_certainty .* \[0, 1\]", lambda f: {"grid_certainty": f.grid_certainty + 1}),
    ("background .* class 2 has no name .*1=positive", lambda f: {"background": spoilt(f.background, 0, 2)}),
    ("grid_class .* class -1 has no name", lambda f: {"grid_class": spoilt(f.grid_class, (0, 0), -1)}),
    ("an index lies outside 0 … 39", lambda f: {"neighbours": spoilt(f.neighbours, (0, 0), 40)}),
    ("q_knn .* 4.2 is no error rate", lambda f: {"q_knn": 4.2}),
]


@pytest.mark.parametrize(("message", "change"), BAD)
def test_bad_frame(frame: Any, message: str, change: Callable[[Any], dict[str, Any]]) -> None:
    with pytest.raises(DataError, match=message):
        check_frames([frame.but(**change(frame))], frame.predicted, NAMES)


def test_bad_labels(frame: Any) -> None:
    with pytest.raises(DataError, match="labels: class 7 has no name"):
        check_frames([frame], spoilt(frame.predicted, 0, 7), NAMES)
    with pytest.raises(DataError, match="at least one point"):
        check_frames([frame], np.array([], dtype=int), NAMES)


def test_frames_that_do_not_belong_together(frames: list[Any]) -> None:
    labels = frames[0].predicted
    with pytest.raises(DataError, match="at least one frame"):
        check_frames([], labels, NAMES)
    with pytest.raises(DataError, match=r"λ = 0\.4 comes in more than one frame"):
        check_frames([frames[0], frames[1], frames[1]], labels, NAMES)
    with pytest.raises(DataError, match=r"grids at λ = 0 and λ = 0\.4 differ in size"):
        half = frames[1].but(
            grid_class=frames[1].grid_class[::2], grid_certainty=frames[1].grid_certainty[::2]
        )
        check_frames([frames[0], half], labels, NAMES)
    with pytest.raises(DataError, match=r"predictions at λ = 0 and λ = 0\.4 differ"):
        check_frames([frames[0], frames[1].but(predicted=1 - labels)], labels, NAMES)
