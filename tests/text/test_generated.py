"""The grammar's sentences: the same by seed, balanced, never twice, and labelled as a reader would."""

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.generated import Grammar, read_grammar, write_corpus
from encoder_atlas.text.project_data import project_data

SMALL: dict[str, Any] = {
    "name": "small",
    "labels": ["bad", "good"],
    "polar": {"bad": ["dull"], "good": ["fine"]},
    "slots": {"thing": ["plot", "{film}"], "film": ["film", "western"]},
    "sentences": [{"text": "the {thing} , not {other}, is {same}"}],
}


def toy(**fields: Any) -> Task:
    return load_task(TaskSpec(name="toy", source="generated", corpus="toy-reviews", **fields))


def test_by_hand() -> None:
    grammar = Grammar.model_validate(SMALL)
    good = {grammar.write(1, random.Random(seed)) for seed in range(30)}
    assert good == {f"The {thing}, not dull, is fine." for thing in ("plot", "film", "western")}


@given(st.integers(0, 50), st.integers(2, 60), st.integers(1, 40))
@settings(deadline=None, max_examples=30)
def test_balanced_different_and_disjoint(seed: int, train: int, dev: int) -> None:
    task = toy(seed=seed, train=train, dev=dev)
    texts = [text for split in ("train", "dev") for text in task.split(split)["text"]]
    assert len(set(texts)) == train + dev
    assert task.labels("train").sum() == train // 2
    assert task.fingerprint("train") == toy(seed=seed, train=train, dev=dev).fingerprint("train")


def test_dev_does_not_depend_on_the_size_of_train() -> None:
    grammar = read_grammar(project_data("grammar/toy_reviews.yaml"))
    few, many = (write_corpus(grammar, {"train": size, "dev": 30}, seed=3) for size in (10, 300))
    assert few["dev"].equals(many["dev"])
    assert few["train"]["text"].tolist() == many["train"]["text"].tolist()[:10]


def test_the_default_corpus_stays_what_it_is() -> None:
    """A changed grammar changes results: this hash is changed with it, on purpose, together with the card."""
    assert toy().fingerprint("dev")[:12] == "965cb1b8c851"


def test_labels_follow_negation_and_contrast() -> None:
    """A reader's rule, written apart from the grammar: the last judgement counts, and a negation turns it."""
    polar = read_grammar(project_data("grammar/toy_reviews.yaml")).polar
    task = toy(train=3000, dev=100)
    for text, label in zip(task.split("train")["text"], task.labels("train"), strict=True):
        words = text.lower().rstrip(".").replace(",", " ,").split()
        last = max(place for place, word in enumerate(words) if word in polar["positive"] + polar["negative"])
        clause = words[:last]
        if "," in clause:
            clause = clause[len(clause) - clause[::-1].index(",") :]
        negated = bool({"not", "never", "nobody"} & set(clause))
        judged_good = (words[last] in polar["positive"]) != negated
        assert judged_good == bool(label), text


def test_text_says_that_it_is_generated() -> None:
    assert toy(train=10, dev=10).source_note.startswith("Generated text")


def test_articles_fit() -> None:
    assert not [text for text in toy(train=3000).texts("train") if " a a" in str(text) or " a e" in str(text)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"polar": {"bad": ["dull"], "god": ["fine"]}}, "polar has words for"),
        ({"sentences": [{"text": "the {thin}"}]}, "unknown slot 'thin'; did you mean 'thing'"),
        ({"slots": {"thing": ["{film}"], "film": ["{thing}"]}}, "slot 'thing' contains itself"),
        ({"sentences": []}, "at least 1 item"),
        ({"slots": {"thing": []}}, "at least 1 item"),
        ({"polar": {"bad": [], "good": ["fine"]}}, "at least 1 item"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_a_bad_grammar_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(yaml.safe_dump(SMALL | changes))
    with pytest.raises(DataError, match=message) as caught:
        read_grammar(path)
    assert "bad.yaml" in str(caught.value)


@pytest.mark.parametrize("content", [b"a: [", b"\xff", b"", b"- 1"])
def test_a_file_that_is_no_grammar(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"bad.yaml is no usable grammar"):
        read_grammar(path)


def test_a_grammar_with_too_little_to_say_stops() -> None:
    with pytest.raises(DataError, match="'small' has too few sentences: more are asked for split 'train'"):
        write_corpus(Grammar.model_validate(SMALL), {"train": 10}, seed=0)


def test_unknown_corpus_and_missing_data_folder() -> None:
    with pytest.raises(DataError, match="did you mean 'toy-reviews'"):
        load_task(TaskSpec(name="t", source="generated", corpus="toy-review"))
    with pytest.raises(DataError, match=r"data.none is missing.*pip install -e"):
        project_data("none")
