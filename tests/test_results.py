"""Results on disk: what is written is read, and a folder without a whole result is refused."""

from pathlib import Path

import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.results import read_result, write_result


def test_what_is_written_is_read(tmp_path: Path) -> None:
    table = np.arange(6).reshape(2, 3)
    write_result(tmp_path / "new", "found", {"table": table, "turned": table.T}, {"names": ["a", "b"]})
    with read_result(tmp_path / "new", "found", "tables") as (rest, arrays):
        assert rest == {"names": ["a", "b"]}
        np.testing.assert_array_equal(arrays["table"], table)
        np.testing.assert_array_equal(arrays["turned"], table.T)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    absent = r"holds no tables .*found\.json.*: measure again"
    with pytest.raises(DataError, match=absent), read_result(tmp_path, "found", "tables"):
        pytest.fail("nothing stands there")
    write_result(tmp_path, "found", {"table": np.zeros(2)}, {})
    lacking = pytest.raises(DataError, match=r"holds no tables \('names'\): draw them")
    with lacking, read_result(tmp_path, "found", "tables", "draw them") as (rest, _):
        rest["names"]


@pytest.mark.parametrize("file", ["found.json", "found.safetensors"])
def test_damage_is_refused(tmp_path: Path, file: str) -> None:
    write_result(tmp_path, "found", {"table": np.zeros(2)}, {})
    (tmp_path / file).write_bytes(b"{")
    with pytest.raises(DataError, match="holds no tables"), read_result(tmp_path, "found", "tables"):
        pytest.fail("a damaged file is no result")


def test_other_errors_pass(tmp_path: Path) -> None:
    write_result(tmp_path, "found", {"table": np.zeros(2)}, {})
    with pytest.raises(ZeroDivisionError), read_result(tmp_path, "found", "tables"):
        _ = 1 / 0
