"""What a task refuses, and what its fingerprint and samples keep."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task

TRAIN = pd.DataFrame({"text": ["good film", "bad film", "fine"], "label": [1, 0, 1]})
DEV = pd.DataFrame({"text": ["dull", "bright"], "label": [0, 1]})


def make_task(train: pd.DataFrame = TRAIN, dev: pd.DataFrame = DEV, **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "name": "reviews",
        "kind": "single",
        "text_columns": ("text",),
        "label_names": ("negative", "positive"),
        "metric": "accuracy",
        "splits": {"train": train, "dev": dev},
        "source_note": "Written for a test.",
    }
    return Task(**(fields | changes))


def make_pairs() -> Task:
    train = pd.DataFrame({"first": ["a", "a b"], "second": ["b c", "c"], "label": [0, 1]})
    dev = pd.DataFrame({"first": ["a"], "second": ["c"], "label": [0]})
    return make_task(train, dev, kind="pair", text_columns=("first", "second"))


def make_scores(train: pd.DataFrame | None = None, **changes: Any) -> Task:
    """Pairs with how alike they are; whole numbers may be written as such."""
    rows = pd.DataFrame({"first": ["a", "b", "c"], "second": ["a", "c", "d"], "label": [5, 0.25, 3.8]})
    dev = pd.DataFrame({"first": ["e"], "second": ["f"], "label": [np.float32(1.5)]})
    description = {"kind": "pair", "text_columns": ("first", "second"), "label_names": ()}
    scores = {"metric": "pearson", "target": "score"}
    return make_task(rows if train is None else train, dev, **(description | scores | changes))


CONTEXT = "Ann saw Bob, and Bob saw Ann's cat."


def answer_rows(**changes: Any) -> pd.DataFrame:
    """Two questions on one context: "Bob" stands at 8 and 17, "Ann's cat" at 25."""
    columns: dict[str, Any] = {
        "question": ["Whom did Ann see?", "What did Bob see?"],
        "context": [CONTEXT, CONTEXT],
        "answer_start": [17, 25],
        "answer_text": ["Bob", "Ann's cat"],
        "answers": [("Bob",), ("Ann's cat", "cat")],
    }
    return pd.DataFrame(columns | changes)


def make_answers(train: pd.DataFrame | None = None, **changes: Any) -> Task:
    description = {"kind": "pair", "text_columns": ("question", "context"), "label_names": ()}
    dev = answer_rows(context=["See " + CONTEXT] * 2, answer_start=[21, 29])
    rows = answer_rows() if train is None else train
    return make_task(rows, dev, **(description | {"metric": "f1", "target": "answer"} | changes))


def test_reads_back_what_went_in() -> None:
    task = make_task()
    assert task.texts("train") == ["good film", "bad film", "fine"]
    assert task.labels("train").tolist() == [1, 0, 1]
    assert task.labels("train").dtype == np.int64
    assert task.split("dev").columns.tolist() == ["text", "label", "id"]
    assert task.split("dev")["id"].tolist() == ["dev:0", "dev:1"]


def test_accuracy_is_always_reported() -> None:
    assert make_task().metrics == ("accuracy",)
    assert make_task(metric="mcc").metrics == ("accuracy", "mcc")


def test_scores_are_numbers_and_both_correlations_are_reported() -> None:
    task = make_scores()
    assert task.labels("train").tolist() == [5.0, 0.25, 3.8]
    assert task.labels("dev").dtype == np.float64
    assert task.split("dev").columns.tolist() == ["first", "second", "label", "id"]
    assert task.metrics == make_scores(metric="spearman").metrics == ("pearson", "spearman")
    with pytest.raises(DataError, match=r"has labels and no answers: ask for labels\('dev'\)"):
        task.answers("dev")


def test_answers_come_with_their_offset_and_their_alternatives() -> None:
    task = make_answers()
    assert task.texts("train")[0] == ("Whom did Ann see?", CONTEXT)
    assert task.answers("train") == [("Bob",), ("Ann's cat", "cat")]
    train = task.split("train")
    assert train["answer_start"].dtype == np.int64
    assert train.columns.tolist()[2:] == ["answer_start", "answer_text", "answers", "id"]
    assert task.metrics == ("em", "f1")
    with pytest.raises(DataError, match=r"has answers and no labels: ask for answers\('dev'\)"):
        task.labels("dev")
    with pytest.raises(DataError, match="no split 'trian'"):
        task.answers("trian")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([5, 0, 5.01], "split 'train', row 2, column 'label': score 5.01 is outside 0 to 5"),
        ([5, -0.1, 1], "row 1, column 'label': score -0.1 is outside"),
        ([5, float("nan"), 1], "row 1, column 'label': score nan is outside"),
        ([5, 1, float("inf")], "row 2, column 'label': score inf is outside"),
        (["5", "1", "2"], "row 0, column 'label': score '5' is not a number"),
        ([True, False, True], "score True is not a number"),
        ([None, "a", 1], "score None is not a number"),
        ([2, 2.0, 2], r"one score only \(2.0\)"),
    ],
)
def test_bad_scores_are_named(labels: list[Any], message: str) -> None:
    rows = pd.DataFrame({"first": ["a", "b", "c"], "second": ["a", "c", "d"]})
    with pytest.raises(DataError, match=message):
        make_scores(rows.assign(label=pd.Series(labels, dtype=object)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"answer_start": [16, 25]},
            "row 0, column 'answers': at character 16 stands ' Bo', .*begins at 8",
        ),
        ({"answer_start": [17, 26]}, 'row 1, .*at character 26 stands "nn\'s cat.", not'),
        ({"answer_start": [-1, 25]}, "at character -1 stands"),
        ({"answer_start": [99, 25]}, "at character 99 stands ''"),
        ({"answer_start": [17.0, 25.0]}, "offset is 17.0, not a whole number"),
        ({"answer_start": [None, 25]}, "not a whole number"),
        ({"answer_start": [False, True]}, "offset is False, not a whole number"),
        ({"answer_text": ["bob", "cat"]}, r"row 0, .*\('Bob',\) is no tuple of answers with 'bob'"),
        ({"answers": ["Bob", "Ann's cat"]}, "'Bob' is no tuple of answers"),
        ({"answers": [("Bob", ""), ("Ann's cat",)]}, "row 0, .*answer: the text is empty"),
        ({"answers": [("Bob", 3), ("Ann's cat",)]}, "row 0, .*answer: 3 is not text"),
        (
            {"answers": [("Bob",), ("Ann's cat", "dog")]},
            "row 1, .*answer 'dog' does not stand in",
        ),
        ({"answer_text": ["Eve", "cat"], "answers": [("Eve",), ("cat",)]}, "nor does it stand elsewhere"),
    ],
)
def test_bad_answers_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make_answers(answer_rows(**changes))
    with pytest.raises(DataError, match="split 'train' has no column 'answer_start'"):
        make_answers(answer_rows().drop(columns="answer_start"))


def test_pairs_are_read_as_pairs() -> None:
    assert make_pairs().texts("train") == [("a", "b c"), ("a b", "c")]


def test_given_ids_and_other_frames_stay_untouched() -> None:
    frame = TRAIN.assign(id=["x", "y", "z"], film=["a", "b", "c"]).set_index(pd.Index([7, 8, 9]))
    task = make_task(frame)
    assert task.split("train")["id"].tolist() == ["x", "y", "z"]
    assert "film" not in task.split("train")
    assert frame.index.tolist() == [7, 8, 9]


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (TRAIN.rename(columns={"text": "txt"}), "split 'train' has no column 'text'; did you mean 'txt'"),
        (TRAIN.rename(columns={"label": "y"}), "has no column 'label'"),
        (TRAIN.iloc[:0], "split 'train' has no rows"),
        (TRAIN.assign(text=["good", " \t\u2028", "x"]), "row 1, column 'text': the text is empty"),
        (TRAIN.assign(text=["good", "bad", None]), "'train', row 2, column 'text': .* is not text"),
        (TRAIN.assign(text=["good", "bad", float("nan")]), "row 2, column 'text': nan is not text"),
        (TRAIN.assign(text=["good", 3, "x"]), "row 1, column 'text': 3 is not text"),
        (
            TRAIN.assign(text=pd.Series(["good", "\ud83d", "x"], dtype=object)),
            r"row 1, column 'text': the text holds U\+D83D, half of a surrogate pair",
        ),
        (TRAIN.assign(label=[0, 2, 1]), r"row 1, column 'label': label 2 is not one of 0 \(negative\), 1"),
        (TRAIN.assign(label=[0, 1, -1]), "row 2, column 'label': label -1"),
        (TRAIN.assign(label=[0.0, 1.0, 1.0]), "row 0, column 'label': label 0.0"),
        (TRAIN.assign(label=[0, 1, None]), "column 'label': label"),
        (TRAIN.assign(label=["negative", "positive", "positive"]), "row 0, column 'label': label 'negative'"),
        (TRAIN.assign(label=[True, False, True]), "label True"),
        (TRAIN.assign(label=[1, 1, 1]), r"one class only \('positive'\)"),
        (TRAIN.assign(id=["a", "a", "b"]), "'id' must hold different strings"),
        (TRAIN.assign(id=[1, 2, 3]), "'id' must hold different strings"),
        (
            TRAIN.assign(text=["good", "  DULL ", "x"]),
            "row 0 of 'dev' and row 1 of 'train' hold the same text",
        ),
    ],
)
def test_bad_rows_are_named(train: pd.DataFrame, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        make_task(train)
    assert "Task 'reviews'" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"splits": {"train": TRAIN}}, "has no split 'dev'"),
        ({"kind": "pair"}, "needs 2 different text column"),
        ({"kind": "pair", "text_columns": ("text", "text")}, "needs 2 different text column"),
        ({"text_columns": ("label",)}, "cannot be named 'label' or 'id'"),
        ({"text_columns": ("answers",), "target": "answer"}, "cannot be named 'answer_start' or .* or 'id'"),
        ({"label_names": ("only",)}, "at least two label names"),
        ({"label_names": ("a", "a")}, "all different"),
        ({"label_names": ("a", " ")}, "none blank"),
        ({"metric": "pearson"}, "'pearson' does not measure target 'class'; known: accuracy, f1, mcc"),
        ({"target": "score", "metric": "pearson"}, "target 'score' and no classes: leave label_names empty"),
        ({"target": "score", "label_names": ()}, "'accuracy' does not measure target 'score'"),
        (
            {"target": "score", "label_names": (), "metric": "pearson", "score_range": (1.0, 1.0)},
            "score_range is",
        ),
        ({"target": "answer", "label_names": (), "metric": "em"}, "needs pairs: a question and its context"),
    ],
)
def test_bad_descriptions_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make_task(**changes)


def test_train_shares_no_text_with_any_other_split() -> None:
    with pytest.raises(DataError, match="row 0 of 'test'"):
        make_task(splits={"train": TRAIN, "dev": DEV, "test": TRAIN.iloc[1:]})


def test_pairs_may_share_one_of_their_texts() -> None:
    assert len(make_pairs().texts("dev")) == 1


def test_unknown_split_names_the_near_one() -> None:
    for ask in (Task.texts, Task.labels, Task.fingerprint):
        with pytest.raises(DataError, match="no split 'trian'; did you mean 'train'"):
            ask(make_task(), "trian")


def test_fingerprint_by_hand() -> None:
    content = '["single", ["negative", "positive"], [["dull", "bright"]], [0, 1]]'
    assert json.loads(content)
    assert make_task().fingerprint("dev") == hashlib.sha256(content.encode()).hexdigest()


def test_fingerprints_of_scores_and_answers_by_hand() -> None:
    content = '["score", "pair", [["e"], ["f"]], [[1.5]]]'
    assert make_scores().fingerprint("dev") == hashlib.sha256(content.encode()).hexdigest()
    told = [[17, 25], ["Bob", "Ann's cat"], [["Bob"], ["Ann's cat", "cat"]]]
    texts = [["Whom did Ann see?", "What did Bob see?"], [CONTEXT, CONTEXT]]
    content = json.dumps(["answer", "pair", texts, told])
    assert make_answers().fingerprint("train") == hashlib.sha256(content.encode()).hexdigest()


@pytest.mark.parametrize(
    "changes",
    [
        {"answer_start": [8, 25]},
        {"answers": [("Bob", "Ann"), ("Ann's cat", "cat")]},
        {"answer_start": [17, 31], "answer_text": ["Bob", "cat"]},
    ],
)
def test_fingerprints_see_every_column_of_an_answer(changes: dict[str, Any]) -> None:
    changed = make_answers(answer_rows(**changes))
    assert changed.fingerprint("train") != make_answers().fingerprint("train")


def test_samples_keep_scores_and_answers_with_their_texts() -> None:
    drawn = make_scores().sample("train", 2, seed=0)
    whole = make_scores().split("train").set_index("id")
    pd.testing.assert_frame_equal(drawn.set_index("id"), whole.loc[drawn["id"]])
    smaller = make_answers().sampled({"train": 1}, seed=0)
    assert smaller.answers("train")[0] in make_answers().answers("train")
    with pytest.raises(DataError, match="hold the same text 'whom did ann see"):
        make_answers(splits={"train": answer_rows(), "dev": answer_rows()})


words = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


@given(st.lists(words, min_size=2, max_size=6, unique_by=lambda t: " ".join(t.casefold().split())), st.data())
@settings(deadline=None)
def test_fingerprint_sees_text_labels_and_order_only(texts: list[str], data: st.DataObject) -> None:
    frame = pd.DataFrame({"text": texts, "label": [row % 2 for row in range(len(texts))]})
    dev = pd.DataFrame({"text": ["".join(texts) + "!"], "label": [0]})
    before = make_task(frame, dev).fingerprint("train")
    same = frame.set_index(pd.Index(range(5, 5 + len(frame))))[["label", "text"]].assign(
        id=[f"r{row}" for row in range(len(frame))]
    )
    assert make_task(same.astype({"label": "int8"}), dev).fingerprint("train") == before
    order = data.draw(st.permutations(range(len(frame))))
    changed = make_task(frame.iloc[list(order)], dev).fingerprint("train")
    assert (changed == before) == (list(order) == list(range(len(frame))))
    flipped = frame.assign(label=1 - frame["label"])
    assert make_task(flipped, dev).fingerprint("train") != before
    longer = frame.assign(text=[texts[0] + "?\u00e9x", *texts[1:]])
    assert make_task(longer, dev).fingerprint("train") != before


def test_fingerprint_knows_where_a_text_ends() -> None:
    task = make_pairs()
    moved = task.split("train").assign(first=["a b", "a"], second=["c", "b c"], label=[1, 0])
    assert replace(task, splits=task.splits | {"train": moved}).fingerprint("train") != task.fingerprint(
        "train"
    )


def test_sample_takes_each_text_once() -> None:
    frame = pd.DataFrame({"text": [f"t{row % 40}" for row in range(80)], "label": [0, 1] * 40})
    task = make_task(frame)
    drawn = task.sample("train", 40, seed=1)
    assert sorted(drawn["text"]) == sorted({f"t{row}" for row in range(40)})
    assert set(drawn["id"]) == {f"train:{row}" for row in range(40)}
    with pytest.raises(DataError, match=r"Cannot sample 41 rows .* it has 40 different texts"):
        task.sample("train", 41, seed=1)
    with pytest.raises(DataError, match="Cannot sample 0 rows"):
        task.sample("train", 0, seed=1)


@given(st.integers(1, 60), st.integers(0, 5))
@settings(deadline=None)
def test_samples_with_one_seed_are_nested(n: int, seed: int) -> None:
    frame = pd.DataFrame({"text": [f"t{row}" for row in range(60)], "label": [0, 1] * 30})
    task = make_task(frame)
    pd.testing.assert_frame_equal(task.sample("train", n, seed), task.sample("train", 60, seed).iloc[:n])


def test_sampled_keeps_other_splits_and_refuses_one_class() -> None:
    frame = pd.DataFrame({"text": [f"t{row}" for row in range(60)], "label": [1] + [0] * 59})
    task = make_task(frame)
    smaller = task.sampled({"dev": 1, "train": None}, seed=0)
    assert (len(smaller.split("train")), len(smaller.split("dev"))) == (60, 1)
    with pytest.raises(DataError, match="one class only"):
        task.sampled({"train": 2}, seed=0)
