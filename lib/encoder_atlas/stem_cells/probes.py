"""All parameter-free probes of one encoder, on dev and on test, and what they are held against."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.encoders import Encoder, randomised
from encoder_atlas.errors import DataError, near
from encoder_atlas.estimates import Counts
from encoder_atlas.results import read_result, write_result
from encoder_atlas.stem_cells.attention import Looks, WordValues, read_heads
from encoder_atlas.stem_cells.centroids import (
    Centroids,
    centroid_hits,
    majority_hits,
    span_items,
)
from encoder_atlas.stem_cells.head_hits import MINIMUM, HeadHits, best_counts, best_heads
from encoder_atlas.stem_cells.links import (
    Cls,
    Direction,
    LinkLayer,
    RootControl,
    gold_links,
    link_hits,
    offset_looks,
    root_control,
)
from encoder_atlas.text.layers import Sentence

ProbeLayer = Literal["pos", "ner", "dep", "con", "srl"]
PROBED: tuple[ProbeLayer, ...] = get_args(ProbeLayer)
LINKED = get_args(LinkLayer)
OFFSETS, LEXICAL, SLICES = "fixed offset", "embeddings", "embedding slices"
MAJORITY, RANDOM = "majority", "random encoder"


class ProbeSettings(BaseModel):
    """How heads are probed. The defaults are the authors' rules but for two: an item has no part in the
    centroid of its own label, and rare labels are left out."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    cls: Annotated[Cls, Field(description="whether dependency links may lead to [CLS]; roles' never do")] = (
        "in"
    )
    direction: Annotated[Direction, Field(description="which looks count along a link")] = "either"
    centroids: Annotated[Centroids, Field(description="what a centroid is the mean of")] = "leave one out"
    subtypes: Annotated[bool, Field(description="keep subtypes of relations, as in nmod:poss")] = False
    minimum: Annotated[int, Field(ge=1, description="items of a label, on dev and on test")] = MINIMUM
    furthest: Annotated[int, Field(ge=1, le=100, description="fixed offsets tried, in words")] = 10
    batch_size: Annotated[int, Field(ge=1, description="sentences a forward pass")] = 32


@dataclass(frozen=True, eq=False)
class HeadProbes:
    """What one encoder's heads (or a baseline's) get right; small enough to keep where the model is not.

    Attributes:
        dev, test: of each probed layer its hits.
        minimum: items that a label needs on both.
        root: links of [CLS] with roots and other words on test, where dependencies were probed.
    """

    dev: Mapping[str, HeadHits]
    test: Mapping[str, HeadHits]
    minimum: int = MINIMUM
    root: RootControl | None = None

    def best(self, layer: str) -> pd.DataFrame:
        """Of each label the head chosen on dev and its score on test: see `best_heads`.

        Raises:
            DataError: a layer that was not probed, or of which no label has enough items.
        """
        if layer not in self.test:
            raise DataError(f"the layer {layer!r} was not probed; {near(layer, self.test)}")
        return best_heads(self.dev[layer], self.test[layer], self.minimum)

    def counts(self, layer: str, labels: Sequence[str]) -> list[Counts]:
        """Of each label what its best head gets right on test, by sentence, for `estimates.contrast`.

        Raises:
            DataError: a layer that was not probed, or a label of too few items.
        """
        return best_counts(self.test[layer], self.best(layer), labels)

    def save(self, folder: Path) -> None:
        """Write into ``folder``, which is made where it is missing."""
        arrays: dict[str, np.ndarray] = {}
        rest: dict[str, object] = {"minimum": self.minimum, "root": self.root is not None, "layers": {}}
        for split, hits in (("dev", self.dev), ("test", self.test)):
            for layer, own in hits.items():
                name = f"{split} {layer}"
                arrays |= {f"{name} hits": np.packbits(own.hits), f"{name} label": own.label}
                arrays[f"{name} sentence"] = own.sentence
                known = {"labels": own.labels, "shape": own.hits.shape, "sentences": own.sentences}
                cast(dict[str, object], rest["layers"])[name] = known
        if self.root is not None:
            arrays |= {f"root {name}": getattr(self.root, name) for name in ("root", "others", "words")}
        write_result(folder, "hits", arrays, rest)

    @classmethod
    def load(cls, folder: Path) -> "HeadProbes":
        """Read what ``save`` wrote.

        Raises:
            DataError: a file is missing or damaged.
        """
        with read_result(folder, "hits", "probes", "probe the encoder again") as (rest, arrays):
            splits: dict[str, dict[str, HeadHits]] = {"dev": {}, "test": {}}
            for name, known in rest["layers"].items():
                split, _, layer = name.partition(" ")
                shape = known["shape"]
                bits = np.unpackbits(arrays[f"{name} hits"], count=int(np.prod(shape)))
                splits[split][layer] = HeadHits(
                    bits.reshape(shape).astype(np.bool_),
                    arrays[f"{name} label"],
                    tuple(known["labels"]),
                    arrays[f"{name} sentence"],
                    known["sentences"],
                )
            parts = [arrays[f"root {name}"] for name in ("root", "others", "words")] if rest["root"] else None
        root = RootControl(*parts) if parts else None
        return HeadProbes(splits["dev"], splits["test"], rest["minimum"], root)


def probe_heads(
    encoder: Encoder,
    dev: Sequence[Sentence],
    test: Sequence[Sentence],
    layers: Sequence[str] = PROBED,
    settings: ProbeSettings | None = None,
) -> HeadProbes:
    """Probe every head: links for dependencies and roles, centroids for tags, entities and phrases.

    Args:
        dev: where heads are chosen.
        test: where they are scored.

    Raises:
        DataError: no sentences, or none with one of the layers; an unknown layer.
    """
    settings = settings or ProbeSettings()
    _check(layers)
    found = []
    for sentences in (dev, test):
        looks, values = read_heads(encoder, [s.words for s in sentences], settings.batch_size)
        found.append((_hits(looks, values, sentences, layers, settings), looks))
    root = root_control(found[1][1], test, settings.direction) if "dep" in layers else None
    return HeadProbes(found[0][0], found[1][0], settings.minimum, root)


def check_items(
    dev: Sequence[Sentence], test: Sequence[Sentence], layers: Sequence[str], minimum: int = MINIMUM
) -> None:
    """See whether sentences hold enough for each probe, before an encoder is trained to be probed.

    Raises:
        DataError: a layer of which no label has ``minimum`` items both on dev and on test.
    """
    _check(layers)
    for layer in layers:
        n_dev, n_test = (Counter(_labels(sentences, layer)) for sentences in (dev, test))
        enough = [label for label, n in n_test.items() if min(n, n_dev[label]) >= minimum]
        if not enough:
            raise DataError(
                f"no label of {layer!r} stands {minimum} times in both halves of {len(dev) + len(test)} "
                "sentences: probe more of them, or leave this layer out"
            )


def _labels(sentences: Sequence[Sentence], layer: str) -> list[str]:
    if layer in LINKED:
        return [link.label for link in gold_links(sentences, layer)]
    return [item.label for item in span_items(sentences, layer)]


def baseline_probes(
    encoder: Encoder,
    dev: Sequence[Sentence],
    test: Sequence[Sentence],
    layers: Sequence[str] = PROBED,
    settings: ProbeSettings | None = None,
    *,
    seed: int = 0,
) -> dict[str, HeadProbes]:
    """What the probes find without anything learnt in heads.

    Returns:
        For dependencies and roles "fixed offset". For tags, entities and phrases "embeddings", the encoder's
        own layer 0 at full width; "embedding slices", the same cut to the width of heads; and "majority". For
        all "random encoder", whose best heads are chosen among as many as the encoder has.

    Raises:
        As `probe_heads`.
    """
    settings = settings or ProbeSettings()
    _check(layers)
    splits = [_baseline_hits(encoder, sentences, layers, settings) for sentences in (dev, test)]
    found = {name: HeadProbes(own, splits[1][name], settings.minimum) for name, own in splits[0].items()}
    return found | {RANDOM: probe_heads(randomised(encoder, seed), dev, test, layers, settings)}


def _baseline_hits(
    encoder: Encoder, sentences: Sequence[Sentence], layers: Sequence[str], settings: ProbeSettings
) -> dict[str, dict[str, HeadHits]]:
    """Of each baseline that reads the sentences, or the encoder's embeddings of them, its hits by layer."""
    words = [sentence.words for sentence in sentences]
    found: dict[str, dict[str, HeadHits]] = {}
    links = [layer for layer in layers if layer in LINKED]
    if links:
        found[OFFSETS] = _link_hits(offset_looks(words, settings.furthest), sentences, links, settings)
    items = {layer: span_items(sentences, layer) for layer in layers if layer not in LINKED}
    if items:
        values = read_heads(encoder, words, settings.batch_size)[1]
        for name, of in ((LEXICAL, "embeddings"), (SLICES, "slices")):
            found[name] = {
                layer: centroid_hits(values, own, centroids=settings.centroids, of=of)
                for layer, own in items.items()
            }
        found[MAJORITY] = {layer: majority_hits(own, len(sentences)) for layer, own in items.items()}
    return found


def _hits(
    looks: Looks,
    values: WordValues,
    sentences: Sequence[Sentence],
    layers: Sequence[str],
    settings: ProbeSettings,
) -> dict[str, HeadHits]:
    links = [layer for layer in layers if layer in LINKED]
    found = _link_hits(looks, sentences, links, settings)
    for layer in [layer for layer in layers if layer not in LINKED]:
        found[layer] = centroid_hits(values, span_items(sentences, layer), centroids=settings.centroids)
    return found


def _link_hits(
    looks: Looks, sentences: Sequence[Sentence], layers: Sequence[str], settings: ProbeSettings
) -> dict[str, HeadHits]:
    return {
        layer: link_hits(
            looks,
            gold_links(sentences, layer, settings.subtypes),
            cls=settings.cls if layer == "dep" else "out",
            direction=settings.direction,
        )
        for layer in layers
    }


def _check(layers: Sequence[str]) -> None:
    for layer in layers:
        if layer not in PROBED:
            raise DataError(f"there is no probe for the layer {layer!r}; {near(layer, PROBED)}")
