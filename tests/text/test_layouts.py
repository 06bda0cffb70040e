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
STSB_HEADER = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
WNLI_HEADER = "index\tsentence1\tsentence2\tlabel\n"
GLUE = {
    "stsb": (
        STSB_HEADER + "0\tg\tf\ty\t1\ts\ts\tp0\tq0\t4\r\n1\tg\tf\ty\t2\ts\ts\tp1\tq1\t3.8\r\n",
        STSB_HEADER + '0\tg\tf\ty\t1\ts\ts\t"p2\tq2\t5.000\n',
    ),
    "wnli": (WNLI_HEADER + "0\tp0\th0\t1\n1\tp1\th1\t0\n", WNLI_HEADER + "0\tp2\th2\t0\n"),
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


def test_stsb_has_scores_however_they_are_written(tmp_path: Path) -> None:
    task = load(write(tmp_path, "stsb"), "stsb")
    assert task.labels("train").tolist() == [4.0, 3.8]
    assert task.labels("dev").tolist() == [5.0]
    assert task.texts("dev") == [('"p2', "q2")]
    assert (task.target, task.label_names, task.metrics) == ("score", (), ("pearson", "spearman"))


def test_wnli_entails_where_the_label_is_one(tmp_path: Path) -> None:
    task = load(write(tmp_path, "wnli"), "wnli")
    assert [task.label_names[label] for label in task.labels("train")] == ["entailment", "not_entailment"]


def test_mnli_has_a_second_dev_split_where_its_file_is_there(tmp_path: Path) -> None:
    assert set(load(write(tmp_path, "mnli"), "mnli").splits) == {"train", "dev"}
    (tmp_path / "dev_mismatched.tsv").write_text(
        "index\tsentence1\tsentence2\tlabel5\tgold_label\n0\tP0\th0\t-\tentailment\n1\tr\ts\t-\tneutral\n"
    )
    task = load(tmp_path, "mnli")
    assert task.texts("dev_mismatched") == [("P0", "h0"), ("r", "s")]
    assert task.labels("dev_mismatched").tolist() == [0, 1]
    assert task.texts("train") == [("p1", "h1"), ("p2", "h2")]
    assert "train.tsv, dev_matched.tsv and dev_mismatched.tsv; " in task.source_note
    assert task.source_note.endswith("because dev or dev_mismatched has them: 1.")


def test_mrpc_may_have_the_labelled_test_file_of_msr(tmp_path: Path) -> None:
    (write(tmp_path, "mrpc") / "test_msr_labelled.tsv").write_text(MRPC_HEADER + "0\t5\t6\tE\tF\n")
    assert load(tmp_path, "mrpc").labels("test").tolist() == [0]


def test_agnews_counts_classes_from_one_and_quotes_its_cells(tmp_path: Path) -> None:
    rows = ['"3","Oil, again","Prices ""rose""\\today."', '"4","Chips","New chips, old\nplans."']
    (tmp_path / "train.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "test.csv").write_text('"1","Talks","Talks began."\n"2","Cup","They won."\n')
    (tmp_path / "classes.txt").write_text("World\nSports\nBusiness\nSci/Tech\n")
    task = load(tmp_path, "agnews")
    assert task.texts("train") == ['Prices "rose"\\today.', "New chips, old\nplans."]
    assert [task.label_names[label] for label in task.labels("train")] == ["Business", "Sci/Tech"]
    assert [task.label_names[label] for label in task.labels("dev")] == ["World", "Sports"]
    pairs = TaskSpec(
        name="p", source="files", corpus="agnews", path=tmp_path, text_columns=("title", "description")
    )
    assert load_task(pairs).texts("dev") == [("Talks", "Talks began."), ("Cup", "They won.")]
    (tmp_path / "train.csv").write_text('"0","Oil","Prices rose."\n"1","x","y"\n')
    with pytest.raises(DataError, match=r"train.csv, line 1, column 'class': label '0' is outside"):
        load(tmp_path, "agnews")


def test_the_slice_of_agnews_names_its_classes(tmp_path: Path) -> None:
    (tmp_path / "train_slice.tsv").write_text('Prices "rose.\tBusiness\nNew chips.\tSci/Tech\n')
    (tmp_path / "test.csv").write_text('"1","Talks","Talks began."\n')
    task = load(tmp_path, "agnews")
    assert task.texts("train") == ['Prices "rose.', "New chips."]
    assert task.labels("train").tolist() == [2, 3]


def test_scitail_has_no_header(tmp_path: Path) -> None:
    for split, rows in {
        "train": 'A "cell" lives.\tCells live.\tentails\nRain fell.\tCells live.\tneutral\n',
        "dev": "Cells die.\tCells live.\tneutral\n",
        "test": "Cells grow.\tCells live.\tentails\n",
    }.items():
        (tmp_path / f"scitail_1.0_{split}.tsv").write_text(rows)
    task = load(tmp_path, "scitail")
    assert task.texts("train")[0] == ('A "cell" lives.', "Cells live.")
    assert task.labels("train").tolist() == [0, 1]
    assert set(task.splits) == {"train", "dev", "test"}


def test_imdb_as_lines_of_json(tmp_path: Path) -> None:
    (tmp_path / "train_sample.jsonl").write_text(
        '{"id": "train/pos/1_8", "text": "Fine\u0085film", "label": 1, "rating": 8}\n'
        '{"id": "train/neg/2_1", "text": "Dull.", "label": 0, "rating": 1}\n'
    )
    (tmp_path / "test_sample.jsonl").write_text('{"text": "Bright", "label": 1}\n')
    task = load(tmp_path, "imdb")
    assert task.texts("train") == ["Fine\u0085film", "Dull."]
    assert task.labels("train").tolist() == [1, 0]


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
