"""Trees of phrases as binary trees of spans, and back."""

from collections.abc import Iterable, Mapping, Sequence

from encoder_atlas.errors import DataError
from encoder_atlas.text.layers import Span, Tree

NONE = ""  # the label of a span that is no phrase
CHAIN = "+"  # stands between the labels of phrases over the same words

# The label of each span, given by its first and last fence.
Labelled = dict[tuple[int, int], str]


def collapsed(spans: Iterable[Span]) -> Labelled:
    """The label of every span that is a phrase; of phrases over the same words one, the outer first: "S+VP".

    Raises:
        DataError: if a label is empty or holds a "+".
    """
    labels: Labelled = {}
    for start, end, label in spans:
        if not label or CHAIN in label:
            raise DataError(
                f"the phrase label {label!r} is empty or holds {CHAIN!r}, which joins labels: rename it"
            )
        outer = labels.get((start, end))
        labels[start, end] = label if outer is None else outer + CHAIN + label
    return labels


def binarised(tree: Tree) -> Labelled:
    """The 2n − 1 spans of a binary tree over the n words, with NONE for those that are no phrase.

    Of more than two children the first two are joined in a span without a label, it and the third in another,
    and so on: "[a b c d]" becomes "[[[a b] c] d]".

    Raises:
        DataError: as `collapsed` has it.
    """
    spans = {(word, word + 1): NONE for word in range(len(tree.tags))} | collapsed(tree.spans)
    children: dict[tuple[int, int], list[tuple[int, int]]] = {span: [] for span in spans}
    path: list[tuple[int, int]] = []
    for span in sorted(spans, key=_outer_first):
        while path and path[-1][1] <= span[0]:
            path.pop()
        if path:
            children[path[-1]].append(span)
        path.append(span)
    joined = {(start, end): NONE for (start, _), own in children.items() for _, end in own[1:-1]}
    return spans | joined


def unbinarised(labels: Mapping[tuple[int, int], str], tags: Sequence[str]) -> Tree:
    """The tree of the phrases among these spans; `binarised` undone."""
    phrases = (
        Span(*span, label)
        for span in sorted(labels, key=_outer_first)
        if labels[span] != NONE
        for label in labels[span].split(CHAIN)
    )
    return Tree(tuple(phrases), tuple(tags))


def _outer_first(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], -span[1]
