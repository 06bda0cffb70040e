"""The generated tasks as they are loaded: by hand, balanced, all different, and without an easy way round."""

import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.text.derived.events import LEXICON, WORDS, both, event, org, the

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, disjoint, load_task
from encoder_atlas.text.cards import corpus_card
from encoder_atlas.text.derived import DERIVED
from encoder_atlas.text.derived.question_inference import answers
from encoder_atlas.text.derived.rows import in_split, write_rows
from encoder_atlas.text.derived.similarity import score
from encoder_atlas.text.grammar import Event, Modifier

CLASSES = sorted(name for name, corpus in DERIVED.items() if corpus.target == "class")


@cache
def made(corpus: str, **fields: Any) -> Task:
    """A small task; annotations are checked at every call here, which makes writing slow."""
    fields = {"train": 24, "dev": 8} | fields
    return load_task(TaskSpec(name=corpus, source="generated", corpus=corpus, **fields))


@pytest.mark.parametrize("domain", ["business", "science"])
@pytest.mark.parametrize("corpus", sorted(DERIVED))
def test_the_same_by_seed_and_never_twice(corpus: str, domain: str) -> None:
    task = made(corpus, domain=domain)
    again = made.__wrapped__(corpus, domain=domain)  # written a second time
    for split in ("train", "dev"):
        assert task.fingerprint(split) == again.fingerprint(split)
        rows = list(zip(*(task.split(split)[name] for name in task.text_columns), strict=True))
        assert len({frozenset(row) for row in rows}) == len(rows)
        if task.target == "class":
            counts = Counter(task.labels(split)).values()
            assert max(counts) - min(counts) <= 1
        for row in rows:
            assert all(in_split(text, split) for text in row)
    assert domain in task.source_note


def test_seed_and_domain_matter() -> None:
    usual = made("topics", domain="business")
    assert usual.fingerprint("dev") == made("topics").fingerprint("dev")
    assert usual.fingerprint("dev") != made("topics", seed=1).fingerprint("dev")
    assert made("topics").label_names == ("staff", "goods", "premises", "figures")
    assert made("topics", domain="science").label_names == ("life", "matter", "instruments", "ideas")


def test_tasks_can_be_taught_together() -> None:
    disjoint(
        [made(corpus, seed=seed) for seed, corpus in enumerate(["acceptability", "inference", "topics"])]
    )


def test_a_smaller_corpus_is_the_beginning_of_a_larger() -> None:
    corpus = DERIVED["inference"]
    few, many = (
        write_rows(
            "x", corpus.make, [row % 3 for row in range(size)], corpus.text_columns, "dev", "business", 0
        )
        for size in (6, 12)
    )
    pd.testing.assert_frame_equal(few, many.head(6))


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(DataError, match="'mute' has too few different rows: 2 are asked for split 'dev', 0"):
        write_rows("mute", lambda scenes, turn: None, [0, 1], ("a",), "dev", "business", 0)
    with pytest.raises(DataError, match=r"no generated corpus 'infrence'.*did you mean 'inference'"):
        made("infrence")
    with pytest.raises(DataError, match="'toy-reviews' has no domains: leave domain out"):
        made("toy-reviews", domain="science")
    with pytest.raises(ValueError, match="domain can be set with source 'generated' only, not 'packaged'"):
        TaskSpec(name="x", source="packaged", corpus="movie-reviews", domain="science")


# How far above chance models that cannot read may come, in points; chance is 1 / classes.
ALLOWED = {
    "bag of words": 15,
    "bag of words of the second text": 15,
    "length": 10,
    "word overlap": 22,
}
MEASURE = """
import json, sys
from encoder_atlas.text import TaskSpec, load_task
from encoder_atlas.text import baselines
task = load_task(TaskSpec(name="t", source="generated", corpus=sys.argv[1]))
found = {
    "majority": baselines.majority_accuracy(task),
    "bag of words": baselines.bag_of_words_accuracy(task),
    "length": baselines.length_accuracy(task),
}
if task.kind == "pair":
    found["bag of words of the second text"] = baselines.second_text_accuracy(task)
    found["word overlap"] = baselines.word_overlap_accuracy(task)
print(json.dumps(found))
"""


@pytest.mark.parametrize("corpus", sorted(DERIVED))
def test_the_card_names_what_is_written(corpus: str) -> None:
    card = corpus_card(corpus)
    assert card.sizes == DERIVED[corpus].sizes
    assert card.label_names == made(corpus).label_names
    assert card.ways[0].use == {"source": "generated", "corpus": corpus}
    assert {line.model for line in card.baselines} <= {"majority", *ALLOWED}


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CLASSES)
def test_words_and_length_say_as_little_as_the_card_states(corpus: str) -> None:
    """Measured in a process of its own, where annotations are not checked at every call."""
    done = subprocess.run([sys.executable, "-c", MEASURE, corpus], capture_output=True, text=True, check=True)
    measured = {name: 100 * value for name, value in json.loads(done.stdout).items()}
    card = corpus_card(corpus)
    stated = {line.model: line.accuracy_percent for line in card.baselines}
    # A row or two in a thousand tips with the number of threads of the solver.
    assert measured == pytest.approx(stated, abs=0.5)
    chance = 100 / len(card.label_names)
    if corpus != "topics":  # as with news, the words tell the topic
        assert {name for name, most in ALLOWED.items() if measured.get(name, 0) - chance > most} == set()


# Question inference: by hand.
ZENOVA, TOLMAR, CORVEX = org(1, "Zenova"), org(2, "Tolmar"), org(3, "Corvex")
BUYS = event(ZENOVA, "acquire", TOLMAR)


@pytest.mark.parametrize(
    ("statement", "asked", "expected"),
    [
        (BUYS, "object", True),
        (BUYS, "subject", True),
        (BUYS, "ARGM-TMP", False),
        (event(ZENOVA, "acquire", CORVEX), "object", True),
        (event(ZENOVA, "acquire", CORVEX), "subject", False),
        (event(ZENOVA, "acquire", TOLMAR, negated=True), "object", False),
        (event(TOLMAR, "acquire", ZENOVA), "object", False),
        (event(ZENOVA, "contact", TOLMAR), "object", False),
        (both(event(CORVEX, "contact", TOLMAR), BUYS), "object", True),
        (Event(BUYS.verb, (("object", TOLMAR),)), "subject", False),
    ],
)
def test_what_answers_a_question(statement: Event, asked: str, expected: bool) -> None:
    assert answers(statement, BUYS, asked, WORDS) == expected


# Similarity: by hand, a point for each of five parts.
def test_similarity_counts_parts() -> None:
    give = LEXICON.verb("give")
    when, later = (Modifier("ARGM-MNR", word) for word in ("quickly", "secretly"))  # stand for times
    whole = Event(give, (("subject", ZENOVA), ("object", the(4, "printer")), ("oblique", TOLMAR)), (when,))
    assert score(whole, whole, WORDS) == 5
    assert score(whole, Event(give, whole.arguments, (later,)), WORDS) == 4
    assert score(whole, whole.put("object", the(4, "item")), WORDS) == 4.5
    assert score(whole.put("object", the(4, "item")), whole, WORDS) == 4.5
    assert score(whole, whole.put("object", the(5, "phone")), WORDS) == 4
    assert score(whole, whole.swapped("subject", "oblique"), WORDS) == 3
    other = Event(
        LEXICON.verb("lend"), (("subject", CORVEX), ("object", the(5, "phone")), ("oblique", org(7, "Lumeo")))
    )
    assert score(whole, other, WORDS) == 0


def test_scores_of_similarity_are_spread_evenly() -> None:
    task = made("similarity", train=22)
    assert Counter(task.labels("train")) == {step / 2: 2 for step in range(11)}


def test_answers_stand_where_they_are_said_to() -> None:
    frame = made("question-answering").split("train")
    columns = ("context", "answer_start", "answer_text", "answers")
    for context, start, text, all_answers in zip(*(frame[name] for name in columns), strict=True):
        assert context[start : start + len(text)] == text
        assert all_answers == (text,)
        assert context.lower().count(text.lower()) == 1
        assert 4 <= len(re.findall(r"[.?](?: |$)", context)) <= 7


def test_paired_topics_are_the_topics_paired() -> None:
    single, paired = made("topics", train=40), made("topics-paired", train=40)
    label = dict(zip(single.split("train")["sentence"], single.labels("train"), strict=True))
    frame = paired.split("train")
    assert {*frame["first"]} == {*frame["second"]} == {*label}
    same = [label[one] == label[other] for one, other in zip(frame["first"], frame["second"], strict=True)]
    assert np.array_equal(paired.labels("train"), np.array(same))
    for wanted in (0, 1):
        of_label = frame[frame["label"] == wanted]
        assert Counter([*of_label["first"], *of_label["second"]]) == dict.fromkeys(label, 1)
