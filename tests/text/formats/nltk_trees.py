"""Spans of a tree that nltk has read."""

from collections.abc import Iterator

import nltk


def phrases(tree: nltk.Tree, start: int = 0) -> Iterator[tuple[int, int, str]]:
    """Start, end and label of each phrase in pre-order; the last bracket around a word is its tag."""
    if tree.height() > 2:
        yield start, start + len(tree.leaves()), tree.label()
        for child in tree:
            yield from phrases(child, start)
            start += len(child.leaves())
