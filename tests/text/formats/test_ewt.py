"""English Web Treebank with its layers: what is read is what was published, and nothing of it is lost."""

from pathlib import Path

import pytest

from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.corpora import load_corpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.formats import write_layered_jsonl

pytestmark = [pytest.mark.real, pytest.mark.slow]


def loaded(corpus: str, folder: Path) -> AnnotatedCorpus:
    return load_corpus(CorpusSpec(name="ewt", source="files", corpus=corpus, path=folder))


@pytest.fixture(scope="module")
def ewt(real_data: Path) -> AnnotatedCorpus:
    return loaded("layers", real_data / "ewt_layers")


def test_counts(ewt: AnnotatedCorpus) -> None:
    assert ewt.counts().drop(columns="coref").to_numpy().tolist() == [
        ["train", 12543, 204579, 12543, 12543, 0, 12537, 12537],
        ["dev", 2001, 25149, 2001, 2001, 2001, 1969, 1970],
        ["test", 2077, 25097, 2077, 2077, 2077, 2061, 2061],
    ]
    five = ("pos", "dep", "ner", "con", "srl")
    assert [len(ewt.sentences(split, five)) for split in ("dev", "test")] == [1969, 2061]


def test_predicates(ewt: AnnotatedCorpus) -> None:
    frames = {
        split: [frame for one in ewt.split(split) for frame in one.frames or ()] for split in ewt.splits
    }
    assert {split: len(found) for split, found in frames.items()} == {
        "train": 40466,
        "dev": 4974,
        "test": 4798,
    }
    verbs = [
        (frame.predicate, [role.start for role in frame.roles if role.label == "V"])
        for found in frames.values()
        for frame in found
    ]
    assert sum(starts != [predicate] for predicate, starts in verbs) == 13


def test_labels(ewt: AnnotatedCorpus) -> None:
    assert [len(ewt.labels(layer)) for layer in ("pos", "dep", "con", "srl")] == [50, 49, 29, 57]


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_it_is_written_byte_for_byte_as_it_was_read(
    ewt: AnnotatedCorpus, real_data: Path, tmp_path: Path, split: str
) -> None:
    write_layered_jsonl(ewt.split(split), tmp_path / "again.jsonl")
    parts = sorted((real_data / "ewt_layers").glob(f"{split}*.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == b"".join(path.read_bytes() for path in parts)


@pytest.mark.parametrize(
    ("corpus", "folder", "layers"),
    [("conllu", "ewt", ("tags", "upos", "heads", "deprels")), ("iob", "uner_ewt", ("entities",))],
)
def test_its_sources_hold_the_same(
    ewt: AnnotatedCorpus, real_data: Path, corpus: str, folder: str, layers: tuple[str, ...]
) -> None:
    source = loaded(corpus, real_data / folder)
    assert list(source.splits) == ["dev", "test"]
    for split in source.splits:
        joined = {one.id: one for one in ewt.split(split)}
        assert len(joined) == len(source.split(split))
        for one in source.split(split):
            for name in ("words", "document", *layers):
                assert getattr(one, name) == getattr(joined[one.id], name), (one.id, name)
