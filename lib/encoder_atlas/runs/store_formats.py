"""Tables as Arrow and arrays as safetensors: how small measurements are kept in the store."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from encoder_atlas.errors import StoreError
from encoder_atlas.runs.store_files import out_of_space

TABLE = "table.arrow"
ARRAYS = "arrays.safetensors"


def save_table(table: pd.DataFrame, folder: Path) -> None:
    """Raises StoreError for a column of mixed or unknown things: Arrow has one type a column."""
    try:
        content = pa.Table.from_pandas(table)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise StoreError(f"the table cannot be stored: {'; '.join(map(str, error.args))}") from None
    with pa.OSFile(str(folder / TABLE), "wb") as stream, pa.ipc.new_file(stream, content.schema) as writer:
        writer.write_table(content)


def load_table(folder: Path) -> pd.DataFrame:
    """The table with its index, column types and attributes."""
    with pa.OSFile(str(folder / TABLE), "rb") as stream:
        return pa.ipc.open_file(stream).read_pandas()


def save_arrays(arrays: Mapping[str, np.ndarray], folder: Path) -> None:
    """Raises StoreError for arrays of objects or text, which safetensors does not know."""
    # safetensors writes the memory as it lies, so a transposed view would come back wrong.
    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    try:
        save_file(contiguous, folder / ARRAYS)
    except SafetensorError as error:
        if out_of_space(error):
            raise
        raise StoreError(f"the arrays cannot be stored: {error}") from None


def load_arrays(folder: Path) -> dict[str, np.ndarray]:
    """The arrays by name, in memory."""
    return load_file(folder / ARRAYS)
