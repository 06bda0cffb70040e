"""Known corpora as they are distributed: a hand-made example of each layout."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task

COLA = 'gj04\t1\t\tThe "weights" fell.\r\ngj04\t0\t*\tThe fell weights.\r\n'
MRPC_HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
MRPC = f'\ufeff{MRPC_HEADER}1\t1\t2\tHe said " so .\tSo he said .\n0\t3\t4\tA\tB\n'
MNLI = (
    "index\tpromptID\tgenre\tsentence1\tsentence2\tlabel1\tgold_label\n"
    "0\t9\tfiction\tp0\th0\tneutral\tneutral\n1\t9\tfiction\tp1\th1\tneutral\tcontradiction\n"
    "2\t9\tfiction\tp2\th2\tneutral\tentailment\n"
)
QQP = (
    "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    "1\t1\t2\tWhy?\tWhy so?\t1\n2\t1\t2\tWhy?\n3\t1\t2\tWho?\t \t0\n4\t1\t2\tWho?\tWhere?\t0\n"
)
GLUE = {
    "cola": (COLA, "gj04\t1\t\tRain fell.\n"),
    "mrpc": (MRPC, MRPC_HEADER + "1\t1\t2\tC\tD\n"),
    "mnli": (MNLI, "index\tsentence1\tsentence2\tgold_label\n0\tq\th\tneutral\n"),
    "qqp": (QQP, "id\tquestion1\tquestion2\tis_duplicate\n1\tA?\tB?\t0\n"),
}


def load(folder: Path, corpus: str) -> Task:
    return load_task(TaskSpec(name=corpus, source="files", corpus=corpus, path=folder))


def write(folder: Path, corpus: str, train: str = "train", dev: str | None = None) -> Path:
    dev = dev or ("dev_matched" if corpus == "mnli" else "dev")
    for name, content in zip((train, dev), GLUE[corpus], strict=True):
        (folder / f"{name}.tsv").write_bytes(content.encode())
    return folder


def test_cola_has_no_header(tmp_path: Path) -> None:
    task = load(write(tmp_path, "cola"), "cola")
    assert task.texts("train") == ['The "weights" fell.', "The fell weights."]
    assert [task.label_names[label] for label in task.labels("train")] == ["acceptable", "unacceptable"]
    assert task.metrics == ("accuracy", "mcc")


def test_mrpc_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    task = load(write(tmp_path, "mrpc"), "mrpc")
    assert task.texts("train") == [('He said " so .', "So he said ."), ("A", "B")]
    assert task.labels("train").tolist() == [1, 0]
    assert task.metrics == ("accuracy", "f1")


def test_mnli_has_three_classes_in_words(tmp_path: Path) -> None:
    task = load(write(tmp_path, "mnli"), "mnli")
    assert task.texts("train")[0] == ("p0", "h0")
    assert task.labels("train").tolist() == [1, 2, 0]
    assert task.metrics == ("accuracy",)


def test_damaged_rows_of_qqp_are_dropped_and_counted(tmp_path: Path) -> None:
    task = load(write(tmp_path, "qqp"), "qqp")
    assert task.texts("train") == [("Why?", "Why so?"), ("Who?", "Where?")]
    assert "damaged rows dropped: 2;" in task.source_note


def test_damaged_rows_of_others_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, "mrpc")
    (folder / "train.tsv").write_text(MRPC + "1\tshort\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 4 has 2 cells"):
        load(folder, "mrpc")
    folder = write(tmp_path, "cola")
    (folder / "train.tsv").write_text("sentence\tlabel\nx\t1\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1 has 2 cells where there are 4 columns"):
        load(folder, "cola")


def test_a_table_with_nothing_but_damage_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, "qqp")
    for rows in ("1\tx\n", "1\t1\t2\tWhy?\t \t1\n"):
        (folder / "train.tsv").write_text(QQP.split("\n")[0] + "\n" + rows, encoding="utf-8")
        with pytest.raises(DataError, match="no rows that can be used"):
            load(folder, "qqp")


def test_samples_are_read_where_whole_files_are_missing(tmp_path: Path) -> None:
    task = load(write(tmp_path, "mnli", "train_slice", "dev_from_train_slice"), "mnli")
    assert "read from train_slice.tsv and dev_from_train_slice.tsv" in task.source_note
    assert task.split("train")["id"].iloc[0] == "train_slice:0"
    write(tmp_path, "mnli")
    assert "read from train.tsv and dev_matched.tsv" in load(tmp_path, "mnli").source_note


def test_missing_files_are_named(tmp_path: Path) -> None:
    (write(tmp_path, "mnli") / "dev_matched.tsv").rename(tmp_path / "dev_matchd.tsv")
    with pytest.raises(DataError, match=r"has no dev_matched.tsv or .*did you mean 'dev_matchd.tsv'"):
        load(tmp_path, "mnli")
    with pytest.raises(DataError, match="no layout 'mnl' for files; did you mean 'mnli'"):
        load(tmp_path, "mnl")
