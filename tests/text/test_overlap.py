"""No dev text of one task in another's train."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, disjoint, load_task, load_tasks


def single(name: str, train: list[str], dev: list[str]) -> Task:
    frames = {"train": train, "dev": dev}
    return Task(
        name=name,
        kind="single",
        text_columns=("text",),
        label_names=("no", "yes"),
        metric="accuracy",
        splits={
            split: pd.DataFrame({"text": texts, "label": [row % 2 for row in range(len(texts))]})
            for split, texts in frames.items()
        },
        source_note="Written for a test.",
    )


def pair(name: str, train: list[tuple[str, str]], dev: list[tuple[str, str]]) -> Task:
    frames = {"train": train, "dev": dev}
    return Task(
        name=name,
        kind="pair",
        text_columns=("a", "b"),
        label_names=("no", "yes"),
        metric="accuracy",
        splits={
            split: pd.DataFrame(texts, columns=pd.Index(["a", "b"])).assign(
                label=[row % 2 for row in range(len(texts))]
            )
            for split, texts in frames.items()
        },
        source_note="Written for a test.",
    )


def test_the_same_words_count_however_they_are_written() -> None:
    one = single("one", ["it 's fine .", "other"], ["new"])
    two = single("two", ["x", "y"], ["z", "It's fine"])
    with pytest.raises(DataError, match=r"1 rows of task 'two', .* row 1: \"It's fine\""):
        disjoint([one, two])
    with pytest.raises(DataError, match=r"1 rows of task 'two', split 'dev', stand in 'train' of task 'one'"):
        disjoint([two, one])


def test_pairs_count_as_a_whole_and_in_either_order() -> None:
    seen = pair("seen", [("p", "q"), ("r", "s")], [("t", "u")])
    disjoint([seen, pair("parts", [("v", "w"), ("x", "y")], [("p", "s")])])
    with pytest.raises(DataError, match="'turned'"):
        disjoint([seen, pair("turned", [("v", "w"), ("x", "y")], [("Q", "p")])])


def test_a_single_text_may_stand_in_a_pair() -> None:
    with pytest.raises(DataError, match="'single'"):
        disjoint(
            [pair("pairs", [("p", "q"), ("r", "s")], [("t", "u")]), single("single", ["a", "b"], ["Q!"])]
        )
    disjoint([single("single", ["t", "b"], ["c"]), pair("pairs", [("p", "q"), ("r", "s")], [("t", "u")])])


def test_texts_without_letters_are_not_all_the_same() -> None:
    disjoint([single("one", ["?", "a"], ["b"]), single("two", ["c", "d"], ["!"])])


@given(*[st.sets(st.sampled_from("abcdefgh"), min_size=2, max_size=5)] * 2, *[st.sampled_from("ijkab")] * 2)
@settings(deadline=None)
def test_against_a_literal_search(one: set[str], two: set[str], dev_one: str, dev_two: str) -> None:
    if dev_one in one or dev_two in two:
        return
    tasks = [single("one", sorted(one), [dev_one]), single("two", sorted(two), [dev_two])]
    if dev_one in two or dev_two in one:
        with pytest.raises(DataError, match="stand in 'train'"):
            disjoint(tasks)
    else:
        disjoint(tasks)


def test_tasks_load_together() -> None:
    specs = [
        TaskSpec(name="inference", source="generated", corpus="toy-inference", train=60, dev=30),
        TaskSpec(name="entailment", source="generated", corpus="toy-entailment", train=60, dev=30),
        TaskSpec(name="reviews", source="generated", corpus="toy-reviews", train=60, dev=30),
    ]
    tasks = load_tasks(specs)
    assert list(tasks) == ["inference", "entailment", "reviews"]
    with pytest.raises(DataError, match="Two tasks are named 'reviews'"):
        load_tasks([*specs, specs[-1]])


def test_one_table_split_by_two_seeds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "all.tsv"
    path.write_text("sentence\tlabel\n" + "".join(f"text {row}\t{row % 2}\n" for row in range(40)))
    one, two = (
        TaskSpec(name=f"seed {seed}", source="files", corpus="sst2", path=path, seed=seed) for seed in (0, 1)
    )
    with pytest.raises(DataError, match="A model taught both"):
        load_tasks([one, two])


@pytest.mark.real
def test_sst2_and_movie_reviews_are_kept_apart(real_data: Path) -> None:
    """Both go back to one collection: measured, 567 of SST-2's 872 dev rows stand in train of the other."""
    sst2 = load_task(TaskSpec(name="sst2", source="files", corpus="sst2", path=real_data / "sst2"))
    reviews = load_task(TaskSpec(name="reviews", source="packaged", corpus="movie-reviews"))
    with pytest.raises(DataError, match="567 rows of task 'sst2'"):
        disjoint([sst2, reviews])
