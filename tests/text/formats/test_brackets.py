"""Bracketed trees: what is read of them, as nltk reads them, and what is refused where."""

import json
from pathlib import Path

import nltk
import pytest
from hypothesis import HealthCheck, given, settings
from tests.text.drawn import sentences
from tests.text.formats.nltk_trees import phrases

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import read_brackets, write_brackets
from encoder_atlas.text.formats.brackets import tree_line
from encoder_atlas.text.formats.trees import escaped, phrase_label, unescaped
from encoder_atlas.text.layers import Sentence, Span, Tree

# As the Penn Treebank has it: no label outside, functions and indices, traces, escapes, over several lines.
TREEBANK = """\
( (S
    (NP-SBJ-1 (-LRB- -LRB-) (DT The) (NN dog) (-RRB- -RRB-))
    (VP (VBZ is)
      (VP (VBN seen)
        (NP=2 (-NONE- *-1))
        (ADVP|PRT (RB here))))
    (. .)))

(TOP (NP (NN x)))  (TOP (X (-NONE- *)))
"""


def written(folder: Path, content: str) -> Path:
    path = folder / "t.mrg"
    path.write_bytes(content.encode())
    return path


def test_the_penn_treebank(tmp_path: Path) -> None:
    first, second = read_brackets(written(tmp_path, TREEBANK))
    assert first.words == ("(", "The", "dog", ")", "is", "seen", "here", ".")
    tags = ("-LRB-", "DT", "NN", "-RRB-", "VBZ", "VBN", "RB", ".")
    assert first.tags == tags
    assert first.tree == Tree(
        spans=(
            Span(0, 8, "TOP"),
            Span(0, 8, "S"),
            Span(0, 4, "NP"),
            Span(4, 7, "VP"),
            Span(5, 7, "VP"),
            Span(6, 7, "ADVP"),
        ),
        tags=tags,
    )
    assert second == Sentence(
        "t:1", ("x",), ("NN",), tree=Tree((Span(0, 1, "TOP"), Span(0, 1, "NP")), ("NN",))
    )


def test_functions_and_traces_kept(tmp_path: Path) -> None:
    first, _, third = read_brackets(written(tmp_path, TREEBANK), keep_functions=True, keep_traces=True)
    assert first.words[6] == "*-1"
    assert first.tree
    assert [span.label for span in first.tree.spans] == [
        "TOP",
        "S",
        "NP-SBJ-1",
        "VP",
        "VP",
        "NP=2",
        "ADVP|PRT",
    ]
    assert third.words == ("*",)


@pytest.mark.parametrize(
    ("label", "phrase"),
    [
        ("NP", "NP"),
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("-NONE-", "-NONE-"),
        ("$", "$"),
    ],
)
def test_the_phrase_of_a_label(label: str, phrase: str) -> None:
    assert phrase_label(label) == phrase


def test_what_is_written(tmp_path: Path) -> None:
    write_brackets(read_brackets(written(tmp_path, TREEBANK)), tmp_path / "again.mrg")
    assert (tmp_path / "again.mrg").read_text() == (
        "(TOP (S (NP (-LRB- -LRB-) (DT The) (NN dog) (-RRB- -RRB-)) "
        "(VP (VBZ is) (VP (VBN seen) (ADVP (RB here)))) (. .)))\n(TOP (NP (NN x)))\n"
    )


def agrees(sentence: Sentence, line: str) -> None:
    theirs = nltk.Tree.fromstring(line)
    assert sentence.tree
    assert list(phrases(theirs)) == [tuple(span) for span in sentence.tree.spans]
    assert list(zip(map(escaped, sentence.words), sentence.tree.tags, strict=True)) == theirs.pos()


@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@given(sentences())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nltk_reads_what_is_written(sentence: Sentence) -> None:
    # nltk takes U+0085 and its like for white space and \\ for an escape; such words are read by us alone
    if not any(character.isspace() or character == "\\" for character in "".join(sentence.words)):
        agrees(sentence, tree_line(sentence))


@pytest.mark.real
def test_nltk_reads_the_same_trees(real_data: Path, tmp_path: Path) -> None:
    lines = (real_data / "ewt_layers" / "test.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    trees = [const for line in lines if (const := json.loads(line)["const"])][::4]
    found = read_brackets(written(tmp_path, "\n".join(trees)), keep_functions=True)
    assert len(found) == len(trees) == 516
    for sentence, line in zip(found, trees, strict=True):
        agrees(sentence, line)
        assert tree_line(sentence) == line


@pytest.mark.real
def test_the_sample_of_evalb(real_data: Path) -> None:
    assert len(read_brackets(real_data / "oracles" / "evalb" / "sample.gld")) == 24
    with pytest.raises(DataError, match=r"sample\.tst, line 8, column 1: a word outside of a tree"):
        read_brackets(real_data / "oracles" / "evalb" / "sample.tst")


@pytest.mark.parametrize("word", ["(", ")", "()", ":-(", "[x]", "{", "-", "-LRB", "RB-"])
def test_words_come_back(word: str) -> None:
    assert unescaped(escaped(word)) == word
    assert not set(escaped(word)) & set("()")


def test_square_and_curly_brackets_are_unescaped() -> None:
    assert [unescaped(word) for word in ("-LSB-", "-RSB-", "-LCB-a", "-RCB-")] == ["[", "]", "{a", "}"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("(TOP (NN a)\n", "line 1, column 1: this tree is not closed: 1 more"),
        ("(TOP (NN a))\n\n  )", "line 3, column 3: a bracket closes that was not opened"),
        ("(TOP (NN a))\nb", "line 2, column 1: 'b' where a bracket is due"),
        ("(TOP (NP a b))", "line 1, column 10: 'a' where a bracket is due; a word is written \\(tag word\\)"),
        ("(TOP\n (DT a) b)", "line 2, column 9: 'b' where a bracket is due"),
        ("(TOP (NP))", "line 1, column 9: a phrase without words"),
        ("(TOP ( (NN a)))", "line 1, column 6: a bracket without a label"),
        ("(NN a)", "line 1, column 1: a word outside of a tree; the smallest tree is"),
        ("()", "line 1, column 2: a phrase without words"),
        ("\n", "has no trees"),
        ("(TOP (-NONE- *))", "has no trees"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_column(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_brackets(written(tmp_path, content))


def test_trees_of_any_depth(tmp_path: Path) -> None:
    deep = "(A " * 5000 + "(X a)" + ")" * 5000
    found = read_brackets(written(tmp_path, deep))[0]
    assert found.tree
    assert len(found.tree.spans) == 5000
