"""Tasks from the hub: local copies of repositories, what the hub may do wrong, and no network at all."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets
import datasets.config
import pytest
import yaml
from datasets import ClassLabel, Dataset, Features, Value
from datasets.exceptions import DatasetNotFoundError
from pydantic import ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_adversarial, load_adversarial_hub, load_task
from encoder_atlas.text.hub_corpora import HUB
from encoder_atlas.text.layouts import LAYOUTS

ROOT = Path(__file__).parents[2]
Columns = Mapping[str, Sequence[Any]]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def repository(
    folder: Path, splits: Mapping[str, Columns], features: Mapping[str, Any], name: str | None = None
) -> Path:
    """A folder laid out as the hub lays out a data set: Parquet files, and a README.md that lists them."""
    data = folder / (name or "data")
    data.mkdir(parents=True)
    for split, columns in splits.items():
        Dataset.from_dict(dict(columns), Features(features)).to_parquet(
            data / f"{split}-00000-of-00001.parquet"
        )
    files = [{"split": split, "path": f"{data.name}/{split}-*"} for split in splits]
    card = {"configs": [{"config_name": name or "default", "data_files": files}]}
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump(card)}---\n", encoding="utf-8")
    return folder


def classes(*names: str) -> dict[str, Any]:
    return {"sentence": Value("string"), "label": ClassLabel(names=list(names)), "idx": Value("int32")}


def rows(*texts: str, labels: Sequence[int]) -> Columns:
    return {"sentence": texts, "label": labels, "idx": range(len(texts))}


SST2 = {
    "train": rows("fine", "dull", "bright ", labels=[1, 0, 1]),
    "validation": rows("good", "bad", "Fine", labels=[1, 0, 1]),
    "test": rows("who knows", labels=[-1]),
}
GOOD, BAD = "positive", "negative"


def load(path: Path | None, corpus: str = "sst2", **fields: Any) -> Task:
    return load_task(TaskSpec(name="t", source="hub", corpus=corpus, path=path, **fields))


def test_the_task_is_the_one_that_files_make(tmp_path: Path) -> None:
    hub = load(repository(tmp_path / "hub", SST2, classes(BAD, GOOD), "sst2"))
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "train.tsv").write_text("sentence\tlabel\nfine\t1\ndull\t0\nbright \t1\n")
    (folder / "dev.tsv").write_text("sentence\tlabel\ngood\t1\nbad\t0\nFine\t1\n")
    files = load_task(TaskSpec(name="t", source="files", corpus="sst2", path=folder))
    assert hub.fingerprint("train") == files.fingerprint("train")
    assert hub.fingerprint("dev") == files.fingerprint("dev")
    assert hub.text_columns == files.text_columns and hub.metric == files.metric
    assert set(hub.splits) == {"train", "dev"}
    assert hub.split("dev")["id"].tolist() == ["validation:0", "validation:1", "validation:2"]
    assert "a local copy of nyu-mll/glue, configuration 'sst2'" in hub.source_note
    assert hub.source_note.endswith("because dev has them: 1.")
    assert str(tmp_path) not in hub.source_note


def test_every_known_corpus_has_the_columns_and_labels_of_its_layout() -> None:
    for name, corpus in HUB.items():
        layout = LAYOUTS[name]
        assert len(corpus.text_columns) == len(layout.text_columns or ())
        assert bool(corpus.label_column) == (layout.target != "answer")
        if corpus.label_names:
            assert len(corpus.label_names) == len(layout.label_names or ())
        if name != "imdb":  # the hub's neg and pos
            assert corpus.label_names in ((), layout.label_names)


def test_names_of_the_hub_become_those_of_the_layout(tmp_path: Path) -> None:
    features = {"text": Value("string"), "label": ClassLabel(names=["neg", "pos"])}
    splits = {
        "train": {"text": ["a", "b"], "label": [0, 1]},
        "test": {"text": ["c", "d"], "label": [1, 0]},
        "unsupervised": {"text": ["e"], "label": [-1]},
    }
    task = load(repository(tmp_path / "hub", splits, features), "imdb")
    assert task.label_names == ("negative", "positive")
    assert task.labels("dev").tolist() == [1, 0]


def test_both_dev_splits_of_mnli(tmp_path: Path) -> None:
    features = {
        "premise": Value("string"),
        "hypothesis": Value("string"),
        "label": ClassLabel(names=["entailment", "neutral", "contradiction"]),
    }
    splits = {
        split: {"premise": [f"{split} a", f"{split} b"], "hypothesis": ["x", "y"], "label": [2, 0]}
        for split in ("train", "validation_matched", "validation_mismatched", "test_matched")
    }
    task = load(repository(tmp_path / "hub", splits, features, "mnli"), "mnli")
    assert set(task.splits) == {"train", "dev", "dev_mismatched"}
    assert task.text_columns == ("sentence1", "sentence2")
    assert task.texts("dev")[0] == ("validation_matched a", "x")


def test_scores_keep_their_spelling(tmp_path: Path) -> None:
    features = {"sentence1": Value("string"), "sentence2": Value("string"), "label": Value("float32")}
    splits = {
        "train": {"sentence1": ["a", "b"], "sentence2": ["c", "d"], "label": [3.8, 0]},
        "validation": {"sentence1": ["e"], "sentence2": ["f"], "label": [5]},
    }
    task = load(repository(tmp_path / "hub", splits, features, "stsb"), "stsb")
    assert task.labels("train").tolist() == [3.8, 0.0]
    assert task.metrics == ("pearson", "spearman")


def squad(path: Path, start: int = 4) -> Path:
    answers = {"text": datasets.List(Value("string")), "answer_start": datasets.List(Value("int32"))}
    features = {"question": Value("string"), "context": Value("string"), "answers": answers}
    asked = {
        "question": ["Who?", "What?"],
        "context": ["The dog ran.", "The dog ran."],
        "answers": [
            {"text": ["dog", "The dog"], "answer_start": [start, 0]},
            {"text": ["ran"], "answer_start": [8]},
        ],
    }
    other = {name: [cells[0]] for name, cells in asked.items()} | {"question": ["Who ran?"]}
    return repository(path, {"train": asked, "validation": other}, features)


def test_answers(tmp_path: Path) -> None:
    task = load(squad(tmp_path / "hub"), "squad")
    assert task.target == "answer"
    assert task.answers("train") == [("dog", "The dog"), ("ran",)]
    assert task.split("train")["answer_start"].tolist() == [4, 8]


def test_an_answer_at_the_wrong_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"squad/train, row 0: at character 5 stands 'og '.*begins at 4"):
        load(squad(tmp_path / "hub", start=5), "squad")


def test_classes_in_another_order_are_refused(tmp_path: Path) -> None:
    path = repository(tmp_path / "hub", SST2, classes(GOOD, BAD), "sst2")
    with pytest.raises(DataError, match=r"sst2/train, column 'label' has the classes .*another class"):
        load(path)
    plain = classes(BAD, GOOD) | {"label": Value("int64")}
    with pytest.raises(DataError, match="has the classes None"):
        load(repository(tmp_path / "plain", SST2, plain, "sst2"))


def test_rows_without_a_label_never_become_labelled(tmp_path: Path) -> None:
    part = SST2 | {"train": rows("a", "b", "c", labels=[1, -1, 0])}
    task = load(repository(tmp_path / "part", part, classes(BAD, GOOD), "sst2"))
    assert task.texts("train") == ["a", "c"]
    assert "without 1 rows that have no label" in task.source_note
    none = SST2 | {"validation": SST2["test"]}
    with pytest.raises(DataError, match="sst2/validation has no labels: the hub writes -1"):
        load(repository(tmp_path / "none", none, classes(BAD, GOOD), "sst2"))


def test_a_missing_split_configuration_or_column_is_named(tmp_path: Path) -> None:
    path = repository(tmp_path / "hub", {"train": SST2["train"]}, classes(BAD, GOOD), "sst2")
    with pytest.raises(DataError, match="'sst2' on the hub has no split 'validation'; known: train"):
        load(path)
    with pytest.raises(DataError, match=r"configuration 'rte'.* cannot be read: .*'rte' not found.*sst2"):
        load(path, "rte")
    other = {split: {"text": cells["sentence"], "label": cells["label"]} for split, cells in SST2.items()}
    features = {"text": Value("string"), "label": ClassLabel(names=[BAD, GOOD])}
    with pytest.raises(DataError, match="sst2/train has no column 'sentence'; known: label, text"):
        load(repository(tmp_path / "columns", other, features, "sst2"))
    with pytest.raises(DataError, match=r"nowhere \(a local copy of nyu-mll/glue.*is not there"):
        load(tmp_path / "nowhere")


def test_missing_and_empty_text_is_refused_or_counted(tmp_path: Path) -> None:
    broken: dict[str, Columns] = SST2 | {"train": {"sentence": ["a", None], "label": [0, 1], "idx": [0, 1]}}
    with pytest.raises(DataError, match="sst2/train, row 1, column 'sentence': the text is empty"):
        load(repository(tmp_path / "sst2", broken, classes(BAD, GOOD), "sst2"))
    features = {
        "question1": Value("string"),
        "question2": Value("string"),
        "label": ClassLabel(names=["not_duplicate", "duplicate"]),
    }
    splits = {
        "train": {"question1": ["a", "b", "c"], "question2": ["d", "", "e"], "label": [0, 1, 1]},
        "validation": {"question1": ["f"], "question2": ["g"], "label": [1]},
    }
    task = load(repository(tmp_path / "qqp", splits, features, "qqp"), "qqp")
    assert task.texts("train") == [("a", "d"), ("c", "e")]
    assert "damaged rows dropped: 1" in task.source_note


def test_a_readers_own_id(tmp_path: Path) -> None:
    path = repository(tmp_path / "hub", SST2, classes("no", "yes"), "c")
    task = load(path, "me/mine:c", text_columns=["sentence"], label_column="label")
    assert task.label_names == ("no", "yes")  # in the hub's order
    assert task.texts("dev") == ["good", "bad", "Fine"]
    turned = load(
        path, "me/mine:c", text_columns=["sentence"], label_column="label", label_names=["yes", "no"]
    )
    assert turned.labels("dev").tolist() == [0, 1, 0]
    with pytest.raises(
        DataError, match=r"me/mine.*set text_columns and label_column; it has sentence, label"
    ):
        load(path, "me/mine:c")
    with pytest.raises(DataError, match="no column 'lable'; did you mean 'label'"):
        load(path, "me/mine:c", text_columns=["sentence"], label_column="lable")


def test_a_local_copy_needs_no_id(tmp_path: Path) -> None:
    path = repository(tmp_path / "mine", SST2, classes("no", "yes"))
    task = load(path, "own", text_columns=["sentence"], label_column="label")
    assert task.source_note.startswith("Text of mine, from a local copy of mine, read from train and")


@pytest.mark.parametrize(
    "fields", [{"source": "files", "path": "x"}, {"source": "generated"}, {"source": "hub", "path": "x"}]
)
def test_a_revision_is_of_the_hub_only(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="revision can be set with source 'hub' only"):
        TaskSpec.model_validate({"name": "t", "revision": "abc", **fields})


def test_columns_of_a_known_corpus_are_fixed() -> None:
    with pytest.raises(ValidationError, match=r"text_columns can be set for an id of your own.*'agnews'"):
        TaskSpec(name="t", source="hub", corpus="agnews", text_columns=("title", "description"))


def test_of_an_own_id_a_split_without_labels_is_not_dev(tmp_path: Path) -> None:
    texts = [f"t{row}" for row in range(20)]
    splits = {"train": rows(*texts, labels=[0, 1] * 10), "test": SST2["test"]}
    path = repository(tmp_path / "hub", splits, classes("no", "yes"))
    task = load(path, "me/mine", text_columns=["sentence"], label_column="label")
    assert len(task.split("dev")) == 4  # a fifth of train
    assert "who knows" not in [*task.texts("train"), *task.texts("dev")]
    plain = classes() | {"label": Value("int64")}
    task = load(
        repository(tmp_path / "plain", splits, plain),
        "me/mine",
        text_columns=["sentence"],
        label_column="label",
    )
    assert task.label_names == ("0", "1")


def test_an_unknown_name_has_a_near_match() -> None:
    with pytest.raises(DataError, match=r"'sst-2' is neither .*did you mean 'sst2'"):
        load(None, "sst-2")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ConnectionError("Couldn't reach 'x' on the Hub"), "cannot be reached.*source 'files'.*train.tsv"),
        (DatasetNotFoundError("Dataset 'x' doesn't exist"), "is not there: Dataset 'x'"),
        (RuntimeError("Dataset scripts are no longer supported"), "cannot be read: Dataset scripts"),
        (ValueError(""), "cannot be read: ValueError"),
    ],
)
def test_whatever_the_library_raises_is_said(
    raised: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(datasets, "load_dataset", refuse)
    with pytest.raises(DataError, match=said):
        load(None)


def test_revision_and_configuration_are_passed_on_and_no_code_is_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = {}

    def record(path: str, name: str | None, **options: Any) -> None:
        asked.update(options, path=path, name=name)
        raise ConnectionError

    monkeypatch.setattr(datasets, "load_dataset", record)
    with pytest.raises(DataError, match="at revision abc cannot be reached"):
        load(None, revision="abc")
    assert asked == {"path": "nyu-mll/glue", "name": "sst2", "revision": "abc"}


def test_bars_of_the_library_come_back(tmp_path: Path) -> None:
    datasets.enable_progress_bars()
    load(repository(tmp_path / "hub", SST2, classes(BAD, GOOD), "sst2"))
    assert not datasets.are_progress_bars_disabled()


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set, so only what was fetched before"),
        ({"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": ""}, "HF_DATASETS_OFFLINE is set"),
        ({"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "0"}, "cannot be reached"),
    ],
)
def test_without_network(environment: dict[str, str], said: str, tmp_path: Path) -> None:
    """In a process of its own, since the library reads its environment once; it is not let wait."""
    code = (
        "import time; time.sleep = lambda seconds: None\n"
        "from encoder_atlas.text import TaskSpec, load_task\n"
        "load_task(TaskSpec(name='t', source='hub', corpus='mnli'))"
    )
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "lib"), "HF_HOME": str(tmp_path), **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], env=paths, capture_output=True, text=True, timeout=120
    )
    last = done.stderr.strip().splitlines()[-1]
    assert "DataError: nyu-mll/glue, configuration 'mnli' on the hub cannot be reached" in last
    assert said in last
    assert "dev_matched.tsv from the GLUE download" in last


def test_advglue_has_the_rows_of_its_file(tmp_path: Path) -> None:
    given = {"sentence": ["a fain film", "dull"], "label": [1, 0], "idx": [0, 1]}
    path = repository(tmp_path / "hub", {"validation": given}, classes(BAD, GOOD), "adv_sst2")
    found = load_adversarial_hub("sst2", path=path)
    content = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    (tmp_path / "dev.json").write_text(str({"sst2": content}).replace("'", '"'))
    assert found.equals(load_adversarial(tmp_path, "sst2"))
    with pytest.raises(DataError, match="AdvGLUE has no task 'sst'; did you mean 'sst2'"):
        load_adversarial_hub("sst")
