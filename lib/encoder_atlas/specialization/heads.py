"""Sets of heads: the most important, the least important and random ones, and what two sets share.

A set is a boolean array (layers, heads), True for its heads.
"""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.settings import RandomReading, check_alpha


def head_count(alpha: float, n_layers: int, n_heads: int) -> int:
    """How many heads the share ``alpha`` of all layers' heads is: int(α·L·H), as in the released code.

    >>> head_count(0.3, 12, 12), head_count(0.3, 24, 16), head_count(0.3, 6, 12)
    (43, 115, 21)

    Raises:
        SettingsError: α outside [0, 1], or so small that it selects no head.
    """
    total = n_layers * n_heads
    # 0.29 · 100 is 28.999… in binary: a whole number missed by rounding alone is that number.
    count = math.floor(check_alpha(alpha) * total + 1e-9)
    if count == 0:
        raise SettingsError(f"alpha={alpha} selects no head of {total}: take at least {1 / total:.3g}")
    return count


def top_heads(scores: Float[np.ndarray, "layers heads"], alpha: float) -> Bool[np.ndarray, "layers heads"]:
    """The int(α·L·H) heads of highest score, over all layers at once: a layer may lose all its heads.

    Of equal scores the lower layer counts first, then the lower head.

    Raises:
        DataError: scores that are not finite numbers.
        SettingsError: see `head_count`.
    """
    return _first(-_checked(scores), head_count(alpha, *scores.shape))


def least_heads(scores: Float[np.ndarray, "layers heads"], alpha: float) -> Bool[np.ndarray, "layers heads"]:
    """The int(α·L·H) heads of lowest score; equal scores as in `top_heads`. Raises as `top_heads` does."""
    return _first(_checked(scores), head_count(alpha, *scores.shape))


def random_heads(
    n_sets: int,
    n_layers: int,
    n_heads: int,
    alpha: float,
    seed: int = 0,
    reading: RandomReading = "uniform",
) -> Bool[np.ndarray, "sets layers heads"]:
    """Draw sets of int(α·L·H) heads; the first sets are the same however many are drawn.

    Args:
        reading: "uniform" any heads; "released" such that every layer keeps one head.

    Raises:
        SettingsError: see `head_count`; or more heads than can go when every layer keeps one.
    """
    total, count = n_layers * n_heads, head_count(alpha, n_layers, n_heads)
    if reading == "released" and count > total - n_layers:
        raise SettingsError(
            f"alpha={alpha} takes {count} of {total} heads, and every layer cannot keep one: lower alpha, or "
            "use reading='uniform'"
        )
    sets = np.zeros((n_sets, total), dtype=bool)
    for number, row in enumerate(sets):
        random = np.random.default_rng([seed, number])
        kept = n_heads * np.arange(n_layers) + random.integers(n_heads, size=n_layers)
        free = np.delete(np.arange(total), kept) if reading == "released" else np.arange(total)
        row[random.choice(free, count, replace=False)] = True
    return sets.reshape(n_sets, n_layers, n_heads)


def overlap(a: Bool[np.ndarray, "layers heads"], b: Bool[np.ndarray, "layers heads"]) -> float:
    """Share of the heads of ``a`` that ``b`` holds too, in [0, 1]; the sets are of one size, as in Table 11.

    Raises:
        DataError: sets of different sizes, or empty ones.
    """
    if a.sum() != b.sum() or not a.any():
        raise DataError(f"an overlap needs two sets of one size, not {a.sum()} and {b.sum()} heads")
    return float((a & b).sum() / a.sum())


def overlaps(sets: Mapping[str, Bool[np.ndarray, "layers heads"]]) -> pd.DataFrame:
    """Overlap of every two sets, in percent; the diagonal is 100."""
    rows = [[100 * overlap(a, b) for b in sets.values()] for a in sets.values()]
    return pd.DataFrame(rows, index=list(sets), columns=list(sets))


def by_layer(heads: Bool[np.ndarray, "layers heads"]) -> Int[np.ndarray, " layers"]:
    """How many heads of each layer a set holds."""
    return heads.sum(axis=1)


def layer_frame(sets: Mapping[str, Bool[np.ndarray, "layers heads"]]) -> pd.DataFrame:
    """One row a set and layer: set, layer (from 1, as the paper counts), heads."""
    rows = [
        (name, layer, int(heads))
        for name, members in sets.items()
        for layer, heads in enumerate(by_layer(members), start=1)
    ]
    return pd.DataFrame(rows, columns=["set", "layer", "heads"])


def _checked(scores: Float[np.ndarray, "layers heads"]) -> Float[np.ndarray, "layers heads"]:
    if not np.isfinite(scores).all():
        layer, head = np.argwhere(~np.isfinite(scores))[0]
        raise DataError(f"the importance of head {head + 1} in layer {layer + 1} is {scores[layer, head]}")
    return scores


def _first(order: Float[np.ndarray, "layers heads"], count: int) -> Bool[np.ndarray, "layers heads"]:
    chosen = np.zeros(order.size, dtype=bool)
    chosen[np.argsort(order, axis=None, kind="stable")[:count]] = True
    return chosen.reshape(order.shape)
