"""What is written in a format is read again as it was, in all layers that the format has."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.text.drawn import sentences, texts

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import (
    read_brackets,
    read_conll2012,
    read_conllu,
    read_iob,
    read_layered_jsonl,
    write_brackets,
    write_conll2012,
    write_conllu,
    write_iob,
    write_layered_jsonl,
)
from encoder_atlas.text.formats.tags import SCHEMES, Scheme
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree, check_sentence

# beartype looks at random items of a tuple, also where hypothesis draws one
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

SHARED_FOLDER = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LAYERS = ("tags", "upos", "heads", "deprels", "entities", "tree", "frames", "mentions")


def only(found: Iterable[Sentence], *kept: str) -> list[Sentence]:
    """The sentences without the layers that are not named."""
    return [replace(one, **{name: None for name in LAYERS if name not in kept}) for one in found]


@given(texts())
@SHARED_FOLDER
def test_drawn_sentences_have_layers_that_agree(found: list[Sentence]) -> None:
    for sentence in found:
        check_sentence(sentence, "drawn")
        assert sentence.layers == ("pos", "dep", "ner", "con", "srl", "coref")


@given(texts())
@SHARED_FOLDER
def test_conllu(tmp_path: Path, found: list[Sentence]) -> None:
    write_conllu(found, tmp_path / "t.conllu")
    assert read_conllu(tmp_path / "t.conllu") == only(found, "tags", "upos", "heads", "deprels")


@given(texts(), st.sampled_from(SCHEMES), st.booleans())
@SHARED_FOLDER
def test_iob(tmp_path: Path, found: list[Sentence], scheme: Scheme, named: bool) -> None:
    write_iob(found, tmp_path / "t.iob", scheme)
    assert read_iob(tmp_path / "t.iob", scheme if named else None) == only(found, "entities")


@given(texts())
@SHARED_FOLDER
def test_brackets(tmp_path: Path, found: list[Sentence]) -> None:
    write_brackets(found, tmp_path / "t.mrg")
    named = [
        replace(one, id=f"t:{number}", document="") for number, one in enumerate(only(found, "tags", "tree"))
    ]
    assert read_brackets(tmp_path / "t.mrg", keep_functions=True) == named


@given(texts(), st.sets(st.sampled_from(LAYERS)))
@SHARED_FOLDER
def test_conll2012(tmp_path: Path, found: list[Sentence], left_out: set[str]) -> None:
    kept = {"tags", "tree", "entities", "frames", "mentions"} - left_out
    found = only(found, *(kept if "tags" in kept else kept - {"tree"}))
    write_conll2012(found, tmp_path / "t.conll")
    assert read_conll2012(tmp_path / "t.conll") == found


@given(texts(), st.sets(st.sampled_from(LAYERS)))
@SHARED_FOLDER
def test_layered_jsonl(tmp_path: Path, found: list[Sentence], left_out: set[str]) -> None:
    kept = set(LAYERS) - left_out - ({"heads", "deprels"} if left_out & {"heads", "deprels"} else set())
    found = only(found, *kept)
    write_layered_jsonl(found, tmp_path / "t.jsonl")
    assert read_layered_jsonl(tmp_path / "t.jsonl") == found


@given(sentences())
@SHARED_FOLDER
def test_line_ends_of_windows_and_a_mark_make_no_difference(tmp_path: Path, sentence: Sentence) -> None:
    path = tmp_path / "t.x"
    for write, read in PAIRS:
        write([sentence], path)
        as_written = read(path)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
        assert read(path) == as_written
        path.write_bytes(path.read_bytes().rstrip(b"\r\n"))  # the last line need not end
        assert read(path) == as_written


PAIRS: list[tuple[Callable[[list[Sentence], Path], None], Callable[[Path], list[Sentence]]]] = [
    (write_conllu, read_conllu),
    (write_iob, read_iob),
    (write_brackets, read_brackets),
    (write_conll2012, read_conll2012),
    (write_layered_jsonl, read_layered_jsonl),
]


def test_reading_keeps_what_other_programs_take_for_line_ends(tmp_path: Path) -> None:
    odd = "a\u0085b\u2028c\x0bd\x0ce\x1cf"
    sentence = Sentence("t:0", (odd,), tags=("X",), entities=())
    for write, read in (PAIRS[0], PAIRS[1], PAIRS[3], PAIRS[4]):
        write([sentence], tmp_path / "t.x")
        assert read(tmp_path / "t.x")[0].words == (odd,)


@pytest.mark.parametrize("pair", PAIRS)
def test_missing_files_folders_and_other_encodings_are_refused(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    _, read = pair
    with pytest.raises(DataError, match=r"none\.x cannot be read"):
        read(tmp_path / "none.x")
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path)
    (tmp_path / "latin.x").write_bytes(b"\n\ncaf\xe9\n")
    with pytest.raises(DataError, match=r"latin\.x, line 3: byte 0xe9 is not UTF-8"):
        read(tmp_path / "latin.x")
    (tmp_path / "empty.x").write_bytes(b"\n \n\n")
    with pytest.raises(DataError, match=r"empty\.x has no (sentences|trees)"):
        read(tmp_path / "empty.x")
    with pytest.raises(DataError, match="cannot be written"):
        pair[0]([], tmp_path)


@pytest.mark.parametrize(
    ("pair", "words", "message"),
    [
        (0, ("a\tb",), "FORM 'a\\\\tb' cannot be written"),
        (0, ("a\nb",), "FORM"),
        (0, ("half \ud800",), "surrogates not allowed"),
        (1, ("a\tb",), "FORM"),
        (2, ("a b",), "word 'a b' cannot be written"),
        (2, ("-LRB-",), "word '-LRB-' would be read as '\\('"),
        (3, ("a b",), "word"),
        (3, ("/.",), "word '/.' would be read as '.'"),
        (4, ("a b",), "word 'a b' cannot be written"),
    ],
)
def test_words_that_would_not_come_back_are_refused(
    tmp_path: Path, pair: int, words: tuple[str, ...], message: str
) -> None:
    tree = read_one_tree(tmp_path)
    sentence = replace(tree, words=words, id="s7", entities=())
    with pytest.raises(DataError, match=message):
        PAIRS[pair][0]([sentence], tmp_path / "t.x")
    assert not (tmp_path / "t.x").exists()


def read_one_tree(folder: Path) -> Sentence:
    (folder / "one.mrg").write_text("(TOP (X a))")
    return read_brackets(folder / "one.mrg")[0]


@pytest.mark.parametrize(
    ("pair", "change", "message"),
    [
        (0, {"id": "s "}, "sent_id 's ' cannot be written: it begins or ends with white space"),
        (0, {"document": "a\nb"}, "newdoc id"),
        (0, {"tags": ("",)}, "XPOS '' cannot be written"),
        (1, {"entities": None}, "Sentence 's': its entities are not known.*layer 'ner'"),
        (2, {"tree": None}, "Sentence 's': its tree is not known.*layer 'con'"),
        (2, {"tags": ("(",), "tree": (((0, 1, "NP("),), ("X",))}, r"label 'NP\(' cannot be written"),
        (3, {"document": "a b"}, "Document 'a b' cannot be written: a name has no white space"),
        (3, {"document": "a; part 000"}, "cannot be written"),
        (3, {"document": "#a"}, "cannot be written"),
        (3, {"tags": ("Y",)}, "those of the tree are not those of the layer 'pos'"),
        (3, {"frames": ((0, "give", ()),)}, "roleset 'give' is not of the form lemma.number"),
        (3, {"frames": ((0, "give.-", ()),)}, "roleset 'give.-'"),
        (3, {"frames": ((0, "give.01", ()), (0, "take.01", ()))}, "predicates must be in order, one a word"),
        (3, {"frames": ((0, "give.01", ((0, 1, "A*"),)),)}, r"label 'A\*' cannot be written"),
        (3, {"mentions": ((0, 1, "1|2"),)}, r"a mention of '1\|2' cannot be written"),
    ],
)
def test_values_that_have_no_place_are_refused(
    tmp_path: Path, pair: int, change: dict[str, Any], message: str
) -> None:
    sentence = replace(read_one_tree(tmp_path), id="s", entities=())
    with pytest.raises(DataError, match=message):
        PAIRS[pair][0]([replace(sentence, **typed(change))], tmp_path / "t.x")


def typed(change: dict[str, Any]) -> dict[str, Any]:
    """The plain tuples of a table of tests as what they stand for."""
    makers: dict[str, Callable[[Any], Any]] = {
        "tree": lambda value: Tree(tuple(Span(*span) for span in value[0]), value[1]),
        "frames": lambda value: tuple(
            Frame(at, name, tuple(Span(*role) for role in roles)) for at, name, roles in value
        ),
        "mentions": lambda value: tuple(Span(*span) for span in value),
    }
    return {
        name: value if value is None or name not in makers else makers[name](value)
        for name, value in change.items()
    }


def test_mentions_of_one_entity_that_cross_are_refused(tmp_path: Path) -> None:
    sentence = Sentence("s", ("a", "b", "c"), mentions=(Span(0, 2, "1"), Span(1, 3, "1")))
    with pytest.raises(DataError, match="two mentions of 1 cross"):
        write_conll2012([sentence], tmp_path / "t.conll")
