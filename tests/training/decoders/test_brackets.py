"""Labelled brackets against worked examples and EVALB's own sample."""

import csv
from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.trees import parse_trees
from encoder_atlas.text.layers import Sentence, Span, Tree
from encoder_atlas.training.decoders import BracketRules, compare_brackets


def read(line: str, name: str = "s") -> Sentence:
    """A tree in brackets; an outer TOP, which does not count, lets a line hold several or none."""
    trees = parse_trees(
        f"(TOP {line})", lambda at, what: DataError(what), keep_functions=True, keep_traces=True
    )
    grown = next(iter(trees))
    return Sentence(name, grown.words, tree=grown.tree)


GOLD = "(S (NP (DT the) (NN cat)) (VP (VBD sat) (PRT (RP down))) (. .))"


@pytest.mark.parametrize(
    ("found", "expected", "complete"),
    [
        (GOLD, (4, 4, 4), True),
        (GOLD.replace("PRT", "ADVP"), (4, 4, 4), True),  # the two count as one
        (GOLD.replace("NP", "NP-SBJ-1"), (4, 4, 4), True),  # functions do not count
        (GOLD.replace("PRT", "NP"), (3, 4, 4), False),
        ("(S (S (DT the) (NN cat) (VBD sat) (RP down)) (. .))", (1, 2, 4), False),  # two S, one of them right
        ("(S (NP (DT the) (NN cat)) (VP (VBD sat) (PRT (RP down)) (. .)))", (4, 4, 4), True),
        ("(S (DT the) (NN cat) (VBD sat) (RP down) (NP (. .)))", (1, 1, 4), False),  # NP has no words left
        ("(DT the) (NN cat) (VBD sat) (RP down) (. .)", (0, 0, 4), False),
    ],
)
def test_worked_examples(found: str, expected: tuple[int, int, int], complete: bool) -> None:
    compared = compare_brackets(read(GOLD), read(found))
    assert compared.counts == expected
    assert compared.complete == complete


def test_brackets_that_cross() -> None:
    """Over four words gold has 0–2 and 2–4: each copy of 1–3 crosses, 0–3 does too, 0–1 does not."""
    gold = read("(S (A (x a) (x b)) (B (x c) (x d)))")
    found = read("(S (C (D (A (x a)) (E (F (x b) (x c)))) (x d)))")
    assert compare_brackets(gold, found).crossing == 3


def test_words_that_differ_are_named() -> None:
    with pytest.raises(DataError, match=r"sentence 's'.*word 1 is 'cat' in the one, 'dog' in the other"):
        compare_brackets(read(GOLD), read(GOLD.replace("cat", "dog")))
    with pytest.raises(DataError, match="4 in the one, 5 in the other"):
        compare_brackets(read(GOLD), read(GOLD.replace("(. .)", "(NN .)")))


def test_trees_that_are_missing_or_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="'s' has no tree for its 2 words"):
        compare_brackets(Sentence("s", ("a", "b")), read(GOLD))
    short = Sentence("s", ("a", "b"), tree=Tree((Span(0, 1, "S"),), ("x",)))
    with pytest.raises(DataError, match="'s' has a tree of 1 words for its 2 words"):
        compare_brackets(short, short)


@pytest.mark.real
def test_evalb_on_its_own_sample(real_data: Path) -> None:
    """Sentence by sentence what EVALB counts; where it has none, words differ or are missing."""
    folder = real_data / "oracles" / "evalb"
    golds, founds = ((folder / f"sample.{end}").read_text().splitlines() for end in ("gld", "tst"))
    with (folder / "expected.tsv").open() as file:
        expected = {int(row["id"]): row for row in csv.DictReader(file, delimiter="\t")}
    rules = BracketRules(
        deleted=frozenset(("TOP", "-NONE-", ",", ":", "``", "''")), labels={}, words={"This": "this"}
    )
    sums = [0, 0, 0]
    for number, (gold, found) in enumerate(zip(golds, founds, strict=True), start=1):
        if not found:
            assert number in (11, 14)
        elif number not in expected:
            with pytest.raises(DataError, match="different words"):
                compare_brackets(read(gold), read(found), rules)
        else:
            compared, row = compare_brackets(read(gold), read(found), rules), expected[number]
            assert compared.counts == (int(row["matched"]), int(row["test"]), int(row["gold"])), number
            assert compared.crossing == int(row["cross"]), number
            scores = compared.counts.scores()
            assert round(100 * scores["recall"], 2) == float(row["recall"])
            assert round(100 * scores["precision"], 2) == float(row["precision"])
            sums = [total + one for total, one in zip(sums, compared.counts, strict=True)]
    assert sums == [86, 95, 98]
    assert len(expected) == 17
