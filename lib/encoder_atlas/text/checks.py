"""What a text, a label and a pair of splits must be like; every refusal names where it was found."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near

# Says where a row is, in the words of the caller: "task 'x', split 'train', row 3" or "train.tsv, line 5".
Where = Callable[[int], str]


def text_keys(frame: pd.DataFrame, text_columns: Sequence[str]) -> list[tuple[str, ...]]:
    """The texts of each row as they are compared: letter case and white space make no difference."""
    columns = [[" ".join(text.casefold().split()) for text in frame[name]] for name in text_columns]
    return list(zip(*columns, strict=True))


def check_texts(texts: Sequence[object], where: Where) -> None:
    """Refuse anything that is not text, and text without a visible character.

    Raises:
        DataError: naming the first such row through ``where``.
    """
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(f"{where(row)}: {text!r} is not text. Drop or fill such rows first.")
        if not text.strip():
            raise DataError(f"{where(row)}: the text is empty. Drop such rows first.")


def check_labels(labels: Sequence[object], label_names: Sequence[str], where: Where) -> None:
    """Refuse labels that are not whole numbers from 0 to ``len(label_names) - 1``.

    Raises:
        DataError: naming the first such row and its value.
    """
    for row, label in enumerate(labels):
        if (
            isinstance(label, bool)
            or not isinstance(label, (int, np.integer))
            or not 0 <= label < len(label_names)
        ):
            known = ", ".join(f"{number} ({name})" for number, name in enumerate(label_names))
            raise DataError(f"{where(row)}: label {label!r} is not one of {known}.")


def encode_labels(values: Sequence[str], label_names: Sequence[str], where: Where) -> list[int]:
    """Turn labels as written in a file into class numbers.

    A value is a label's name, or its number counted from 0 ("1" for the second name). Where the names are
    themselves numbers, only names count, so that labels "1" to "4" are never shifted by one.

    Raises:
        DataError: naming the first row whose value is neither.
    """
    numbers = {name: number for number, name in enumerate(label_names)}
    if not any(name.isdecimal() for name in label_names):
        numbers |= {str(number): number for number in range(len(label_names))}
    encoded = []
    for row, value in enumerate(values):
        if value not in numbers:
            raise DataError(
                f"{where(row)}: label {value!r} is outside the label set; {near(value, numbers)}."
            )
        encoded.append(numbers[value])
    return encoded
