"""The five-layer JSONL: nothing of a line is lost, and what is wrong is named by line and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import read_layered_jsonl, write_layered_jsonl
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

RECORD: dict[str, Any] = {
    "sent_id": "web-a-0001",
    "tokens": ["Ann", "left", ":)"],
    "upos": ["PROPN", "VERB", "SYM"],
    "xpos": ["NNP", "VBD", "NFP"],
    "head": [2, 0, 2],
    "deprel": ["nsubj", "root", "discourse"],
    "ner": ["B-PER", "O", "O"],
    "const": "(TOP (S (NP (NNP Ann)) (VP (VBD left)) (. :-RRB-)))",
    "srl": [{"pred": 1, "frame": "leave.01", "args": [[0, 1, "ARG0"], [1, 2, "V"]]}],
}
LINE = json.dumps(RECORD, separators=(",", ":")) + "\n"


def written(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_what_is_read(tmp_path: Path) -> None:
    assert read_layered_jsonl(written(tmp_path, RECORD)) == [
        Sentence(
            id="web-a-0001",
            words=("Ann", "left", ":)"),
            tags=("NNP", "VBD", "NFP"),
            upos=("PROPN", "VERB", "SYM"),
            heads=(2, 0, 2),
            deprels=("nsubj", "root", "discourse"),
            entities=(Span(0, 1, "PER"),),
            tree=Tree(
                (Span(0, 3, "TOP"), Span(0, 3, "S"), Span(0, 1, "NP"), Span(1, 2, "VP")), ("NNP", "VBD", ".")
            ),
            frames=(Frame(1, "leave.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"))),),
            document="web-a",
        )
    ]


def test_the_same_line_is_written(tmp_path: Path) -> None:
    sentences = read_layered_jsonl(written(tmp_path, RECORD))
    write_layered_jsonl(sentences, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == LINE


def test_mentions_documents_and_unknown_layers(tmp_path: Path) -> None:
    record = {"sent_id": "x-1", "tokens": ["a"], "coref": [[0, 1, "7"]], "document": ""}
    found = read_layered_jsonl(written(tmp_path, record, {"sent_id": "y", "tokens": ["b"], "srl": []}))
    assert found == [
        Sentence("x-1", ("a",), mentions=(Span(0, 1, "7"),)),
        Sentence("y", ("b",), frames=()),
    ]
    write_layered_jsonl(found, tmp_path / "again.jsonl")
    assert read_layered_jsonl(tmp_path / "again.jsonl") == found


def test_an_escape_in_the_text_itself_is_kept(tmp_path: Path) -> None:
    record = {"sent_id": "x", "tokens": ["-LRB-", "("], "const": "(TOP (X -LRB-) (X -LRB-))"}
    found = read_layered_jsonl(written(tmp_path, record))
    assert found[0].words == ("-LRB-", "(")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": None}, "line 2, field 'tokens': Input should be a valid array"),
        ({"tokens": []}, "line 2, field 'tokens': List should have at least 1 item"),
        ({"tokens": ["Ann", 3, "x"]}, "line 2, field 'tokens.1': Input should be a valid string"),
        ({"sent_id": ""}, "line 2, field 'sent_id'"),
        ({"xpos": ["X"]}, "line 2: 1 tags for 3 words"),
        ({"head": ["2", "0", "2"]}, "line 2, field 'head.0': Input should be a valid integer"),
        ({"head": [2, 0, 10**30]}, "line 2: word 3 has head 1000"),
        ({"head": [2, 1, 0]}, "line 2: the heads of words \\[1, 2\\] go round in a circle"),
        ({"head": None}, "line 2: heads and deprels are one layer"),
        ({"ner": ["B-PER", "O"]}, "line 2, field 'ner': 2 tags for 3 words"),
        ({"ner": ["O", "I-PER", "O"]}, "line 2, field 'ner', word 1: I-PER after O"),
        ({"const": "(TOP (X Ann) (X left)"}, "line 2, field 'const', character 0: this tree is not"),
        (
            {"const": "(TOP (X Ann) (X left))"},
            "line 2, field 'const', character 0: the tree has 2 words",
        ),
        ({"const": "(TOP (X Ann) (X left) (X y))"}, "word 2 is 'y' in the tree and ':\\)' in the sentence"),
        ({"const": ""}, "line 2, field 'const', character 0: 0 trees"),
        (
            {"srl": [{"pred": 1, "frame": "x", "arg": []}]},
            "no field 'srl.0.arg'; did you mean 'args'",
        ),
        ({"srl": [{"pred": 1, "frame": "x", "args": [[0, 1]]}]}, "field 'srl.0.args.0.2': Field required"),
        ({"srl": [{"pred": 3, "frame": "x", "args": []}]}, "line 2: predicate 3 is outside the 3 words"),
        ({"srl": [{"pred": 1, "frame": "x", "args": [[0, 9, "A"]]}]}, "A \\[0, 9\\) is empty or outside"),
        ({"coref": [[1, 1, "7"]]}, "line 2, mentions: 7 \\[1, 1\\) is empty"),
        ({"docment": "x"}, "there is no field 'docment'; did you mean 'document'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=rf"t\.jsonl.*{message}"):
        read_layered_jsonl(written(tmp_path, RECORD, RECORD | change))


@pytest.mark.parametrize("line", ["{", "[]", "3", "null", '{"sent_id": "\\ud800"}', "[" * 100_000])
def test_lines_that_are_no_objects_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(LINE + line + "\n")
    with pytest.raises(DataError, match=r"t\.jsonl, line 2: "):
        read_layered_jsonl(path)
