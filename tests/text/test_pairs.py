"""Premises and hypotheses of the grammar: relations that hold, wording that gives nothing away."""

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.baselines import bag_of_words_accuracy, second_text_accuracy
from encoder_atlas.text.generated import GRAMMARS, read_grammar, write_corpus
from encoder_atlas.text.pairs import PairGrammar
from encoder_atlas.text.project_data import project_data

RULE: dict[str, Any] = {
    "hypothesis": ["the {a} {v.past}"],
    "entailment": ["the {a} and the {b} {v.past}"],
    "neutral": ["the {b} {v.past}"],
    "contradiction": ["the {a} did not {v.base}"],
}
FAMILY: dict[str, Any] = {
    "phenomenon": "who",
    "draw": {"a": "person", "b": "person", "v": "deed"},
    "rules": [RULE],
}
SMALL: dict[str, Any] = {
    "name": "small",
    "labels": {"yes": ["entailment"], "no": ["neutral", "contradiction"]},
    "openings": [""],
    "words": {"person": ["cook", "poet"], "deed": [{"base": "sing", "past": "sang"}]},
    "families": [FAMILY],
}
TOYS = ("toy-inference", "toy-entailment")


def toy(corpus: str, **fields: Any) -> Task:
    return load_task(TaskSpec(name="toy", source="generated", corpus=corpus, **fields))


def grammar_of(corpus: str) -> PairGrammar:
    return read_grammar(project_data(GRAMMARS[corpus].file), PairGrammar)


def test_by_hand() -> None:
    grammar = PairGrammar.model_validate(SMALL)
    pairs = {label: {grammar.write(label, random.Random(seed)) for seed in range(60)} for label in (0, 1)}
    assert pairs[0] == {
        ("The cook and the poet sang.", "The cook sang."),
        ("The poet and the cook sang.", "The poet sang."),
    }
    assert pairs[1] == {
        ("The poet sang.", "The cook sang."),
        ("The cook sang.", "The poet sang."),
        ("The cook did not sing.", "The cook sang."),
        ("The poet did not sing.", "The poet sang."),
    }


@pytest.mark.parametrize("corpus", TOYS)
@given(st.integers(0, 50), st.integers(6, 60), st.integers(3, 40))
@settings(deadline=None, max_examples=4)
def test_balanced_different_and_the_same_by_seed(corpus: str, seed: int, train: int, dev: int) -> None:
    task = toy(corpus, seed=seed, train=train, dev=dev)
    pairs = [*task.texts("train"), *task.texts("dev")]
    assert len(set(pairs)) == train + dev
    counts = Counter(task.labels("train").tolist())
    assert max(counts.values()) - min(counts.values()) <= 1
    assert task.fingerprint("train") == toy(corpus, seed=seed, train=train, dev=dev).fingerprint("train")


@pytest.mark.parametrize(
    ("corpus", "beginning"), [("toy-inference", "50d9ad1ae9da"), ("toy-entailment", "dad62b77e7e9")]
)
def test_the_default_corpora_stay_what_they_are(corpus: str, beginning: str) -> None:
    """A changed grammar changes results: these are changed with it, on purpose, together with the cards."""
    assert toy(corpus).fingerprint("dev")[:12] == beginning


@pytest.mark.parametrize(("corpus", "chance"), [("toy-inference", 1 / 3), ("toy-entailment", 1 / 2)])
def test_words_alone_do_not_solve_it(corpus: str, chance: float) -> None:
    """Measured with 4,000 pairs: bags 42 and 60 %, the hypothesis alone within 4 points of chance."""
    task = toy(corpus, train=4000, dev=1200)
    assert bag_of_words_accuracy(task) < chance + 0.15
    assert abs(second_text_accuracy(task) - chance) < 0.06


@pytest.mark.parametrize("corpus", TOYS)
def test_the_hypothesis_is_drawn_before_the_label(corpus: str) -> None:
    grammar = grammar_of(corpus)
    for seed in range(200):
        hypotheses = {grammar.write(label, random.Random(seed))[1] for label in range(len(grammar.labels))}
        assert len(hypotheses) == 1


@pytest.mark.parametrize("corpus", TOYS)
def test_every_rule_is_whole_and_no_two_labels_share_a_pair(corpus: str) -> None:
    """The same premise beside the same hypothesis cannot both follow and not follow."""
    for family in grammar_of(corpus).families:
        for rule in family.rules:
            relations = [set(rule.entailment), set(rule.neutral), set(rule.contradiction)]
            assert sum(map(len, relations)) == len(set.union(*relations)), (
                family.phenomenon,
                rule.hypothesis,
            )
            assert not set(rule.hypothesis) & (relations[1] | relations[2])


def test_no_pair_is_a_sentence_with_itself() -> None:
    task = toy("toy-inference", train=1000)
    assert not [row for row, (one, two) in enumerate(map(tuple, task.texts("train"))) if one.endswith(two)]


def compared(text: str) -> set[tuple[str, str]]:
    """Who is more than whom, chains closed: a reader's rule, written apart from the grammar."""
    less = {"shorter", "younger", "poorer", "slower", "weaker", "quieter"}
    facts = set()
    for one, word, two in re.findall(r"the (\w+) was (\w+) than the (\w+)", text.lower()):
        facts.add((two, one) if word in less else (one, two))
    return facts | {(a, d) for a, b in facts for c, d in facts if b == c}


def test_comparisons_hold() -> None:
    task = toy("toy-inference", train=2000)
    frame = task.split("train")
    checked = frame.loc[frame["hypothesis"].str.contains(" than the ")]
    for row in checked.itertuples():
        (claim,) = compared(str(row.hypothesis))
        known = compared(str(row.premise))
        holds = "entailment" if claim in known else "contradiction" if claim[::-1] in known else "neutral"
        assert holds == task.label_names[int(str(row.label))], (row.premise, row.hypothesis)
    assert len(checked) > 80


def test_numbers_hold() -> None:
    task = toy("toy-inference", train=2000)
    order = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"]
    order += ["twenty", "thirty", "forty"]
    frame = task.split("train")
    checked = frame.loc[frame["hypothesis"].str.contains("(?:more|fewer) than")]
    for row in checked.itertuples():
        claim = re.search(r"(more|fewer) than (\w+) (\w+)\.", str(row.hypothesis))
        assert claim
        way, number, goods = claim.groups()
        said = re.search(rf"(\w+) {goods}\b", str(row.premise))
        if not said or said[1] == "some":
            holds = "neutral"
        else:
            more = order.index(said[1]) > order.index(number)
            holds = "entailment" if more == (way == "more") else "contradiction"
        assert holds == task.label_names[int(str(row.label))], (row.premise, row.hypothesis)
    assert len(checked) > 40


KINDS_IN_A_WORLD = 2  # of each sub-kind: enough for "some" and "not all" to differ


def true_in(sentence: str, kinds: dict[str, str], world: dict[str, list[bool]]) -> bool:
    """Whether a quantified sentence holds where ``world[kind]`` says of each of a kind if it did the deed."""
    sub, other, whole = kinds["sub"], kinds["other"], kinds["super"]
    found = re.match(
        r"(some|all the|many|no|none of the|not one of the|every one of the|not all the) (\w+) (.*)\.",
        sentence,
    )
    assert found, sentence
    quantifier, kind, deed = found.groups()
    did = world[sub] + world[other] if kind == whole else world[kind]
    if quantifier == "none of the" and deed.startswith("failed"):
        return all(did)
    if deed.startswith("did not"):
        return not all(did)
    return {
        "some": any(did),
        "many": any(did),
        "all the": all(did),
        "every one of the": all(did),
        "not all the": not all(did),
    }.get(quantifier, not any(did))


@pytest.mark.parametrize("corpus", TOYS)
def test_quantifiers_hold_in_every_small_world(corpus: str) -> None:
    """Entailed: true wherever the premise is; contradiction: nowhere; neutral: here and not there."""
    (family,) = [one for one in grammar_of(corpus).families if "quantifiers" in one.phenomenon]
    kinds = {"sub": "subs", "other": "others", "super": "whole"}
    worlds = [
        {"subs": [a, b], "others": [c, d]} for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)
    ]
    worlds = [{kind: [bool(one) for one in did] for kind, did in world.items()} for world in worlds]

    def filled(template: str) -> str:
        text = template.replace("{k.sub}", "subs").replace("{k.other}", "others")
        return text.replace("{k.super}", "whole").replace("{f.past}", "ran").replace("{f.base}", "run") + "."

    for rule in family.rules:
        (hypothesis,) = rule.hypothesis
        for relation in ("entailment", "neutral", "contradiction"):
            for premise in rule.premises(relation):
                possible = [world for world in worlds if true_in(filled(premise), kinds, world)]
                truths = {true_in(filled(hypothesis), kinds, world) for world in possible}
                expected = {"entailment": {True}, "neutral": {True, False}, "contradiction": {False}}[
                    relation
                ]
                assert truths == expected, (hypothesis, relation, premise)


def test_the_two_corpora_share_rules_and_few_words() -> None:
    words = {
        corpus: {
            word.lower()
            for name, listed in grammar_of(corpus).words.items()
            if name not in ("kind",)
            for entry in listed
            for word in ([entry] if isinstance(entry, str) else [entry.get("past", "")])
        }
        for corpus in TOYS
    }
    assert len(words["toy-inference"] & words["toy-entailment"]) <= 3


def test_text_says_that_it_is_generated() -> None:
    for corpus in TOYS:
        assert toy(corpus, train=10, dev=10).source_note.startswith("Generated text")
    assert not [
        text for pair in toy("toy-inference").texts("train") for text in pair if re.search("[{}]|  ", text)
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"families": [FAMILY | {"draw": {"a": "persn", "b": "person", "v": "deed"}}]},
            "did you mean 'person'",
        ),
        ({"families": [FAMILY | {"draw": {"a": "person", "v": "deed"}}]}, "unknown slot 'b'"),
        ({"words": SMALL["words"] | {"person": ["cook"]}}, "needs 2 different words of 'person'"),
        ({"words": SMALL["words"] | {"deed": [{"base": "sing"}]}}, "asks for v.past"),
        ({"words": SMALL["words"] | {"deed": ["sing"]}}, "asks for v.past"),
        ({"labels": {"yes": ["entailment"]}}, "at least 2 items"),
        ({"labels": {"yes": ["entails"], "no": ["neutral"]}}, "entailment"),
        ({"families": [FAMILY | {"rules": [RULE | {"neutral": []}]}]}, "at least 1 item"),
        ({"openings": []}, "at least 1 item"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_a_bad_grammar_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(yaml.safe_dump(SMALL | changes))
    with pytest.raises(DataError, match=message) as caught:
        read_grammar(path, PairGrammar)
    assert "bad.yaml" in str(caught.value)


def test_a_grammar_with_too_little_to_say_stops() -> None:
    with pytest.raises(DataError, match="'small' has too few sentences: more are asked for split 'dev'"):
        write_corpus(PairGrammar.model_validate(SMALL), {"dev": 20}, 0, columns=("premise", "hypothesis"))
