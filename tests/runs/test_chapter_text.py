"""Text of chapters by the name of its card: annotated corpora, edge tasks, anything to read."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.runs.chapter import Chapter, open_chapter
from encoder_atlas.runs.chapter_text import annotated_corpus, any_text, check_text, edge_tasks, stem_text


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return open_chapter("03_finetuning", {"profile": "tiny"})


def test_an_annotated_corpus_with_a_domain(chapter: Chapter) -> None:
    business = annotated_corpus(chapter, "language", train=6, dev=4, test=2)
    science = annotated_corpus(chapter, "language:science", ["dep", "srl"], train=6, dev=4, test=2)
    assert len(business.split("train")) == len(science.split("train")) == 6
    words = [{word for s in corpus.split("train") for word in s.words} for corpus in (business, science)]
    assert len(words[0] & words[1]) < len(words[0]) / 2


def test_probing_tasks_are_called_as_asked_for(chapter: Chapter) -> None:
    corpus = annotated_corpus(chapter, "language", train=20, dev=10, test=2)
    tasks = edge_tasks(chapter, ["pos", "proto-roles"], corpus, train=30, dev=10)
    assert [task.name for task in tasks] == ["pos", "proto-roles"]
    assert [len(task.split("train").targets) for task in tasks] == [30, 30]


def test_any_text_to_read(chapter: Chapter) -> None:
    assert all(isinstance(text, str) for text in any_text(chapter, "language:science", 3))
    assert len(any_text(chapter, "subjectivity", 5)) == 5
    pairs = any_text(chapter, "inference:science", 2)
    assert all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs)


@pytest.mark.parametrize(
    ("name", "message"),
    [("langage", "did you mean 'language'"), ("movie-review", "did you mean 'movie-reviews'")],
)
def test_no_such_text(chapter: Chapter, name: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        any_text(chapter, name, 3)


def test_no_such_corpus_or_task(chapter: Chapter) -> None:
    with pytest.raises(SettingsError, match="did you mean 'language'"):
        annotated_corpus(chapter, "languages")
    corpus = annotated_corpus(chapter, "language", train=4, dev=2, test=1)
    with pytest.raises(SettingsError, match="did you mean 'pos'"):
        edge_tasks(chapter, ["poss"], corpus, train=4, dev=2)


def test_files_need_a_folder(chapter: Chapter) -> None:
    with pytest.raises(SettingsError, match="'wikitext2' is read from files: give the folder"):
        any_text(chapter, "wikitext2", 3)


@pytest.mark.real
def test_sentences_of_a_file(real_data: Path) -> None:
    files = open_chapter(
        "03_finetuning", {"profile": "tiny", "source": "files", "path": real_data, "corpus": "sst2"}
    )
    assert len(any_text(files, "wikitext2", 7)) == 7


@pytest.mark.real
def test_layers_stand_in_a_folder_named_for_them(real_data: Path) -> None:
    """Beside them, in the folder of the bare name, lies the treebank alone."""
    files = open_chapter("04_stem_cells", {"profile": "tiny", "path": real_data})
    corpus = annotated_corpus(files, "ewt", ["dep", "srl"], train=20, dev=10, test=5)
    assert [len(corpus.split(split)) for split in ("train", "dev", "test")] == [20, 10, 5]
    assert all(one.frames is not None for one in corpus.split("train"))


@pytest.mark.real
@pytest.mark.parametrize("profile", ["quick", "open"])
def test_chapter_4_needs_its_annotated_corpus_alone(real_data: Path, profile: str) -> None:
    """It trains on no labelled texts, so that none need to lie beside its sentences."""
    own = {"profile": profile, "annotated": "ewt", "path": real_data / "ewt_layers", "encoder": "tiny:bert"}
    # The training part of these slices has no entities.
    files = open_chapter("04_stem_cells", own | {"learnt": ["pos", "dep", "con", "srl"]})
    files.check()
    text, probed = stem_text(files)
    assert len(probed) == files.settings.probed_sentences
    assert len(text.split("dev")) == (files.settings.dev or 1969)
    assert all(set(files.settings.learnt) <= set(sentence.layers) for sentence in probed)


def test_sentences_that_hold_too_little_for_a_probe_are_refused_before_training() -> None:
    small = open_chapter("04_stem_cells", {"profile": "tiny", "probed_sentences": 20})
    with pytest.raises(DataError, match="no label of 'pos' stands 20 times in both halves of 20 sentences"):
        check_text(small)


@pytest.mark.parametrize(
    ("parameter", "missing"), [("elsewhere", "wikitext2"), ("inference", "mnli"), ("probed", "spr1")]
)
def test_text_that_chapter_3_lacks_is_told_before_training(parameter: str, missing: str) -> None:
    chapter = open_chapter("03_finetuning", {"profile": "tiny", parameter: missing})
    with pytest.raises((SettingsError, DataError), match=missing):
        check_text(chapter)
