"""Text as it stands in a file: UTF-8, or a refusal that names the line; and JSON that is written in it."""

import json
from pathlib import Path
from typing import Any

from encoder_atlas.errors import DataError


def read_utf8(path: Path) -> str:
    """The content of a file, without the byte-order mark where it begins with one.

    Raises:
        DataError: if the file cannot be read, or naming the line that is not UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise DataError(
            f"{path}, line {line}: byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8."
        ) from error


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        DataError: if the file cannot be read, or naming the line and character where it stops being JSON.
    """
    try:
        return json.loads(read_utf8(path))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, character {error.colno}"
        raise DataError(f"{path}, {place} is no JSON: {error.msg}.") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets without end
        raise DataError(f"{path} is no usable JSON: {error}.") from error
