"""A task: text with labels, in splits that share no text."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Int64

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import check_labels, check_texts, text_keys

Kind = Literal["single", "pair"]
Metric = Literal["accuracy", "f1", "mcc"]

TEXTS_OF_KIND: dict[Kind, int] = {"single": 1, "pair": 2}
KIND_OF_TEXTS: dict[int, Kind] = {texts: kind for kind, texts in TEXTS_OF_KIND.items()}


@dataclass(frozen=True, eq=False)
class Task:
    """Text with labels, checked when it is made: what stands in a ``Task`` can be trained on.

    Attributes:
        name: what the task is called in tables, figures and the store.
        kind: "single" (one text a row) or "pair" (two).
        text_columns: the columns that hold the text, in the order the encoder reads them.
        label_names: the classes; label ``i`` in the frames means ``label_names[i]``.
        metric: what a score on this task is; larger is better, at most 1.
        splits: at least "train" and "dev". Each frame has the text columns, "label" (int64) and "id"
            (a row's name, such as "train:17", that stays with it when rows are dropped or sampled).
        source_note: one sentence for the reader: what the text is and whether it is generated.

    Two texts are the same when they differ in letter case and white space only; pairs, when both texts are.
    A text may repeat inside a split (SST-2 as distributed has such rows), never in train and another split.

    Raises:
        DataError: naming task, split, row and column of the first thing that is wrong.
    """

    name: str
    kind: Kind
    text_columns: tuple[str, ...]
    label_names: tuple[str, ...]
    metric: Metric
    splits: dict[str, pd.DataFrame]
    source_note: str

    def __post_init__(self) -> None:
        self._check_shape()
        checked = {split: self._checked(split, frame) for split, frame in self.splits.items()}
        object.__setattr__(self, "splits", checked)
        self._check_train()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What a table reports of this task: accuracy, and the task's own metric where that is another."""
        return ("accuracy",) if self.metric == "accuracy" else ("accuracy", self.metric)

    def split(self, split: str) -> pd.DataFrame:
        """The rows of one split.

        Raises:
            DataError: if there is no such split.
        """
        if split not in self.splits:
            raise DataError(f"Task {self.name!r} has no split {split!r}; {near(split, self.splits)}.")
        return self.splits[split]

    def texts(self, split: str) -> list[str] | list[tuple[str, str]]:
        """The texts of a split in row order: strings, or pairs of strings."""
        frame = self.split(split)
        if self.kind == "single":
            return frame[self.text_columns[0]].tolist()
        first, second = self.text_columns
        return list(zip(frame[first], frame[second], strict=True))

    def labels(self, split: str) -> Int64[np.ndarray, "points"]:
        """The class numbers of a split in row order."""
        return self.split(split)["label"].to_numpy(dtype=np.int64, copy=True)

    def fingerprint(self, split: str) -> str:
        """A hash (SHA-256, hexadecimal) of what a model sees of a split: texts, labels, label names, order.

        Names of columns, ids and the frame's own index make no difference: they change no result.
        """
        frame = self.split(split)
        texts = [frame[name].tolist() for name in self.text_columns]
        content = json.dumps([self.kind, self.label_names, texts, frame["label"].tolist()])
        return hashlib.sha256(content.encode("ascii")).hexdigest()

    def sample(self, split: str, n: int, seed: int) -> pd.DataFrame:
        """Draw ``n`` rows with different texts, without replacement.

        Of rows with the same text the first counts. A smaller sample with the same seed is the beginning of a
        larger one.

        Raises:
            DataError: if ``n`` is below 1 or the split has fewer different texts.
        """
        frame = self.split(split)
        unique = frame.loc[~pd.Series(text_keys(frame, self.text_columns)).duplicated()]
        if not 1 <= n <= len(unique):
            raise DataError(
                f"Cannot sample {n} rows of task {self.name!r}, split {split!r}: "
                f"it has {len(unique)} different texts; ask for 1 to {len(unique)}."
            )
        order = np.random.default_rng(seed).permutation(len(unique))[:n]
        return unique.iloc[order].reset_index(drop=True)

    def sampled(self, sizes: Mapping[str, int | None], seed: int) -> "Task":
        """The same task with some splits sampled down; a size of None keeps the split as it is."""
        smaller = {split: self.sample(split, n, seed) for split, n in sizes.items() if n is not None}
        return replace(self, splits=self.splits | smaller)

    def _check_shape(self) -> None:
        expected = TEXTS_OF_KIND[self.kind]
        if len(set(self.text_columns)) != expected or len(self.text_columns) != expected:
            raise DataError(
                f"Task {self.name!r} of kind {self.kind!r} needs {expected} different text column(s), "
                f"not {list(self.text_columns)}."
            )
        if {"label", "id"} & set(self.text_columns):
            raise DataError(f"Task {self.name!r}: a text column cannot be named 'label' or 'id'; rename it.")
        if len(self.label_names) < 2 or len(set(self.label_names)) < len(self.label_names):
            raise DataError(
                f"Task {self.name!r} needs at least two label names, all different, "
                f"not {list(self.label_names)}."
            )
        for split in ("train", "dev"):
            if split not in self.splits:
                raise DataError(f"Task {self.name!r} has no split {split!r}; it has {sorted(self.splits)}.")

    def _where(self, split: str, row: int, column: str) -> str:
        return f"Task {self.name!r}, split {split!r}, row {row}, column {column!r}"

    def _checked(self, split: str, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns that count, checked and in canonical order, with ids where there were none."""
        for column in (*self.text_columns, "label"):
            if column not in frame.columns:
                known = near(column, map(str, frame.columns))
                raise DataError(f"Task {self.name!r}, split {split!r} has no column {column!r}; {known}.")
        if frame.empty:
            raise DataError(f"Task {self.name!r}, split {split!r} has no rows.")
        for column in self.text_columns:
            check_texts(frame[column].tolist(), lambda row, column=column: self._where(split, row, column))
        check_labels(frame["label"].tolist(), self.label_names, lambda row: self._where(split, row, "label"))
        ids = (
            frame["id"].tolist() if "id" in frame.columns else [f"{split}:{row}" for row in range(len(frame))]
        )
        if len(set(ids)) < len(ids) or not all(isinstance(name, str) for name in ids):
            raise DataError(f"Task {self.name!r}, split {split!r}: column 'id' must hold different strings.")
        texts = {column: frame[column].tolist() for column in self.text_columns}
        return pd.DataFrame(texts | {"label": frame["label"].astype("int64").tolist(), "id": ids})

    def _check_train(self) -> None:
        train = self.splits["train"]
        seen = train["label"].unique()
        if len(seen) < 2:
            raise DataError(
                f"Task {self.name!r}, split 'train' has one class only ({self.label_names[seen[0]]!r}): "
                "nothing can be learnt from it. Take more rows or other rows."
            )
        rows = {key: row for row, key in enumerate(text_keys(train, self.text_columns))}
        for split in [name for name in self.splits if name != "train"]:
            for row, key in enumerate(text_keys(self.splits[split], self.text_columns)):
                if key in rows:
                    raise DataError(
                        f"Task {self.name!r}: row {row} of {split!r} and row {rows[key]} of 'train' hold the "
                        f"same text {key[0][:60]!r}. Drop one: a score on text seen in training is no score."
                    )
