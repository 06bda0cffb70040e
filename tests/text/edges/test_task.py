"""An edge task holds what a probe can use, and refuses the rest by name."""

from dataclasses import replace

import numpy as np
import pytest
from tests.text.edges.made import PAIRS, WORDS, split, task

from encoder_atlas.errors import DataError
from encoder_atlas.text.edges import Edge, EdgeSentence, EdgeTask, edge_task


def test_what_a_task_tells_of_itself() -> None:
    made = task()
    assert made.split("dev").span_words(1) == [("bought",), ("bought",), ("rose",)]
    assert made.split("dev").span_words(2) == [("The", "bank"), ("it",), ("Sales",)]
    rows = made.counts().query("split == 'train'")
    assert dict(zip(rows["label"], rows["targets"], strict=True)) == {"a": 1, "b": 2}
    assert made.unseen == ()


def test_a_label_of_dev_alone_stays_and_is_called_unseen() -> None:
    one = EdgeSentence("1", ("Sales", "rose"), (Edge((0, 1), None, ("N",)), Edge((1, 2), None, ("V",))))
    other = EdgeSentence("2", ("Rose",), (Edge((0, 1), None, ("X",)),))
    made = edge_task("t", {"train": [one], "dev": [other]}, "")
    assert made.label_names == ("N", "V", "X")
    assert made.unseen == ("X",)
    assert not made.two_spans
    assert made.split("dev").labels.tolist() == [[False, False, True]]
    assert made.split("dev").targets.tolist() == [[0, 0, 1, -1, -1]]
    assert made.split("dev").span_words(2) == [()]


def test_sentences_without_targets_are_left_out() -> None:
    one = EdgeSentence("1", ("Sales", "rose"), (Edge((0, 1), None, ("N",)), Edge((1, 2), None, ("V",))))
    made = edge_task("t", {"train": [EdgeSentence("0", ("Oh",), ()), one], "dev": [one]}, "")
    assert made.split("train").ids == ("1",)
    assert made.split("train").targets[:, 0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([0, 2, 5, 0, 1], r"target 0 in sentence 's0': span 1 \[2, 5\) is empty or outside the 4 words"),
        ([1, 1, 1, 0, 1], r"sentence 's1': span 1 \[1, 1\) is empty or outside the 2 words"),
        ([1, -1, 1, 0, 1], r"span 1 \[-1, 1\) is empty or outside"),
        ([1, -1, -1, 0, 1], r"span 1 \[-1, -1\) is empty or outside"),
        ([0, 0, 1, 3, 2], r"span 2 \[3, 2\) is empty or outside the 4 words"),
        ([0, 0, 1, -1, -1], r"span 2 \[-1, -1\) is missing, and the task has two spans"),
        ([2, 0, 1, 0, 1], "sentence 2 is none of the 2, counted from 0"),
        ([-1, 0, 1, 0, 1], "sentence -1 is none of the 2"),
    ],
)
def test_a_span_that_is_nowhere_is_refused(targets: list[int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        task(dev=split([targets], [[1, 0]]))


def test_a_second_span_too_many_is_refused() -> None:
    with pytest.raises(DataError, match="stands in a task of one span; give -1, -1"):
        EdgeTask("t", ("a", "b"), False, {"train": PAIRS, "dev": PAIRS}, "")
    mixed = [Edge((0, 1), None, ("a",)), Edge((0, 1), (1, 2), ("b",))]
    with pytest.raises(DataError, match="some targets have a second span and others have none"):
        edge_task("t", {"train": [EdgeSentence("1", WORDS[1], tuple(mixed))]}, "")


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match=r"labels of the shape \(1, 3\) for 1 targets and 2 label names"):
        task(dev=split([[0, 0, 1, 1, 2]], [[1, 0, 0]]))
    with pytest.raises(DataError, match="all different and none blank"):
        EdgeTask("t", ("a", "a"), True, {}, "")
    with pytest.raises(DataError, match="all different and none blank"):
        EdgeTask("t", (), True, {}, "")
    one = EdgeSentence("7", WORDS[1], (Edge((0, 1), None, ("x",)),))
    with pytest.raises(DataError, match="sentence '7': there is no label 'x'"):
        edge_task("t", {"train": [one], "dev": [one]}, "", ["a", "b"])


def test_what_cannot_be_learnt_is_refused() -> None:
    same = split([[0, 0, 1, 1, 2], [0, 1, 2, 2, 3]], [[1, 0], [1, 0]])
    with pytest.raises(DataError, match="nothing can be learnt"):
        task(train=same)


def test_missing_and_empty_splits_and_sentences_are_refused() -> None:
    with pytest.raises(DataError, match="has no split 'dev'; it has"):
        EdgeTask("t", ("a", "b"), True, {"train": PAIRS}, "")
    with pytest.raises(DataError, match="'dev' has no targets"):
        task(dev=replace(PAIRS, targets=PAIRS.targets[:0], labels=PAIRS.labels[:0]))
    with pytest.raises(DataError, match="'dev' has no sentences"):
        task(dev=replace(PAIRS, sentences=(), ids=()))
    with pytest.raises(DataError, match="sentence 's1': a word is empty"):
        task(dev=replace(PAIRS, sentences=(WORDS[0], ("a", " "))))
    with pytest.raises(DataError, match="sentence 's1': there are no words"):
        task(dev=replace(PAIRS, sentences=(WORDS[0], ())))
    with pytest.raises(DataError, match="2 sentences need as many different ids; there are 2, 1 of them"):
        task(dev=replace(PAIRS, ids=("s", "s")))
    with pytest.raises(DataError, match="has no split 'test'; known: dev, train"):
        task().split("test")


def test_the_fingerprint_is_of_what_a_probe_sees() -> None:
    seen = task().fingerprint("dev")
    assert replace(task(), name="other").fingerprint("dev") == seen
    assert task(dev=replace(PAIRS, ids=("x", "y"))).fingerprint("dev") == seen
    flipped = PAIRS.labels.copy()
    flipped[1] = [True, False]
    others = [
        replace(PAIRS, labels=flipped),
        replace(PAIRS, targets=PAIRS.targets[::-1].copy()),
        replace(PAIRS, sentences=(WORDS[0], ("Sales", "fell"))),
    ]
    assert len({seen, *(task(dev=other).fingerprint("dev") for other in others)}) == 4
    assert replace(task(), label_names=("a", "c")).fingerprint("dev") != seen


def test_a_smaller_sample_is_part_of_a_larger_one() -> None:
    rng = np.random.default_rng(0)
    sentences = tuple((f"a{number}", "b", "c") for number in range(60))
    many = split([[number, 0, 1, 2, 3] for number in range(60)], [[1, 0], [0, 1]] * 30, sentences)
    whole = task(train=many)
    seed = int(rng.integers(100))
    small, large = (whole.sampled({"train": size, "dev": None}, seed).split("train") for size in (20, 40))
    assert set(small.span_words(1)) < set(large.span_words(1))
    assert small.targets[:, 0].tolist() == list(range(20))
    for kept in (small, large):  # each target keeps its own labels
        numbers = [int(words[0][1:]) for words in kept.span_words(1)]
        assert numbers == sorted(numbers)
        assert kept.labels.tolist() == many.labels[numbers].tolist()
        assert kept.ids == tuple(f"s{number}" for number in numbers)
    assert whole.sampled({"train": None}, 0).split("train") is many


@pytest.mark.parametrize("size", [0, 4])
def test_a_sample_that_is_not_there_is_refused(size: int) -> None:
    with pytest.raises(DataError, match=f"Cannot sample {size} targets .* it has 3; ask for 1 to 3"):
        task().sampled({"dev": size}, 0)
