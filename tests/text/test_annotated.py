"""Annotated corpora: what they hold, count, sample and refuse."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.annotated import AnnotatedCorpus, check_layer
from encoder_atlas.text.corpora import load_corpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.formats import (
    read_brackets,
    read_conll2012,
    read_layered_jsonl,
    write_brackets,
    write_conll2012,
    write_iob,
    write_layered_jsonl,
)
from encoder_atlas.text.layers import LAYERS, Frame, Sentence, Span, Tree

FULL = Sentence(
    id="s",
    words=("Ann", "left"),
    tags=("NNP", "VBD"),
    heads=(2, 0),
    deprels=("nsubj", "root"),
    entities=(Span(0, 1, "PER"),),
    tree=Tree((Span(0, 2, "TOP"), Span(0, 2, "S"), Span(0, 1, "NP")), ("NNP", "VBD")),
    frames=(Frame(1, "leave.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"))),),
    mentions=(Span(0, 1, "1"),),
    document="d",
)


def many(split: str, number: int, **change: Any) -> tuple[Sentence, ...]:
    return tuple(replace(FULL, id=f"{split}:{at}", **change) for at in range(number))


def corpus(**splits: tuple[Sentence, ...]) -> AnnotatedCorpus:
    splits = splits or {"train": many("train", 6) + many("bare", 2, entities=None), "dev": many("dev", 3)}
    return AnnotatedCorpus("c", splits, "Made up.")


def test_counts() -> None:
    rows = corpus().counts().to_dict("records")
    assert rows == [
        {"split": "train", "sentences": 8, "tokens": 16}
        | {"pos": 8, "dep": 8, "ner": 6, "con": 8, "srl": 8, "coref": 8},
        {"split": "dev", "sentences": 3, "tokens": 6}
        | {"pos": 3, "dep": 3, "ner": 3, "con": 3, "srl": 3, "coref": 3},
    ]


def test_labels_of_each_layer_are_those_of_train() -> None:
    other = replace(FULL, id="other", tags=("XX", "VBD"))
    made = corpus(train=many("train", 2), dev=(other,))
    assert made.labels("pos") == ("NNP", "VBD")
    assert made.labels("dep") == ("nsubj", "root")
    assert made.labels("ner") == ("PER",)
    assert made.labels("con") == ("NP", "S", "TOP")
    assert made.labels("srl") == ("ARG0",)
    with pytest.raises(DataError, match="layer 'coref' has no labels"):
        made.labels("coref")
    with pytest.raises(DataError, match="split 'train' has no labels of 'ner'"):
        corpus(train=many("train", 1, entities=None)).labels("ner")
    with pytest.raises(DataError, match="has no split 'train'; known: dev"):
        corpus(dev=many("dev", 1)).labels("ner")


def test_sentences_with_layers() -> None:
    assert len(corpus().sentences("train")) == 8
    assert [one.id for one in corpus().sentences("train", ("ner", "pos"))] == [
        f"train:{at}" for at in range(6)
    ]
    message = "split 'dev' has no sentence with pos and ner; of its 2 sentences 2 have pos, .* 0 have ner"
    with pytest.raises(DataError, match=message):
        corpus(train=many("train", 1), dev=many("dev", 2, entities=None)).sentences("dev", ("pos", "ner"))
    with pytest.raises(DataError, match="no split 'tran'; did you mean 'train'"):
        corpus().sentences("tran")
    with pytest.raises(DataError, match="There is no layer 'deps'; did you mean 'dep'"):
        check_layer("deps")


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_samples_keep_the_order_and_grow(first: int, second: int, seed: int) -> None:
    smaller, larger = sorted((first, second))
    found = {size: corpus().sampled({"train": size}, seed) for size in (smaller, larger)}
    ids = {size: [one.id for one in made.split("train")] for size, made in found.items()}
    everything = [one.id for one in corpus().split("train")]
    assert ids[larger] == [name for name in everything if name in ids[larger]]
    assert len(ids[larger]) == larger
    assert set(ids[smaller]) <= set(ids[larger])
    assert found[smaller].split("dev") == corpus().split("dev")


def test_samples_have_the_layers_and_the_sizes() -> None:
    made = corpus().sampled({"train": None, "dev": 2}, 0, ("ner",))
    assert made.counts()["sentences"].tolist() == [6, 2]
    with pytest.raises(DataError, match=r"Cannot sample 7 .*: it has 6 with ner; ask for 1 to 6"):
        corpus().sampled({"train": 7}, 0, ("ner",))
    with pytest.raises(DataError, match="it has 3; ask for 1 to 3"):
        corpus().sampled({"dev": 4}, 0)
    with pytest.raises(DataError, match="has no split 'test'"):
        corpus().sampled({"test": 1}, 0)


def test_different_seeds_draw_different_sentences() -> None:
    drawn = {
        tuple(one.id for one in corpus().sampled({"train": 3}, seed).split("train")) for seed in range(20)
    }
    assert len(drawn) > 5


def test_the_fingerprint_changes_with_everything_but_ids() -> None:
    def of(**change: Any) -> str:
        return corpus(train=(replace(FULL, **change),)).fingerprint("train")

    changes: list[dict[str, Any]] = [
        {"words": ("Bob", "left")},
        {"tags": None},
        {"upos": ("X", "Y")},
        {"heads": (0, 1)},
        {"deprels": ("x", "root")},
        {"entities": ()},
        {"tree": None},
        {"frames": ()},
        {"mentions": None},
        {"document": "e"},
    ]
    assert of(id="other") == of()
    assert len({of(), *(of(**change) for change in changes)}) == 1 + len(changes)
    both = (FULL, replace(FULL, id="t", words=("Bob", "left")))
    assert corpus(train=both).fingerprint("train") != corpus(train=both[::-1]).fingerprint("train")


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ({"train": ()}, "Corpus 'c', split 'train' has no sentences"),
        (
            {"train": many("a", 2), "dev": many("a", 1)},
            "split 'dev', sentence 'a:0': .*second time",
        ),
        (
            {"dev": (replace(FULL, words=("x",)),)},
            "split 'dev', sentence 's': 2 tags for 1 words",
        ),
    ],
)
def test_what_is_wrong_is_named(splits: dict[str, tuple[Sentence, ...]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        corpus(**splits)


def test_a_corpus_without_splits_is_refused() -> None:
    with pytest.raises(DataError, match="Corpus 'c' has no splits"):
        AnnotatedCorpus("c", {}, "")


def test_a_corpus_from_files(tmp_path: Path) -> None:
    write_layered_jsonl(corpus().split("train")[:4], tmp_path / "train-1of2.jsonl")
    write_layered_jsonl(corpus().split("train")[4:], tmp_path / "train-2of2.jsonl")
    write_layered_jsonl(corpus().split("dev"), tmp_path / "dev.jsonl")
    spec = CorpusSpec(name="mine", source="files", corpus="layers", path=tmp_path)
    loaded = load_corpus(spec)
    assert loaded.splits == corpus().splits
    assert (loaded.name, "own files" in loaded.source_note) == ("mine", True)
    smaller = load_corpus(spec.model_copy(update={"train": 2, "seed": 3, "layers": ("ner", "con")}))
    assert smaller.split("train") == corpus().sampled({"train": 2}, 3, ("ner", "con")).split("train")


def test_one_text_in_two_formats_is_one_text(tmp_path: Path) -> None:
    write_iob(corpus().split("dev"), tmp_path / "dev.iob2")
    spec = CorpusSpec(name="mine", source="files", corpus="iob", path=tmp_path, layers=("ner",))
    loaded = load_corpus(spec)
    assert loaded.splits["dev"] == tuple(
        Sentence(one.id, one.words, entities=one.entities, document="d") for one in corpus().split("dev")
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"source": "files", "corpus": "iob"}, "source 'files' needs path"),
        (
            {"source": "generated", "corpus": "language", "path": "x"},
            "path cannot be set",
        ),
        (
            {"source": "built", "corpus": "ewt", "domain": "x"},
            "domain can be set",
        ),
        ({"source": "hub", "corpus": "x"}, "'files', 'generated' or 'built'"),
        (
            {"source": "built", "corpus": "ewt", "layers": ["deps"]},
            "'pos', 'dep', 'ner',",
        ),
        ({"source": "built", "corpus": "ewt", "train": 0}, "greater than or equal to 1"),
        ({"source": "built", "corpus": "ewt", "train": "9"}, "valid integer"),
        ({"source": "built", "corpus": "ewt", "tran": 9}, "Extra inputs are not permitted"),
    ],
)
def test_impossible_specs_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CorpusSpec.model_validate({"name": "c"} | fields)


def test_a_home_folder_is_found() -> None:
    spec = CorpusSpec.model_validate({"name": "c", "source": "files", "corpus": "iob", "path": "~/x"})
    assert spec.path == Path("~/x").expanduser()


def test_a_generated_corpus_has_all_layers_and_is_written_in_every_format(tmp_path: Path) -> None:
    sizes = {"train": 30, "dev": 5, "test": 5}
    fields = {
        "name": "g",
        "source": "generated",
        "corpus": "language",
        "domain": "science",
        "seed": 3,
    } | sizes
    made = load_corpus(CorpusSpec.model_validate(fields | {"layers": LAYERS}))
    assert made.counts()["sentences"].tolist() == [30, 5, 5]
    assert "enerated" in made.source_note
    sentences = list(made.split("train"))
    write_layered_jsonl(sentences, tmp_path / "g.jsonl")
    assert read_layered_jsonl(tmp_path / "g.jsonl") == sentences
    write_conll2012(sentences, tmp_path / "g.conll")
    without = [replace(one, upos=None, heads=None, deprels=None) for one in sentences]
    assert read_conll2012(tmp_path / "g.conll") == without
    write_brackets(sentences, tmp_path / "g.mrg")
    assert [one.tree for one in read_brackets(tmp_path / "g.mrg")] == [one.tree for one in sentences]


def test_a_corpus_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    spec = CorpusSpec(name="e", source="built", corpus="ewt", path=tmp_path / "none")
    with pytest.raises(DataError, match="atlas data build ewt"):
        load_corpus(spec)
