"""AdvGLUE's JSON: what it holds, what is missing, and what it must not be."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import TaskSpec, load_adversarial, load_task
from encoder_atlas.text.adversarial import TEXTS
from encoder_atlas.text.layouts import LAYOUTS
from encoder_atlas.text.tables import read_table

ROWS: dict[str, Any] = {
    "sst2": [
        {
            "idx": 0,
            "sentence": "a fain film",
            "original_sentence": "a fine film",
            "label": 1,
            "method": "TextBugger",
            "data_construction": "word",
        },
        {"idx": 1, "sentence": "dull", "label": 0, "method": "CheckList", "data_construction": "human"},
    ],
    "mnli": [
        {"idx": 4, "premise": "p", "hypothesis": "h!", "original_hypothesis": "h", "label": 2},
        {"idx": 5, "premise": "P", "hypothesis": "h", "original_premise": "p", "label": 1},
    ],
}


def written(folder: Path, content: object, name: str = "dev_ann.json") -> Path:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_single_texts_with_and_without_a_twin(tmp_path: Path) -> None:
    frame = load_adversarial(written(tmp_path, ROWS), "sst2")
    assert frame["sentence"].tolist() == ["a fain film", "dull"]
    assert frame["original_sentence"].tolist() == ["a fine film", None]
    assert frame["label"].tolist() == [1, 0]
    assert frame["method"].tolist() == ["TextBugger", "CheckList"]
    assert frame["data_construction"].tolist() == ["word", "human"]
    assert frame["id"].tolist() == ["advglue-sst2:0", "advglue-sst2:1"]


def test_of_a_pair_the_text_that_stayed_is_its_own_twin(tmp_path: Path) -> None:
    frame = load_adversarial(written(tmp_path, ROWS), "mnli")
    assert frame[["sentence1", "original_sentence1"]].to_numpy().tolist() == [["p", "p"], ["P", "p"]]
    assert frame[["sentence2", "original_sentence2"]].to_numpy().tolist() == [["h!", "h"], ["h", "h"]]


def test_the_annotated_file_counts_first_and_the_plain_one_will_do(tmp_path: Path) -> None:
    plain = {"sst2": [{"idx": 0, "sentence": "other", "label": 0}]}
    frame = load_adversarial(written(tmp_path, plain, "dev.json"), "sst2")
    assert frame.loc[0, ["sentence", "original_sentence", "method"]].tolist() == ["other", None, None]
    assert load_adversarial(written(tmp_path, ROWS), "sst2")["sentence"].iloc[0] == "a fain film"
    assert load_adversarial(tmp_path / "dev.json", "sst2")["sentence"].tolist() == ["other"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"sst2": [{"sentence": "x", "label": 2}]}, "'sst2', row 0, 'label': label 2 is not one of 0"),
        ({"sst2": [{"sentence": "x"}]}, "label None"),
        ({"sst2": [{"sentence": "x", "label": True}]}, "label True"),
        ({"sst2": [{"sentence": " ", "label": 1}]}, "row 0, 'sentence': the text is empty"),
        ({"sst2": [{"premise": "x", "label": 1}]}, "row 0, 'sentence': None is not text"),
        ({"sst2": [{"sentence": "x", "original_sentence": 3, "label": 1}]}, "original of 'x': 3 is not text"),
        ({"sst2": []}, "no rows for task 'sst2'"),
        ({"sst2": ["x"]}, "no rows for task 'sst2'"),
        ({"rte": []}, "no rows for task 'sst2'"),
        ([1], "no rows for task 'sst2'"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        load_adversarial(written(tmp_path, content), "sst2")
    assert "dev_ann.json" in str(caught.value)


def test_bad_places_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no task 'sst'; did you mean 'sst2'"):
        load_adversarial(tmp_path, "sst")
    with pytest.raises(DataError, match=r"no folder with dev_ann.json or dev.json"):
        load_adversarial(tmp_path, "sst2")
    with pytest.raises(DataError, match="cannot be read"):
        load_adversarial(tmp_path / ("long" * 1000), "sst2")
    (tmp_path / "dev.json").write_bytes(b"\xff{")
    with pytest.raises(DataError, match=r"dev.json, line 1: byte 0xff is not UTF-8"):
        load_adversarial(tmp_path, "sst2")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["sst2", "sentence", "original_sentence", "label", "idx", "method"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=30) | JSON.map(lambda rows: json.dumps({"sst2": rows}).encode()))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_fuzzed_files_raise_nothing_else(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dev_ann.json").write_bytes(content)
    try:
        assert len(load_adversarial(tmp_path, "sst2"))
    except DataError as error:
        assert str(error)


@pytest.mark.real
def test_the_real_file_against_the_manifest(real_data: Path) -> None:
    manifest = read_table(real_data / "MANIFEST.tsv").frame.set_index("file")
    counts = json.loads(str(manifest.loc["advglue/dev_ann.json", "label_counts"]))
    without = {"sst2": 17, "qqp": 7, "mnli": 0, "mnli-mm": 43, "qnli": 15, "rte": 0}
    for task in TEXTS:
        frame = load_adversarial(real_data / "advglue", task)
        found = {str(label): n for label, n in frame["label"].value_counts().items()}
        assert found == counts[task]
        texts = LAYOUTS[task.removesuffix("-mm")].text_columns or ()
        missing = frame[[f"original_{name}" for name in texts]].isna().to_numpy()
        assert missing.all(axis=1).sum() == missing.any(axis=1).sum() == without[task]
        plain = load_adversarial(real_data / "advglue" / "dev.json", task)
        assert plain[[*texts, "label"]].equals(frame[[*texts, "label"]])
    sst2 = load_adversarial(real_data / "advglue", "sst2")
    made = Counter(zip(sst2["method"], sst2["data_construction"], strict=True))
    assert (made["CheckList", "sentence"], made["StressTest", "sentence"]) == (11, 19)


@pytest.mark.real
def test_originals_come_from_dev(real_data: Path) -> None:
    """So a model that was taught train has not read them: all twins of SST-2 stand in dev, none in train.

    Letters and digits are compared, since AdvGLUE cuts tokens otherwise.
    """
    task = load_task(TaskSpec(name="sst2", source="files", corpus="sst2", path=real_data / "sst2"))
    twins = load_adversarial(real_data / "advglue", "sst2")["original_sentence"].dropna()
    letters = {
        split: {re.sub(r"[\W_]", "", str(text).casefold()) for text in task.texts(split)}
        for split in ("train", "dev")
    }
    originals = [re.sub(r"[\W_]", "", text.casefold()) for text in twins]
    assert (len(originals), len(set(originals))) == (131, 62)
    assert letters["dev"].issuperset(originals)
    assert letters["train"].isdisjoint(originals)
