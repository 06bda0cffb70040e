"""The page of the corpora: every card, every way, and text of data as text."""

import pandas as pd
import pytest

from encoder_atlas.runs.corpus_examples import FEW, as_written, examples
from encoder_atlas.runs.pages import GROUPS, corpora_page
from encoder_atlas.text import CorpusCard, TaskSpec, corpus_cards, load_task

CARDS = {card.name: card for card in corpus_cards()}


def section(page: str, name: str) -> str:
    """The part of the page that one card is."""
    return page.split(f"(corpus-{name})=\n", 1)[1].split("\n(corpus-", 1)[0]


def test_every_card_stands_once_and_is_linked_from_the_table() -> None:
    page = corpora_page([*CARDS.values()])
    for card in CARDS.values():
        assert page.count(f"(corpus-{card.name})=\n### {card.title}\n") == 1
        assert page.count(f"[{card.title}](corpus-{card.name})") == 1
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == [*GROUPS]


def test_a_card_has_a_tab_for_every_way_with_its_commands() -> None:
    shown = section(corpora_page([*CARDS.values()]), "sst2")
    assert ":::{tab-item} From files" in shown and ":::{tab-item} From the hub" in shown
    assert "atlas run 01 -p source=files -p corpus=sst2 -p path=FOLDER" in shown
    assert "atlas run 01 -p source=hub -p corpus=sst2" in shown
    assert "atlas data check sst2 --path FOLDER" in shown
    assert "atlas data build ewt --download" in section(corpora_page([*CARDS.values()]), "ewt")


def test_layers_are_a_table_and_missing_ones_a_dash() -> None:
    card = CARDS["ud-ewt"]
    layers = {"train": {"tokens": 9, "pos": 2}, "dev": {"tokens": 1234}}
    shown = section(corpora_page([card.model_copy(update={"layers": layers})]), "ud-ewt")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if line[:1] == "|"
    ]
    assert rows[0] == ["Split", "tokens", "part of speech"]
    assert rows[2:] == [["train", "9", "2"], ["dev", "1,234", "–"]]


def test_an_example_of_each_class_is_shown() -> None:
    found = examples([CARDS["toy-entailment"], CARDS["sst2"], CARDS["ewt"]])
    assert list(found) == ["toy-entailment"]  # the others need files
    task = load_task(TaskSpec(name="t", source="generated", corpus="toy-entailment", train=FEW, dev=FEW))
    first = task.split("dev").groupby("label").first()
    assert isinstance(first, pd.DataFrame)
    lines = found["toy-entailment"].splitlines()[3:-1]
    assert lines == [
        *("entailment", "  " + first.loc[0, "premise"], "  " + first.loc[0, "hypothesis"]),
        *("not_entailment", "  " + first.loc[1, "premise"], "  " + first.loc[1, "hypothesis"]),
    ]
    shown = section(corpora_page([CARDS["toy-entailment"]], found), "toy-entailment")
    assert found["toy-entailment"] in shown


@pytest.mark.parametrize("text", ["a ``` b", "````", "plain", "`"])
def test_text_does_not_end_its_block(text: str) -> None:
    first, *_, last = as_written(text).splitlines()
    assert first == last + "{code-block} text"
    assert last not in text


def test_a_card_without_numbers_and_baselines_leaves_them_out() -> None:
    card: CorpusCard = CARDS["ontonotes"]
    shown = section(corpora_page([card]), "ontonotes")
    assert "Sentences\n:" not in shown
    assert "| Baseline" not in shown


def test_an_annotated_sentence_is_shown_with_its_layers() -> None:
    shown = examples([CARDS["language"]])["language"].splitlines()
    assert shown[3].split() == ["word", "tag", "head", "relation"]
    assert shown[4].split()[0] == "1"
    heads = [line.split()[3] for line in shown[4 : shown.index("", 4)]]
    assert heads.count("0") == 1
    assert [line.split(":")[0] for line in shown if line.startswith(("phrases", "entities"))] == [
        "phrases",
        "entities",
    ]
    assert any(" = ARG" in line for line in shown)


def test_spans_are_shown_with_their_labels_and_micro_f1() -> None:
    found = examples([CARDS["relations"], CARDS["spr1"]])
    assert list(found) == ["relations"]  # the other needs files
    lines = found["relations"].splitlines()[3:-1]
    assert len(lines) == 8
    for sentence, told in zip(lines[::2], lines[1::2], strict=True):
        words, _, label = told.strip().rpartition(": ")
        assert label in CARDS["relations"].label_names
        assert set(words.split(" | ")) <= set(sentence.split())
    shown = section(corpora_page([CARDS["relations"]], found), "relations")
    assert found["relations"] in shown
    assert "Micro F1 on dev (%)" in shown and "Accuracy" not in shown
    assert "Targets\n:" in shown


def test_baselines_of_layers_have_a_column_for_each_domain() -> None:
    shown = section(corpora_page([CARDS["language"]]), "language")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if line[:1] == "|"
    ]
    head = rows.index(["Layer", "Baseline", "Trained on", "Measure", "business, dev (%)", "science, dev (%)"])
    assert len(rows[head + 2 :]) == len(CARDS["language"].layer_baselines) > 0
    assert ["dependencies", "the next word", "4,000", "right heads", "31.3", "31.2"] in rows
