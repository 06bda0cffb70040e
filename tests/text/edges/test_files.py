"""Edge tasks from files: JSON a line, and SemEval-2010 Task 8; each fault is named with its place."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.edges import EdgeSpec, EdgeTask, load_edges
from encoder_atlas.text.edges.jsonl import read_edge_jsonl
from encoder_atlas.text.edges.semeval import LABEL_NAMES, read_semeval_file

RECORD = {
    "text": "Ian ate strawberry ice cream",
    "targets": [
        {"span1": [1, 2], "span2": [0, 1], "label": "A0", "info": {"height": 1}},
        {"span1": [1, 2], "span2": [2, 5], "label": ["A1", "eaten"]},
    ],
    "info": {"source": "made"},
}
BLOCK = """7\t"The <e1>cup</e1> was made by the <e2>potter</e2>, I'm told."
Product-Producer(e1,e2)
Comment: none
"""


def load(folder: Path, corpus: str = "edges", **sizes: int) -> EdgeTask:
    told = {"name": "t", "source": "files", "corpus": corpus, "path": folder}
    return load_edges(EdgeSpec.model_validate(told | sizes))


def write(folder: Path, **files: object) -> Path:
    for name, record in files.items():
        (folder / f"spr1.{name}.json").write_text(json.dumps(record) + "\n\n", encoding="utf-8")
    return folder


def test_json_is_read_as_it_stands(tmp_path: Path) -> None:
    task = load(write(tmp_path, train=RECORD, dev=RECORD))
    assert task.label_names == ("A0", "A1", "eaten")
    train = task.split("train")
    assert train.sentences == (("Ian", "ate", "strawberry", "ice", "cream"),)
    assert train.targets.tolist() == [[0, 1, 2, 0, 1], [0, 1, 2, 2, 5]]
    assert train.labels.tolist() == [[True, False, False], [False, True, True]]
    assert train.ids == ("spr1.train.json:1",)
    assert len(load(tmp_path, dev=1).split("dev").targets) == 1


def test_targets_may_hold_no_label_and_one_span(tmp_path: Path) -> None:
    record = {
        "text": "a b",
        "targets": [{"span1": [0, 1], "label": []}, {"span1": [1, 2], "span2": None, "label": "x"}],
    }
    task = load(write(tmp_path, train=record, dev=record))
    assert task.split("train").labels.tolist() == [[False], [True]]
    assert not task.two_spans


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 2: Invalid JSON"),
        ('{"text": "a b"}', r"line 2, field 'targets': Field required"),
        ('{"text": " ", "targets": []}', r"line 2, field 'text': the sentence has no words"),
        (
            '{"text": "a b", "targets": [{"span1": [0, 3], "label": "x"}]}',
            r"span1': \[0, 3\) is empty or out",
        ),
        ('{"text": "a b", "targets": [{"span1": [1, 1], "label": "x"}]}', r"span1': \[1, 1\) is empty"),
        (
            '{"text": "a b", "targets": [{"span1": [0, 1], "span2": [-1, 1], "label": "x"}]}',
            r"field 'targets.0.span2': \[-1, 1\) is empty or outside the 2 words",
        ),
        ('{"text": "a b", "targets": [{"span1": [0], "label": "x"}]}', r"field 'targets.0.span1"),
        ('{"text": "a b", "targets": [{"span1": [0, 1.5], "label": "x"}]}', r"field 'targets.0.span1.1'"),
        ('{"text": "a b", "targets": [{"span1": [0, 1], "label": " "}]}', r"field 'targets.0.label"),
        ('{"text": "a b", "targets": [{"span1": [0, 1], "label": 3}]}', r"field 'targets.0.label"),
        ('{"text": "a b", "targets": [{"span1": [0, 1], "lable": "x"}]}', r"field 'targets.0.la"),
        ('{"text": "a b", "targets": [{"span1": [0, 1], "label": "x", "span_2": [1, 2]}]}', "span_2"),
        ('{"text": "a \\ud83d", "targets": []}', r"line 2"),
    ],
)
def test_a_fault_of_json_is_named_with_its_line(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(RECORD) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_edge_jsonl(path)
    assert str(caught.value).startswith(f"{path}, line 2")


def test_folders_without_the_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no files of train, dev or test"):
        load(tmp_path)
    with pytest.raises(DataError, match="is no folder"):
        load(tmp_path / "nowhere")
    (tmp_path / "train.jsonl").write_text("\n")
    with pytest.raises(DataError, match="has no sentences"):
        load(tmp_path)
    with pytest.raises(DataError, match="no files of edges 'edge'; did you mean 'edges'"):
        load(tmp_path, "edge")


def test_a_block_of_semeval_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "TRAIN_FILE.TXT"
    path.write_bytes(BLOCK.replace("\n", "\r\n").encode())
    (found,) = read_semeval_file(path)
    assert found.id == "TRAIN_FILE.TXT:7"
    assert " ".join(found.words) == "The cup was made by the potter , I'm told ."
    ((span1, span2, labels),) = found.edges
    assert (span1, span2, labels) == ((1, 2), (6, 7), ("Product-Producer(e1,e2)",))


def test_nominals_of_several_words_and_marks_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text('1 "(<e1>Sea water</e1>)in <e2>well-known U.S. ports</e2>."\nOther\n')
    (found,) = read_semeval_file(path)
    one, two, _ = found.edges[0]
    assert two is not None
    assert found.words[one[0] : one[1]] == ("Sea", "water")
    assert found.words[two[0] : two[1]] == ("well-known", "U.S", ".", "ports")


def test_there_are_nineteen_labels() -> None:
    assert len(set(LABEL_NAMES)) == 19


def official(folder: Path, sentences: int = 60) -> Path:
    inside = folder / "SemEval2010_task8_training"
    inside.mkdir(parents=True)
    blocks = [
        f'{number}\t"A <e1>cup{number}</e1> of <e2>tea</e2>."\n{LABEL_NAMES[number % 19]}\nComment:\n'
        for number in range(sentences)
    ]
    (inside / "TRAIN_FILE.TXT").write_text("\n".join(blocks) + "\n")
    return folder


def test_dev_is_a_fixed_part_of_train(tmp_path: Path) -> None:
    task = load(official(tmp_path), "semeval-2010-8")
    assert task.label_names == LABEL_NAMES and task.two_spans
    train, dev = task.split("train"), task.split("dev")
    assert len(train.ids) + len(dev.ids) == 60 and not set(train.ids) & set(dev.ids)
    assert 3 <= len(dev.ids) <= 18  # 9 expected
    assert list(task.splits) == ["train", "dev"]
    keys = tmp_path / "SemEval2010_task8_testing_keys"
    keys.mkdir()
    (keys / "TEST_FILE_FULL.TXT").write_text(BLOCK)
    again = load(tmp_path, "semeval-2010-8")
    assert again.fingerprint("dev") == task.fingerprint("dev")
    assert again.split("test").span_words(2) == [("potter",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\nOther\n", r"line 1: expected a number and a sentence in quotes"),
        ('1 "A <e1>b</e1> <e2>c</e2>"\n', r"line 1: the sentence has no relation on the next line"),
        (
            '1 "A <e1>b</e1> <e2>c</e2>"\nProduct-Producer\n',
            r"line 2: there is no relation 'Product-Producer'",
        ),
        ('1 "A <e1>b</e1> <e2>c"\nOther\n', r"line 1: one nominal must stand between <e2> and </e2>"),
        ('1 "A <e1></e1> <e2>c</e2>"\nOther\n', r"between <e1> and </e1>"),
        ('1 "A <e1>b</e1> <e2>c</e2> <e1>b</e1>"\nOther\n', r"one nominal must stand between <e1>"),
        ('1 "A </e1>b<e1> <e2>c</e2>"\nOther\n', r"one nominal must stand between <e1>"),
        ('1 "A <e1>b</e1> <e2>c</e2>"\nOther\n2 "x"\n', r"line 3: expected a comment, then an empty line"),
        ('1 "A <e1>b</e1> <e2>c</e2>"\nOther\nComment\nmore\n', r"line 3: expected a comment"),
        ('1 "A <e1>b</e1> <e2>c</e2>"\nOther\n\n1 "A <e1>b</e1> <e2>c</e2>"\nOther\n', "1 is there twice"),
        ("\n", "has no sentences"),
    ],
)
def test_a_fault_of_semeval_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "TRAIN_FILE.TXT"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_semeval_file(path)
    assert str(caught.value).startswith(str(path))


def test_semeval_without_its_file_or_with_two_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no TRAIN_FILE\.TXT, at no depth"):
        load(tmp_path, "semeval-2010-8")
    official(tmp_path / "a")
    official(tmp_path / "b")
    with pytest.raises(DataError, match="keep one"):
        load(tmp_path, "semeval-2010-8")
    with pytest.raises(DataError, match="is no folder"):
        load(tmp_path / "c", "semeval-2010-8")


@pytest.mark.parametrize(
    "fields",
    [
        {"source": "files", "corpus": "edges"},
        {"source": "generated", "corpus": "relations", "path": "x"},
        {"source": "files", "corpus": "edges", "path": "x", "domain": "science"},
        {"source": "generated", "corpus": "relations", "domain": "law"},
        {"source": "hub", "corpus": "x"},
        {"source": "generated", "corpus": "relations", "train": 0},
        {"source": "generated", "corpus": "relations", "sise": 3},
    ],
)
def test_a_spec_that_does_not_fit_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EdgeSpec.model_validate({"name": "t"} | fields)
