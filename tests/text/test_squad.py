"""SQuAD's JSON: what a row holds, and which of its faults are named."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.squad import read_squad

CONTEXT = "In 1876\u2028\u00e9tudes by Ann were played; Ann's \U0001f600 friends played them again."


def question(text: str, *answers: tuple[int, str]) -> dict[str, Any]:
    found = [{"answer_start": start, "text": answer} for start, answer in answers]
    return {"id": text[:4], "question": text, "answers": found}


CONTENT = {
    "version": "1.1",
    "data": [
        {
            "title": "Music",
            "paragraphs": [
                {
                    "context": CONTEXT,
                    "qas": [
                        question("When was it?", (3, "1876"), (0, "In 1876"), (3, "1876")),
                        question("Who played?", (35, "Ann's \U0001f600 friends")),
                    ],
                },
                {"context": "Rain fell.", "qas": [question("What fell?", (0, "Rain"))]},
            ],
        },
        {"title": "Snow", "paragraphs": [{"context": "Snow fell.", "qas": [question("What?", (0, "Snow"))]}]},
    ],
}


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def load(path: Path, **fields: Any) -> Task:
    return load_task(TaskSpec(name="q", source="files", corpus="squad", path=path, **fields))


def test_one_row_a_question(tmp_path: Path) -> None:
    table = read_squad(written(tmp_path / "t.json", CONTENT))
    assert table.cells("question") == ["When was it?", "Who played?", "What fell?", "What?"]
    assert table.cells("context") == [CONTEXT, CONTEXT, "Rain fell.", "Snow fell."]
    assert table.cells("answer_start") == [3, 35, 0, 0]
    assert table.cells("answer_text") == ["1876", "Ann's \U0001f600 friends", "Rain", "Snow"]
    assert table.cells("answers")[0] == ("1876", "In 1876")
    assert table.places[1] == "article 0, paragraph 0, question 1"


def test_the_official_names_of_a_folder(tmp_path: Path) -> None:
    written(tmp_path / "train-v1.1.json", {"data": CONTENT["data"][:1]})
    written(tmp_path / "dev-v1.1.json", {"data": CONTENT["data"][1:]})
    task = load(tmp_path)
    assert [len(task.answers(split)) for split in ("train", "dev")] == [3, 1]
    assert (task.target, task.kind, task.metrics) == ("answer", "pair", ("em", "f1"))
    assert task.split("train")["id"].tolist() == [f"train-v1.1:{row}" for row in range(3)]


@pytest.mark.parametrize("seed", range(5))
def test_one_file_is_split_by_paragraph(tmp_path: Path, seed: int) -> None:
    task = load(written(tmp_path / "t.json", CONTENT), seed=seed)
    train, dev = (set(task.split(split)["context"]) for split in ("train", "dev"))
    assert (len(train), len(dev), len(train & dev)) == (2, 1, 0)


def changed(*path: str | int, value: object) -> object:
    """The content with one member replaced."""
    content: Any = deepcopy(CONTENT)
    node = content
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return content


FIRST = ("data", 0, "paragraphs", 0)
ANSWER = (*FIRST, "qas", 0, "answers", 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "t.json has no 'data' that is a list: this is not the JSON of SQuAD"),
        (changed("data", value=[]), "t.json has no questions"),
        (changed("data", 1, value=3), "article 1 has no 'paragraphs' that is a list"),
        (changed(*FIRST, "context", value=None), "article 0, paragraph 0 has no 'context' that is text"),
        (changed(*FIRST, "qas", 1, value="x"), "paragraph 0, question 1 has no 'question' that is text"),
        (changed(*FIRST, "qas", 0, "answers", value=[]), "question 0 has no answer: .* SQuAD 2.0"),
        (changed(*ANSWER, value={}), "question 0, answer has no 'text' that is text"),
        (changed(*ANSWER, "text", value=" "), "question 0, answer 1: the text is empty"),
        (
            changed(*ANSWER, "answer_start", value=1),
            "question 0: at character 1 stands 'n 1876.*begins at 0",
        ),
        (changed(*ANSWER, "answer_start", value=None), "offset is None, not a whole number"),
        (changed(*ANSWER, "answer_start", value=10**30), "stands '', not"),
        (
            changed(*FIRST, "qas", 0, "question", value=" "),
            "question 0, column 'question': the text is empty",
        ),
        (changed(*FIRST, "qas", 0, "question", value="\ud83d"), r"'question': the text holds U\+D83D"),
    ],
)
def test_faults_are_named(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        load(written(tmp_path / "t.json", content))
    assert "t.json" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"data": [}', "line 1, character 11 is no JSON: Expecting value"),
        (b"\n\xff", "line 2: byte 0xff is not UTF-8"),
        (b"[" * 100_000, "no usable JSON"),
        (b'{"data": ' + b"1" * 5000 + b"}", "no usable JSON"),
    ],
)
def test_what_is_no_json(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t.json").write_bytes(content)
    with pytest.raises(DataError, match=message):
        load(tmp_path / "t.json")


def test_missing_files_are_named(tmp_path: Path) -> None:
    written(tmp_path / "train-v1.1.json", CONTENT)
    with pytest.raises(DataError, match=r"has no dev-v1.1.json or dev.json; did you mean 'train-v1.1.json'"):
        load(tmp_path)
