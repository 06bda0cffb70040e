r"""GLUE's test sets: their texts as distributed, and predictions as its evaluation server takes them.

The server wants one zip of eleven tables without folders. Each has the header ``index\tprediction`` and a
line for every test example, counted from 0: a number of the class, a word, or (STS-B) a score from 0 to 5.
"""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.tables import read_table

Prediction = str | float

NUMBERED = {
    "cola": ("unacceptable", "acceptable"),
    "sst2": ("negative", "positive"),
    "mrpc": ("not_equivalent", "equivalent"),
    "qqp": ("not_duplicate", "duplicate"),
    "wnli": ("not_entailment", "entailment"),
}


@dataclass(frozen=True)
class ServerTable:
    """One table of the zip and the test set that it is about.

    Attributes:
        task: the task, as its corpus is called here, whose model predicts it.
        rows: how many examples the test set has.
        columns: of the text in the distributed file.
        words: what the server reads, by the name of the class; None for scores.
        constant: written where nothing was predicted.
    """

    task: str
    rows: int
    file: str
    columns: tuple[str, ...]
    words: Mapping[str, str] | None
    constant: str


def _numbered(task: str, rows: int, columns: tuple[str, ...]) -> ServerTable:
    words = {name: str(number) for number, name in enumerate(NUMBERED[task])}
    return ServerTable(task, rows, "test.tsv", columns, words, "0")


def _worded(task: str, rows: int, file: str, columns: tuple[str, ...], words: Sequence[str]) -> ServerTable:
    return ServerTable(task, rows, file, columns, {word: word for word in words}, words[-1])


_PAIR = ("sentence1", "sentence2")
_THREE = ("contradiction", "neutral", "entailment")
_TWO = ("entailment", "not_entailment")

TEST_SETS: dict[str, ServerTable] = {
    "CoLA": _numbered("cola", 1063, ("sentence",)),
    "SST-2": _numbered("sst2", 1821, ("sentence",)),
    "MRPC": _numbered("mrpc", 1725, ("#1 String", "#2 String")),
    "STS-B": ServerTable("stsb", 1379, "test.tsv", _PAIR, None, "2.500"),
    "MNLI-m": _worded("mnli", 9796, "test_matched.tsv", _PAIR, _THREE),
    "MNLI-mm": _worded("mnli", 9847, "test_mismatched.tsv", _PAIR, _THREE),
    "QNLI": _worded("qnli", 5463, "test.tsv", ("question", "sentence"), _TWO),
    "QQP": _numbered("qqp", 390_965, ("question1", "question2")),
    "RTE": _worded("rte", 3000, "test.tsv", _PAIR, _TWO),
    "WNLI": _numbered("wnli", 146, _PAIR),
    "AX": _worded("mnli", 1104, "diagnostic.tsv", _PAIR, _THREE),
}
"""By the name of the table in the zip. AX, the diagnostic set, is predicted by the model of MNLI."""


def glue_test_texts(path: Path, name: str) -> list[str] | list[tuple[str, str]]:
    """The texts of a test set, in the order of the server's index.

    Args:
        path: the folder of the task as GLUE distributes it, or the table itself.
        name: a name of `TEST_SETS`.

    Raises:
        DataError: no such test set; a table that cannot be read, that has another number of rows, or whose
            first column does not count them from 0.
    """
    known = _known(name)
    table = read_table(path / known.file if path.is_dir() else path)
    first = str(table.frame.columns[0])
    for row, cell in enumerate(table.column(first)):
        if cell != str(row):
            where = table.where(row, first)
            raise DataError(f"{where} is {cell!r} and not {row}: take the file as GLUE distributes it")
    _check_rows(name, len(table.frame), str(table.path))
    columns = [table.column(column) for column in known.columns]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def write_submission(
    predictions: Mapping[str, Sequence[Prediction]],
    path: Path,
    *,
    absent: Literal["refuse", "constant"] = "refuse",
) -> list[str]:
    """Write the zip that the GLUE server takes.

    Args:
        predictions: for each name of `TEST_SETS` one prediction an example, in the order of its index: names
            of classes as the tasks here call them, scores for STS-B (cut to [0, 5]).
        path: the zip; one that is there is replaced.
        absent: the server wants all eleven tables. "constant" fills those that are absent with one and the
            same answer, whose score there means nothing.

    Returns:
        The names of the tables that were filled.

    Raises:
        DataError: an unknown or absent table, a wrong number of predictions, or one that the server cannot
            read.
    """
    for name in predictions:
        _known(name)
    missing = [name for name in TEST_SETS if name not in predictions]
    if missing and absent == "refuse":
        raise DataError(
            f"no predictions for {', '.join(missing)}: the GLUE server takes all {len(TEST_SETS)} tables or "
            "none; predict them, or fill them with absent='constant'"
        )
    tables = {name: _lines(name, predictions.get(name)) for name in TEST_SETS}
    unfinished = path.with_name(f".{path.name}.part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in tables.items():
            archive.writestr(f"{name}.tsv", "index\tprediction\n" + "".join(lines))
    unfinished.replace(path)
    return missing


def _lines(name: str, predictions: Sequence[Prediction] | None) -> list[str]:
    known = TEST_SETS[name]
    if predictions is None:
        return [f"{row}\t{known.constant}\n" for row in range(known.rows)]
    _check_rows(name, len(predictions), "the predictions")
    written = _score if known.words is None else _class_of(known.words)
    lines = []
    for row, prediction in enumerate(predictions):
        try:
            lines.append(f"{row}\t{written(prediction)}\n")
        except (KeyError, TypeError, ValueError) as error:
            wanted = "a number" if known.words is None else f"one of {', '.join(known.words)}"
            raise DataError(f"{name}, example {row}: {prediction!r} is not {wanted}") from error
    return lines


def _class_of(words: Mapping[str, str]) -> Callable[[Prediction], str]:
    return lambda prediction: words[str(prediction)]


def _score(prediction: Prediction) -> str:
    value = float(prediction)
    if value != value:
        raise ValueError("not a number")
    return f"{min(max(value, 0.0), 5.0):.3f}"


def _known(name: str) -> ServerTable:
    if name not in TEST_SETS:
        raise DataError(f"the GLUE server has no table {name!r}; {near(name, TEST_SETS)}")
    return TEST_SETS[name]


def _check_rows(name: str, found: int, where: str) -> None:
    if found != TEST_SETS[name].rows:
        raise DataError(f"{name} has {TEST_SETS[name].rows} test examples, and {where} {found}")
