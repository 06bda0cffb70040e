"""What a text, a label, a score and an answer must be like; every refusal names where it was found."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near

# Says where a row is, in the words of the caller: "task 'x', split 'train', row 3" or "train.tsv, line 5".
Where = Callable[[int], str]

SURROGATE = re.compile("[\ud800-\udfff]")


def text_keys(frame: pd.DataFrame, text_columns: Sequence[str]) -> list[tuple[str, ...]]:
    """The texts of each row as they are compared: letter case and white space make no difference."""
    columns = [[" ".join(text.casefold().split()) for text in frame[name]] for name in text_columns]
    return list(zip(*columns, strict=True))


def check_texts(texts: Sequence[object], where: Where) -> None:
    """Refuse anything that is not text, text without a visible character, and half a surrogate pair.

    JSON can spell the half of a pair ("\\ud83d"); Python keeps it, and no tokenizer takes it.

    Raises:
        DataError: naming the first such row through ``where``.
    """
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(f"{where(row)}: {text!r} is not text. Drop or fill such rows first.")
        if not text.strip():
            raise DataError(f"{where(row)}: the text is empty. Drop such rows first.")
        if not text.isascii() and (half := SURROGATE.search(text)):
            raise DataError(
                f"{where(row)}: the text holds U+{ord(half[0]):04X}, half of a surrogate pair and no "
                "character. Write the file again from its source."
            )


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


def check_scores(scores: Sequence[object], score_range: tuple[float, float], where: Where) -> None:
    """Refuse scores that are not finite numbers within ``score_range``, its ends included.

    Raises:
        DataError: naming the first such row and its value.
    """
    low, high = score_range
    for row, score in enumerate(scores):
        if isinstance(score, bool) or not isinstance(score, (int, float, np.integer, np.floating)):
            raise DataError(f"{where(row)}: score {score!r} is not a number.")
        if not low <= score <= high:  # false for NaN too
            raise DataError(f"{where(row)}: score {score} is outside {low:g} to {high:g}.")


def check_answers(answers: pd.DataFrame, contexts: Sequence[str], where: Where) -> None:
    """Refuse answers that do not stand where they are said to stand.

    Args:
        answers: columns "answer_start" (character offset, from 0), "answer_text" and "answers" (all right
            answers, the first column's among them).
        contexts: the text that holds each row's answers.

    Raises:
        DataError: naming the first such row, what was expected and what stands there.
    """
    columns = [answers[name].tolist() for name in ("answer_start", "answer_text", "answers")]
    for row, (start, text, every, context) in enumerate(zip(*columns, contexts, strict=True)):
        if not isinstance(every, tuple) or text not in every:
            raise DataError(f"{where(row)}: {every!r} is no tuple of answers with {text!r} among them.")
        check_texts(every, lambda _, row=row: f"{where(row)}, answer")
        check_answer(start, text, context, lambda row=row: where(row))
        missing = next((answer for answer in every if answer not in context), None)
        if missing is not None:
            raise DataError(f"{where(row)}: the answer {missing!r} does not stand in the context.")


def check_answer(start: object, text: str, context: str, where: Callable[[], str]) -> None:
    """Refuse an answer that does not begin at character ``start`` of its context.

    Raises:
        DataError: saying what stands there, and where the answer stands if it does.
    """
    if isinstance(start, bool) or not isinstance(start, (int, np.integer)):
        raise DataError(f"{where()}: the answer's offset is {start!r}, not a whole number.")
    if start < 0 or not context.startswith(text, start):
        found = context[max(0, start) : max(0, start) + len(text)]
        place = context.find(text)
        right = f"; it begins at {place}" if place >= 0 else ", nor does it stand elsewhere in the context"
        raise DataError(f"{where()}: at character {start} stands {found!r}, not the answer {text!r}{right}.")


def encode_labels(
    values: Sequence[str], label_names: Sequence[str], where: Where, *, first: int = 0
) -> list[int]:
    """Turn labels as written in a file into class numbers.

    A value is a label's name, or its number counted from ``first`` ("1" for the second name where that is
    0). Where the names are themselves numbers, only names count, so that labels "1" to "4" are never
    shifted by one.

    Raises:
        DataError: naming the first row whose value is neither, or blank.
    """
    numbers = {name: number for number, name in enumerate(label_names)}
    if not any(name.isdecimal() for name in label_names):
        numbers |= {str(number + first): number for number in range(len(label_names))}
    encoded = []
    for row, value in enumerate(values):
        if not value.strip():
            raise DataError(f"{where(row)}: the label is blank. Fill it, or drop such rows first.")
        if value not in numbers:
            raise DataError(
                f"{where(row)}: label {value!r} is outside the label set; {near(value, numbers)}."
            )
        encoded.append(numbers[value])
    return encoded


def encode_scores(values: Sequence[str], score_range: tuple[float, float], where: Where) -> list[float]:
    """Turn scores as written in a file ("4", "3.8", "5.000") into numbers within ``score_range``.

    Raises:
        DataError: naming the first row whose value is none.
    """
    encoded = []
    for row, value in enumerate(values):
        try:
            encoded.append(float(value.replace("_", "no")))  # Python alone reads "1_0" as ten
        except ValueError:
            raise DataError(
                f"{where(row)}: score {value!r} is not a number. Fill it, or drop such rows first."
            ) from None
    check_scores(encoded, score_range, where)
    return encoded
