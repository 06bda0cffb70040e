"""What a decision map must hold to be drawn, and the check that it does."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray

from encoder_atlas.errors import DataError


@runtime_checkable
class MapFrame(Protocol):
    """One decision map: the points and the background at one λ.

    Row 0 of the grid lies at ``ymin``, column 0 at ``xmin``, and its outer nodes lie on ``extent``. Certainty
    is 1 where the classifier is sure and 0 where it guesses. ``neighbours`` come from the blended distance
    that the picture was made of, nearest first. The qualities are errors in [0, 1].
    """

    @property
    def lambda_(self) -> float: ...
    @property
    def embedding(self) -> Float[ndarray, "points 2"]: ...
    @property
    def extent(self) -> tuple[float, float, float, float]: ...
    @property
    def grid_class(self) -> Int[ndarray, "rows cols"]: ...
    @property
    def grid_certainty(self) -> Float[ndarray, "rows cols"]: ...
    @property
    def predicted(self) -> Int[ndarray, " points"]: ...
    @property
    def background(self) -> Int[ndarray, " points"]: ...
    @property
    def neighbours(self) -> Int[ndarray, "points k"]: ...
    @property
    def q_knn(self) -> float: ...
    @property
    def q_data(self) -> float: ...


def check_frames(
    frames: Sequence[MapFrame], labels: Int[ndarray, " points"], class_names: Sequence[str]
) -> list[MapFrame]:
    """Give the frames in order of λ, or say what keeps them from being drawn.

    Raises
    ------
    DataError
        No frames or points; lengths that disagree; a class outside ``class_names``; a coordinate or certainty
        that is not a number; one λ twice; grids of different sizes; frames of different predictions.
    """
    _check_each({f"the frame at λ = {frame.lambda_:g}": frame for frame in frames}, labels, class_names)
    _check_together(frames)
    return sorted(frames, key=lambda frame: frame.lambda_)


def check_side_by_side(
    maps: Mapping[str, MapFrame],
    labels: Int[ndarray, " points"],
    class_names: Sequence[str],
    probabilities: Mapping[str, Float[ndarray, "points classes"]] | None = None,
) -> None:
    """Say what keeps named maps from being drawn side by side.

    Raises
    ------
    DataError
        As ``check_frames``, except that maps may differ in their predictions and share a λ; ``probabilities``
        of other names than the maps.
    """
    _check_each({f"the map {name!r}": frame for name, frame in maps.items()}, labels, class_names)
    _check_grids(list(maps.values()))
    if probabilities is not None and set(probabilities) != set(maps):
        raise DataError(f"probabilities are of {sorted(probabilities)}, the maps are {sorted(maps)}")


def check_length(name: str, found: int, points: int) -> None:
    """Raise ``DataError`` where ``name`` does not hold one entry a point."""
    if found != points:
        raise DataError(f"{name}: {found} given for {points} labels; give one a point, in the same order")


def _check_each(
    frames: Mapping[str, MapFrame], labels: Int[ndarray, " points"], class_names: Sequence[str]
) -> None:
    if not frames:
        raise DataError("a decision map needs at least one frame: give one for each λ")
    if not len(labels):
        raise DataError("a decision map needs at least one point")
    _check_classes("labels", labels, class_names)
    for where, frame in frames.items():
        _check_frame(where, frame, len(labels), class_names)


def _check_frame(where: str, frame: MapFrame, points: int, class_names: Sequence[str]) -> None:
    for name in ("embedding", "predicted", "background", "neighbours"):
        check_length(f"{name} of {where}", len(getattr(frame, name)), points)
    for name in ("predicted", "background", "grid_class"):
        _check_classes(f"{name} of {where}", getattr(frame, name), class_names)
    if not np.isfinite(frame.embedding).all():
        bad = np.flatnonzero(~np.isfinite(frame.embedding).all(axis=1))
        raise DataError(f"embedding of {where}: point {bad[0]} is NaN or infinite ({len(bad)} such points)")
    left, right, bottom, top = frame.extent
    if not (left < right and bottom < top):
        raise DataError(f"extent of {where}: {frame.extent} has no area; it is (xmin, xmax, ymin, ymax)")
    if frame.grid_class.shape != frame.grid_certainty.shape:
        raise DataError(f"{where}: grid_class and grid_certainty differ in shape")
    if not ((frame.grid_certainty >= 0) & (frame.grid_certainty <= 1)).all():
        raise DataError(f"grid_certainty of {where}: values must lie in [0, 1]")
    for name in ("q_knn", "q_data"):
        if not 0 <= getattr(frame, name) <= 1:
            raise DataError(f"{name} of {where}: {getattr(frame, name)} is no error rate; it lies in [0, 1]")
    if frame.neighbours.size and not (0 <= frame.neighbours.min() <= frame.neighbours.max() < points):
        raise DataError(f"neighbours of {where}: an index lies outside 0 … {points - 1}")


def _check_classes(name: str, classes: Int[ndarray, "..."], class_names: Sequence[str]) -> None:
    outside = classes[(classes < 0) | (classes >= len(class_names))]
    if outside.size:
        known = ", ".join(f"{index}={text}" for index, text in enumerate(class_names))
        raise DataError(f"{name}: class {outside[0]} has no name in class_names ({known})")


def _check_together(frames: Sequence[MapFrame]) -> None:
    lambdas = [frame.lambda_ for frame in frames]
    twice = {value for value in lambdas if lambdas.count(value) > 1}
    if twice:
        raise DataError(f"λ = {min(twice):g} comes in more than one frame; give each λ once")
    _check_grids(frames)
    for frame in frames[1:]:
        if not np.array_equal(frame.predicted, frames[0].predicted):
            pair = f"λ = {frames[0].lambda_:g} and λ = {frame.lambda_:g}"
            raise DataError(f"the predictions at {pair} differ; all frames must come from one classifier")


def _check_grids(frames: Sequence[MapFrame]) -> None:
    for frame in frames[1:]:
        if frame.grid_class.shape != frames[0].grid_class.shape:
            pair = f"λ = {frames[0].lambda_:g} and λ = {frame.lambda_:g}"
            raise DataError(f"the grids at {pair} differ in size; use one resolution")
