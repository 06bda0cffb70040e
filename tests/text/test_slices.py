"""Every real file that is no annotated corpus loads, with the rows and labels that the manifest counts."""

import json
from pathlib import Path

import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, disjoint, load_task
from encoder_atlas.text.adversarial import TEXTS
from encoder_atlas.text.checks import encode_labels
from encoder_atlas.text.layouts import LAYOUTS
from encoder_atlas.text.tables import read_table

ANNOTATED = ["ewt", "uner_ewt", "ewt_layers"]
# Read elsewhere: AdvGLUE in its own tests, the sentences of WikiText as a plain table.
NOT_TASKS = ["advglue", "wikitext2"]
# Of SQuAD one file is there, and a folder needs two.
FOLDERS = sorted(set(LAYOUTS) - {"own", "scitail", "squad"})


def load(path: Path, corpus: str) -> Task:
    return load_task(TaskSpec(name=corpus, source="files", corpus=corpus, path=path))


@pytest.fixture(scope="module")
def manifest(real_data: Path) -> pd.DataFrame:
    """One row a file with text; licences and lists of classes are left out."""
    table = read_table(real_data / "MANIFEST.tsv").frame
    return table.loc[~table["file"].str.endswith(".txt") & ~table["dataset"].isin(ANNOTATED)]


@pytest.fixture(scope="module")
def tasks(real_data: Path) -> dict[str, Task]:
    """The tasks of whole folders."""
    return {corpus: load(real_data / corpus, corpus) for corpus in FOLDERS}


def label_counts(task: Task) -> dict[int, int]:
    """Rows of each class in all splits together."""
    return pd.concat([frame["label"] for frame in task.splits.values()]).value_counts().to_dict()


@pytest.mark.real
def test_each_file_has_the_rows_and_labels_of_the_manifest(real_data: Path, manifest: pd.DataFrame) -> None:
    """Given a file, a task splits it and drops nothing."""
    checked = 0
    for line in manifest.loc[~manifest["dataset"].isin(NOT_TASKS)].itertuples():
        layout = LAYOUTS[str(line.dataset)]
        task = load(real_data / str(line.file), str(line.dataset))
        assert sum(len(frame) for frame in task.splits.values()) == int(str(line.rows)), line.file
        assert "damaged" not in task.source_note
        if task.target == "class":
            listed = json.loads(str(line.label_counts))
            numbers = encode_labels(
                list(listed), task.label_names, lambda _: "the manifest", first=layout.first_label
            )
            assert label_counts(task) == dict(zip(numbers, listed.values(), strict=True)), line.file
        checked += 1
    assert checked == 27


@pytest.mark.real
def test_what_is_no_task_is_there_too(real_data: Path, manifest: pd.DataFrame) -> None:
    others = manifest.loc[manifest["dataset"].isin(NOT_TASKS)]
    assert others["file"].tolist() == ["advglue/dev.json", "advglue/dev_ann.json", "wikitext2/sentences.tsv"]
    assert set(json.loads(str(others["label_counts"].iloc[0]))) == set(TEXTS)
    sentences = read_table(real_data / "wikitext2" / "sentences.tsv")
    assert len(sentences.column("text")) == int(others["rows"].iloc[2])


@pytest.mark.real
def test_folders_read_the_files_that_the_note_names(manifest: pd.DataFrame, tasks: dict[str, Task]) -> None:
    rows = dict(zip(manifest["file"].astype(str), manifest["rows"].astype(int), strict=True))
    for corpus, task in tasks.items():
        dropped = int(task.source_note.rsplit(": ", 1)[1].rstrip("."))
        for split, frame in task.splits.items():
            stem = frame["id"].iloc[0].split(":")[0]
            file = next(name for name in rows if name.startswith(f"{corpus}/{stem}."))
            assert file.split("/")[1] in task.source_note
            assert len(frame) + (dropped if split == "train" else 0) == rows[file], file


@pytest.mark.real
def test_what_folders_hold(tasks: dict[str, Task]) -> None:
    assert set(tasks["mnli"].splits) == {"train", "dev", "dev_mismatched"}
    assert set(tasks["mrpc"].splits) == {"train", "dev", "test"}
    assert [len(tasks[name].label_names) for name in ("mnli", "agnews", "stsb")] == [3, 4, 0]
    scores = tasks["stsb"].labels("train")
    assert (scores.min(), scores.max(), scores.dtype) == (0.0, 5.0, "float64")


@pytest.mark.real
def test_no_dev_text_of_one_is_training_text_of_another_but_for_two(tasks: dict[str, Task]) -> None:
    disjoint([task for corpus, task in tasks.items() if corpus != "stsb"])
    with pytest.raises(DataError, match=r"111 rows of task 'stsb', split 'dev'.* of task 'mrpc'"):
        disjoint([tasks["stsb"], tasks["mrpc"]])


@pytest.mark.real
def test_answers_of_squad(real_data: Path) -> None:
    task = load(real_data / "squad" / "dev_xquad_en.json", "squad")
    paragraphs = [set(frame["context"]) for frame in task.splits.values()]
    assert paragraphs[0].isdisjoint(paragraphs[1])
    assert len(paragraphs[0] | paragraphs[1]) == 240
    assert {len(answers) for split in task.splits for answers in task.answers(split)} == {1}
