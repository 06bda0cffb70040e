"""Five decoders on one tiny encoder, on generated text: fitted together, scored, saved and loaded."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import pytest

from encoder_atlas.encoders import load_encoder
from encoder_atlas.text import AnnotatedCorpus, CorpusSpec, load_corpus
from encoder_atlas.text.layers import Frame, Layer, Sentence, Span, check_sentence
from encoder_atlas.training import Annotator, DecoderSettings, FitSettings, fit_annotator
from encoder_atlas.training.decoders import Counts

FIVE: tuple[Layer, ...] = ("pos", "ner", "dep", "con", "srl")
SETTINGS = FitSettings(
    epochs=3,
    batch_size=16,
    lr_encoder=2e-3,
    lr_head=5e-3,
    precision="fp32",
    keep="last",
    evaluate="end",
    sampling="proportional",
    sampling_power=0.8,
    sampling_unit="batches",
    balance="running",
    word_dropout=0.05,
)
SMALL = DecoderSettings(
    arc_width=16, label_width=16, span_width=16, entity_width=16, role_width=16, role_word_dropout=0.0
)


@lru_cache
def corpus() -> AnnotatedCorpus:
    return load_corpus(
        CorpusSpec(
            name="toy",
            source="generated",
            corpus="language",
            train=96,
            dev=16,
            test=24,
        )
    )


@lru_cache
def fitted() -> Annotator:
    return fit_annotator(load_encoder("tiny:bert"), corpus(), FIVE, SETTINGS, decoders=SMALL, device="cpu")


def counted(annotator: Annotator, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """The rows of ``span_counts``."""
    rows = annotator.span_counts(sentences).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def test_all_layers_are_written_and_are_proper() -> None:
    for found in fitted().annotate(corpus().split("test")):
        assert set(FIVE) <= set(found.layers) <= set(get_args(Layer))
        check_sentence(found, found.id)


@pytest.mark.parametrize(
    ("layer", "kind", "prefix"),
    [("ner", "entity", ""), ("srl", "role", ""), ("srl", "predicate", "predicate ")],
)
def test_scores_are_those_of_the_summed_counts(layer: str, kind: str, prefix: str) -> None:
    test = corpus().split("test")
    rows = [row for row in counted(fitted(), test) if (row["layer"], row["kind"]) == (layer, kind)]
    assert [row["sentence"] for row in rows] == [one.id for one in test]
    expected = Counts(*(sum(row[name] for row in rows) for name in Counts._fields)).scores()
    table = fitted().score(test).to_dict("records")
    found = {row["measure"]: row["value"] for row in table if row["layer"] == layer}
    assert {name: found[prefix + name] for name in expected} == pytest.approx(expected)


def test_every_layer_is_measured() -> None:
    test = corpus().split("test")
    assert set(fitted().score(test)["layer"]) == set(FIVE)
    assert {row["layer"] for row in counted(fitted(), test)} == {"ner", "con", "srl"}


def test_every_loss_falls() -> None:
    losses: dict[str, list[float]] = {}
    for row in fitted().history.query("split == 'train'").to_dict("records"):
        losses.setdefault(row["task"], []).append(row["value"])
    assert set(losses) == set(FIVE)
    for layer, values in losses.items():
        assert values[-1] < values[0], layer


def test_saved_and_loaded_it_says_the_same(tmp_path: Path) -> None:
    fitted().save(tmp_path / "five")
    loaded, test = Annotator.load(tmp_path / "five"), corpus().split("test")
    assert loaded.layers == FIVE and loaded.settings == SETTINGS and loaded.decoder_settings == SMALL
    assert loaded.annotate(test) == fitted().annotate(test)


def test_labels_that_train_does_not_have_count_as_wrong() -> None:
    """And sentences of one word, without entities and without predicates, are annotated like any other."""
    odd = Sentence(
        "odd",
        ("my", "film"),
        entities=(Span(0, 2, "NEW"),),
        frames=(Frame(0, "go.01", (Span(1, 2, "NEW"),)),),
    )
    short = Sentence("short", ("film",), entities=(), frames=())
    sentences = [*corpus().split("test")[:2], odd, short]  # some sentence must have each layer
    found = {(row["sentence"], row["kind"]): row for row in counted(fitted(), sentences)}
    for kind in ("entity", "role"):
        assert (found["odd", kind]["right"], found["odd", kind]["gold"]) == (0, 1)
        assert (found["short", kind]["right"], found["short", kind]["gold"]) == (0, 0)
