"""The zip as the server takes it, read back; test texts as distributed; what is refused."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.glue_server import TEST_SETS, glue_test_texts, write_submission
from encoder_atlas.text.layouts import LAYOUTS

# As the server's page and GLUE's own sample submission have them.
OFFICIAL = {
    "CoLA.tsv": {"0", "1"},
    "SST-2.tsv": {"0", "1"},
    "MRPC.tsv": {"0", "1"},
    "STS-B.tsv": None,
    "MNLI-m.tsv": {"entailment", "neutral", "contradiction"},
    "MNLI-mm.tsv": {"entailment", "neutral", "contradiction"},
    "QNLI.tsv": {"entailment", "not_entailment"},
    "QQP.tsv": {"0", "1"},
    "RTE.tsv": {"entailment", "not_entailment"},
    "WNLI.tsv": {"0", "1"},
    "AX.tsv": {"entailment", "neutral", "contradiction"},
}


def some(name: str) -> list[Any]:
    """Predictions in which every class comes up."""
    known = TEST_SETS[name]
    if known.words is None:
        return [row % 60 / 10 for row in range(known.rows)]
    return [list(known.words)[row % len(known.words)] for row in range(known.rows)]


@pytest.fixture(scope="module")
def predictions() -> dict[str, list[Any]]:
    return {name: some(name) for name in TEST_SETS}


def tables(path: Path) -> dict[str, list[list[str]]]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        texts = {name: archive.read(name).decode("utf-8") for name in archive.namelist()}
    return {name: [line.split("\t") for line in text.splitlines()] for name, text in texts.items()}


def test_the_zip_has_the_official_tables(predictions: dict[str, list[Any]], tmp_path: Path) -> None:
    assert write_submission(predictions, tmp_path / "glue.zip") == []
    found = tables(tmp_path / "glue.zip")
    assert set(found) == set(OFFICIAL)
    for name, lines in found.items():
        assert lines[0] == ["index", "prediction"]
        assert [index for index, _ in lines[1:]] == list(map(str, range(TEST_SETS[name[:-4]].rows)))
        answers = {answer for _, answer in lines[1:]}
        if OFFICIAL[name] is None:
            assert all(0 <= float(answer) <= 5 for answer in answers)
        else:
            assert answers == OFFICIAL[name]
    assert list(tmp_path.iterdir()) == [tmp_path / "glue.zip"]


def test_by_hand(predictions: dict[str, list[Any]], tmp_path: Path) -> None:
    given = predictions | {
        "CoLA": ["acceptable", "unacceptable"] + ["acceptable"] * 1061,
        "STS-B": [5.7, -0.2, 2.34567] + [1.0] * 1376,
        "RTE": ["not_entailment"] * 3000,
    }
    write_submission(given, tmp_path / "glue.zip")
    found = tables(tmp_path / "glue.zip")
    assert found["CoLA.tsv"][:3] == [["index", "prediction"], ["0", "1"], ["1", "0"]]
    assert found["STS-B.tsv"][1:4] == [["0", "5.000"], ["1", "0.000"], ["2", "2.346"]]
    assert found["RTE.tsv"][3000] == ["2999", "not_entailment"]


def test_every_class_of_a_known_corpus_has_its_word() -> None:
    for known in TEST_SETS.values():
        layout = LAYOUTS.get(known.task)
        if layout and layout.label_names:
            assert known.words is not None
            assert set(layout.label_names) == set(known.words)


def test_absent_tables_are_named_or_filled(predictions: dict[str, list[Any]], tmp_path: Path) -> None:
    some = {name: rows for name, rows in predictions.items() if name not in ("WNLI", "AX")}
    with pytest.raises(DataError, match=r"no predictions for WNLI, AX: .* absent='constant'"):
        write_submission(some, tmp_path / "glue.zip")
    assert not list(tmp_path.iterdir())
    assert write_submission(some, tmp_path / "glue.zip", absent="constant") == ["WNLI", "AX"]
    assert {answer for _, answer in tables(tmp_path / "glue.zip")["WNLI.tsv"][1:]} == {"0"}


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("WNLI", ["entailment"] * 145, "WNLI has 146 test examples, and the predictions 145"),
        ("WNLI", ["entailment"] * 145 + ["maybe"], "WNLI, example 145: 'maybe' is not one of not_ent"),
        ("STS-B", [1.0] * 1378 + [float("nan")], "STS-B, example 1378: nan is not a number"),
        ("STS-B", ["high"] * 1379, "STS-B, example 0: 'high' is not a number"),
        ("WLNI", ["entailment"] * 146, "no table 'WLNI'; did you mean 'WNLI'"),
    ],
)
def test_predictions_that_the_server_cannot_read(
    predictions: dict[str, list[Any]], tmp_path: Path, name: str, rows: list[Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        write_submission(predictions | {name: rows}, tmp_path / "glue.zip")


def test_texts_of_a_test_set(tmp_path: Path) -> None:
    lines = ["index\tsentence1\tsentence2", *(f"{row}\tfirst {row}\tsecond {row}" for row in range(146))]
    (tmp_path / "test.tsv").write_text("\n".join(lines), encoding="utf-8")
    texts = glue_test_texts(tmp_path, "WNLI")
    assert texts[145] == ("first 145", "second 145")
    with pytest.raises(DataError, match=r"RTE has 3000 test examples, and .*test.tsv 146"):
        glue_test_texts(tmp_path, "RTE")
    lines[5], lines[6] = lines[6], lines[5]
    (tmp_path / "test.tsv").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match="line 6, column 'index' is '5' and not 4"):
        glue_test_texts(tmp_path, "WNLI")
    with pytest.raises(DataError, match="no table 'Cola'"):
        glue_test_texts(tmp_path, "Cola")
