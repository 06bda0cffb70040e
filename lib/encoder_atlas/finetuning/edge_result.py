"""What an edge probe found: counts of decisions, and which layers it read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int64

from encoder_atlas.estimates import contrast
from encoder_atlas.results import read_result, write_result


@dataclass(frozen=True, eq=False)
class EdgeProbeResult:
    """One probe, measured on one split.

    Every label of every target is a decision by itself. Counts are kept for each sentence, so that a
    bootstrap over sentences needs no probe.

    Attributes:
        view: what was read: "mix", "top", "lexical" or "layer 3".
        split: the measured split.
        counts: for each sentence and label three counts of targets: the label was rightly said to hold; it
            was said to hold; it holds.
        majority_f1: micro F1 of giving every target the commonest label (a share).
        constant_f1: micro F1 of giving every target the fixed set of labels that scores best in train.
        losses: mean training loss of each epoch in nats (binary cross-entropy, mean over targets and labels).
        weights: share of each layer in the mix, the embeddings first; empty without a mix.
        gamma: scale of the mix; 1 without one.
    """

    task: str
    view: str
    label_names: tuple[str, ...]
    seed: int
    split: str
    counts: Int64[np.ndarray, "sentences labels 3"]
    majority_f1: float
    constant_f1: float
    losses: Float64[np.ndarray, " epochs"]
    weights: Float64[np.ndarray, " layers"]
    gamma: float

    @property
    def f1(self) -> float:
        """Micro F1 over all decisions, a share."""
        return float(f1_of(self.counts.sum(axis=(0, 1))))

    @property
    def centre(self) -> float:
        """Centre of gravity of the mix, Σ l·w_l, in layers (0 is the embeddings); NaN without a mix."""
        if not len(self.weights):
            return float("nan")
        return float(np.arange(len(self.weights)) @ self.weights)

    def per_label(self) -> pd.DataFrame:
        """One row a label: label, f1, precision, recall (shares; NaN where nothing was said, or nothing true)
        and targets, of which the label holds."""
        right, said, true = self.counts.sum(axis=0).T
        with np.errstate(invalid="ignore"):
            precision, recall = right / said, right / true
        columns = {"f1": f1_of(self.counts.sum(axis=0)), "precision": precision, "recall": recall}
        return pd.DataFrame({"label": self.label_names, **columns, "targets": true})

    def by_sentence(self) -> pd.DataFrame:
        """One row a sentence: right and total, made so that their sums give micro F1 as right / total
        (2 · rightly said, and said + true): what `estimates.contrast` resamples."""
        right, said, true = self.counts.sum(axis=1).T
        return pd.DataFrame({"right": 2 * right, "total": said + true})

    def layer_weights(self) -> pd.DataFrame:
        """One row a layer of the mix: task, seed, layer, weight; no rows without a mix."""
        rows = {"task": self.task, "seed": self.seed, "layer": range(len(self.weights))}
        return pd.DataFrame(rows).assign(weight=self.weights)

    def to_frame(self) -> pd.DataFrame:
        """One row: task, view, seed, split, f1, low, high, precision, recall, majority_f1, constant_f1
        (shares), holding (labels that hold, over all targets), gamma and centre (NaN without a mix).

        From low to high lie 95 % of F1 over bootstrap samples of sentences; NaN of a single sentence.
        """
        right, said, true = self.counts.sum(axis=(0, 1))
        row = {"task": self.task, "view": self.view, "seed": self.seed, "split": self.split, "f1": self.f1}
        row |= {"low": np.nan, "high": np.nan}
        if len(self.counts) > 1 and said + true:
            interval = contrast([[self.by_sentence()]], lambda scores: scores[0])
            row |= {"low": interval.low / 100, "high": interval.high / 100}
        row |= {"precision": right / said if said else np.nan, "recall": right / true if true else np.nan}
        row |= {"majority_f1": self.majority_f1, "constant_f1": self.constant_f1, "holding": int(true)}
        row |= {"gamma": self.gamma if len(self.weights) else float("nan"), "centre": self.centre}
        return pd.DataFrame([row])

    def save(self, folder: Path) -> None:
        """Write it into ``folder``, which is made where it is missing: safetensors and JSON."""
        arrays, rest = ({name: getattr(self, name) for name in names} for names in (_ARRAYS, _REST))
        write_result(folder, "edge_probe", arrays, rest)

    @classmethod
    def load(cls, folder: Path) -> "EdgeProbeResult":
        """Read what ``save`` wrote.

        Raises:
            DataError: a file is missing or damaged.
        """
        with read_result(folder, "edge_probe", "result of an edge probe") as (rest, arrays):
            return cls(**rest | {"label_names": tuple(rest["label_names"])} | arrays)


_ARRAYS = ("counts", "losses", "weights")
_REST = ("task", "view", "label_names", "seed", "split", "majority_f1", "constant_f1", "gamma")


def f1_of(counts: Int64[np.ndarray, "*rows 3"]) -> Float64[np.ndarray, "*rows"]:
    """F1 from counts of decisions (right, said, true): 2 right / (said + true), 0 where neither was."""
    right, said, true = np.moveaxis(counts.astype(np.float64), -1, 0)
    return np.asarray(2 * right / np.maximum(said + true, 1))
