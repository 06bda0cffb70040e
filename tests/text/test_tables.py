"""Tables are read as written, and every complaint says where."""

from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from encoder_atlas.errors import DataError
from encoder_atlas.text.tables import Table, read_table


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_quotes_in_tsv_are_text(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "t.tsv", 'sentence\tlabel\n"so\t1\n"good" he said\t0\n'))
    assert table.column("sentence") == ['"so', '"good" he said']
    assert table.places == ["line 2", "line 3"]


def test_csv_is_quoted(tmp_path: Path) -> None:
    content = 'text,label\n"a, ""b""\nc",1\r\nd,0\n'
    table = read_table(written(tmp_path, "t.CSV", content))
    assert table.column("text") == ['a, "b"\nc', "d"]
    assert table.places == ["line 2", "line 4"]


@pytest.mark.parametrize(("name", "between"), [("t.tsv", "\t"), ("t.csv", ",")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_line_feeds_end_lines(tmp_path: Path, name: str, between: str, end: str) -> None:
    odd = "a\u0085b\u2028c\x0bd\x0ce\x1cf"
    content = f"text{between}label{end}{odd}{between}1{end}g{between}0"
    table = read_table(written(tmp_path, name, content))
    assert table.column("text") == [odd, "g"]
    assert table.column("label") == ["1", "0"]


def test_jsonl_names_its_columns_and_keeps_spellings(tmp_path: Path) -> None:
    odd = "a\u0085b\u2028c"
    rows = [
        f'{{"text": "{odd}", "label": 5.000, "tags": [1]}}',
        '{"label": true, "text": "say \\"so\\"\\n", "more": null}',
        '{"text": 12345678901234567890, "more": -0.50}',
    ]
    for end in ("\n", "\r\n"):
        table = read_table(written(tmp_path, "t.jsonl", end.join(rows) + end))
        assert table.frame.columns.tolist() == ["text", "label", "tags", "more"]
        assert table.column("text") == [odd, 'say "so"\n', "12345678901234567890"]
        assert table.column("label") == ["5.000", "true", ""]
        assert table.column("more") == ["", "", "-0.50"]
        assert table.places == ["line 1", "line 2", "line 3"]
        with pytest.raises(DataError, match=r"t.jsonl, line 1, column 'tags': a list is no text"):
            table.column("tags")


def test_parquet_counts_rows_and_spells_as_python_does(tmp_path: Path) -> None:
    columns = {
        "text": ["a\u0085b\u2028c", "d\r\n", None],
        "label": [1, 0, None],
        "score": [5.0, 3.8, 0.1],
        "sure": [True, False, None],
        "tags": [["x"], [], None],
    }
    table = pyarrow.table(columns).append_column("kind", pyarrow.array(["p", "q", "p"]).dictionary_encode())
    parquet.write_table(table, tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert read.column("text") == ["a\u0085b\u2028c", "d\r\n", ""]
    assert read.column("label") == ["1", "0", ""]
    assert read.column("score") == ["5.0", "3.8", "0.1"]
    assert read.column("sure") == ["true", "false", ""]
    assert read.column("kind") == ["p", "q", "p"]
    assert read.where(2, "text").endswith("t.parquet, row 2, column 'text'")
    with pytest.raises(DataError, match="row 0, column 'tags': a list is no text"):
        read.column("tags")


def test_bad_parquet_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t.parquet cannot be read as Parquet: .*magic bytes"):
        read_table(written(tmp_path, "t.parquet", b"not a Parquet file"))
    with pytest.raises(DataError, match=r"none.parquet cannot be read as Parquet"):
        read_table(tmp_path / "none.parquet")
    twice = pyarrow.Table.from_arrays([pyarrow.array(["x"])] * 2, names=["a", "a"])
    parquet.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(DataError, match="more than one column is named 'a'"):
        read_table(tmp_path / "t.parquet")
    parquet.write_table(pyarrow.table({"a": pyarrow.array([], pyarrow.string())}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="no rows that can be used"):
        read_table(tmp_path / "t.parquet")


def test_cells_stay_strings(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "t.tsv", "\ufefftext\tlabel\nNA\t01\nnan\t\n"))
    assert table.frame.to_numpy().tolist() == [["NA", "01"], ["nan", ""]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.tsv", "", "has no header"),
        ("t.tsv", "\n\n", "has no header"),
        ("t.tsv", "a\tb\n", "has no rows that can be used"),
        ("t.tsv", "a\ta\nx\ty\n", "more than one column is named 'a'"),
        ("t.tsv", "a\tb\nx\ty\nz\n", "line 3 has 1 cells where there are 2 columns"),
        ("t.tsv", b"a\tb\nx\ty\nz\t\xe9\n", "line 3: byte 0xe9 is not UTF-8"),
        ("t.csv", 'a,b\nx,y\n"z,1\n', "line 3: .*quotes"),
        ("t.csv", "a,b\nx,y,z\n", "line 2 has 3 cells"),
        ("t.csv", "a,b\nx,y\n\nz,w\n", "line 3 is empty where there are 2 columns"),
        ("t.tsv", "a\tb\nx\ty\n\r\nz\tw\n", "line 3 is empty where there are 2 columns"),
        ("t.csv", b'a,b\n"x\n\ny",1\ncaf\xc3\xa9,1\ncaf\xe9,0\n', "line 6: byte 0xe9 is not UTF-8"),
        ("t.csv", "a,b\nx,y\n".encode("utf-16"), "line 1: byte 0xff is not UTF-8"),
        ("t.jsonl", '{"a": "x"}\n\n{"a": "y"}\n', "line 2 is no JSON: Expecting value at character 1"),
        ("t.jsonl", '{"a": "x"}\n{"a": "y"', "line 2 is no JSON: .* at character 10"),
        ("t.jsonl", '[{"a": "x"}]', "line 1 is no JSON object: each line must be one"),
        ("t.jsonl", '{"a": ' + "[" * 100_000, "line 1 is nested too deeply"),
        ("t.jsonl", b'{"a": "\xff"}', "line 1: byte 0xff is not UTF-8"),
        ("t.xlsx", "a", "none of the tables that can be read: .csv, .jsonl, .parquet, .tsv"),
    ],
)
def test_bad_files_name_the_line(tmp_path: Path, name: str, content: bytes | str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_table(written(tmp_path, name, content))
    assert name in str(caught.value)


def test_header_given_and_damage_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "t.tsv", "1\tx\n2\n3\ty\n")
    with pytest.raises(DataError, match="line 2 has 1 cells"):
        read_table(path, ["n", "text"])
    table = read_table(path, ["n", "text"], drop_damaged=True)
    assert (table.column("text"), table.places, table.damaged) == (["x", "y"], ["line 1", "line 3"], 1)
    kept = table.keep(np.array([False, True]))
    assert (kept.column("text"), kept.places, kept.damaged) == (["y"], ["line 3"], 2)
    assert "line 3" in kept.where(0, "text")
    with pytest.raises(DataError, match="no rows that can be used"):
        table.keep(np.array([False, False]))


def test_missing_file_and_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "folder.tsv").mkdir()
    for name in ("none.tsv", "folder.tsv"):
        with pytest.raises(DataError, match=f"{name} cannot be read"):
            read_table(tmp_path / name)


def test_missing_column_names_the_near_one(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "t.tsv", "sentence\tlabel\nx\t1\n"))
    with pytest.raises(DataError, match="no column 'sentense'; did you mean 'sentence'"):
        table.column("sentense")


cells = st.text(st.characters(codec="utf-8"), max_size=12)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_csv_round_trip(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    lines = ["text,label", *(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)]
    table = read_table(written(tmp_path, "t.csv", "\n".join(lines)))
    assert [tuple(row) for row in table.frame.to_numpy().tolist()] == rows


@given(st.binary(max_size=80) | st.text(st.sampled_from('a,\t\r\n"\\\ufeff\0'), max_size=40))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_fuzzed_tables_raise_nothing_else(tmp_path: Path, content: bytes | str) -> None:
    for name in ("t.tsv", "t.csv", "t.jsonl", "t.parquet"):
        path = written(tmp_path, name, content)
        try:
            assert isinstance(read_table(path), Table)
        except DataError as error:
            assert name in str(error)
