"""An annotated corpus: sentences with layers, in splits, checked when it is made."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.layers import LAYERS, Layer, Sentence, check_sentence

# What a label of each layer is; the names of entities in "coref" are no labels.
LABELS: dict[Layer, Callable[[Sentence], Iterable[str]]] = {
    "pos": lambda sentence: sentence.tags or (),
    "dep": lambda sentence: sentence.deprels or (),
    "ner": lambda sentence: (span.label for span in sentence.entities or ()),
    "con": lambda sentence: (span.label for span in (sentence.tree.spans if sentence.tree else ())),
    "srl": lambda sentence: (role.label for frame in sentence.frames or () for role in frame.arguments),
}


@dataclass(frozen=True, eq=False)
class AnnotatedCorpus:
    """Sentences with layers; not every sentence need have every layer.

    Attributes:
        name: what the corpus is called in tables, figures and the store.
        splits: the sentences of "train", "dev" and "test", or of those of them that there are.
        source_note: one sentence for the reader: what the text is and whether it is generated.

    Raises:
        DataError: naming split and sentence, if a split is empty, an id stands twice in the corpus, or layers
            do not fit the words (``check_sentence``).
    """

    name: str
    splits: dict[str, tuple[Sentence, ...]]
    source_note: str

    def __post_init__(self) -> None:
        if not self.splits:
            raise DataError(f"Corpus {self.name!r} has no splits.")
        seen: dict[str, str] = {}
        for split, sentences in self.splits.items():
            if not sentences:
                raise DataError(f"Corpus {self.name!r}, split {split!r} has no sentences.")
            for sentence in sentences:
                where = f"Corpus {self.name!r}, split {split!r}, sentence {sentence.id!r}"
                if sentence.id in seen:
                    raise DataError(
                        f"{where}: the id stands a second time (first in {seen[sentence.id]!r}). Every "
                        "sentence of a corpus needs an id of its own; is a file there twice?"
                    )
                seen[sentence.id] = split
                check_sentence(sentence, where)

    def split(self, split: str) -> tuple[Sentence, ...]:
        """The sentences of one split.

        Raises:
            DataError: if there is no such split.
        """
        if split not in self.splits:
            raise DataError(f"Corpus {self.name!r} has no split {split!r}; {near(split, self.splits)}.")
        return self.splits[split]

    def sentences(self, split: str, layers: Sequence[Layer] = ()) -> tuple[Sentence, ...]:
        """The sentences of a split that have all of ``layers``.

        Raises:
            DataError: if there is none, or no such split or layer.
        """
        for layer in layers:
            check_layer(layer)
        wanted = set(layers)
        found = tuple(sentence for sentence in self.split(split) if wanted <= set(sentence.layers))
        if not found:
            raise DataError(
                f"Corpus {self.name!r}, split {split!r} has no sentence with {' and '.join(layers)}; "
                f"of its {len(self.split(split))} sentences {self._having(split)}."
            )
        return found

    def _having(self, split: str) -> str:
        row = self.counts().set_index("split").loc[split]
        return ", ".join(f"{row[layer]} have {layer}" for layer in LAYERS)

    def labels(self, layer: Layer) -> tuple[str, ...]:
        """The labels of a layer in train, sorted: tags, relations, kinds of entities, phrases or roles.

        Roles are those of arguments, without V. Sentences that do not have the layer add nothing.

        Raises:
            DataError: if train has none, or for "coref", whose names of entities are no labels.
        """
        check_layer(layer)
        if layer not in LABELS:
            raise DataError(f"The layer {layer!r} has no labels: its spans name what they refer to.")
        found = {label for sentence in self.split("train") for label in LABELS[layer](sentence)}
        if not found:
            raise DataError(f"Corpus {self.name!r}, split 'train' has no labels of {layer!r}.")
        return tuple(sorted(found))

    def fingerprint(self, split: str) -> str:
        """A hash (SHA-256, hexadecimal) of the words and layers of a split, in order.

        Ids make no difference, names of documents do: they say which mentions belong together.
        """
        digest = hashlib.sha256()
        for sentence in self.split(split):
            content = [getattr(sentence, name) for name in Sentence.__slots__ if name != "id"]
            digest.update(json.dumps(content).encode("ascii"))
        return digest.hexdigest()

    def sampled(
        self, sizes: Mapping[str, int | None], seed: int, layers: Sequence[Layer] = ()
    ) -> "AnnotatedCorpus":
        """The corpus with only sentences that have ``layers``, some splits sampled down; None takes all.

        Sentences are drawn without replacement and stay in their order, so that those of one document still
        follow each other. With the same seed a smaller sample is part of a larger one.

        Raises:
            DataError: if a split has fewer such sentences than are asked for, or is not there.
        """
        for split in [split for split, size in sizes.items() if size is not None]:
            self.split(split)  # refuses one that is not there
        splits = {split: self._sample(split, sizes.get(split), seed, layers) for split in self.splits}
        return replace(self, splits=splits)

    def _sample(
        self, split: str, size: int | None, seed: int, layers: Sequence[Layer]
    ) -> tuple[Sentence, ...]:
        found = self.sentences(split, layers)
        if size is None:
            return found
        if not 1 <= size <= len(found):
            having = f" with {' and '.join(layers)}" if layers else ""
            raise DataError(
                f"Cannot sample {size} sentences of corpus {self.name!r}, split {split!r}: "
                f"it has {len(found)}{having}; ask for 1 to {len(found)}."
            )
        chosen = np.random.default_rng(seed).permutation(len(found))[:size]
        return tuple(found[number] for number in sorted(chosen))

    def counts(self) -> pd.DataFrame:
        """A row a split: its "sentences", its "tokens", and how many sentences have each layer."""
        rows = []
        for split, sentences in self.splits.items():
            known = [layer for sentence in sentences for layer in sentence.layers]
            tokens = sum(len(sentence.words) for sentence in sentences)
            rows.append(
                {"split": split, "sentences": len(sentences), "tokens": tokens}
                | {layer: known.count(layer) for layer in LAYERS}
            )
        return pd.DataFrame(rows)


def check_layer(layer: str) -> None:
    """Refuse a layer that there is not.

    Raises:
        DataError: naming the nearest.
    """
    if layer not in LAYERS:
        raise DataError(f"There is no layer {layer!r}; {near(layer, LAYERS)}.")
