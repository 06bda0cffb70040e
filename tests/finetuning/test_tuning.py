"""One encoder tuned in three ways: what is counted meets the models' own scores; less of the encoder."""

from typing import Any

import pytest
import torch

from encoder_atlas.encoders import Encoder, load_encoder, truncated
from encoder_atlas.errors import SettingsError
from encoder_atlas.estimates import mean_sd, percent
from encoder_atlas.finetuning import Source, Tuned, ablate, counts, held_out, measure_of, score_table, tune
from encoder_atlas.finetuning.tables import ablation_frame, ablation_table
from encoder_atlas.text import AnnotatedCorpus, CorpusSpec, Task, TaskSpec, load_corpus, load_task
from encoder_atlas.training import Annotator, FitSettings, FittedModel, Reader

HOW = FitSettings(epochs=1, batch_size=16, max_length=128, pooling="mean")


@pytest.fixture(scope="module")
def base() -> Encoder:
    return load_encoder("tiny:bert")


@pytest.fixture(scope="module")
def sources() -> dict[str, Source]:
    small: dict[str, Any] = {"train": 24, "dev": 12}
    task = TaskSpec(name="reviews", source="generated", corpus="toy-reviews", **small)
    questions = TaskSpec(name="answers", source="generated", corpus="question-answering", **small)
    trees = CorpusSpec(name="trees", source="generated", corpus="language", train=24, dev=12, test=4)
    return {"reviews": load_task(task), "answers": load_task(questions), "parsing": load_corpus(trees)}


@pytest.fixture(scope="module")
def models(base: Encoder, sources: dict[str, Source]) -> dict[str, Tuned]:
    return {name: tune(base, source, HOW) for name, source in sources.items()}


def test_counts_meet_the_models_own_scores(sources: dict[str, Source], models: dict[str, Tuned]) -> None:
    reviews, answers, trees = sources.values()
    assert isinstance(reviews, Task) and isinstance(answers, Task) and isinstance(trees, AnnotatedCorpus)
    classifier, reader, parser = models.values()
    assert (
        isinstance(classifier, FittedModel) and isinstance(reader, Reader) and isinstance(parser, Annotator)
    )
    assert percent(counts(classifier, reviews)) == pytest.approx(100 * classifier.score(reviews))
    assert percent(counts(reader, answers)) == pytest.approx(100 * reader.score(answers)["f1"])
    table = parser.score(trees.split("dev")).set_index("measure")["value"]
    assert percent(counts(parser, trees)) == pytest.approx(100 * table["las"])
    assert [measure_of(source) for source in sources.values()] == ["accuracy", "F1", "LAS"]
    assert len(counts(parser, trees)) == len(trees.split("dev"))


def test_table(sources: dict[str, Source], models: dict[str, Tuned]) -> None:
    table = score_table(sources, {name: [model] for name, model in models.items()})
    assert list(table["train"]) == [24, 24, 24]
    assert table.loc["answers", "exact match"] != "–" and table.loc["reviews", "exact match"] == "–"
    assert "[" in str(table.loc["parsing", "score"])
    twice = score_table(sources, {name: [model, model] for name, model in models.items()})
    assert "± 0.0" in str(twice.loc["reviews", "score"])


def test_a_model_of_something_else(sources: dict[str, Source], models: dict[str, Tuned]) -> None:
    with pytest.raises(SettingsError, match="'trees' is not what this Reader"):
        counts(models["answers"], sources["parsing"])


def test_texts_that_are_held_out(sources: dict[str, Source]) -> None:
    reviews, trees = sources["reviews"], sources["parsing"]
    assert isinstance(reviews, Task) and isinstance(trees, AnnotatedCorpus)
    assert held_out(reviews, 2) == list(reviews.texts("dev")[:2])
    assert held_out(trees, 1) == [list(trees.split("dev")[0].words)]


def test_less_of_the_encoder(base: Encoder, sources: dict[str, Source]) -> None:
    source = sources["parsing"]
    short = ablate(base, source, HOW, "truncated", 1)
    by_hand = tune(truncated(base, 1), source, HOW)
    assert short.equals(counts(by_hand, source))
    frozen = ablate(base, source, HOW, "frozen", 2)
    model = tune(base, source, HOW.model_copy(update={"frozen_layers": 2}))
    assert frozen.equals(counts(model, source))
    for name, weight in base.model.state_dict().items():
        if "pooler" not in name:
            assert torch.equal(model.encoder.model.state_dict()[name], weight), name


def test_ablations_refused(base: Encoder, sources: dict[str, Source]) -> None:
    with pytest.raises(SettingsError, match="'frozen' or 'truncated'"):
        ablate(base, sources["reviews"], HOW, "melted", 1)
    with pytest.raises(SettingsError, match="3"):
        ablate(base, sources["reviews"], HOW, "truncated", 3)
    with pytest.raises(SettingsError, match="3"):
        ablate(base, sources["reviews"], HOW, "frozen", 3)


def test_scores_cannot_be_tuned_on(base: Encoder) -> None:
    scores = load_task(TaskSpec(name="s", source="generated", corpus="similarity", train=8, dev=4))
    with pytest.raises(SettingsError, match="tunes on classes, answers and trees"):
        tune(base, scores)


def test_frames_of_ablations(sources: dict[str, Source], models: dict[str, Tuned]) -> None:
    found = counts(models["reviews"], sources["reviews"])
    runs = {"reviews": [{("frozen", 0): found, ("truncated", 1): found}]}
    frame = ablation_frame({"reviews": [found]}, runs, 2)
    assert list(frame["kind"]) == ["frozen", "truncated", "truncated"] and list(frame["layers"]) == [0, 1, 2]
    table = ablation_table({"reviews": [found]}, runs)
    assert list(table.index) == [("whole", ""), ("frozen", 0), ("truncated", 1)]
    assert mean_sd([1.0]) == "1.0"
