"""Labelled brackets of phrases compared, by the rules of EVALB (Sekine and Collins, 1997)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.trees import phrase_label
from encoder_atlas.text.layers import Sentence
from encoder_atlas.training.decoders.counted import Counts

PUNCTUATION = frozenset(("", ":", "``", "''", ".", "?", "!", ","))


@dataclass(frozen=True)
class BracketRules:
    """What does not count, and what counts as the same; the defaults are those of the stem-cell paper's code.

    Attributes:
        deleted: words with these tags are taken out of both trees before they are compared, with the brackets
            that have no other words; so are brackets with these labels.
        labels: labels to read as others.
        words: words to read as others.
    """

    deleted: frozenset[str] = PUNCTUATION | {"TOP", "S1", "-NONE-"}
    labels: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"})
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BracketCounts:
    """One sentence compared.

    Attributes:
        counts: brackets right, found and gold; equal brackets, one in the other, count one by one.
        crossing: how many of those found overlap a gold one of which neither holds the other.
    """

    counts: Counts
    crossing: int

    @property
    def complete(self) -> bool:
        """Whether all brackets are right and none is missing."""
        return self.counts.right == self.counts.found == self.counts.gold


def compare_brackets(gold: Sentence, found: Sentence, rules: BracketRules | None = None) -> BracketCounts:
    """How the brackets of a tree that was found meet those of the right one.

    Function tags and indices of labels (NP-SBJ-1) do not count. Of each tree those words are taken out that
    its own tags say; the others must be the same in both.

    Raises:
        DataError: if a tree is missing or does not fit its words, or the words that are left differ.
    """
    rules = rules or BracketRules()
    words, brackets = _kept(gold, rules)
    other_words, other = _kept(found, rules)
    if words != other_words:
        raise DataError(
            f"sentence {gold.id!r}: the trees stand over different words once punctuation is taken out: "
            f"{_difference(words, other_words)}"
        )
    right = (brackets & other).total()
    crossing = sum(
        times
        for (start, end, _), times in other.items()
        if any(a < start < b < end or start < a < end < b for a, b, _ in brackets)
    )
    return BracketCounts(Counts(right, other.total(), brackets.total()), crossing)


def _kept(sentence: Sentence, rules: BracketRules) -> tuple[list[str], Counter[tuple[int, int, str]]]:
    """The words that count, and how often each bracket over them stands in the tree."""
    tree = sentence.tree
    if tree is None or len(tree.tags) != len(sentence.words):
        tags = "no tree" if tree is None else f"a tree of {len(tree.tags)} words"
        raise DataError(f"sentence {sentence.id!r} has {tags} for its {len(sentence.words)} words")
    words: list[str] = []
    at = [0]  # by fence, how many words that count stand before it
    for word, tag in zip(sentence.words, tree.tags, strict=True):
        if tag not in rules.deleted:
            words.append(rules.words.get(word, word))
        at.append(len(words))
    labelled = ((at[start], at[end], phrase_label(label)) for start, end, label in tree.spans)
    return words, Counter(
        (start, end, rules.labels.get(label, label))
        for start, end, label in labelled
        if start < end and label not in rules.deleted
    )


def _difference(words: list[str], other: list[str]) -> str:
    if len(words) != len(other):
        return f"{len(words)} in the one, {len(other)} in the other"
    place = next(i for i, pair in enumerate(zip(words, other, strict=True)) if pair[0] != pair[1])
    return f"word {place} is {words[place]!r} in the one, {other[place]!r} in the other"
