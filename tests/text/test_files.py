"""Tasks from folders and files: the layout of SST-2, a reader's own tables, and damaged ones."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.tables import read_table

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
def test_the_whole_of_sst2_loads(real_data: Path) -> None:
    manifest = read_table(real_data / "MANIFEST.tsv")
    rows_of = dict(zip(manifest.column("file"), manifest.column("rows"), strict=True))
    rows = {split: int(rows_of[f"sst2/{split}.tsv"]) for split in ("train", "dev")}
    task = load(real_data / "sst2")
    sizes = {split: len(frame) for split, frame in task.splits.items()}
    assert sizes == rows == {"train": 67_349, "dev": 872}
    assert [(task.labels(split) == 1).sum() for split in ("train", "dev")] == [37_569, 444]
    assert task.source_note.endswith("because dev has them: 0.")
    unique = len({" ".join(text.casefold().split()) for text in task.split("train")["sentence"]})
    assert unique == 67_349 - 371
