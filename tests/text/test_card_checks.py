"""What a card's check finds: whole files, other files, samples, other counts, and what cannot be checked."""

import json
from pathlib import Path

import pytest
from tests.text.built.checkouts import DOCUMENTS, write_skeletons, write_treebank

from encoder_atlas.errors import DataError
from encoder_atlas.text.card_checks import Finding, check_corpus
from encoder_atlas.text.cards import CorpusCard, CorpusFile, Way, corpus_card, sha256
from encoder_atlas.text.find import folder_of

TRAIN = "sentence\tlabel\na\t1\nb\t0\n"
DEV = "sentence\tlabel\nc\t1\n"


def levels(findings: list[Finding]) -> dict[str, str]:
    return {finding.what: finding.level for finding in findings}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.tsv").write_text(TRAIN)
    (tmp_path / "dev.tsv").write_text(DEV)
    return tmp_path


def card(folder: Path, train: int | None = 2, **fields: object) -> CorpusCard:
    """A card of the folder in the layout of SST-2."""
    files = [
        CorpusFile(name="train.tsv", split="train", rows=train, sha256=sha256(folder / "train.tsv")),
        CorpusFile(name="dev.tsv", split="dev", rows=1),
    ]
    use = {"source": "files", "corpus": "sst2"}
    told = {"what": "", "split": "", "licence": "", "cite": "", "title": "", "sizes": {"train": 2, "dev": 1}}
    ways = [Way(source="files", where="A folder.", use=use)]
    return CorpusCard.model_validate({"name": "t", **told, "ways": ways, "files": files, **fields})


def test_files_as_the_card_has_them(folder: Path) -> None:
    found = check_corpus(card(folder), folder)
    assert levels(found) == {"train.tsv": "ok", "dev.tsv": "note", "train": "ok", "dev": "ok"}


def test_other_content_and_other_counts_are_bad(folder: Path) -> None:
    described = card(folder, train=3)
    (folder / "train.tsv").write_text(TRAIN + "d\t0\ne\t0\n")
    found = check_corpus(described, folder)
    assert levels(found) == {"train.tsv": "bad", "dev.tsv": "note", "train": "bad", "dev": "ok"}
    assert "other content: SHA-256" in found[0].detail
    assert found[2].detail == "4 rows; 3 rows expected"


def test_files_that_are_missing_or_damaged_are_bad(folder: Path) -> None:
    described = card(folder)
    (folder / "dev.tsv").write_text("sentence\tlabel\nc\n")
    assert "line 2 has 1 cells" in check_corpus(described, folder)[-1].detail
    (folder / "dev.tsv").unlink()
    found = check_corpus(described, folder)
    assert levels(found) == {"train.tsv": "ok", "dev.tsv": "note", "loading": "bad"}
    assert "has no dev.tsv" in found[-1].detail


def test_what_makers_state_is_no_measure_of_what_is_loaded(tmp_path: Path) -> None:
    """IMDB as distributed: texts of train that stand in test are dropped, how many is not known here."""
    for split in ("train", "test"):
        for label in ("neg", "pos"):
            (tmp_path / split / label).mkdir(parents=True)
            (tmp_path / split / label / "0_1.txt").write_text(f"{split} {label}")
    found = check_corpus(corpus_card("imdb"), tmp_path)
    assert {finding.level for finding in found} == {"note"}
    assert found[-1].detail == "2 rows; 25,000 rows expected"


def test_a_number_that_nobody_counted_is_a_note(folder: Path) -> None:
    found = check_corpus(card(folder, train=None, sizes={}), folder)
    assert levels(found)["train"] == "note"


def test_folders_are_asked_for_and_refused() -> None:
    with pytest.raises(DataError, match="'sst2' is read from files: give --path FOLDER"):
        check_corpus(corpus_card("sst2"))
    with pytest.raises(DataError, match="'toy-reviews' is not read from files but generated"):
        check_corpus(corpus_card("toy-reviews"), Path())


def test_generated_text_has_the_sizes_of_its_card() -> None:
    assert levels(check_corpus(corpus_card("toy-entailment"))) == {"train": "ok", "dev": "ok"}


def test_annotated_text_is_counted_layer_by_layer(tmp_path: Path) -> None:
    write_treebank(tmp_path, DOCUMENTS)
    found = check_corpus(corpus_card("ud-ewt"), tmp_path)
    assert levels(found)["en_ewt-ud-dev.conllu"] == "bad"
    assert found[-1].what == "test"
    assert found[-1].detail.startswith("3 sentences, 4 tokens, 3 pos, 3 dep; 25,097 tokens expected")
    (tmp_path / "en_ewt-ud-train.conllu").unlink()
    assert Finding("train", "bad", "there is nothing of it") in check_corpus(corpus_card("ud-ewt"), tmp_path)


def test_propbank_is_counted_without_words(tmp_path: Path) -> None:
    write_skeletons(tmp_path, DOCUMENTS)
    found = check_corpus(corpus_card("propbank-ewt"), tmp_path)
    assert found == [Finding("all", "bad", "6 sentences; 16,579 sentences expected")]


def test_ontonotes_is_read_and_counted(tmp_path: Path) -> None:
    row = "bc/x 0 {} {} NN {} - - - - * -\n"
    sentence = row.format(0, "Dogs", "(TOP(NP*") + row.format(1, "bark", "*))") + "\n"
    for split in ("train", "development", "test"):
        file = tmp_path / split / "data" / "english" / f"{split}.v4_gold_conll"
        file.parent.mkdir(parents=True)
        file.write_text(f"#begin document (bc/x/{split}); part 000\n{sentence}#end document\n")
    found = check_corpus(corpus_card("ontonotes"), tmp_path)
    assert levels(found) == {"train": "note", "dev": "note", "test": "note"}
    assert found[0].detail.startswith("1 sentences, 2 tokens, 1 pos")
    assert found[0].detail.endswith("the card has no number for this")


def test_adversarial_rows_are_counted_by_task(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(json.dumps({"sst2": [{"sentence": "a", "label": 1}]}))
    found = check_corpus(corpus_card("advglue"), tmp_path)
    assert [finding.level for finding in found] == ["bad", "bad"]
    assert "has no rows for task 'qqp'" in found[-1].detail


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("advglue", "advglue"),
        ("wikitext2", "wikitext2"),
        ("stsb", "stsb"),
        ("qqp", "qqp"),
        ("agnews", "agnews"),
    ],
)
def test_the_slices_are_what_the_cards_say(name: str, folder: str, real_data: Path) -> None:
    found = check_corpus(corpus_card(name), real_data / folder)
    assert {finding.level for finding in found} == {"ok"}


@pytest.mark.real
def test_the_annotated_slices_are_what_the_cards_say_but_for_train(real_data: Path) -> None:
    for name, folder in (("ud-ewt", "ewt"), ("uner-ewt", "uner_ewt")):
        found = check_corpus(corpus_card(name), real_data / folder)
        assert [finding.what for finding in found if finding.level == "bad"] == ["train"]


def test_the_folder_of_a_corpus_among_others(tmp_path: Path) -> None:
    for name in ("SST-2", "uner_ewt", "rte"):
        (tmp_path / name).mkdir()
    assert folder_of(tmp_path, "sst2") == tmp_path / "SST-2"
    assert folder_of(tmp_path, "uner-ewt") == tmp_path / "uner_ewt"
    assert folder_of(tmp_path, "mrpc") == tmp_path
    assert folder_of(tmp_path / "nowhere", "mrpc") == tmp_path / "nowhere"


def test_a_card_must_agree_with_itself(folder: Path) -> None:
    with pytest.raises(ValueError, match="each source can be one way only"):
        card(folder, ways=[Way(source="hub", where="x"), Way(source="hub", where="y")])
    with pytest.raises(ValueError, match="splits that sizes does not have"):
        card(folder, layers={"test": {"tokens": 1}})
