"""The widget's Python side: what it packs, what it refuses, what it shows where nothing moves."""

import base64
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.show import DecisionMap

NAMES = ["negative", "positive"]


def build(given: list[Any], **changes: Any) -> DecisionMap:
    settings: dict[str, Any] = {
        "frames": given,
        "texts": [f"sentence {index}" for index in range(40)],
        "labels": given[0].predicted,
        "class_names": NAMES,
    }
    return DecisionMap(**(settings | changes))


def test_packing_round_trip(frames: list[Any]) -> None:
    shown = build([frames[1], frames[0]], neighbours=3)
    assert [entry["lambda"] for entry in shown.frames] == [0.0, 0.4]
    assert shown.frames[1]["extent"] == list(frames[1].extent)
    rows, cols = shown.grid
    kept = {
        "embeddings": ("<f4", (2, 40, 2), [frame.embedding for frame in frames[:2]]),
        "backgrounds": ("u1", (2, 40), [frame.background for frame in frames[:2]]),
        "grid_class": ("u1", (2, rows, cols), [frame.grid_class for frame in frames[:2]]),
        "neighbours": ("<u2", (2, 40, 3), [frame.neighbours[:, :3] for frame in frames[:2]]),
    }
    for name, (dtype, shape, expected) in kept.items():
        unpacked = np.frombuffer(getattr(shown, name), dtype).reshape(shape)
        assert unpacked == pytest.approx(np.array(expected), rel=1e-6), name
    certainty = np.frombuffer(shown.grid_certainty, "u1").reshape(2, rows, cols) / 255
    assert certainty == pytest.approx(np.array([frame.grid_certainty for frame in frames[:2]]), abs=0.5 / 255)
    assert list(shown.labels) == list(frames[0].predicted)


def test_confidence_is_the_probability_of_the_predicted_class(frames: list[Any]) -> None:
    probabilities = np.full((40, 2), 0.25)
    probabilities[np.arange(40), frames[0].predicted] = 0.75
    shown = build(frames, probabilities=probabilities)
    assert np.frombuffer(shown.confidence, "<f4") == pytest.approx(np.full(40, 0.75))
    assert build(frames).confidence == b""


def test_frame_shown_first(frames: list[Any]) -> None:
    assert build(frames).lambda_ == 1.0
    assert build(frames, lambda_=0.4).frame == 1
    with pytest.raises(DataError, match=r"no frame at λ = 0.5; there are 0, 0.4, 0.8, 1"):
        build(frames, lambda_=0.5)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("texts: 1 given for 40", {"texts": ["one"]}),
        ("ids: 2 given for 40", {"ids": ["a", "b"]}),
        ("ids: 'a' comes more than once", {"ids": ["a"] * 40}),
        ("at least one frame", {"frames": []}),
        (r"probabilities have shape \(40, 3\)", {"probabilities": np.zeros((40, 3))}),
        ("were logits given", {"probabilities": np.full((40, 2), -3.0)}),
        ("were logits given", {"probabilities": np.full((40, 2), np.nan)}),
        ("class 1 has no name", {"class_names": ["negative"]}),
    ],
)
def test_bad_input(frames: list[Any], message: str, changes: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=message):
        build(frames, **changes)


def test_selection_from_python(frames: list[Any]) -> None:
    shown = build(frames)
    shown.selected = ["3", "5"]
    with pytest.raises(DataError, match="no point has the id '40x'; there are 40, such as '0'"):
        shown.selected = ["40x"]
    with pytest.raises(DataError, match="frame 9 is not one of 0 … 3"):
        shown.frame = 9
    assert shown.selected == ["3", "5"]


def test_png_for_pages_that_cannot_move(frames: list[Any]) -> None:
    bundle = build(frames)._repr_mimebundle_()
    assert bundle is not None
    assert "application/vnd.jupyter.widget-view+json" in bundle[0]
    assert base64.b64decode(bundle[0]["image/png"]).startswith(b"\x89PNG\r\n")
    assert not plt.get_fignums()
