"""Maps side by side, the Python side: what is packed, what is refused, what stands in print."""

import base64
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.show import DecisionMaps

NAMES = ["negative", "positive"]
TEXTS = [f"sentence {index}" for index in range(40)]


def build(maps: dict[str, Any], **changes: Any) -> DecisionMaps:
    labels = next(iter(maps.values())).predicted if maps else np.zeros(40, dtype=int)
    return DecisionMaps(maps, **({"texts": TEXTS, "labels": labels, "class_names": NAMES} | changes))


def test_maps_stand_in_the_order_given(frames: list[Any]) -> None:
    shown = build({"right first": frames[3], "then left": frames[0]})
    assert [(frame["name"], frame["lambda"]) for frame in shown.frames] == [
        ("right first", 1.0),
        ("then left", 0.0),
    ]
    assert len(shown.predicted) == 40, "one row holds for both"


def test_each_model_keeps_its_answers(frames: list[Any]) -> None:
    other = frames[0].but(predicted=1 - frames[0].predicted)
    sure = {name: np.full((40, 2), 0.5) for name in ("MT", "FT")}
    sure["FT"][:] = [0.25, 0.75]
    shown = build({"MT": frames[0], "FT": other}, probabilities=sure)
    predicted = np.frombuffer(shown.predicted, "u1").reshape(2, 40)
    assert np.array_equal(predicted, [frames[0].predicted, other.predicted])
    confidence = np.frombuffer(shown.confidence, "<f4").reshape(2, 40)
    assert confidence[0] == pytest.approx(0.5)
    assert confidence[1] == pytest.approx(np.where(other.predicted, 0.75, 0.25))


def test_bad_input(frames: list[Any]) -> None:
    with pytest.raises(DataError, match="at least one frame"):
        build({})
    with pytest.raises(DataError, match="texts: 1 given for 40"):
        build({"a": frames[0]}, texts=["one"])
    with pytest.raises(DataError, match=r"probabilities are of \['b'\], the maps are \['a'\]"):
        build({"a": frames[0]}, probabilities={"b": np.full((40, 2), 0.5)})
    broken = frames[0].but(q_knn=30.0)
    with pytest.raises(DataError, match=r"q_knn of the map 'FT': 30\.0 is no error rate"):
        build({"MT": frames[1], "FT": broken})
    small = frames[1].but(grid_class=np.zeros((5, 5), int), grid_certainty=np.ones((5, 5)))
    with pytest.raises(DataError, match="differ in size"):
        build({"MT": frames[0], "FT": small})


def test_png_for_pages_that_cannot_move(frames: list[Any]) -> None:
    bundle = build({"one": frames[0], "two": frames[1]})._repr_mimebundle_()
    assert bundle is not None
    assert base64.b64decode(bundle[0]["image/png"]).startswith(b"\x89PNG\r\n")
    assert not plt.get_fignums()
