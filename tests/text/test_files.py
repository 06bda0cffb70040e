"""Tasks from folders and files: the layout of SST-2, a reader's own tables, and damaged ones."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task

TRAIN = 'sentence\tlabel\na "fine film\t1\ndull\t0\nbright\t1\n'
DEV = "sentence\tlabel\ngood\t1\nbad\t0\n"


def folder(path: Path, train: str = TRAIN, dev: str = DEV, suffix: str = "tsv") -> Path:
    (path / f"train.{suffix}").write_bytes(train.encode())
    (path / f"dev.{suffix}").write_bytes(dev.encode())
    return path


def load(path: Path, corpus: str = "sst2", **fields: Any) -> Task:
    return load_task(TaskSpec(name="t", source="files", corpus=corpus, path=path, **fields))


def test_sst2_layout(tmp_path: Path) -> None:
    task = load(folder(tmp_path))
    assert task.texts("train") == ['a "fine film', "dull", "bright"]
    assert task.labels("dev").tolist() == [1, 0]
    assert task.label_names == ("negative", "positive")
    assert task.split("train")["id"].tolist() == ["train:0", "train:1", "train:2"]


def test_rows_of_train_that_stand_in_dev_are_dropped_and_counted(tmp_path: Path) -> None:
    task = load(folder(tmp_path, train=TRAIN + "Good \t1\nBAD\t1\nlast\t0\n"))
    assert task.split("train")["id"].tolist() == ["train:0", "train:1", "train:2", "train:5"]
    assert task.source_note.endswith("because dev has them: 2.")


def test_train_equal_to_dev_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="every text of train stands in dev"):
        load(folder(tmp_path, train=DEV))


def test_own_csv_with_named_columns(tmp_path: Path) -> None:
    train = 'stars,review\n10,"long, long"\n2,short\n10,fine\n'
    path = folder(tmp_path, train, "stars,review\n2,bad\n10,good\n", suffix="csv")
    task = load(path, "own", text_columns=("review",), label_column="stars")
    assert task.label_names == ("2", "10")
    assert task.texts("train") == ["long, long", "short", "fine"]
    assert task.labels("train").tolist() == [1, 0, 1]
    assert "own files" in task.source_note


def test_own_pairs_and_label_names(tmp_path: Path) -> None:
    rows = "".join(f"p{row}\tq{row}\t{'no' if row % 3 else 'yes'}\n" for row in range(9))
    path = folder(tmp_path, "a\tb\tsame\n" + rows, "a\tb\tsame\np0\tq1\t0\n")
    task = load(path, "own", text_columns=["a", "b"], label_column="same", label_names=["yes", "no"])
    assert task.kind == "pair"
    assert task.texts("dev") == [("p0", "q1")]
    assert task.labels("train").tolist() == [0, 1, 1, 0, 1, 1, 0, 1, 1]
    assert task.labels("dev").tolist() == [0]


def test_numeric_label_names_are_never_shifted(tmp_path: Path) -> None:
    train, dev = "sentence\tlabel\na\t1\nb\t2\n", "sentence\tlabel\nc\t2\nd\t1\n"
    task = load(folder(tmp_path, train, dev), label_names=("1", "2"))
    assert task.labels("dev").tolist() == [1, 0]
    with pytest.raises(DataError, match="line 3, column 'label': label '0' is outside"):
        load(folder(tmp_path, train, "sentence\tlabel\nc\t2\nd\t0\n"), label_names=("1", "2"))


@given(st.lists(st.sampled_from("abcdefghij"), min_size=12, max_size=40), st.integers(0, 9))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_table_is_split_by_text(tmp_path: Path, texts: list[str], seed: int) -> None:
    texts += list("klmnopqrst")
    rows = "".join(f"{text}\t{'xy'[row % 2]}\n" for row, text in enumerate(texts))
    path = tmp_path / "all.tsv"
    path.write_text("sentence\tlabel\n" + rows, encoding="utf-8")
    task, again = load(path, seed=seed, label_names=("x", "y")), load(path, seed=seed, label_names=("x", "y"))
    n_dev = round(0.2 * len(set(texts)))
    assert len(set(task.texts("dev"))) == n_dev
    assert not set(task.texts("dev")) & set(task.texts("train"))
    assert len(task.texts("dev")) + len(task.texts("train")) == len(texts)
    assert task.fingerprint("dev") == again.fingerprint("dev")
    ids = [*task.split("train")["id"], *task.split("dev")["id"]]
    assert sorted(ids) == sorted(f"all:{row}" for row in range(len(texts)))


def test_sample_sizes(tmp_path: Path) -> None:
    assert len(load(folder(tmp_path), train=3, dev=1).texts("dev")) == 1
    with pytest.raises(DataError, match="Cannot sample 4 rows"):
        load(folder(tmp_path), train=4)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("sentence\tlabels\nx\t1\n", "train.tsv has no column 'label'; did you mean 'labels'"),
        ("text\tlabel\nx\t1\n", "train.tsv has no column 'sentence'"),
        ("sentence\tlabel\nx\t1\n \t0\n", "train.tsv, line 3, column 'sentence': the text is empty"),
        ("sentence\tlabel\nx\t1\ny\t2\n", "train.tsv, line 3, column 'label': label '2' is outside"),
        ("sentence\tlabel\nx\tpositiv\n", "line 2, column 'label': .* did you mean 'positive'"),
        ("sentence\tlabel\nx\t1\ny\t1\n", "one class only"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, train: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(folder(tmp_path, train))


OWN = {"text_columns": ("text",), "label_column": "kind"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "text,kind\na,x\nb,\nc,y\n", "t.csv, line 3, column 'kind': the label is blank"),
        ("t.tsv", "text\tkind\na\tx\nb\ty\nc\t \u2028\n", "t.tsv, line 4, column 'kind': the label is blank"),
        (
            "t.jsonl",
            '{"text": "a", "kind": "x"}\n{"text": "b"}\n',
            "line 2, column 'kind': the label is blank",
        ),
        ("t.jsonl", '{"text": "a", "kind": 1}\n{"text": "b", "kind": [1]}\n', "line 2, .* a list is no text"),
        ("t.csv", "text,kind\na,x\n\nc,y\n", "t.csv, line 3 is empty"),
        ("t.csv", "text,kind\na,x\n,x\nc,y\n", "line 3, column 'text': the text is empty"),
        ("t.csv", b"text,kind\ncaf\xc3\xa9,x\ncaf\xe9,y\n", "line 3: byte 0xe9 is not UTF-8. Save the file"),
        ("t.csv", "text;kind\na;x\n", "did you mean 'text;kind'"),
    ],
)
def test_bad_cells_of_own_tables_are_named(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message):
        load(path, "own", **OWN)


def test_a_blank_label_is_no_class_where_names_are_given_either(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 3, column 'label': the label is blank"):
        load(folder(tmp_path, "sentence\tlabel\nx\t1\ny\t\n"))


@pytest.mark.parametrize(("corpus", "fields"), [("own", OWN | {"label_column": "text"}), ("sst2", {})])
def test_the_label_is_no_text(tmp_path: Path, corpus: str, fields: dict[str, Any]) -> None:
    given = fields or {"label_column": "sentence"}
    with pytest.raises(DataError, match="given as label_column and as a column of text"):
        load(folder(tmp_path), corpus, **given)


def test_own_jsonl_and_parquet_as_csv(tmp_path: Path) -> None:
    """The same rows give the same task, whatever file they stand in."""
    rows = [{"text": f'say "{row}"', "kind": row % 3 + 1} for row in range(30)]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text("\r\n".join(map(json.dumps, rows)))
    tasks = [load(tmp_path / f"t.{ending}", "own", **OWN) for ending in ("csv", "parquet", "jsonl")]
    assert tasks[0].label_names == ("1", "2", "3")
    assert {len(task.texts("dev")) for task in tasks} == {6}
    for split in ("train", "dev"):
        assert len({task.fingerprint(split) for task in tasks}) == 1


def test_own_scores(tmp_path: Path) -> None:
    path = folder(tmp_path, "a,b,like\nx,y,10\nz,w,2.5\n", "a,b,like\nu,v,7e0\n", suffix="csv")
    fields = {"text_columns": ("a", "b"), "label_column": "like", "target": "score"}
    task = load(path, "own", **fields, score_range=(0, 10))
    assert (task.target, task.metric, task.score_range) == ("score", "pearson", (0, 10))
    assert task.labels("train").tolist() == [10, 2.5]
    assert task.labels("dev").tolist() == [7]
    with pytest.raises(DataError, match=r"line 2, column 'like': score 10.0 is outside 0 to 5"):
        load(path, "own", **fields)


@pytest.mark.parametrize("score", ["", "four", "nan", "1_0", "0x1", "1,5", "-1", "1e999"])
def test_what_is_no_score(tmp_path: Path, score: str) -> None:
    path = folder(tmp_path, f"text\tlike\nx\t1\ny\t{score}\n", "text\tlike\nz\t2\n")
    with pytest.raises(DataError, match=r"train.tsv, line 3, column 'like': score"):
        load(path, "own", text_columns=("text",), label_column="like", target="score")


def test_own_files_need_columns_and_classes(tmp_path: Path) -> None:
    path = folder(tmp_path, "sentence\tlabel\nx\t1\n")
    with pytest.raises(DataError, match=r"set text_columns and label_column; .*'sentence', 'label'"):
        load(path, "own")
    with pytest.raises(DataError, match="column 'label' has one class only: '1'"):
        load(path, "own", text_columns=("sentence",), label_column="label")


def test_missing_places_name_the_near_one(tmp_path: Path) -> None:
    home = tmp_path / "sst2"
    home.mkdir()
    with pytest.raises(DataError, match=r"sst2 has no train.tsv or train.csv"):
        load(home)
    with pytest.raises(DataError, match=r"no file or folder .*ss2; did you mean 'sst2'"):
        load(tmp_path / "ss2")
    with pytest.raises(DataError, match=r"nor is there a folder .*nowhere"):
        load(tmp_path / "nowhere" / "sst2")
    (folder(home) / "train.csv").write_text("a")
    with pytest.raises(DataError, match=r"has train.tsv and train.csv: keep one"):
        load(home)
    with pytest.raises(DataError, match=r"no layout 'sst-2' for files; did you mean 'sst2'"):
        load(home, "sst-2")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / ("long" * 1000))


@given(st.binary(max_size=60) | st.text(st.sampled_from('a01,\t\r\n"\u0085\u2028'), max_size=30))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_fuzzed_folders_raise_nothing_else(tmp_path: Path, tail: bytes | str) -> None:
    content = TRAIN.encode() + (tail if isinstance(tail, bytes) else tail.encode())
    (tmp_path / "train.tsv").write_bytes(content)
    (tmp_path / "dev.tsv").write_bytes(DEV.encode())
    for path in (tmp_path, tmp_path / "train.tsv"):
        try:
            assert isinstance(load(path), Task)
        except DataError as error:
            assert str(error)


@pytest.mark.real
def test_repeats_stay_in_sst2(real_data: Path) -> None:
    task = load(real_data / "sst2")
    unique = len({" ".join(text.casefold().split()) for text in task.split("train")["sentence"]})
    assert unique == len(task.split("train")) - 371 == 67_349 - 371
