"""A task: text with labels, scores or answers, in splits that share no text."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int64

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import check_answers, check_labels, check_scores, check_texts, text_keys

Kind = Literal["single", "pair"]
Target = Literal["class", "score", "answer"]
Metric = Literal["accuracy", "f1", "mcc", "pearson", "spearman", "em"]

TEXTS_OF_KIND: dict[Kind, int] = {"single": 1, "pair": 2}
KIND_OF_TEXTS: dict[int, Kind] = {texts: kind for kind, texts in TEXTS_OF_KIND.items()}
# What a frame holds besides text and id, and how well it can be met; "f1" is of classes or of words.
COLUMNS: dict[Target, tuple[str, ...]] = {
    "class": ("label",),
    "score": ("label",),
    "answer": ("answer_start", "answer_text", "answers"),
}
METRICS: dict[Target, tuple[Metric, ...]] = {
    "class": ("accuracy", "f1", "mcc"),
    "score": ("pearson", "spearman"),
    "answer": ("em", "f1"),
}


@dataclass(frozen=True, eq=False)
class Task:
    """Text and what is to be said of it, checked when it is made: what stands in a ``Task`` can be learnt.

    Attributes:
        name: what the task is called in tables, figures and the store.
        kind: "single" (one text a row) or "pair" (two).
        text_columns: the columns that hold the text, in the order the encoder reads them.
        label_names: the classes; label ``i`` in the frames means ``label_names[i]``. () without classes.
        metric: how well the task is done, one of ``METRICS[target]``; larger is better, at most 1.
        splits: at least "train" and "dev". Each frame has the text columns, those of the target, and "id"
            (a row's name, such as "train:17", that stays with it when rows are dropped or sampled).
        source_note: one sentence for the reader: what the text is and whether it is generated.
        target: "class": "label" (int64) is a class number. "score": "label" (float64) is a number within
            ``score_range``, such as how alike two sentences are. "answer": the second text of a pair holds
            the answer to the first: "answer_start" (int64, character offset), "answer_text", and "answers"
            (a tuple of all right answers).
        score_range: the lowest and the highest score; without meaning for other targets.

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
    target: Target = "class"
    score_range: tuple[float, float] = (0.0, 5.0)

    def __post_init__(self) -> None:
        self._check_shape()
        checked = {split: self._checked(split, frame) for split, frame in self.splits.items()}
        object.__setattr__(self, "splits", checked)
        self._check_train()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What a table reports of this task: of classes accuracy, and the task's own metric where that is
        another; of scores and answers both measures, as GLUE and SQuAD do."""
        if self.target != "class":
            return METRICS[self.target]
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

    def labels(self, split: str) -> Int64[np.ndarray, "points"] | Float64[np.ndarray, "points"]:
        """The class numbers (int64) or scores (float64) of a split in row order.

        Raises:
            DataError: if there is no such split, or the task's rows have answers.
        """
        frame = self.split(split)
        if self.target == "answer":
            raise DataError(f"Task {self.name!r} has answers and no labels: ask for answers({split!r}).")
        return frame["label"].to_numpy(copy=True)

    def answers(self, split: str) -> list[tuple[str, ...]]:
        """All right answers of each row of a split, in row order.

        Raises:
            DataError: if there is no such split, or the task's rows have no answers.
        """
        frame = self.split(split)
        if self.target != "answer":
            raise DataError(f"Task {self.name!r} has labels and no answers: ask for labels({split!r}).")
        return frame["answers"].tolist()

    def fingerprint(self, split: str) -> str:
        """A hash (SHA-256, hexadecimal) of what a model sees of a split: texts, labels, label names, order.

        Names of columns, ids and the frame's own index make no difference: they change no result.
        """
        frame = self.split(split)
        texts = [frame[name].tolist() for name in self.text_columns]
        told = [frame[name].tolist() for name in COLUMNS[self.target]]
        if self.target == "class":
            content = [self.kind, self.label_names, texts, told[0]]
        else:
            content = [self.target, self.kind, texts, told]
        return hashlib.sha256(json.dumps(content).encode("ascii")).hexdigest()

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
        reserved = (*COLUMNS[self.target], "id")
        if set(reserved) & set(self.text_columns):
            names = " or ".join(map(repr, reserved))
            raise DataError(f"Task {self.name!r}: a text column cannot be named {names}; rename it.")
        self._check_target()
        for split in ("train", "dev"):
            if split not in self.splits:
                raise DataError(f"Task {self.name!r} has no split {split!r}; it has {sorted(self.splits)}.")

    def _check_target(self) -> None:
        named = [name for name in self.label_names if name.strip()]
        if self.target == "class" and (len(self.label_names) < 2 or len(set(named)) < len(self.label_names)):
            raise DataError(
                f"Task {self.name!r} needs at least two label names, all different and none blank, "
                f"not {list(self.label_names)}."
            )
        if self.target != "class" and self.label_names:
            raise DataError(
                f"Task {self.name!r} has the target {self.target!r} and no classes: leave label_names empty."
            )
        if self.metric not in METRICS[self.target]:
            known = near(self.metric, METRICS[self.target])
            raise DataError(
                f"Task {self.name!r}: {self.metric!r} does not measure target {self.target!r}; {known}."
            )
        low, high = self.score_range
        if not -math.inf < low < high < math.inf:
            raise DataError(f"Task {self.name!r}: score_range is {self.score_range}; give (lowest, highest).")
        if self.target == "answer" and self.kind != "pair":
            raise DataError(f"Task {self.name!r} with answers needs pairs: a question and its context.")

    def _where(self, split: str, row: int, column: str) -> str:
        return f"Task {self.name!r}, split {split!r}, row {row}, column {column!r}"

    def _checked(self, split: str, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns that count, checked and in canonical order, with ids where there were none."""
        for column in (*self.text_columns, *COLUMNS[self.target]):
            if column not in frame.columns:
                known = near(column, map(str, frame.columns))
                raise DataError(f"Task {self.name!r}, split {split!r} has no column {column!r}; {known}.")
        if frame.empty:
            raise DataError(f"Task {self.name!r}, split {split!r} has no rows.")
        for column in self.text_columns:
            check_texts(frame[column].tolist(), lambda row, column=column: self._where(split, row, column))
        ids = (
            frame["id"].tolist() if "id" in frame.columns else [f"{split}:{row}" for row in range(len(frame))]
        )
        if len(set(ids)) < len(ids) or not all(isinstance(name, str) for name in ids):
            raise DataError(f"Task {self.name!r}, split {split!r}: column 'id' must hold different strings.")
        texts = {column: frame[column].tolist() for column in self.text_columns}
        return pd.DataFrame(texts | self._told(split, frame) | {"id": ids})

    def _told(self, split: str, frame: pd.DataFrame) -> dict[str, Any]:
        """The columns of the target, checked."""
        if self.target == "answer":
            contexts = frame[self.text_columns[1]].tolist()
            check_answers(frame, contexts, lambda row: self._where(split, row, "answers"))
            told = {column: frame[column].tolist() for column in COLUMNS["answer"]}
            return told | {"answer_start": np.array(told["answer_start"], dtype=np.int64)}
        labels = frame["label"].tolist()
        if self.target == "score":
            check_scores(labels, self.score_range, lambda row: self._where(split, row, "label"))
            return {"label": np.array(labels, dtype=np.float64)}
        check_labels(labels, self.label_names, lambda row: self._where(split, row, "label"))
        return {"label": np.array(labels, dtype=np.int64)}

    def _check_train(self) -> None:
        train = self.splits["train"]
        if self.target != "answer" and len(set(train["label"])) < 2:
            only = train["label"].iloc[0]
            found = (
                f"one class only ({self.label_names[only]!r})"
                if self.label_names
                else f"one score only ({only})"
            )
            raise DataError(
                f"Task {self.name!r}, split 'train' has {found}: "
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
