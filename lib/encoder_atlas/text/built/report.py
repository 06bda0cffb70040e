"""What a build counted, and where that is not what was expected."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from encoder_atlas.text.built.recipe import Recipe, Release
from encoder_atlas.text.layers import Layer, Sentence

JOINED: tuple[Layer, ...] = ("ner", "con", "srl")  # the layers that another corpus adds
ALL: tuple[Layer, ...] = ("pos", "dep", *JOINED)


@dataclass
class Tally:
    """What is counted of one split while its sentences are joined.

    Attributes:
        lost: for each reason why a sentence has a layer less, how many have it.
        same_tags, joined_tokens: of the words that have a tree, how many the treebank gives the same tag.
    """

    counts: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    same_tags: int = 0
    joined_tokens: int = 0

    def add(self, sentence: Sentence, reasons: Iterable[str | None]) -> None:
        """Count a joined sentence."""
        self.counts["sentences"] += 1
        self.counts["tokens"] += len(sentence.words)
        self.counts.update(layer for layer in JOINED if layer in sentence.layers)
        self.counts["predicates"] += len(sentence.frames or ())
        self.counts["entities"] += len(sentence.entities or ())
        self.counts["all"] += set(ALL) <= set(sentence.layers)
        self.lost.update(reason for reason in reasons if reason)
        if sentence.tree and sentence.tags:
            self.joined_tokens += len(sentence.words)
            self.same_tags += sum(map(str.__eq__, sentence.tree.tags, sentence.tags))


COUNTED = ("sentences", "tokens", *JOINED, "all", "predicates", "entities")


@dataclass(frozen=True)
class Report:
    """What a build found, split by split.

    Attributes:
        release: the known release of the treebank that was read; None where its dev file is that of none.
        rebuilt: splits that were put together from their documents, and of how many.
        no_entities: splits without a file of Universal NER.
    """

    recipe: Recipe
    release: Release | None
    tallies: dict[str, Tally]
    rebuilt: dict[str, int]
    no_entities: tuple[str, ...]

    def counts(self) -> pd.DataFrame:
        """A row a split: sentences, tokens, sentences with each joined layer and with all five, predicates
        and entities."""
        rows = {split: [tally.counts[name] for name in COUNTED] for split, tally in self.tallies.items()}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(COUNTED))

    def tag_agreement(self) -> float:
        """Of the words that have a tree, the share whose tag is the same in tree and treebank."""
        joined = sum(tally.joined_tokens for tally in self.tallies.values())
        return sum(tally.same_tags for tally in self.tallies.values()) / max(1, joined)

    def deviations(self) -> list[str]:
        """Where a count is not the one that the recipe has for this release, or for the pinned one."""
        expected = (self.release or self.recipe.releases[0]).counts
        return [
            f"{split}: {tally.counts[name]:,} {name}, expected {number:,}"
            for split, tally in self.tallies.items()
            for name, number in expected[split].items()
            if tally.counts[name] != number
        ]

    def lines(self) -> list[str]:
        """The report as people read it."""
        commit = self.release.commit if self.release else None
        known = f"commit {commit[:12]}" if commit else "of no commit that is known here"
        lines = [f"UD_English-EWT {known}", "", *self.counts().to_string().splitlines(), ""]
        lines.append(f"tags of trees and treebank agree on {100 * self.tag_agreement():.1f} % of the words")
        for split, documents in self.rebuilt.items():
            lines.append(f"{split} was put together from its {documents} documents")
        for split in self.no_entities:
            lines.append(f"{split} has no entities: the checkout of Universal NER lacks its file")
        for split, tally in self.tallies.items():
            lines += [f"{split}: {number} sentences, {reason}" for reason, number in tally.lost.items()]
        differing = self.deviations()
        against = "this commit" if commit else f"commit {self.recipe.releases[0].commit[:12]}"
        lines.append(
            f"{len(differing)} counts are not those expected of {against}"
            if differing
            else f"all counts are those expected of {against}"
        )
        return lines + [f"  {deviation}" for deviation in differing]
