"""Questions whose answer stands in a paragraph: the JSON of SQuAD 1.1."""

from pathlib import Path
from typing import Any

import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.text.checks import check_answer, check_texts
from encoder_atlas.text.tables import Table
from encoder_atlas.text.utf8 import read_json


def read_squad(path: Path) -> Table:
    """One row a question, with the columns of a task with answers: the first answer, and all of them.

    Raises:
        DataError: naming the file and the question, if the file is no such JSON, or an answer is missing or
            does not stand at its offset.

    Source: Rajpurkar et al. (2016), SQuAD. Questions without answer are of version 2.0 and are refused.
    """
    content = read_json(path)
    rows, places = [], []
    for a, article in enumerate(_member(content, "data", list, str(path))):
        for p, paragraph in enumerate(_member(article, "paragraphs", list, f"{path}, article {a}")):
            where = f"article {a}, paragraph {p}"
            context = _member(paragraph, "context", str, f"{path}, {where}")
            for q, asked in enumerate(_member(paragraph, "qas", list, f"{path}, {where}")):
                places.append(f"{where}, question {q}")
                rows.append(question_row(asked, context, f"{path}, {places[-1]}"))
    if not rows:
        raise DataError(f"{path} has no questions.")
    # Objects, since a column of strings could not hold what is still to be checked and refused.
    return Table(path, pd.DataFrame(rows, dtype=object), places)


def question_row(asked: object, context: str, where: str) -> dict[str, object]:
    """The columns of one question, as JSON has it, on a paragraph.

    Raises:
        DataError: beginning with ``where``, if an answer is missing or does not stand at its offset.
    """
    question = _member(asked, "question", str, where)
    answers = _member(asked, "answers", list, where)
    if not answers:
        raise DataError(
            f"{where} has no answer: such questions are of SQuAD 2.0, and version 1.1 is what can be read."
        )
    texts = [_member(answer, "text", str, f"{where}, answer") for answer in answers]
    check_texts(texts, lambda row: f"{where}, answer {row}")
    for answer, text in zip(answers, texts, strict=True):
        check_answer(answer.get("answer_start"), text, context, lambda: where)
    return {
        "question": question,
        "context": context,
        "answer_start": answers[0]["answer_start"],
        "answer_text": texts[0],
        "answers": tuple(dict.fromkeys(texts)),
    }


def _member(node: object, name: str, kind: type, where: str) -> Any:
    """A member of a JSON object, of the kind it must be."""
    found = node.get(name) if isinstance(node, dict) else None
    if not isinstance(found, kind):
        wanted = "a list" if kind is list else "text"
        raise DataError(f"{where} has no {name!r} that is {wanted}: this is not the JSON of SQuAD.")
    return found
