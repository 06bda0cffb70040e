"""What DeepView asks of a classifier, and how anything that gives probabilities is made to answer.

A path between two points is a straight line, and an affine map keeps straight lines straight. So each
classifier is split in two: `lift`, an affine first part that is applied once to every point, and `finish`,
the rest, that is applied to every place on every path. For a linear head the lifted points are the logits,
and no model runs along the paths.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Protocol, cast, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Float64
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn
from torch.backends import mkldnn
from torch.nn import functional

from encoder_atlas.deepview.points import name_rows
from encoder_atlas.errors import DataError, SettingsError

_ROWS_AT_ONCE = 2048
_SUM_TOLERANCE = 1e-3
_WIDE = 64

Probabilities = Callable[[Float64[np.ndarray, "points dim"]], Float[np.ndarray, "points classes"]]


@runtime_checkable
class Heads(Protocol):
    """A fitted model with one head a task, of which `head` gives representation → logits."""

    heads: nn.ModuleDict

    def head(self, task_name: str) -> nn.Module: ...


class Classifier(ABC):
    """A classifier in two parts, `finish(lift(points))`."""

    dim: int | None = None
    """How many columns the points must have, where the classifier tells."""

    @abstractmethod
    def lift(self, points: Float64[np.ndarray, "points dim"]) -> Float[Tensor, "points lifted"]:
        """Apply the affine first part to points."""

    @abstractmethod
    def finish(self, lifted: Float[Tensor, "points lifted"]) -> Float64[Tensor, "points classes"]:
        """Turn lifted points into probabilities, one row a point, on the CPU or the head's device."""

    def probabilities(
        self, points: Float64[np.ndarray, "points dim"]
    ) -> Float64[np.ndarray, "points classes"]:
        """Predict the probabilities of every class for every point.

        Raises:
            DataError: the number of columns is not what the classifier takes, or its answer is not one row of
                at least two probabilities a point.
        """
        if self.dim is not None and points.shape[1] != self.dim:
            raise DataError(f"points have {points.shape[1]} columns, but the classifier takes {self.dim}")
        blocks = (points[at : at + _ROWS_AT_ONCE] for at in range(0, len(points), _ROWS_AT_ONCE))
        return np.concatenate([self.finish(self.lift(block)).cpu().numpy() for block in blocks])


def as_classifier(classifier: object) -> Classifier:
    """Make a `Classifier` of a torch module, a scikit-learn estimator, a fitted model or a callable.

    * a `torch.nn.Module` that gives logits; a `Linear`, or a `Sequential` that begins with one, takes the
      fast way;
    * a fitted model of `encoder_atlas.training` with one task;
    * a fitted scikit-learn estimator with `predict_proba`; classes are columns, in the order of its
      `classes_`;
    * any callable from points, a float64 matrix, to one row of probabilities a point.

    Raises:
        SettingsError: none of these, not fitted, several tasks, or a module that ends in a softmax.
    """
    if isinstance(classifier, Classifier):
        return classifier
    if isinstance(classifier, nn.Module):
        return TorchClassifier(classifier)
    if isinstance(classifier, Heads):
        return TorchClassifier(_only_head(classifier))
    if isinstance(classifier, BaseEstimator):
        return _from_estimator(classifier)
    if callable(classifier):
        return CallableClassifier(cast(Probabilities, classifier))
    raise SettingsError(
        f"{type(classifier).__name__} is no classifier: pass a torch module giving logits, a scikit-learn "
        "estimator with predict_proba, or a function from points to probabilities"
    )


class TorchClassifier(Classifier):
    """A torch module that gives logits.

    The module is copied in evaluation mode (dropout off): later training of the original does not reach the
    map, and the original stays as it is.
    """

    def __init__(self, module: nn.Module) -> None:
        layers = list(_layers(copy.deepcopy(module).eval()))
        if layers and isinstance(layers[-1], nn.Softmax):
            raise SettingsError(
                "the module ends in a softmax: pass it without, for its logits are what is needed"
            )
        affine: list[nn.Linear] = []
        for layer in layers:
            # Only Linear itself: a subclass may compute something else.
            if type(layer) is not nn.Linear:
                break
            affine.append(layer)
        self._affine = nn.Sequential(*affine)
        self._rest = nn.Sequential(*layers[len(affine) :])
        self.dim = affine[0].in_features if affine else None
        weights = next(module.parameters(), torch.empty(0))
        self._device, self._dtype = weights.device, weights.dtype

    @torch.no_grad()
    def lift(self, points: Float64[np.ndarray, "points dim"]) -> Float[Tensor, "points lifted"]:
        # A copy, as layers that work in place must not reach the points.
        lifted = self._affine(torch.tensor(points, dtype=self._dtype, device=self._device))
        return lifted if len(self._rest) else _double(lifted)

    @torch.no_grad()
    def finish(self, lifted: Float[Tensor, "points lifted"]) -> Float64[Tensor, "points classes"]:
        logits = lifted
        for layer in self._rest:
            logits = _apply(layer, logits)
        if not isinstance(logits, Tensor) or logits.ndim != 2 or logits.shape[1] < 2:
            shape = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
            raise DataError(f"the module must give one row of at least two logits a point, not {shape}")
        # The square root of a divergence of nearly equal rows loses half the digits: float64 from here on.
        return checked(_softmax(_double(logits)))


class LogisticClassifier(Classifier):
    """scikit-learn's logistic regression: its logits are affine in the points."""

    def __init__(self, estimator: LogisticRegression) -> None:
        self._estimator = estimator
        self.dim = int(estimator.coef_.shape[1])

    def lift(self, points: Float64[np.ndarray, "points dim"]) -> Float[Tensor, "points lifted"]:
        logits = np.asarray(self._estimator.decision_function(points), dtype=np.float64)
        # With two classes scikit-learn gives the one log-odds of the second class over the first.
        return torch.from_numpy(
            logits if logits.ndim == 2 else np.column_stack([np.zeros_like(logits), logits])
        )

    def finish(self, lifted: Float[Tensor, "points lifted"]) -> Float64[Tensor, "points classes"]:
        return checked(_softmax(lifted.double()))


class CallableClassifier(Classifier):
    """A function from points to probabilities; it sees every place on every path."""

    def __init__(self, predict: Probabilities, dim: int | None = None) -> None:
        self._predict = predict
        self.dim = dim

    def lift(self, points: Float64[np.ndarray, "points dim"]) -> Float[Tensor, "points lifted"]:
        return torch.tensor(points)

    def finish(self, lifted: Float[Tensor, "points lifted"]) -> Float64[Tensor, "points classes"]:
        answer = np.asarray(self._predict(lifted.numpy()), dtype=np.float64)
        if answer.ndim != 2 or len(answer) != len(lifted) or answer.shape[1] < 2:
            raise DataError(
                f"the classifier gave an array of shape {answer.shape} for {len(lifted)} points: one "
                "row a point of at least two probabilities is needed (one column p: give 1 - p and p)"
            )
        probabilities = checked(torch.from_numpy(answer))
        return probabilities / probabilities.sum(dim=-1, keepdim=True)


def checked(probabilities: Float64[Tensor, "points classes"]) -> Float64[Tensor, "points classes"]:
    """Return rows that are probabilities, else raise `DataError` naming the first rows that are not."""
    total = probabilities.sum(dim=-1)
    # NaN compares false, so it is caught here too.
    fine = ((total - 1).abs() <= _SUM_TOLERANCE) & (probabilities.amin(dim=-1) >= 0)
    if fine.all():
        return probabilities
    bad = torch.nonzero(~fine).flatten().cpu().numpy()
    raise DataError(
        f"the classifier's answer is no probability distribution in {name_rows(bad)} of {len(total)}: "
        f"{[round(value, 4) for value in probabilities[bad[0]].tolist()]}; it must be at least 0 and sum to 1"
    )


def _double(values: Float[Tensor, "points columns"]) -> Float64[Tensor, "points columns"]:
    # Apple's MPS has no float64.
    return (values.cpu() if values.device.type == "mps" else values).double()


def _apply(layer: nn.Module, rows: Tensor) -> Tensor:
    # torch multiplies float32 with MKL, which uses half the width of an AMD CPU's registers; oneDNN uses all
    # of it. Narrow layers are not worth the copies.
    helped = mkldnn.is_available() and rows.dtype == torch.float32 and rows.device.type == "cpu"
    if type(layer) is nn.Linear and helped and min(layer.weight.shape) >= _WIDE:
        return functional.linear(rows.to_mkldnn(), layer.weight, layer.bias).to_dense()
    return layer(rows)


def _softmax(logits: Float64[Tensor, "points classes"]) -> Float64[Tensor, "points classes"]:
    # Down the columns of a few classes is several times faster than along the rows.
    return torch.softmax(logits.T.contiguous(), dim=0).T


def _layers(module: nn.Module) -> Iterator[nn.Module]:
    """The layers of nested plain Sequentials that do something in evaluation mode."""
    if type(module) is nn.Sequential:
        for layer in module:
            yield from _layers(layer)
    elif not isinstance(module, nn.Dropout | nn.Identity):
        yield module


def _only_head(model: Heads) -> nn.Module:
    names = list(model.heads)
    if len(names) != 1:
        raise SettingsError(
            f"the model has heads for {', '.join(names)}: pass model.head(name) of one of them"
        )
    return model.head(names[0])


def _from_estimator(estimator: BaseEstimator) -> Classifier:
    name = type(estimator).__name__
    predict = getattr(estimator, "predict_proba", None)
    if predict is None:
        raise SettingsError(f"{name} has no predict_proba: wrap it, say in CalibratedClassifierCV")
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise SettingsError(f"{name} is not fitted: call its fit first") from error
    if isinstance(estimator, LogisticRegression):
        return LogisticClassifier(estimator)
    return CallableClassifier(predict, getattr(estimator, "n_features_in_", None))
