"""Where a sentence ends, and classes thinned out to equal lengths."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_atlas.text.sentences import match_lengths, sentence_rows, sentences, without_repeats


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. No met Mr. J. Bond. He left.", ["Dr. No met Mr. J. Bond.", "He left."]),
        ("It is... odd. Really… Yes", ["It is... odd.", "Really…", "Yes"]),
        ('"Go." (He went.) 42 came.', ['"Go."', "(He went.)", "42 came."]),
        ("We need jobs.Thank you.", ["We need jobs.", "Thank you."]),
        ("The U.S. Senate met at 5 p.m. today.", ["The U.S. Senate met at 5 p.m. today."]),
        ("first line\nsecond   line\n\n", ["first line", "second line"]),
        ("3.5 stars", ["3.5 stars"]),
        (" \n ", []),
    ],
)
def test_by_hand(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@given(st.text(st.sampled_from('aB. !?…"”)\n\t\u2028'), max_size=60))
@settings(deadline=None)
def test_nothing_is_lost_or_added(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_rows_say_where_they_stood() -> None:
    texts = pd.DataFrame({"text": ["Al. Bo.", "", "Cy."], "label": [0, 1, 1]}, index=[3, 5, 9])
    rows = sentence_rows(texts)
    assert rows["id"].tolist() == ["row:3:0", "row:3:1", "row:9:0"]
    assert rows["text"].tolist() == ["Al.", "Bo.", "Cy."]


def test_repeats_go_and_disputed_texts_wholly() -> None:
    rows = pd.DataFrame({"text": ["a b", "A  b", "both", "Both", "c"], "label": [0, 0, 0, 1, 1]})
    assert without_repeats(rows)["text"].tolist() == ["a b", "c"]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 1)), min_size=1, max_size=40))
@settings(deadline=None)
def test_each_length_is_balanced_and_as_full_as_it_can_be(drawn: list[tuple[int, int]]) -> None:
    rows = pd.DataFrame(
        {"text": [" ".join(["w"] * words) for words, _ in drawn], "label": [label for _, label in drawn]}
    )
    kept = match_lengths(rows)
    for words in range(1, 5):
        of_class = [drawn.count((words, label)) for label in (0, 1)]
        lengths = kept["text"].str.split().str.len()
        assert [((lengths == words) & (kept["label"] == label)).sum() for label in (0, 1)] == [
            min(of_class)
        ] * 2
    assert kept.index.is_monotonic_increasing
