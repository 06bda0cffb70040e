"""One encoder tuned in three ways, to classes, answers or trees; how it did, unit by unit; and less of it.

Merchant et al. (2020) tune BERT on inference (MNLI), question answering (SQuAD 1.1) and dependency parsing.
"""

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from encoder_atlas.encoders import Encoder, truncated
from encoder_atlas.errors import SettingsError
from encoder_atlas.estimates import Counts
from encoder_atlas.text import AnnotatedCorpus, Task
from encoder_atlas.training import (
    Annotator,
    FitSettings,
    FittedModel,
    Hook,
    Reader,
    fit,
    fit_annotator,
    fit_reader,
)
from encoder_atlas.training.scores import overlap, predictions

Source = Task | AnnotatedCorpus
"""What an encoder is tuned on: a task with classes or answers, or a corpus with dependency trees."""

Tuned = FittedModel | Reader | Annotator

Ablation = Literal["frozen", "truncated"]


def tune(
    encoder: Encoder,
    source: Source,
    settings: FitSettings | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    hook: Hook | None = None,
) -> Tuned:
    """Tune a copy of ``encoder`` on ``source``: a linear head for classes, a reader for answers, a biaffine
    parser for trees.

    Raises:
        SettingsError: a task with scores; and as `fit`, `fit_reader` and `fit_annotator` do.
    """
    if isinstance(source, AnnotatedCorpus):
        return fit_annotator(encoder, source, ("dep",), settings, seed=seed, device=device, hook=hook)
    if source.target == "answer":
        return fit_reader(encoder, source, settings, seed=seed, device=device, hook=hook)
    _check_classes(source)
    return fit(encoder, [source], settings, mode="FT", seed=seed, device=device, hook=hook)


def measure_of(source: Source) -> str:
    """What `counts` counts: "accuracy" of classes, "F1" of answers (SQuAD), "LAS" of trees (CoNLL)."""
    if isinstance(source, AnnotatedCorpus):
        return "LAS"
    return "F1" if source.target == "answer" else "accuracy"


def counts(model: Tuned, source: Source, split: str = "dev") -> Counts:
    """How a tuned model does, unit by unit; `estimates.percent` makes a score of it.

    Units are texts (right or wrong), questions (the overlap of words with the nearest right answer, in
    [0, 1]), or sentences (words with the right head and relation, of all words).

    Raises:
        SettingsError: the model was not tuned on such text.
    """
    if isinstance(source, AnnotatedCorpus) and isinstance(model, Annotator):
        table = model.correct(source.sentences(split, ["dep"]))
        words = table.loc[table["measure"].eq("las")].groupby("sentence", sort=False)["right"]
        found = words.agg(["sum", "size"])
        return _counts(found["sum"].to_numpy(), found["size"].to_numpy())
    if isinstance(source, Task) and isinstance(model, Reader):
        pairs = zip(model.answers(source, split), source.answers(split), strict=True)
        right = np.array([max(overlap(text, answer) for answer in answers) for text, answers in pairs])
        return _counts(right, np.ones(len(right)))
    if isinstance(source, Task) and isinstance(model, FittedModel):
        _check_classes(source)
        found = predictions(model.logits(source.name, source.texts(split)))
        right = found == source.labels(split)
        return _counts(right, np.ones(len(right)))
    raise SettingsError(f"{source.name!r} is not what this {type(model).__name__} was tuned on")


def ablate(
    encoder: Encoder,
    source: Source,
    settings: FitSettings,
    how: str,
    layers: int,
    *,
    seed: int = 0,
    device: str = "auto",
) -> pd.DataFrame:
    """Tune with the embeddings and the first ``layers`` layers "frozen", or with an encoder "truncated" to
    its first ``layers`` layers, and measure on dev: the `counts`. The model itself is not kept.

    Frozen at 0 the embeddings alone are; truncated to 0 the head reads the embeddings.

    Raises:
        SettingsError: another word for ``how``, layers that the encoder does not have; and as `tune`.
    """
    if how not in get_args(Ablation):
        raise SettingsError(f"how={how!r}: 'frozen' or 'truncated'")
    if how == "frozen":
        settings = settings.model_copy(update={"frozen_layers": layers})
    else:
        encoder = truncated(encoder, layers)
    return counts(tune(encoder, source, settings, seed=seed, device=device), source)


def _check_classes(task: Task) -> None:
    if task.target != "class":
        raise SettingsError(
            f"task {task.name!r} has {task.target}s: this chapter tunes on classes, answers and trees"
        )


def _counts(right: np.ndarray, total: np.ndarray) -> Counts:
    return pd.DataFrame({"right": right.astype(np.float64), "total": total.astype(np.float64)})


def held_out(source: Source, n: int) -> list[Any]:
    """At most ``n`` dev texts as encoders read them: sentences, pairs, or lists of words."""
    if isinstance(source, AnnotatedCorpus):
        return [list(sentence.words) for sentence in source.split("dev")[:n]]
    return list(source.texts("dev")[:n])
