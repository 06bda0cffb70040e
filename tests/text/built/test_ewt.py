"""Joining three checkouts: what is aligned, what loses a layer, what is refused, what is left on disk."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.text.built.checkouts import DOCUMENTS, conllu, write_skeletons, write_treebank

from encoder_atlas.errors import DataError
from encoder_atlas.text.built import Report, build_ewt, ewt
from encoder_atlas.text.built.entities import read_entities
from encoder_atlas.text.built.join import (
    NO_DOCUMENT,
    NO_SENTENCE,
    OTHER_SIZE,
    OTHER_WORDS,
    OUT_OF_STEP,
    with_entities,
)
from encoder_atlas.text.built.recipe import Part
from encoder_atlas.text.corpora import load_corpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.formats import read_conllu, read_layered_jsonl
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

Parts = dict[Part, Path]
FIVE = ("pos", "dep", "ner", "con", "srl")


def built(parts: Parts, out: Path) -> tuple[Report, dict[str, Sentence]]:
    """What a build says and writes."""
    report = build_ewt(parts, out)
    files = (out / f"{split}.jsonl" for split in ("train", "dev", "test"))
    return report, {sentence.id: sentence for file in files for sentence in read_layered_jsonl(file)}


def test_all_layers_meet_on_the_words(parts: Parts, tmp_path: Path) -> None:
    report, sentences = built(parts, tmp_path / "out")
    assert [*sentences] == ["weblog-a-0001", "weblog-a-0002", "reviews-b-0001"] + [
        f"email-c-000{n}" for n in (1, 2, 3)
    ]
    found = sentences["weblog-a-0002"]
    assert found.layers == FIVE
    assert found.words == ("Cats", "sleep", "now")
    assert found.entities == (Span(0, 1, "PER"),)
    assert found.tree == Tree((Span(0, 3, "TOP"), Span(0, 3, "S")), ("NN", "NN", "NN"))
    assert found.frames == (Frame(0, "do.01", (Span(0, 1, "V"), Span(1, 3, "ARG1"))),)
    counts = report.counts()
    assert counts["all"].to_dict() == {"train": 2, "dev": 1, "test": 3}
    assert counts.loc["train"].to_dict() == {
        "sentences": 2, "tokens": 5, "ner": 2, "con": 2, "srl": 2, "all": 2, "predicates": 2, "entities": 2
    }  # fmt: skip
    assert report.tag_agreement() == 1
    assert not any(tally.lost for tally in report.tallies.values())


def test_what_is_built_is_loaded(parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCODER_ATLAS_CORPORA", str(tmp_path))
    spec = CorpusSpec(name="e", source="built", corpus="ewt")
    with pytest.raises(DataError, match="atlas data build ewt --download"):
        load_corpus(spec)
    build_ewt(parts, tmp_path / "ewt")
    corpus = load_corpus(spec)
    assert len(corpus.split("test")) == 3
    assert corpus.source_note.startswith("Sentences of English Web Treebank")
    with pytest.raises(DataError, match="no built corpus 'ewtt'; did you mean 'ewt'"):
        load_corpus(spec.model_copy(update={"corpus": "ewtt"}))


def test_a_sentence_of_other_length_loses_its_tree_only(parts: Parts, tmp_path: Path) -> None:
    documents = DOCUMENTS | {"weblog-a": ["Dogs bark", "Cats sleep n ow"]}
    write_skeletons(parts["propbank"], documents)
    report, sentences = built(parts, tmp_path / "out")
    assert sentences["weblog-a-0001"].layers == FIVE
    assert sentences["weblog-a-0002"].layers == ("pos", "dep", "ner")
    assert report.tallies["train"].lost == {OTHER_SIZE: 1}


def test_a_document_that_propbank_lacks(parts: Parts, tmp_path: Path) -> None:
    (parts["propbank"] / "data/google/ewt/reviews/00/b.xml.gold_skel").unlink()
    report, sentences = built(parts, tmp_path / "out")
    assert sentences["reviews-b-0001"].layers == ("pos", "dep", "ner")
    assert report.tallies["dev"].lost == {NO_DOCUMENT: 1}


@pytest.mark.parametrize(
    ("theirs", "joined", "lost"),
    [
        # One sentence more at the end: numbers agree all the way.
        (["Hi", "See you", "Bye", "Now"], [True, True, True], {}),
        # "See you" is cut in two there: "Bye" has the length of "you", but not its number.
        (["Hi", "See", "you", "Bye"], [True, False, False], {OUT_OF_STEP: 2}),
        # As many sentences: one of another length does not shift the rest.
        (["Hi", "See", "Bye"], [True, False, True], {OTHER_SIZE: 1}),
        (["Hi"], [True, False, False], {OUT_OF_STEP: 2}),
    ],
)
def test_numbers_are_trusted_until_they_are_out_of_step(
    theirs: list[str], joined: list[bool], lost: dict[str, int], parts: Parts, tmp_path: Path
) -> None:
    write_skeletons(parts["propbank"], DOCUMENTS | {"email-c": theirs})
    report, sentences = built(parts, tmp_path / "out")
    assert ["con" in sentences[f"email-c-000{n}"].layers for n in (1, 2, 3)] == joined
    assert report.tallies["test"].lost == lost


def test_entities_need_the_same_words(parts: Parts, tmp_path: Path) -> None:
    file = parts["ner"] / "en_ewt-ud-test.iob2"
    text = file.read_text().replace("1\tHi\t", "1\tHello\t").replace("email-c-0003", "email-c-0009")
    file.write_text(text)
    report, sentences = built(parts, tmp_path / "out")
    assert [sentences[f"email-c-000{n}"].entities is None for n in (1, 2, 3)] == [True, False, True]
    assert report.tallies["test"].lost == {OTHER_WORDS: 1, NO_SENTENCE: 1}


def test_a_missing_file_of_entities_is_said(parts: Parts, tmp_path: Path) -> None:
    (parts["ner"] / "en_ewt-ud-train.iob2").unlink()
    report, sentences = built(parts, tmp_path / "out")
    assert sentences["weblog-a-0001"].layers == ("pos", "dep", "con", "srl")
    assert report.no_entities == ("train",)
    assert "train has no entities: the checkout of Universal NER lacks its file" in report.lines()


def test_a_missing_treebank_file_is_put_together_from_its_documents(parts: Parts, tmp_path: Path) -> None:
    build_ewt(parts, tmp_path / "released")
    (parts["ud"] / "en_ewt-ud-train.conllu").unlink()
    lists, sources = (parts["ud"] / "not-to-release" / name for name in ("file-lists", "sources"))
    lists.mkdir(parents=True)
    (lists / "files.train").write_text("weblog/a.xml.conllu\n")
    with pytest.raises(DataError, match=r"files\.train names weblog/a\.xml\.conllu, which is not in"):
        build_ewt(parts, tmp_path / "out")
    (sources / "weblog").mkdir(parents=True)
    (sources / "weblog" / "a.xml.conllu").write_text(conllu("weblog-a", DOCUMENTS["weblog-a"]))
    report = build_ewt(parts, tmp_path / "out")
    assert report.rebuilt == {"train": 1}
    for name in ("train.jsonl", "dev.jsonl", "test.jsonl", "build.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "released" / name).read_bytes()


def test_other_counts_than_expected_are_reported(parts: Parts, tmp_path: Path) -> None:
    report = build_ewt(parts, tmp_path / "out")
    assert report.release is None
    assert "train: 2 sentences, expected 12,543" in report.deviations()
    lines = report.lines()
    assert lines[0] == "UD_English-EWT of no commit that is known here"
    assert any("counts are not those expected of commit c491d62a7a04" in line for line in lines)
    manifest = json.loads((tmp_path / "out" / "build.json").read_text())
    assert manifest["deviations"] == report.deviations()
    assert manifest["counts"]["test"]["all"] == 3


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("ud", "is no checkout of UD_English-EWT: it has neither"),
        ("ner", "is no checkout of UNER_English-EWT: it has none of"),
        ("propbank", "is no checkout of propbank-release: there is no"),
    ],
)
def test_a_wrong_folder_is_named_and_nothing_is_written(
    part: Part, said: str, parts: Parts, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(DataError, match=said):
        build_ewt({**parts, part: tmp_path / "other"}, tmp_path / "out")
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_what_cannot_be_read_is_named_with_its_line(parts: Parts, tmp_path: Path) -> None:
    file = parts["propbank"] / "data/google/ewt/email/00/c.xml.gold_skel"
    whole = file.read_text()
    for old, new, said in [
        ("*))", "*)", "line 1, column 6: 1 brackets of this column are never closed"),
        ("do.01", "-", "line 1, column 8: 0 predicates and 1 columns of roles"),
        ("(ARG1*)", "(ARG1*) *", "line 4: 10 columns where 9 are due"),
    ]:
        file.write_text(whole.replace(old, new, 1))
        with pytest.raises(DataError, match=rf"c\.xml\.gold_skel, {said}"):
            build_ewt(parts, tmp_path / "out")


def test_the_same_checkouts_give_the_same_files(parts: Parts, tmp_path: Path) -> None:
    build_ewt(parts, tmp_path / "one")
    build_ewt(parts, tmp_path / "two")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["build.json", "dev.jsonl", "test.jsonl", "train.jsonl"]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_interrupted_build_leaves_the_earlier_one(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    build_ewt(parts, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    write_treebank(parts["ud"], DOCUMENTS | {"email-c": ["Hi", "See them", "Bye"]})

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ewt, "write_layered_jsonl", stop)
        with pytest.raises(KeyboardInterrupt):
            build_ewt(parts, out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    (tmp_path / f".out.part-{2**31 - 1}").mkdir()  # of a build that was killed
    build_ewt(parts, out)
    assert '"them"' in (out / "test.jsonl").read_text()
    assert not list(tmp_path.glob(".out*"))


def test_killed_while_the_names_change_the_earlier_build_comes_back(parts: Parts, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_ewt(parts, out)
    out.rename(tmp_path / ".out.earlier")
    with pytest.raises(RuntimeError), ewt._whole_folder(out):
        raise RuntimeError
    assert (out / "build.json").is_file()
    assert [path.name for path in tmp_path.glob(".out*")] == []


def test_other_things_are_never_replaced(parts: Parts, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="is there and is no earlier build"):
        build_ewt(parts, out)
    (out / "thesis.txt").unlink()
    build_ewt(parts, out)  # an empty folder is no loss
    with pytest.raises(DataError, match="is there and is no earlier build"):
        build_ewt(parts, out / "dev.jsonl")


@pytest.mark.real
def test_dev_and_test_are_the_joined_corpus_that_others_made(real_data: Path) -> None:
    """Layer by layer, of treebank and entities; PropBank's files are not among the slices."""
    entities = read_entities(real_data / "uner_ewt")
    for split in ("dev", "test"):
        treebank = read_conllu(real_data / "ewt" / f"en_ewt-ud-{split}.conllu")
        joined = [with_entities(sentence, entities[split]) for sentence in treebank]
        assert not any(reason for _, reason in joined)
        others = read_layered_jsonl(real_data / "ewt_layers" / f"{split}.jsonl")
        for (ours, _), theirs in zip(joined, others, strict=True):
            assert ours == replace(theirs, tree=None, frames=None)
