"""A folder for each class with a file for each text: how the reviews of IMDB are distributed."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.text.tables import Table
from encoder_atlas.text.utf8 import read_utf8


def read_class_folders(folder: Path, classes: Mapping[str, str]) -> Table:
    """One row a .txt file in the folders that ``classes`` names, with the class as label.

    Columns: "text" and "label". Files count in the order of their names, one class after the other.

    Raises:
        DataError: if a class has no folder with .txt files, or naming the file that cannot be read.
    """
    rows, places = [], []
    for name, label in classes.items():
        files = sorted((folder / name).glob("*.txt"))
        if not files:
            raise DataError(f"{folder} has no folder {name!r} with a .txt file for each text of that class.")
        rows += [(read_utf8(file), label) for file in files]
        places += [f"{name}/{file.name}" for file in files]
    return Table(folder, pd.DataFrame(rows, columns=["text", "label"], dtype=object), places)
