"""Words and how they relate: by hand, and files that are refused."""

from pathlib import Path

import pytest
import yaml
from tests.text.derived.events import LEXICON, WORDS

from encoder_atlas.errors import DataError
from encoder_atlas.text.derived.vocabulary import read_vocabulary, vocabulary_of
from encoder_atlas.text.grammar import DOMAINS
from encoder_atlas.text.project_data import project_data


def test_synonyms_are_written_in_their_own_forms() -> None:
    forms = {
        verb.base: (verb.past, verb.participle, verb.gerund)
        for verb in WORDS.synonymous(LEXICON.verb("manufacture"))
    }
    assert forms == {"produce": ("produced",) * 2 + ("producing",), "make": ("made",) * 2 + ("making",)}
    assert [noun.plural for noun in WORDS.named(LEXICON.noun("lawyer"))] == ["attorneys"]
    assert WORDS.synonymous(LEXICON.verb("take")) == ()  # "take over"


def test_opposites_hold_for_synonyms_too() -> None:
    assert WORDS.opposite("adjectives", "big", "little")
    assert not WORDS.opposite("adjectives", "big", "large")
    assert "reject" in {verb.base for verb in WORDS.reversed(LEXICON.verb("approve"))}


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("lawyer", "clerk", False),
        ("clerk", "employee", True),
        ("price", "fee", True),
        ("shop", "store", True),
    ],
)
def test_too_close(one: str, other: str, close: bool) -> None:
    assert WORDS.too_close(LEXICON.noun(one), LEXICON.noun(other)) == close


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_synonym_group_has_a_word_of_the_lexicon(domain: str) -> None:
    words = vocabulary_of(domain)
    verbs = {verb.base for verb in words.lexicon.verbs}
    dead = [
        group for group in words.file.synonyms["verbs"] if not {entry.split()[0] for entry in group} & verbs
    ]
    known = words.lexicon.content_words()
    dead += [group for group in words.file.synonyms["nouns"] if not {*group} & known]
    assert dead == []


def damaged(tmp_path: Path, **changes: object) -> Path:
    content = yaml.safe_load(project_data("grammar/derived/business.yaml").read_text(encoding="utf-8"))
    path = tmp_path / "words.yaml"
    path.write_text(yaml.safe_dump(content | changes), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"synonyms": {"verbs": [["buy", "get"], ["get", "win"]]}},
            "synonyms, verbs: 'get' stands in two groups",
        ),
        ({"with_object": ["aquire"]}, "with_object or without_object: 'aquire'; did you mean 'acquire'"),
        ({"topics": {"staff": ["persons"]}}, "topic 'staff': the kind 'persons'; did you mean 'person'"),
        ({"topic": {}}, "topic"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    path = damaged(tmp_path, **changes)
    with pytest.raises(DataError, match=message) as caught:
        read_vocabulary(path, LEXICON)
    assert str(path) in str(caught.value)


def test_an_unknown_domain_is_refused() -> None:
    with pytest.raises(DataError, match="no domain 'busines'; did you mean 'business'"):
        vocabulary_of("busines")
