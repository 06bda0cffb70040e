"""The files of the language: what is read of them, and faults refused with file and rule."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.grammar.lexicon import lexicon_of, read_lexicon
from encoder_atlas.text.grammar.rules import Rule, read_rules, standard_rules
from encoder_atlas.text.grammar.tree import Node, Reading
from encoder_atlas.text.grammar.words import read_words
from encoder_atlas.text.grammar.yaml_files import language_file


def changed(tmp_path: Path, name: str, old: str, new: str) -> Path:
    """A copy of a file of the language with one place changed."""
    text = language_file(name).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / name
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_a_rule_makes_a_phrase() -> None:
    rule = Rule("pp", "(PP {prep}/case (NP {name}:NNP/head)=GPE/head)")
    reading = Reading(rule.make({"prep": Node("IN", "in"), "name": "Lima"}))
    assert [word.word for word in reading.words] == ["in", "Lima"]
    assert reading.tree.spans == ((0, 2, "PP"), (1, 2, "NP"))
    assert (reading.heads, reading.relations) == ((2, 0), ("case", "root"))
    assert reading.entities == ((1, 2, "GPE"),)


def test_an_empty_slot_is_named() -> None:
    with pytest.raises(KeyError, match="rule 'pp': nothing fills 'np'"):
        standard_rules().make("pp", prep=Node("IN", "in"))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"(PP {prep}/case {np}/head)"', '"(PP {prep}/case {np}/head"', "rule 'pp': .* count its brackets"),
        (
            '"(PP {prep}/case {np}/head)"',
            '"(PP {prep}/case {np})"',
            "rule 'pp': phrase PP has 0 parts marked /head",
        ),
        ('"(PP {prep}/case {np}/head)"', '"(PP {prep}/head {np}/head)"', "rule 'pp': phrase PP has 2 parts"),
        (
            '"(PP {prep}/case {np}/head)"',
            '"(PP {prep}/case {np}?/head)"',
            "rule 'pp': the head of PP cannot be",
        ),
        (
            '"(PP {prep}/case {np}/head)"',
            '"(PP {prep}/case of {np}/head)"',
            "rule 'pp': cannot read 'of {np}",
        ),
        ("{and}/cc^right", "{and}/cc^rihgt", r"\^rihgt is no part of it; did you mean 'right'\?"),
        ("{object}/obj {rest}*)", "{objekt}/obj {rest}*)", "has no position 'objekt'; did you mean 'object'"),
        ("promoted: object", "promoted: subjekt", "promotes 'subjekt'"),
        ("promoted: object", "promotes: object", "promotes: Extra inputs are not permitted"),
    ],
)
def test_rules_with_a_fault(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = changed(tmp_path, "rules.yaml", old, new)
    with pytest.raises(DataError, match=fault) as refused:
        read_rules(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "frame: transitive",
            "frame: transitiv",
            "'acquire' has the frame 'transitiv'; did you mean 'transitive'",
        ),
        (
            "object: org site}",
            "object: org sight}",
            "'acquire', object, names the kind 'sight'; did you mean 'site'",
        ),
        ("[buy, sell]", "[buy, sel]", "name 'sel'; did you mean 'sell'"),
        ("in gpe, with site", "in gpe, with sight", "attached, 'with sight', names the kind 'sight'"),
        ("agents:", "agent:", "agents: Field required"),
        ("domain: business", "domain: [", "no usable grammar"),
    ],
)
def test_a_lexicon_with_a_fault(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = changed(tmp_path, "business.yaml", old, new)
    with pytest.raises(DataError, match=fault) as refused:
        read_lexicon(path, standard_rules())
    assert str(path) in str(refused.value)


def test_times_that_cannot_be_filled(tmp_path: Path) -> None:
    path = changed(tmp_path, "words.yaml", "{year}:CD", "{yaer}:CD")
    with pytest.raises(DataError, match="asks for 'yaer'; did you mean 'year'"):
        read_words(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.yaml is no usable grammar"):
        read_rules(tmp_path / "nowhere.yaml")


def test_off_and_on_are_words() -> None:
    assert lexicon_of("business").verb("call").particle == "off"
    assert lexicon_of("business").verb("spend").prep == "on"


def test_forms_of_irregular_verbs() -> None:
    verb = lexicon_of("science").verb("write")
    assert (verb.past, verb.participle, verb.third, verb.gerund) == ("wrote", "written", "writes", "writing")
    assert lexicon_of("business").verb("plan").gerund == "planning"


def test_words_that_a_lexicon_lacks() -> None:
    with pytest.raises(DataError, match="has no noun 'bnak'; did you mean 'bank'"):
        lexicon_of("business").noun("bnak")
    with pytest.raises(DataError, match="has no verb 'purchas'; did you mean 'purchase'"):
        lexicon_of("business").verb("purchas")
