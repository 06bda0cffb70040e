"""Every choice that a DeepView map depends on; the paper's and the released code's readings are values."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.errors import SettingsError

Metric = Literal["cosine", "euclidean"]
Control = Literal["endpoint", "path"]
Blend = Literal["max", "none"]
SegmentReading = Literal["segments", "released"]
CertaintyReading = Literal["absolute", "relative"]
MismatchReading = Literal["point", "grid"]
QDataReading = Literal["held_out", "background"]
NeighbourRoute = Literal["auto", "full", "nearest"]

MANY_POINTS = 2000
"""Up to here all distances are measured; beyond, the neighbours only (`auto` of `neighbour_route`)."""


class DeepViewSettings(BaseModel):
    """What is measured, embedded and drawn. The defaults are the readings that the book uses.

    Where the paper and the authors' released code differ, or leave something open, the field says what each
    of them does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    lambda_: float = Field(default=0.8, ge=0, le=1)
    """Weight of the control distance: 1 is control only, 0 is the classifier only (Eq. 1)."""

    segments: int = Field(default=10, ge=1)
    """n of Eq. 1: into how many steps the line between two points is cut."""

    segment_reading: SegmentReading = "segments"
    """`segments`: n steps, as Eq. 1 says; `released`: n + 1 steps, as the released code walks."""

    metric: Metric = "cosine"
    """d_S of Eq. 1. The paper takes the cosine distance for representations of sentences."""

    control: Control = "endpoint"
    """d_S between the end points (released code), or summed along the `path` (Eq. 1 to the letter)."""

    blend: Blend = "max"
    """Each term divided by its maximum over all pairs (released code), or `none` (Eq. 1)."""

    n_neighbors: int = Field(default=30, ge=2)
    """UMAP: how many neighbours make a point's local neighbourhood."""

    min_dist: float = Field(default=0.1, ge=0, le=1)
    """UMAP: how close points may lie in the plane."""

    seed: int = Field(default=42, ge=0, lt=2**32)
    """Seed of UMAP, of the held-out points of Q_data, and of what is drawn when there are many points."""

    neighbour_route: NeighbourRoute = "auto"
    """`full`: all distances, as the released code; `nearest`: the exact nearest neighbours only, without the
    matrix of all distances (see `nearest`); `auto`: `nearest` above 2,000 points. Time and memory of `full`
    grow with the square of the number of points."""

    inverse_centres: int = Field(default=2000, ge=2)
    """At most so many points, drawn by the seed, are centres of the inverse map; the released code takes all,
    whose time grows with the cube of their number."""

    inverse_steps: int = Field(default=2000, ge=0)
    """Gradient steps of the inverse map (released code); they are taken in closed form."""

    inverse_rate: float = Field(default=0.1, gt=0)
    """Step size of those steps (released code)."""

    inverse_scale: float = Field(default=500.0, gt=0)
    """The kernel's sharpness times the mean extent of the embedding (released code)."""

    resolution: int = Field(default=100, ge=2)
    """Grid nodes along each axis of the background."""

    margin: float = Field(default=0.1, ge=0)
    """Share of the embedding's extent that the grid adds on each side."""

    certainty: CertaintyReading = "absolute"
    """1 - entropy / ln C, or `relative` to the least certain node of the same plot (released code)."""

    mismatch: MismatchReading = "point"
    """Where a ring reads the background: at the `point` itself, or at the nearest `grid` node (released)."""

    knn: int = Field(default=5, ge=1)
    """k of Q_kNN."""

    q_data: QDataReading = "held_out"
    """`held_out`: error on points the inverse map was not fitted on (what Tables 7-9 are); `background`:
    share of points that disagree with the background under them (the paper's text)."""

    held_out: float = Field(default=0.3, gt=0, lt=1)
    """Share of the points held out for Q_data."""

    listed_neighbours: int = Field(default=8, ge=1)
    """How many nearest points, by blended distance, a frame lists for each point."""

    allow_one_class: bool = False
    """Draw a map even when the classifier gives all points one class (a map without a boundary)."""

    @property
    def path_segments(self) -> int:
        """How many steps a path has under the chosen reading of n."""
        return self.segments + (self.segment_reading == "released")

    def measures_all(self, n_points: int) -> bool:
        """Whether all distances between so many points are measured, or those of the nearest only."""
        return self.neighbour_route == "full" or (self.neighbour_route == "auto" and n_points <= MANY_POINTS)


def check_lambda(lambda_: float) -> float:
    """Return λ when it lies in [0, 1], else raise `SettingsError`."""
    if not 0 <= lambda_ <= 1:
        raise SettingsError(
            f"lambda_={lambda_} is outside [0, 1]: 1 is the control distance only, 0 the classifier only"
        )
    return float(lambda_)
