"""Text as it stands in a file: UTF-8, or a refusal that names the line."""

from pathlib import Path

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
