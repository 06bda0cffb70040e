"""From distances to the plane: UMAP on distances, or on neighbours, that are already computed."""

import warnings
from typing import Any

import numpy as np
from jaxtyping import Float32, Float64, Int
from scipy.linalg import orthogonal_procrustes

from encoder_atlas.deepview.nearest import Neighbours
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.errors import DataError, SettingsError

# Said of every seeded fit on precomputed distances or neighbours; nothing is wrong then. The last two say
# that new points cannot be added later, which is not asked for.
_HARMLESS = (
    "n_jobs value",
    "using precomputed metric",
    r"precomputed_knn\[2\]",
    "transform is not currently available",
)


def reducer(settings: DeepViewSettings, neighbours: Neighbours | None = None) -> Any:
    """The UMAP that DeepView uses, not yet fitted: seeded, the rest UMAP's defaults.

    It is to be fitted on a matrix of distances or, given ``neighbours``, on the points that they are of.
    """
    # umap compiles on import, which costs seconds: only who embeds shall pay.
    import umap

    chosen: dict[str, Any] = {"metric": "precomputed"}
    if neighbours is not None:
        # With its neighbours given, UMAP measures only how far apart the parts of a graph in pieces are.
        chosen = {"metric": "euclidean", "precomputed_knn": _with_self(neighbours, settings.n_neighbors)}
    return umap.UMAP(
        n_neighbors=settings.n_neighbors, min_dist=settings.min_dist, random_state=settings.seed, **chosen
    )


def embed(
    distances: Float64[np.ndarray, "points points"], settings: DeepViewSettings
) -> Float32[np.ndarray, "points 2"]:
    """Lay points out in the plane so that neighbours in ``distances`` stay neighbours.

    The same distances, settings and library versions give the same coordinates; the coordinates themselves
    mean nothing, only who is near whom does.

    Raises:
        SettingsError: not more points than ``settings.n_neighbors``.
        DataError: UMAP found no finite layout.
    """
    check_neighbours(len(distances), settings)
    return _laid_out(reducer(settings), distances)


def embed_neighbours(
    points: Float64[np.ndarray, "points dim"], neighbours: Neighbours, settings: DeepViewSettings
) -> Float32[np.ndarray, "points 2"]:
    """`embed` without the matrix of distances: of every point only its nearest neighbours are needed.

    UMAP builds the same graph of neighbours from both, as it looks no further; only where the graph falls
    into pieces are the pieces laid out by the distance between the means of their ``points``.

    Raises:
        SettingsError: not more points than ``settings.n_neighbors``, or fewer neighbours than that less one.
        DataError: UMAP found no finite layout.
    """
    check_neighbours(len(points), settings)
    if neighbours.indices.shape[1] < settings.n_neighbors - 1:
        raise SettingsError(
            f"n_neighbors={settings.n_neighbors} needs {settings.n_neighbors - 1} others of every point, but "
            f"there are {neighbours.indices.shape[1]}"
        )
    return _laid_out(reducer(settings, neighbours), points)


def _with_self(
    neighbours: Neighbours, n_neighbors: int
) -> tuple[Int[np.ndarray, "points k"], Float32[np.ndarray, "points k"]]:
    """Neighbours as UMAP counts them: the point itself is its first."""
    own = np.arange(len(neighbours.indices))[:, None]
    indices = np.hstack([own, neighbours.indices[:, : n_neighbors - 1]])
    distances = np.hstack([np.zeros_like(own), neighbours.distances[:, : n_neighbors - 1]])
    return indices, distances.astype(np.float32)


def _laid_out(umap: Any, data: Float64[np.ndarray, "points columns"]) -> Float32[np.ndarray, "points 2"]:
    with warnings.catch_warnings():
        for message in _HARMLESS:
            warnings.filterwarnings("ignore", message=message)
        embedding = np.asarray(umap.fit_transform(data), dtype=np.float32)
    if not np.isfinite(embedding).all():
        raise DataError("UMAP found no finite layout: remove duplicate points or lower n_neighbors")
    return embedding


def turned_towards(
    embedding: Float32[np.ndarray, "points 2"], other: Float32[np.ndarray, "points 2"]
) -> Float32[np.ndarray, "points 2"]:
    """Turn, mirror and shift an embedding so that its points lie as near as they can to another's.

    UMAP leaves all three to chance. No distance in the plane changes (orthogonal Procrustes).
    """
    centred, target = embedding - embedding.mean(axis=0), other - other.mean(axis=0)
    rotation = orthogonal_procrustes(centred, target)[0]
    return (centred @ rotation + other.mean(axis=0)).astype(np.float32)


def check_neighbours(n_points: int, settings: DeepViewSettings) -> None:
    """Raise `SettingsError` unless every point can have all the neighbours that the settings ask for."""
    for name in ("n_neighbors", "knn", "listed_neighbours"):
        wanted = getattr(settings, name)
        if n_points <= wanted:
            raise SettingsError(
                f"{name}={wanted} needs more than {wanted} points, but there are {n_points}: "
                f"take more points or lower {name}"
            )
