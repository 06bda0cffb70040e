"""Small tasks of edge probing that a probe can learn from single words."""

import numpy as np
import pytest

from encoder_atlas.text.edges import NO_SPAN, EdgeSplit, EdgeTask

KINDS = {"noun": ["river", "committee", "stone"], "verb": ["saw", "heard", "took"], "end": ["."]}


def made_split(sentences: int, two_spans: bool, seed: int, name: str) -> EdgeSplit:
    """Sentences "noun verb noun ." whose targets are the words, or the verb with the words around it."""
    random = np.random.default_rng(seed)
    pattern = ["noun", "verb", "noun", "end"]
    words = [tuple(str(random.choice(KINDS[kind])) for kind in pattern) for _ in range(sentences)]
    targets, labels = [], []
    for number in range(sentences):
        for place, kind in enumerate(pattern):
            if two_spans:
                if kind != "noun":
                    continue
                targets.append((number, place, place + 1, 1, 2))
                labels.append((place == 0, place == 2, True))
            else:
                targets.append((number, place, place + 1, NO_SPAN, NO_SPAN))
                labels.append((kind == "noun", kind == "verb", kind == "end"))
    ids = tuple(f"{name}-{number}" for number in range(sentences))
    return EdgeSplit(tuple(words), ids, np.array(targets, dtype=np.int64), np.array(labels))


def made_task(two_spans: bool = False) -> EdgeTask:
    names = ("before", "after", "word") if two_spans else ("noun", "verb", "end")
    splits = {"train": made_split(24, two_spans, 0, "a"), "dev": made_split(12, two_spans, 1, "b")}
    return EdgeTask("order" if two_spans else "kinds", names, two_spans, splits, "Made for a test.")


@pytest.fixture(scope="session")
def kinds() -> EdgeTask:
    """One span: the word; label: its kind."""
    return made_task()


@pytest.fixture(scope="session")
def order() -> EdgeTask:
    """Two spans: a noun and the verb; labels: which side of it, and one that always holds."""
    return made_task(two_spans=True)
