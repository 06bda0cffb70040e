"""An edge-probing task: one or two spans of words in a sentence, and the labels that hold of them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int64

from encoder_atlas.errors import DataError, near

NO_SPAN = -1  # start and end of the second span where a task has one span only
SPANS = ((1, 2), (3, 4))  # the columns of ``EdgeSplit.targets`` that hold start and end of each span


@dataclass(frozen=True, eq=False)
class EdgeSplit:
    """The sentences of one split and the targets in them.

    Attributes:
        sentences: the words of each sentence.
        ids: the name of each sentence, all different.
        targets: for each target the number of its sentence, then start and end (words from 0, end exclusive)
            of its first and of its second span; the latter ``NO_SPAN`` (-1) twice where the task has one.
        labels: which labels hold of each target, in the order of the task's ``label_names``: one, several
            or none.
    """

    sentences: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]
    targets: Int64[np.ndarray, "targets 5"]
    labels: Bool[np.ndarray, "targets labels"]

    def span_words(self, span: int) -> list[tuple[str, ...]]:
        """The words of each target's first (1) or second (2) span; () where there is no second."""
        start, end = SPANS[span - 1]
        return [
            self.sentences[row[0]][row[start] : row[end]] if row[start] != NO_SPAN else ()
            for row in self.targets.tolist()
        ]


@dataclass(frozen=True, eq=False)
class EdgeTask:
    """Targets in splits, checked when the task is made.

    The form is that of Tenney et al. (2019), as Merchant et al. (2020) use it: a probe sees the vectors of
    the words inside the spans and says of each label whether it holds.

    Attributes:
        name: what the task is called in tables, figures and the store.
        label_names: all labels, those too that only dev or test have: a probe can never learn them, and a
            target that has one counts against it.
        two_spans: whether every target has two spans, or every target one.
        splits: at least "train" and "dev".
        source_note: one sentence for the reader: what the text is and whether it is generated.

    Raises:
        DataError: naming task, split, target and sentence of the first thing that is wrong: a span that is
            empty or outside its sentence, a second span too many or missing, labels that do not fit the
            names, or a train split in which no label holds of one target and not of another.
    """

    name: str
    label_names: tuple[str, ...]
    two_spans: bool
    splits: dict[str, EdgeSplit]
    source_note: str

    def __post_init__(self) -> None:
        named = {name for name in self.label_names if name.strip()}
        if not named or len(named) < len(self.label_names):
            raise DataError(
                f"Edge task {self.name!r} needs label names, all different and none blank, "
                f"not {list(self.label_names)}."
            )
        for split in ("train", "dev"):
            if split not in self.splits:
                raise DataError(
                    f"Edge task {self.name!r} has no split {split!r}; it has {sorted(self.splits)}."
                )
        for split in self.splits:
            self._check_sentences(split)
            self._check_targets(split)
        rates = self.splits["train"].labels.mean(axis=0)
        if not ((rates > 0) & (rates < 1)).any():
            raise DataError(
                f"Edge task {self.name!r}, split 'train': each label holds of all targets or of none, so "
                "that nothing can be learnt. Take more text or other text."
            )

    def split(self, split: str) -> EdgeSplit:
        """One split.

        Raises:
            DataError: if there is no such split.
        """
        if split not in self.splits:
            raise DataError(f"Edge task {self.name!r} has no split {split!r}; {near(split, self.splits)}.")
        return self.splits[split]

    @property
    def unseen(self) -> tuple[str, ...]:
        """The labels that hold of no target in train."""
        holding = self.splits["train"].labels.sum(axis=0).tolist()
        return tuple(name for name, number in zip(self.label_names, holding, strict=True) if not number)

    def counts(self) -> pd.DataFrame:
        """How many targets each label holds of: a row a split and label, with "split", "label", "targets"."""
        rows = [
            {"split": split, "label": name, "targets": int(number)}
            for split, content in self.splits.items()
            for name, number in zip(self.label_names, content.labels.sum(axis=0), strict=True)
        ]
        return pd.DataFrame(rows)

    def fingerprint(self, split: str) -> str:
        """A hash (SHA-256, hexadecimal) of what a probe sees of a split: words, spans, labels, order.

        Names of task and sentences make no difference.
        """
        content = self.split(split)
        shown = [self.label_names, self.two_spans, content.sentences, content.targets.tolist()]
        digest = hashlib.sha256(json.dumps(shown).encode("ascii"))
        digest.update(np.packbits(content.labels).tobytes())
        return digest.hexdigest()

    def sampled(self, sizes: Mapping[str, int | None], seed: int) -> "EdgeTask":
        """The task with some splits cut down to so many targets; a size of None keeps the split as it is.

        Targets are drawn without replacement and keep their order; a smaller sample with the same seed is
        part of a larger one. Sentences without a target left are dropped.

        Raises:
            DataError: if a split has fewer targets than are asked for, or is not there.
        """
        smaller = {
            split: self._sample(split, size, seed) for split, size in sizes.items() if size is not None
        }
        return replace(self, splits=self.splits | smaller)

    def _sample(self, split: str, size: int, seed: int) -> EdgeSplit:
        content = self.split(split)
        there = len(content.targets)
        if not 1 <= size <= there:
            raise DataError(
                f"Cannot sample {size} targets of edge task {self.name!r}, split {split!r}: it has {there}; "
                f"ask for 1 to {there}."
            )
        chosen = np.sort(np.random.default_rng(seed).permutation(there)[:size])
        targets = content.targets[chosen]
        kept, targets[:, 0] = np.unique(targets[:, 0], return_inverse=True)
        return EdgeSplit(
            tuple(content.sentences[number] for number in kept),
            tuple(content.ids[number] for number in kept),
            targets,
            content.labels[chosen],
        )

    def _check_sentences(self, split: str) -> None:
        content = self.splits[split]
        where = f"Edge task {self.name!r}, split {split!r}"
        if not content.sentences or not len(content.targets):
            raise DataError(f"{where} has no {'targets' if content.sentences else 'sentences'}.")
        if len(content.ids) != len(content.sentences) or len(set(content.ids)) < len(content.ids):
            raise DataError(
                f"{where}: {len(content.sentences)} sentences need as many different ids; there are "
                f"{len(content.ids)}, {len(set(content.ids))} of them different."
            )
        for name, words in zip(content.ids, content.sentences, strict=True):
            if not words or not all(word.strip() for word in words):
                what = "a word is empty" if words else "there are no words"
                raise DataError(f"{where}, sentence {name!r}: {what}.")

    def _check_targets(self, split: str) -> None:
        content = self.splits[split]
        targets, labels = content.targets, content.labels
        if labels.shape != (len(targets), len(self.label_names)):
            raise DataError(
                f"Edge task {self.name!r}, split {split!r}: labels of the shape {labels.shape} for "
                f"{len(targets)} targets and {len(self.label_names)} label names."
            )
        outside = (targets[:, 0] < 0) | (targets[:, 0] >= len(content.sentences))
        if outside.any():
            target = int(outside.argmax())
            raise DataError(
                f"Edge task {self.name!r}, split {split!r}, target {target}: sentence {targets[target, 0]} "
                f"is none of the {len(content.sentences)}, counted from 0."
            )
        sizes = np.array([len(words) for words in content.sentences])[targets[:, 0]]
        for number, (start, end) in enumerate(SPANS, start=1):
            starts, ends = targets[:, start], targets[:, end]
            inside = (starts >= 0) & (starts < ends) & (ends <= sizes)
            absent = (starts == NO_SPAN) & (ends == NO_SPAN)
            good = inside if number == 1 or self.two_spans else absent
            if not good.all():
                self._refuse(split, int(good.argmin()), number)

    def _refuse(self, split: str, target: int, number: int) -> NoReturn:
        """Say what is wrong with a span of a target."""
        content = self.splits[split]
        row = content.targets[target].tolist()
        start, end = (row[column] for column in SPANS[number - 1])
        words = len(content.sentences[row[0]])
        what = f"is empty or outside the {words} words (from 0, end exclusive)"
        if number == 2 and not self.two_spans:
            what = f"stands in a task of one span; give {NO_SPAN}, {NO_SPAN}"
        elif number == 2 and start == end == NO_SPAN:
            what = "is missing, and the task has two spans"
        raise DataError(
            f"Edge task {self.name!r}, split {split!r}, target {target} in sentence "
            f"{content.ids[row[0]]!r}: span {number} [{start}, {end}) {what}."
        )
