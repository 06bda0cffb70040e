"""A result on disk: its arrays (safetensors) beside all else (JSON), in files of one name."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from encoder_atlas.errors import DataError


def write_result(folder: Path, name: str, arrays: Mapping[str, np.ndarray], rest: Any) -> None:
    """Write into ``folder``, which is made where it is missing: arrays, then what JSON holds."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
    save_file(whole, folder / f"{name}.safetensors")
    (folder / f"{name}.json").write_text(json.dumps(rest), encoding="utf-8")


@contextmanager
def read_result(
    folder: Path, name: str, what: str, again: str = "measure again"
) -> Iterator[tuple[Any, dict[str, np.ndarray]]]:
    """The rest and the arrays that `write_result` wrote, for a block that makes the result of them.

    Raises:
        DataError: a file is missing or damaged, or lacks what the block asks for. It says that the folder
            holds no ``what``, and what to do ``again``.
    """
    try:
        rest = json.loads((folder / f"{name}.json").read_bytes())
        yield rest, load_file(folder / f"{name}.safetensors")
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise DataError(f"{folder} holds no {what} ({error}): {again}") from None
