"""What parameter-free probes get right, item by item and head by head, and the best head of each label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64, Int64

from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.estimates import Counts

MINIMUM = 20  # below, a share is hardly a measurement: of one item it is 0 or 100 %


@dataclass(frozen=True, eq=False)
class HeadHits:
    """Whether each head gets each item right.

    A baseline is one "layer" of few "heads": fixed offsets, or the embeddings. One byte a hit: 144 heads by
    25,000 items are 4 MB.

    Attributes:
        hits: by layer, head and item; layers and heads count from 0.
        label: of each item its number in ``labels``.
        labels: sorted.
        sentence: of each item the number of its sentence.
        sentences: how many sentences there are, with and without items.
    """

    hits: Bool[np.ndarray, "layers heads items"]
    label: Int64[np.ndarray, " items"]
    labels: tuple[str, ...]
    sentence: Int64[np.ndarray, " items"]
    sentences: int

    @property
    def n(self) -> dict[str, int]:
        """Items of each label."""
        counts = np.bincount(self.label, minlength=len(self.labels))
        return dict(zip(self.labels, counts.tolist(), strict=True))

    def accuracy(self, label: str | None = None) -> Float64[np.ndarray, "layers heads"]:
        """Percent of the items of a label (its recall), or of all items, that each head gets right.

        Raises:
            DataError: no item has this label.
        """
        own = self.hits if label is None else self.hits[:, :, self.label == self._number(label)]
        return 100 * own.mean(axis=-1)

    def counts(self, label: str, layer: int, head: int) -> Counts:
        """A row a sentence, "right" of "total": what `estimates.contrast` takes; counts layers from 0.

        Raises:
            DataError: no item has this label.
        """
        own = self.label == self._number(label)
        sentence = self.sentence[own]
        right = np.bincount(sentence, self.hits[layer, head, own], minlength=self.sentences)
        total = np.bincount(sentence, minlength=self.sentences)
        return pd.DataFrame({"right": right.astype(np.int64), "total": total})

    def _number(self, label: str) -> int:
        if label not in self.labels:
            raise DataError(f"no item has the label {label!r}; {near(label, self.labels)}")
        return self.labels.index(label)


def make_hits(
    hits: Bool[np.ndarray, "layers heads items"],
    labels: Sequence[str],
    sentence: Sequence[int],
    sentences: int,
) -> HeadHits:
    """Hits with labels by name, one an item. Raises `DataError` where there are no items."""
    if not len(labels):
        raise DataError("there is nothing to probe: no sentence has an item of this layer")
    names, numbers = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)
    own = np.asarray(sentence, dtype=np.int64)
    return HeadHits(hits, numbers.astype(np.int64), tuple(names.tolist()), own, sentences)


def best_heads(dev: HeadHits, test: HeadHits, minimum: int = MINIMUM) -> pd.DataFrame:
    """Of each label the head that is best on dev, and how it does on test.

    Beside it the paper's way: the head that is best on the very items that are scored, the more flattering
    the fewer they are and the more heads there are to choose from.

    Args:
        minimum: items that a label needs in both; others are left out.

    Returns:
        A row a label: label, n_dev, n; layer and head (both from 1) chosen on dev; dev and accuracy, in
        percent; same_layer, same_head and same_items, chosen and scored on test. Of equals the first.

    Raises:
        DataError: no label has enough items in both.
        SettingsError: a minimum below 1.
    """
    if minimum < 1:
        raise SettingsError(f"minimum={minimum}: a label needs at least 1 item")
    if dev.hits.shape[:2] != test.hits.shape[:2]:
        raise DataError(f"dev has heads {dev.hits.shape[:2]} and test {test.hits.shape[:2]}: not one model's")
    rows = []
    for label, n in test.n.items():
        n_dev = dev.n.get(label, 0)
        if min(n, n_dev) < minimum:
            continue
        chosen, scored = dev.accuracy(label), test.accuracy(label)
        layer, head = np.unravel_index(chosen.argmax(), chosen.shape)
        same_layer, same_head = np.unravel_index(scored.argmax(), scored.shape)
        rows.append(
            {"label": label, "n_dev": n_dev, "n": n, "layer": int(layer) + 1, "head": int(head) + 1}
            | {"dev": float(chosen.max()), "accuracy": float(scored[layer, head])}
            | {"same_layer": int(same_layer) + 1, "same_head": int(same_head) + 1}
            | {"same_items": float(scored.max())}
        )
    if not rows:
        raise DataError(
            f"no label has {minimum} items in dev and in test: take more sentences, or a smaller minimum "
            f"(the largest has {max(test.n.values())} in test)"
        )
    return pd.DataFrame(rows)


def best_counts(hits: HeadHits, best: pd.DataFrame, labels: Sequence[str]) -> list[Counts]:
    """The counts by sentence of each label's best head, as `best_heads` chose it.

    Raises:
        DataError: a label that ``best`` does not have.
    """
    rows = best.set_index("label")
    for label in labels:
        if label not in rows.index:
            raise DataError(
                f"no head was chosen for the label {label!r}; {near(label, map(str, rows.index))}"
            )
    places = [(label, *rows.loc[label, ["layer", "head"]].astype(int)) for label in labels]
    return [hits.counts(label, layer - 1, head - 1) for label, layer, head in places]
