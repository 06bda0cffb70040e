"""Tables that a run takes down for whoever gathers many runs, beside what it found out about claims."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.runs.project import write_whole

VALUE = "value"


class TableRecorder:
    """Takes down tidy tables: one row a measured number, in the column ``value``; the others say of what."""

    def __init__(self, path: Path) -> None:
        """Start the file at ``path`` anew."""
        self.path = path
        self._tables: dict[str, pd.DataFrame] = {}
        path.unlink(missing_ok=True)

    def record(self, name: str, table: pd.DataFrame) -> None:
        """Take down a table under a name; the second of one name replaces the first.

        Raises DataError for a table without a numeric column ``value``.
        """
        if VALUE not in table or not pd.api.types.is_numeric_dtype(table[VALUE]):
            raise DataError(
                f"table {name!r} has no column {VALUE!r} of numbers (it has {list(table.columns)})"
            )
        self._tables[name] = table.reset_index(drop=True)
        texts = {
            name: json.loads(str(kept.to_json(orient="table", index=False, double_precision=15)))
            for name, kept in self._tables.items()
        }
        write_whole(self.path, json.dumps(texts))


def tidy(table: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """A wide table as one row a number: the columns ``measures`` become ``measure`` and ``value``.

    Raises DataError for a column that the table lacks.
    """
    if lacking := [name for name in measures if name not in table]:
        raise DataError(
            f"no column {lacking[0]!r} in a table to be recorded; {near(lacking[0], table.columns)}"
        )
    kept = [name for name in table.columns if name not in measures]
    return table.melt(kept, measures, var_name="measure", value_name=VALUE)


def read_records(path: Path) -> dict[str, pd.DataFrame]:
    """The tables at ``path`` by name; none where there is no file. Raises DataError for a damaged one."""
    try:
        texts = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: pd.read_json(StringIO(json.dumps(text)), orient="table") for name, text in texts.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise DataError(f"recorded tables {path} cannot be read: {error}; run the notebook again") from None
