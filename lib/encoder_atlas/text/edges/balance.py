"""Targets chosen so that the words of their spans do not give their labels away."""

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from encoder_atlas.text.edges.build import Edge


class Candidate(NamedTuple):
    """A target that could be taken.

    Attributes:
        seen: what the words of its spans tell of it, such as the kinds of two nouns.
        edge: the target.
        sentence: the number of its sentence.
    """

    seen: Hashable
    edge: Edge
    sentence: int


def balanced(
    candidates: Sequence[Candidate], source: random.Random, *, settled: bool = False
) -> list[Candidate]:
    """Of all that are seen alike, equally many of each label: what is seen then tells nothing of the label.

    Of candidates that are seen alike the commonest labels are kept, two or more of them, as many as leave the
    most targets. What is seen with one label only is left out; with ``settled``, as many of these are taken
    as of the others, or all. The order is by chance.
    """
    alike: dict[Hashable, dict[Hashable, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for one in candidates:
        alike[one.seen][one.edge.labels].append(one)
    kept: list[Candidate] = []
    clear: list[Candidate] = []
    for by_label in alike.values():
        groups = sorted(by_label.values(), key=len, reverse=True)
        if len(groups) == 1:
            clear += groups[0]
            continue
        labels = max(range(2, len(groups) + 1), key=lambda count: count * len(groups[count - 1]))
        for group in groups[:labels]:
            kept += source.sample(group, len(groups[labels - 1]))
    if settled:
        kept += source.sample(clear, min(len(clear), len(kept)))
    return source.sample(kept, len(kept))
