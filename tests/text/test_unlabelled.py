"""GLUE's test files: every row, its official number, and no label."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import load_unlabelled


def written(folder: Path, content: str) -> Path:
    path = folder / "test.tsv"
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize(
    ("corpus", "content", "texts"),
    [
        ("cola", 'index\tsentence\n0\tRain "fell.\n1\tFell rain.\n', [['Rain "fell.'], ["Fell rain."]]),
        ("sst2", "index\tsentence\r\n0\tgood\u0085so\r\n1\tgood\u0085so\r\n", [["good\u0085so"]] * 2),
        (
            "qqp",
            "id\tquestion1\tquestion2\n0\tWhy?\tHow?\n1\tWho?\tWhen?\n",
            [["Why?", "How?"], ["Who?", "When?"]],
        ),
        (
            "mrpc",
            "\ufeffindex\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t7\t8\ta\tb\n1\t9\t8\tc\td\n",
            [["a", "b"], ["c", "d"]],
        ),
        (
            "mnli",
            "index\tpromptID\tpairID\tgenre\tsentence1_parse\tsentence1\tsentence2\n"
            "0\t1\t1\tfiction\t( p )\tp\th\n1\t2\t2\tfiction\t( q )\tq\ti\n",
            [["p", "h"], ["q", "i"]],
        ),
    ],
)
def test_texts_and_official_numbers(
    tmp_path: Path, corpus: str, content: str, texts: list[list[str]]
) -> None:
    frame = load_unlabelled(written(tmp_path, content), corpus)
    assert frame["index"].tolist() == [0, 1]
    assert frame["index"].dtype == "int64"
    assert frame.drop(columns="index").to_numpy().tolist() == texts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("index\tsentence\n0\tgood\n1\t \n", "test.tsv, line 3, column 'sentence': the text is empty"),
        ("index\tsentence\n0\tgood\n1\n", "line 3 has 1 cells where there are 2 columns"),
        ("index\tsentence\n0\tgood\n0\tbad\n", "column 'index' has a number twice"),
        ("index\tsentence\n-1\tgood\n", "line 2, column 'index': '-1' is not the number of a row"),
        ("index\tsentence\n\u0663\tgood\n", "is not the number of a row"),
        ("indx\tsentence\n0\tgood\n", "no column 'index'; did you mean 'indx'"),
        ("index\ttext\n0\tgood\n", "no column 'sentence'"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_unlabelled(written(tmp_path, content), "sst2")


def test_other_corpora_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="GLUE has no task 'sts-b'; did you mean 'stsb'"):
        load_unlabelled(tmp_path, "sts-b")
