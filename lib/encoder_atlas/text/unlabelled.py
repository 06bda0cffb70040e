"""GLUE's test files, whose labels its server keeps: texts to predict on."""

from pathlib import Path

import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import check_texts
from encoder_atlas.text.layouts import GLUE
from encoder_atlas.text.tables import read_table

INDEX = ("index", "id")  # GLUE's names of the column that numbers the rows; QQP's is the second


def load_unlabelled(path: Path, corpus: str) -> pd.DataFrame:
    """The rows of a test file of GLUE (test.tsv, test_matched.tsv, diagnostic.tsv), every one of them.

    Nothing is dropped, since the server wants a prediction for each; a row that cannot be read is refused.

    Args:
        path: the file. All have a header, that of CoLA too, whose train and dev files have none.
        corpus: the layout, such as "mnli", also for the diagnostic file that is predicted by a model of MNLI.

    Returns:
        The text columns of the layout, and "index" (int64), the official number of each row.

    Raises:
        DataError: naming file, line and column of what cannot be used, or the near corpus.
    """
    if corpus not in GLUE:
        raise DataError(f"GLUE has no task {corpus!r}; {near(corpus, GLUE)}.")
    table = read_table(path)
    columns = {}
    for name in GLUE[corpus].text_columns or ():
        columns[name] = table.column(name)
        check_texts(columns[name], lambda row, name=name: table.where(row, name))
    name = next((name for name in INDEX if name in table.frame), INDEX[0])
    numbers = table.column(name)
    for row, number in enumerate(numbers):
        if not (number.isascii() and number.isdigit()):
            raise DataError(f"{table.where(row, name)}: {number!r} is not the number of a row.")
    index = [int(number) for number in numbers]
    if len(set(index)) < len(index):
        raise DataError(f"{path}, column {name!r} has a number twice: each row must have its own.")
    return pd.DataFrame(columns | {"index": pd.Series(index, dtype="int64")})
