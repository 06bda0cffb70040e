"""From the plane back to the space of the points: the inverse map of DeepView."""

import numpy as np
from jaxtyping import Float, Float64, Int
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.errors import DataError, SettingsError

_ROWS_AT_ONCE = 1024


class InverseMap:
    """A normalised radial-basis network with the embedded points as centres (released code; the paper names
    only "a Radial Basis Function network").

    x(e) = Σ_j w_j(e) s_j, with weights w_j(e) = k(|e - e_j|) / Σ_l k(|e - e_l|), kernel k(d) = 1 / (1 + a d²)
    and a = scale / mean extent of the embedding's two axes. The supports S start as the points Y and take T
    gradient steps S ← S - η Wᵀ(W S - Y), where W are the weights of the centres themselves. Stopping early is
    the only regularisation.

    The steps are not walked. With Δ = S - Y each one is Δ ← Δ - η (WᵀW Δ - Wᵀ(Y - W Y)), so after T of them,
    with WᵀW = V diag(μ) Vᵀ, Δ = V diag((1 - (1 - ημ)^T) / μ) Vᵀ Wᵀ (Y - W Y).

    Of more than ``settings.inverse_centres`` points (N), so many (M), drawn by the seed, are centres. This is
    our reading for many points: the released code takes all, which costs N² numbers and N³ operations. The
    supports are still fitted to all points, with W of N rows and M columns, by steps of η M / N, so that a
    centre is pulled as far as by one point of its own.
    """

    def __init__(
        self,
        embedding: Float[np.ndarray, "points 2"],
        points: Float64[np.ndarray, "points dim"],
        settings: DeepViewSettings,
    ) -> None:
        """Fit the map that leads from ``embedding`` to ``points``.

        Raises:
            DataError: all points lie at one place of the plane.
            SettingsError: steps of ``inverse_rate`` would not converge.
        """
        extent = float(np.ptp(embedding.astype(np.float64), axis=0).mean())
        if extent == 0:
            raise DataError("all points lie at one place of the plane: there is nothing to map back")
        self._sharpness = settings.inverse_scale / extent
        centres = _draw_centres(len(embedding), settings)
        self._centres = embedding[centres].astype(np.float64)
        self._supports = self._fit(embedding, points, centres, settings)

    def __call__(self, places: Float[np.ndarray, "places 2"]) -> Float64[np.ndarray, "places dim"]:
        """Map places of the plane to points."""
        chunks = (places[at : at + _ROWS_AT_ONCE] for at in range(0, len(places), _ROWS_AT_ONCE))
        return np.concatenate([self._weights(chunk) @ self._supports for chunk in chunks])

    def _weights(self, places: Float[np.ndarray, "places 2"]) -> Float64[np.ndarray, "places points"]:
        kernel = cdist(places.astype(np.float64), self._centres, "sqeuclidean")
        kernel *= self._sharpness
        kernel += 1
        np.reciprocal(kernel, out=kernel)
        kernel /= kernel.sum(axis=1, keepdims=True)
        return kernel

    def _fit(
        self,
        embedding: Float[np.ndarray, "points 2"],
        points: Float64[np.ndarray, "points dim"],
        centres: Int[np.ndarray, "centres"],
        settings: DeepViewSettings,
    ) -> Float64[np.ndarray, "centres dim"]:
        start = points[centres]
        square, pull = np.zeros((len(centres),) * 2), np.zeros_like(start)
        for at in range(0, len(points), _ROWS_AT_ONCE):
            weights = self._weights(embedding[at : at + _ROWS_AT_ONCE])
            square += weights.T @ weights
            pull += weights.T @ (points[at : at + _ROWS_AT_ONCE] - weights @ start)
        # Divide and conquer: for thousands of points several times faster than scipy's default.
        curvature, axes = eigh(square, overwrite_a=True, check_finite=False, driver="evd")
        share = len(centres) / len(points)
        decay = settings.inverse_rate * share * curvature
        if decay[-1] >= 2:
            raise SettingsError(
                f"inverse_rate={settings.inverse_rate} is too large for this embedding, the inverse map "
                f"would diverge: take less than {2 / share / curvature[-1]:.3g}"
            )
        gain = settings.inverse_rate * share * _summed_decay(decay, settings.inverse_steps)
        return start + axes @ (gain[:, None] * (axes.T @ pull))


def _draw_centres(n_points: int, settings: DeepViewSettings) -> Int[np.ndarray, "centres"]:
    if n_points <= settings.inverse_centres:
        return np.arange(n_points)
    drawn = np.random.default_rng(settings.seed).choice(n_points, settings.inverse_centres, replace=False)
    return np.sort(drawn)


def _summed_decay(decay: Float64[np.ndarray, "points"], steps: int) -> Float64[np.ndarray, "points"]:
    """Σ_{t < steps} (1 - x)^t = (1 - (1 - x)^steps) / x for each x of ``decay``, to full precision near 0."""
    # The smallest eigenvalues are zero up to rounding, so either side of it.
    x = np.maximum(decay, np.finfo(np.float64).tiny)
    power = np.where(x < 0.5, -np.expm1(steps * np.log1p(-np.minimum(x, 0.5))), 1 - (1 - x) ** steps)
    return power / x
