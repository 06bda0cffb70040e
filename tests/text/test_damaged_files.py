"""Files of every format, damaged at random: a task or a DataError comes of them, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task, load_unlabelled

TEXTS = ("a fine film", "dull \u0085 and long", "say so \u2028 twice", "caf\u00e9 \U0001f600 scenes")
ROWS = [(f"{text} {row}", row % 2) for row, text in enumerate(TEXTS * 2)]


def squad() -> str:
    paragraphs = [
        {
            "context": f"It rained in {text}.",
            "qas": [{"question": "Where?", "answers": [{"answer_start": 13, "text": text}]}],
        }
        for text, _ in ROWS
    ]
    return json.dumps({"data": [{"paragraphs": paragraphs}]})


def table_of(between: str) -> str:
    return "\n".join([f"text{between}label", *(f"{text}{between}{label}" for text, label in ROWS)])


def write_parquet(path: Path) -> None:
    texts, labels = zip(*ROWS, strict=True)
    parquet.write_table(pyarrow.table({"text": texts, "label": labels}), path)


def write_text(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content.encode())


# For each file: how it is written whole, and the layout that reads it.
FORMATS: dict[str, tuple[Callable[[Path], object], str]] = {
    "own.tsv": (write_text(table_of("\t")), "own"),
    "own.csv": (write_text(table_of(",")), "own"),
    "scores.tsv": (write_text(table_of("\t").replace("\t1", "\t3.800")), "scores"),
    "own.jsonl": (
        write_text("\n".join(json.dumps({"text": text, "label": label}) for text, label in ROWS)),
        "own",
    ),
    "own.parquet": (write_parquet, "own"),
    "cola.tsv": (write_text("".join(f"a\t{label}\t\t{text}\n" for text, label in ROWS)), "cola"),
    "stsb.tsv": (
        write_text(
            "index\tsentence1\tsentence2\tscore\n"
            + "".join(f"{row}\t{text}\tother\t{row / 2}\n" for row, (text, _) in enumerate(ROWS))
        ),
        "stsb",
    ),
    "agnews.csv": (
        write_text("".join(f'"{label + 1}","title","{text}, ""so"""\n' for text, label in ROWS)),
        "agnews",
    ),
    "scitail.tsv": (
        write_text("".join(f"{text}\th\t{('entails', 'neutral')[label]}\n" for text, label in ROWS)),
        "scitail",
    ),
    "squad.json": (write_text(squad()), "squad"),
}
OWN = {"text_columns": ("text",), "label_column": "label"}


def load(path: Path, corpus: str) -> Task:
    fields = {"name": "t", "source": "files", "corpus": corpus, "path": path}
    if corpus == "scores":
        fields |= {"corpus": "own", "target": "score", **OWN}
    elif corpus == "own":
        fields |= OWN
    return load_task(TaskSpec.model_validate(fields))


@pytest.mark.parametrize("name", FORMATS)
def test_whole_files_load(tmp_path: Path, name: str) -> None:
    write, corpus = FORMATS[name]
    write(tmp_path / name)
    task = load(tmp_path / name, corpus)
    assert sum(len(frame) for frame in task.splits.values()) == len(ROWS)


@st.composite
def damage(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Other bytes, an end or a stretch that is gone, a stretch that is there twice, or bytes between."""
    kind = draw(st.sampled_from(["flip", "cut", "remove", "repeat", "insert"]))
    places = sorted(draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=2, max_size=2)))
    values = draw(st.binary(min_size=1, max_size=4) | st.sampled_from([b"\t", b"\r", b"\n", b'"', b"\0"]))

    def apply(content: bytes) -> bytes:
        start, end = (int(place * len(content)) for place in places)
        if kind == "flip":
            return content[:start] + values + content[start + len(values) :]
        if kind == "cut":
            return content[:start]
        middle = {"remove": b"", "repeat": content[start:end] * 2, "insert": values + content[start:end]}
        return content[:start] + middle[kind] + content[end:]

    return apply


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
def test_damaged_files_raise_nothing_else(tmp_path: Path, name: str, data: st.DataObject) -> None:
    write, corpus = FORMATS[name]
    path = tmp_path / name
    write(path)
    content = path.read_bytes()
    for change in data.draw(st.lists(damage(), min_size=1, max_size=3)):
        content = change(content)
    path.write_bytes(content)
    try:
        assert isinstance(load(path, corpus), Task)
    except DataError as error:
        assert name in str(error) or "Task 't'" in str(error)


@given(damage())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_test_files_raise_nothing_else(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "test.tsv"
    content = "index\tsentence\n" + "".join(f"{row}\t{text}\n" for row, (text, _) in enumerate(ROWS))
    path.write_bytes(change(content.encode()))
    try:
        assert len(load_unlabelled(path, "sst2"))
    except DataError as error:
        assert "test.tsv" in str(error)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1).filter(str.strip)


@given(st.lists(WORDS, min_size=4, max_size=9), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_of_any_characters_comes_back(tmp_path: Path, words: list[str], end: str) -> None:
    """Whatever ends the lines: U+0085, U+2028 and form feeds stay where they are."""
    texts = [f"{row}{word}" for row, word in enumerate(words)]
    rows = [{"text": text, "label": row % 2} for row, text in enumerate(texts)]
    lines = ["text\tlabel", *(f"{row['text']}\t{row['label']}" for row in rows)]
    (tmp_path / "t.tsv").write_bytes(end.join(lines).encode())
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (tmp_path / "t.jsonl").write_bytes(end.join(lines).encode())
    for name in ("t.tsv", "t.jsonl"):
        try:
            task = load(tmp_path / name, "own")
        except DataError as error:
            assert "one class only" in str(error)  # the few that dev leaves may be alike
            continue
        assert sorted(text for split in task.splits for text in task.texts(split)) == sorted(texts)
