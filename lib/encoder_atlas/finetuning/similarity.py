"""How alike two models are, layer by layer, from the same tokens: RSA and linear CKA.

Both compare the matrices of similarities that two models give to all pairs of tokens, and both can be had
from products of features (hidden × hidden) instead: no matrix of pairs is ever made.
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from encoder_atlas.errors import DataError

BLOCK = 1024  # points that are turned to float64 at a time
SAME = 1e-24  # a variance of cosines that is nothing but rounding

States = Float[np.ndarray, "layers points hidden"]
Others = Float[np.ndarray, "other_layers other_points other_hidden"]
NAMES = ("the first model", "the second model")


def rsa(states_a: States, states_b: Others, names: tuple[str, str] = NAMES) -> Float64[np.ndarray, " layers"]:
    """Pearson's correlation, over all pairs of different points, of their cosines in a and in b, by layer.

    With vectors of length one, u = c + w around their mean c, a cosine is c·c + c·w_i + c·w_j + w_i·w_j. So
    the matrix of cosines, less a constant, is a product of two narrow matrices, and the sum over all pairs of
    what two models have in common is a sum over features × features. Sums are in float64, over blocks of
    points, and of deviations only: cosines between .99 and 1 keep their digits. Time is points × hidden²,
    memory some hidden² and a block.

    Source: Kriegeskorte et al. 2008; Merchant et al. 2020 use it so. Kernel and correlation are our reading.

    Args:
        names: what errors call the two.

    Returns:
        Numbers from −1 to 1; 1 where one model's vectors are the other's, turned or scaled.

    Raises:
        DataError: layers or points that do not go together, fewer than 3 points, a vector that is zero or
            not finite, or points of which all pairs are equally alike.
    """
    _check(states_a, states_b, names, 3)
    layers = enumerate(zip(states_a, states_b, strict=True))
    return np.array(
        [_pearson(a, b, [f"{name}, layer {layer}" for name in names]) for layer, (a, b) in layers]
    )


def cka(
    states_a: States, states_b: Others, names: tuple[str, str] = NAMES, *, debiased: bool = True
) -> Float64[np.ndarray, " layers"]:
    """Linear centred kernel alignment of a and b by layer: HSIC(a, b) / √(HSIC(a, a) HSIC(b, b)).

    Unlike RSA it weighs vectors by their length, centres them, and compares inner products.

    Args:
        debiased: with the unbiased HSIC (Song et al. 2012), which is about 0 for unrelated vectors however
            few there are; else with the biased one, ‖AᵀB‖² of centred features (Kornblith et al. 2019), which
            rises with hidden / points.

    Returns:
        Numbers up to 1, where one model's vectors are the other's, turned, moved or scaled; the biased ones
        are at least 0.

    Raises:
        DataError: layers or points that do not go together, fewer than 4 points, a vector that is not finite,
            or points that are all the same.
    """
    _check(states_a, states_b, names, 4)
    layers = enumerate(zip(states_a, states_b, strict=True))
    return np.array(
        [_alignment(a, b, [f"{name}, layer {layer}" for name in names], debiased) for layer, (a, b) in layers]
    )


def _check(states_a: States, states_b: Others, names: tuple[str, str], least: int) -> None:
    if states_a.shape[:2] != states_b.shape[:2]:
        found = " and ".join(
            f"{layers} layers × {points} points" for layers, points, _ in (states_a.shape, states_b.shape)
        )
        raise DataError(f"{names[0]} and {names[1]} must be seen at the same points: they have {found}")
    if states_a.shape[1] < least:
        raise DataError(
            f"{states_a.shape[1]} points: at least {least} are needed, and some hundred to say much"
        )


def _pearson(a: np.ndarray, b: np.ndarray, names: list[str]) -> float:
    n = len(a)
    means = [_mean(_units(x, name)) for x, name in zip((a, b), names, strict=True)]
    own = [1 - float(mean @ mean) for mean in means]  # what is left of a point's cosine with itself
    products = _products(
        *(_deviations(x, mean, name) for x, mean, name in zip((a, b), means, names, strict=True))
    )
    # Each pair of different points stands twice in a sum over all, and each point once with itself.
    off = {pair: _paired(product) - n * own[pair[0]] * own[pair[1]] for pair, product in products.items()}
    # Deviations sum to nothing over all pairs, so over different points they sum to what the diagonal lacks.
    shared = {pair: off[pair] - n * own[pair[0]] * own[pair[1]] / (n - 1) for pair in off}
    for which, name in enumerate(names):
        if shared[which, which] <= SAME * n * (n - 1):
            raise DataError(f"{name}: all pairs of points are equally alike, so nothing can be correlated")
    return float(np.clip(shared[0, 1] / np.sqrt(shared[0, 0] * shared[1, 1]), -1, 1))


def _units(x: np.ndarray, name: str) -> Iterator[Float64[Tensor, "points hidden"]]:
    """The vectors of each block, scaled to length one."""
    for start in range(0, len(x), BLOCK):
        rows = torch.from_numpy(np.ascontiguousarray(x[start : start + BLOCK])).double()
        lengths = rows.norm(dim=1, keepdim=True)
        bad = ~(torch.isfinite(lengths) & (lengths > 0))
        if bad.any():
            point = int(bad.flatten().int().argmax())
            what = "zero" if lengths[point] == 0 else "not finite"
            raise DataError(
                f"{name}: the vector of point {start + point} is {what} and has no cosine: leave it out"
            )
        yield rows / lengths


def _deviations(x: np.ndarray, mean: Tensor, name: str) -> Iterator[Float64[Tensor, "points features"]]:
    """Of each point c·w, 1 and w: with the first two exchanged on one side, they multiply to a cosine's
    deviation from c·c."""
    for rows in _units(x, name):
        rest = rows - mean
        yield torch.cat([(rest @ mean)[:, None], torch.ones(len(rows), 1, dtype=rows.dtype), rest], dim=1)


def _paired(product: Float64[Tensor, "features other"]) -> float:
    """Σ_ij of the two deviations of points i and j, from the product of the features of the two models."""
    exchanged = product.clone()
    exchanged[:2] = product[:2].flip(0)
    exchanged[:, :2] = exchanged[:, :2].flip(1)
    return float((product * exchanged).sum())


def _mean(blocks: Iterator[Float64[Tensor, "points hidden"]]) -> Float64[Tensor, " hidden"]:
    total, n = torch.zeros(()), 0
    for rows in blocks:
        total, n = total + rows.sum(0), n + len(rows)
    return total / n


def _products(
    first: Iterator[Float64[Tensor, "points features"]], second: Iterator[Float64[Tensor, "points other"]]
) -> dict[tuple[int, int], Float64[Tensor, "features other"]]:
    """Features × features of each with itself, and of the first with the second."""
    found: dict[tuple[int, int], Tensor] = {}
    for blocks in zip(first, second, strict=True):
        for pair in ((0, 0), (1, 1), (0, 1)):
            product = blocks[pair[0]].T @ blocks[pair[1]]
            found[pair] = found[pair] + product if pair in found else product
    return found


def _alignment(a: np.ndarray, b: np.ndarray, names: list[str], debiased: bool) -> float:
    means = [_mean(_rows(x, name)) for x, name in zip((a, b), names, strict=True)]
    centred = lambda: [_centred(*of) for of in zip((a, b), means, names, strict=True)]  # noqa: E731
    hsic = {pair: float((product**2).sum()) for pair, product in _products(*centred()).items()}
    for which, name in enumerate(names):
        if hsic[which, which] == 0:
            raise DataError(f"{name}: all points are the same, so nothing can be aligned")
    if debiased:
        norms = [torch.cat([(rows**2).sum(1) for rows in blocks]) for blocks in centred()]
        hsic = {pair: _unbiased(value, norms[pair[0]], norms[pair[1]]) for pair, value in hsic.items()}
    return hsic[0, 1] / float(np.sqrt(hsic[0, 0] * hsic[1, 1]))


def _unbiased(product: float, k: Float64[Tensor, " points"], m: Float64[Tensor, " points"]) -> float:
    """The unbiased HSIC but for its factor, from ‖AᵀB‖² of centred features and the squared lengths.

    Without their diagonals the rows of centred kernels sum to −k_i, so Song's three terms are these.
    """
    n = len(k)
    trace = product - float(k @ m)
    return trace + float(k.sum() * m.sum()) / ((n - 1) * (n - 2)) - 2 / (n - 2) * float(k @ m)


def _centred(x: np.ndarray, mean: Tensor, name: str) -> Iterator[Float64[Tensor, "points hidden"]]:
    for rows in _rows(x, name):
        yield rows - mean


def _rows(x: np.ndarray, name: str) -> Iterator[Float64[Tensor, "points hidden"]]:
    for start in range(0, len(x), BLOCK):
        rows = torch.from_numpy(np.ascontiguousarray(x[start : start + BLOCK])).double()
        if not torch.isfinite(rows).all():
            point = int((~torch.isfinite(rows)).any(dim=1).int().argmax())
            raise DataError(f"{name}: the vector of point {start + point} is not finite: leave the point out")
        yield rows
