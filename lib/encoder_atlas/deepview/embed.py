"""From distances to the plane: UMAP on a matrix that is already computed."""

import warnings
from typing import Any

import numpy as np
from jaxtyping import Float32, Float64
from scipy.linalg import orthogonal_procrustes

from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.errors import DataError, SettingsError

# Said of every seeded fit on precomputed distances; nothing is wrong then.
_HARMLESS = ("n_jobs value", "using precomputed metric")


def reducer(settings: DeepViewSettings) -> Any:
    """The UMAP that DeepView uses, not yet fitted: metric precomputed, seeded, the rest UMAP's defaults."""
    # umap compiles on import, which costs seconds: only who embeds shall pay.
    import umap

    return umap.UMAP(
        metric="precomputed",
        n_neighbors=settings.n_neighbors,
        min_dist=settings.min_dist,
        random_state=settings.seed,
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
    with warnings.catch_warnings():
        for message in _HARMLESS:
            warnings.filterwarnings("ignore", message=message)
        embedding = np.asarray(reducer(settings).fit_transform(distances), dtype=np.float32)
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
