"""Tables are read as written, and every complaint says where."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
    for name in ("t.tsv", "t.csv"):
        path = written(tmp_path, name, content)
        try:
            assert isinstance(read_table(path), Table)
        except DataError as error:
            assert name in str(error)
