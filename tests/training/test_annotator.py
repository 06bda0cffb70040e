"""Annotators: what they learn, that padding and batches change nothing, saving, and bad input."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import torch

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError, EncoderError, SettingsError
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Sentence
from encoder_atlas.training import Annotator, DecoderSettings, FitSettings, FittedModel, Hook, fit_annotator

SETTINGS = FitSettings(epochs=7, batch_size=16, lr_encoder=2e-3, lr_head=5e-3, precision="fp32")
SMALL = DecoderSettings(arc_width=32, label_width=16, mlp_dropout=0.0)
WORDS = {"DT": ("the", "a", "my"), "JJ": ("red", "old"), "NN": ("dog", "car", "song"), "VB": ("sees", "has")}


def drawn(split: str, n: int, seed: int) -> tuple[Sentence, ...]:
    """Subject, verb and object; a word's tag and head follow from the words."""
    random = np.random.default_rng(seed)
    sentences = []
    for number in range(n):
        tags: list[str] = []
        for part in ("subject", "object"):
            tags += ["DT", *["JJ"] * int(random.integers(2)), "NN"]
            tags += ["VB"] if part == "subject" else []
        verb = tags.index("VB") + 1
        nouns = [i for i, tag in enumerate(tags, start=1) if tag == "NN"]
        heads = [next((noun for noun in nouns if noun > i), verb) for i in range(1, len(tags) + 1)]
        deprels = [{"DT": "det", "JJ": "amod", "VB": "root", "NN": "obj"}[tag] for tag in tags]
        heads[verb - 1], deprels[nouns[0] - 1] = 0, "nsubj"
        for noun in nouns:
            heads[noun - 1] = verb
        words = tuple(str(random.choice(WORDS[tag])) for tag in tags)
        sentences.append(
            Sentence(f"{split}:{number}", words, tuple(tags), heads=tuple(heads), deprels=tuple(deprels))
        )
    return tuple(sentences)


def without_trees(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    return tuple(replace(one, heads=None, deprels=None) for one in sentences)


def corpus() -> AnnotatedCorpus:
    splits = {"train": drawn("train", 160, 0), "dev": drawn("dev", 30, 1), "test": drawn("test", 30, 2)}
    return AnnotatedCorpus("toy", splits, "Generated for a test.")


@lru_cache
def fitted() -> Annotator:
    encoder = load_encoder("tiny:bert")
    return fit_annotator(encoder, corpus(), ["pos", "dep"], SETTINGS, decoders=SMALL, device="cpu")


def scores(annotator: Annotator, sentences: tuple[Sentence, ...]) -> dict[str, float]:
    """Values by measure, whose names differ between layers."""
    table = annotator.score(sentences)
    return dict(zip(table["measure"].tolist(), table["value"].tolist(), strict=True))


def same(a: Annotator, b: Annotator) -> bool:
    """Whether all weights are the same bits."""
    for ours, theirs in ((a.encoder.model, b.encoder.model), (a.decoders, b.decoders)):
        other = theirs.state_dict()
        if not all(value.equal(other[key]) for key, value in ours.state_dict().items()):
            return False
    return True


def test_it_learns_what_follows_from_the_words() -> None:
    found = scores(fitted(), corpus().split("test"))
    assert found["accuracy"] > 0.95
    assert found["uas"] >= found["las"] > 0.6


def test_history_has_both_layers_and_the_best_epoch_is_kept() -> None:
    history = fitted().history
    measures = history.groupby("task")["measure"].unique().map(set).to_dict()
    assert measures == {"pos": {"loss", "accuracy"}, "dep": {"loss", "uas", "las"}}
    kept = scores(fitted(), corpus().split("dev"))
    dev = history[history["split"] == "dev"]
    epochs = [
        dict(zip(part["measure"].tolist(), part["value"].tolist(), strict=True))
        for _, part in dev.groupby("epoch")
    ]
    best = max(epochs, key=lambda one: one["accuracy"] + (one["uas"] + one["las"]) / 2)
    assert kept == pytest.approx(best)


def test_the_same_seed_gives_the_same_bits_and_the_encoder_stays() -> None:
    encoder, settings = load_encoder("tiny:bert"), SETTINGS.model_copy(update={"epochs": 1})
    before = {key: value.clone() for key, value in encoder.model.state_dict().items()}
    one, two, other = (
        fit_annotator(encoder, corpus(), ["dep"], settings, seed=seed, decoders=SMALL, device="cpu")
        for seed in (0, 0, 1)
    )
    assert same(one, two) and not same(one, other)
    assert all(value.equal(before[key]) for key, value in encoder.model.state_dict().items())


def test_frozen_weights_stay_the_same_bits() -> None:
    encoder = load_encoder("tiny:bert")
    settings = SETTINGS.model_copy(update={"epochs": 1, "frozen_layers": 1})
    state = fit_annotator(encoder, corpus(), ["pos"], settings, decoders=SMALL).encoder.model.state_dict()
    moved = {key for key, value in encoder.model.state_dict().items() if not value.equal(state[key])}
    assert moved and all(key.startswith("encoder.layer.1.") for key in moved)
    with pytest.raises(SettingsError, match="frozen_layers is 3; tiny:bert has 2 layers"):
        fit_annotator(encoder, corpus(), ["pos"], SETTINGS.model_copy(update={"frozen_layers": 3}))


def test_batches_and_order_change_nothing() -> None:
    sentences = corpus().split("test")
    together = fitted().annotate(sentences)
    assert [one.id for one in together] == [one.id for one in sentences]
    assert fitted().annotate(sentences, batch_size=7) == together
    assert fitted().annotate(sentences[::-1]) == together[::-1]
    bare = [Sentence(one.id, one.words) for one in sentences]
    assert [one.heads for one in fitted().annotate(bare)] == [one.heads for one in together]


def test_correct_has_a_row_a_word_and_the_means_of_score() -> None:
    sentences = corpus().split("test")
    rows = fitted().correct(sentences)
    means = {str(name): part["right"].mean() for name, part in rows.groupby("measure")}
    assert means == pytest.approx(scores(fitted(), sentences))
    assert len(rows) == 3 * sum(len(one.words) for one in sentences)
    assert set(rows["sentence"]) == {one.id for one in sentences}


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    fitted().save(tmp_path / "model")
    again = Annotator.load(tmp_path / "model")
    assert same(fitted(), again)
    sentences = corpus().split("test")
    assert again.annotate(sentences) == fitted().annotate(sentences)
    assert again.history.equals(fitted().history)
    assert (again.settings, again.decoder_settings, again.seed) == (SETTINGS, SMALL, 0)
    with pytest.raises(EncoderError, match="another kind of model"):
        FittedModel.load(tmp_path / "model")
    (tmp_path / "model" / "heads.safetensors").write_bytes(b"no")
    with pytest.raises(EncoderError, match="damaged or was swapped"):
        Annotator.load(tmp_path / "model")


def test_labels_that_train_lacks_count_as_wrong() -> None:
    made = corpus()
    odd = tuple(
        replace(one, tags=("XX",) * len(one.words), deprels=("odd",) * len(one.words))
        for one in made.split("dev")
    )
    encoder, settings = load_encoder("tiny:bert"), SETTINGS.model_copy(update={"epochs": 1})
    corpus_with = AnnotatedCorpus("odd", made.splits | {"dev": odd}, "Labels that train does not have.")
    annotator = fit_annotator(encoder, corpus_with, ["pos", "dep"], settings, decoders=SMALL)
    found = scores(annotator, odd)
    assert found["accuracy"] == found["las"] == 0 < found["uas"]


def test_sentences_of_one_word_and_of_too_many() -> None:
    long = Sentence("long", ("dog", "has", "the") * 70)
    one = Sentence("one", ("dog",))
    found = fitted().annotate([long, one])
    assert found[1].heads == (0,) and len(found[0].tags or ()) == 210
    AnnotatedCorpus("found", {"train": tuple(found)}, "Found.")  # refuses what is no tree
    with pytest.raises(DataError, match="has 200 pieces, and 126 is the most"):
        fitted().annotate([Sentence("word", ("?" * 200,))])


def test_layers_that_are_missing_are_refused() -> None:
    encoder, made = load_encoder("tiny:bert"), corpus()
    with pytest.raises(SettingsError, match="at least one layer"):
        fit_annotator(encoder, made, [])
    with pytest.raises(SettingsError, match="no decoder for the layer 'coref'"):
        fit_annotator(encoder, made, ["coref"])
    bare = {split: without_trees(own) for split, own in made.splits.items()}
    without = AnnotatedCorpus("plain", bare, "Without trees.")
    with pytest.raises(DataError, match="no sentence with dep"):
        fit_annotator(encoder, without, ["pos", "dep"])
    with pytest.raises(DataError, match="has the layer 'dep'"):
        fitted().score(without.split("test"))
    with pytest.raises(DataError, match="no sentences"):
        fitted().annotate([])


def test_hooks_hold_in_training_and_on_dev() -> None:
    """A hook is asked once a batch and once a layer on dev."""
    seen: list[str] = []

    class Listening(Hook):
        def forward(self, task: str) -> AbstractContextManager[object]:
            seen.append(task)
            return nullcontext()

    settings = SETTINGS.model_copy(update={"epochs": 1})
    fit_annotator(load_encoder("tiny:bert"), corpus(), ["pos", "dep"], settings, hook=Listening())
    assert seen[-2:] == ["pos", "dep"] and seen.count("pos") == seen.count("dep") == 11


def test_it_runs_in_bf16() -> None:
    settings = SETTINGS.model_copy(update={"epochs": 1, "precision": "bf16"})
    annotator = fit_annotator(load_encoder("tiny:bert"), corpus(), ["dep"], settings, device="cpu")
    assert annotator.encoder.model.dtype == torch.float32
