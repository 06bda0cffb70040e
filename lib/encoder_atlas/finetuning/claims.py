"""What decides the chapter's claims (``book/claims.yaml``), from what the chapter measured.

Claims on similarity come as samples, one a sample of tokens and training seed; those on scores as estimates
in points, with bootstrap intervals over sentences, questions or texts, which say nothing about other seeds.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float64

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Counts, Estimate, Estimates, contrast
from encoder_atlas.finetuning.bands import needs, pieces
from encoder_atlas.finetuning.edge_probes import EdgeProbes
from encoder_atlas.finetuning.structural_result import StructuralResult
from encoder_atlas.finetuning.tables import best_layer

INFERENCE, ANSWERS, PARSING = "inference", "answers", "parsing"
MODELS = (INFERENCE, ANSWERS, PARSING)

# Claims on scores that the paper prints, each with the model and the corpus that it is about.
PRINTED = {"ft-mnli": (INFERENCE, "mnli"), "ft-squad": (ANSWERS, "squad"), "ft-dep": (PARSING, "ewt")}

Samples = dict[str, Float64[np.ndarray, " samples"]]


def printed_claims(whole: Mapping[str, Sequence[Counts]], corpora: Mapping[str, str]) -> Estimates:
    """Scores, in percent, of models tuned on the corpora whose scores the paper prints; none for others.

    Args:
        whole: of each model what is right on held-out text, one a seed.
        corpora: of each model the corpus that it was tuned on.
    """
    return {
        claim: contrast([list(whole[model])], lambda scores: scores.mean(axis=0))
        for claim, (model, corpus) in PRINTED.items()
        if corpora.get(model) == corpus
    }


def similarity_claims(
    frame: pd.DataFrame, own: Mapping[str, str], twin: pd.DataFrame | None = None
) -> Samples:
    """Claims on where and on which text tuned models differ from Base; a number a sample and seed.

    Args:
        frame: as `rsa_by_text` gives it, with a column seed where there are several.
        own: of each model the text it was tuned on; all others are other texts. One of the same name and
            another domain ("inference:science") differs from it in words alone.
        twin: the same of parsers, held against another seed of the same training in the place of Base, on
            the same samples of tokens.

    Raises:
        DataError: a column is missing, or a model was not measured on its own text.
    """
    table = _moved(frame)
    found: Samples = {}
    for model in MODELS:
        moved = _of(table, model, own[model])
        found[f"ft-top-{model}"] = _upper_minus_lower(moved)
        others = [text for text in dict.fromkeys(table["text"]) if text != own[model]]
        alike = [text for text in others if text.startswith(f"{own[model]}:")]
        for claim, texts in ((f"ft-domain-{model}", others), (f"ft-words-{model}", alike)):
            if texts:
                away = np.mean([_of(table, model, text)[:, -1] for text in texts], axis=0)
                found[claim] = moved[:, -1] - away
    everywhere = {model: _of(table, model, own[model])[:, 1:].mean(axis=1) for model in MODELS}
    found["ft-parsing-deeper"] = everywhere[PARSING] - everywhere[INFERENCE]
    found["ft-parsing-deeper-answers"] = everywhere[PARSING] - everywhere[ANSWERS]
    if twin is not None:
        apart = _of(_moved(twin), PARSING, own[PARSING])[:, -1]
        found["ft-seed-control"] = _of(table, PARSING, own[PARSING])[: len(apart), -1] - apart
    return found


def early_claim(time: pd.DataFrame) -> Samples:
    """How much of its way from Base the top layer has gone after half of the steps.

    A number a sample and seed in which it has moved at all.

    Between two points of time that are measured, a straight line is drawn.

    Args:
        time: as `timeline_rsa` gives it, with a column seed where there are several.

    Raises:
        DataError: a column is missing.
    """
    table = _moved(time)
    needs(table, ("share",), "a claim on time")
    top = table.loc[table["layer"].eq(table["layer"].max())]
    shares = []
    for _, run in top.groupby(["seed", "sample"]):
        points = run.groupby("share")["moved"].mean()
        half = np.interp(0.5, points.index.to_numpy(dtype=float), points.to_numpy())
        if points.iloc[-1] > 0:
            shares.append(half / points.iloc[-1])
    return {"ft-early": np.array(shares)}


def probe_claims(
    probes: Mapping[str, EdgeProbes], base: str, random: str, *, resamples: int = 2000, level: float = 0.95
) -> Estimates:
    """Claims on edge probes, in points of micro F1, mean over the probing tasks.

    Args:
        probes: of each model, `base` and `random` among them, in the views "mix", "top" and "lexical".

    Raises:
        DataError: a model, task or view was not probed.
    """
    tasks = list(dict.fromkeys(result.task for result in probes[base].results))
    how = {"resamples": resamples, "level": level}

    def difference(first: tuple[str, str], second: tuple[str, str], names: Sequence[str] = tasks) -> Estimate:
        return _f1_difference(probes, first, second, names, how)

    found = {
        "ft-probes-read": difference((base, "mix"), (base, "lexical")),
        "ft-probes-learned": difference((base, "mix"), (random, "mix")),
    }
    for model in (name for name in MODELS if name in probes):
        change = difference((model, "mix"), (base, "mix"))
        found[f"ft-not-forgotten-{model}"] = change
        if model != PARSING:
            found[f"ft-not-stronger-{model}"] = change
    if PARSING in probes and "dep" in tasks:
        found["ft-parsing-top"] = difference((PARSING, "top"), (base, "top"), ["dep"])
    for name in ("pos", "entities"):
        if name in tasks:
            found[f"ft-probe-{name}"] = _f1(probes[base], name, how)
    return found


def structural_claims(
    results: Mapping[str, StructuralResult], base: str, chain: StructuralResult
) -> Estimates:
    """Claims on structural probes, in points of UUAS, every model at its own best layer.

    Args:
        results: of each model, ``base`` among them, on the same sentences.
        chain: the baseline in which every word hangs on the one before it.
    """

    def difference(first: StructuralResult, second: StructuralResult) -> Estimate:
        pair = [one.by_sentence("uuas", best_layer(one)) for one in (first, second)]
        return contrast([pair], lambda scores: scores[0] - scores[1])

    found = {"ft-structural-learned": difference(results[base], chain)}
    if INFERENCE in results:
        found["ft-structural-kept"] = difference(results[INFERENCE], results[base])
    return found


def ablation_claims(
    whole: Mapping[str, Counts], ablated: Mapping[str, Mapping[tuple[str, int], Counts]], layers: int
) -> Estimates:
    """Claims on freezing and truncation, in points.

    Args:
        whole: of each model how it does when all of it learns.
        ablated: of each model the same with layers "frozen" or the encoder "truncated"; a claim whose numbers
            of layers were not tried is left out.
        layers: of the encoder.
    """
    half, found = layers // 2, {}
    frozen = {
        model: [whole[model], parts["frozen", half], parts["frozen", layers]]
        for model, parts in ablated.items()
        if {("frozen", half), ("frozen", layers)} <= set(parts)
    }
    for model in (INFERENCE, ANSWERS):
        if model in frozen:
            found[f"ft-freeze-half-{model}"] = contrast([frozen[model]], _spared)
    if {INFERENCE, PARSING} <= set(frozen):
        groups = [frozen[PARSING], frozen[INFERENCE]]
        found["ft-freeze-parsing"] = contrast(groups, lambda s: 100 * (_lost(s[:3]) - _lost(s[3:])))
    parts = ablated.get(PARSING, {})
    if {("truncated", half), ("truncated", 0)} <= set(parts):
        group = [whole[PARSING], parts["truncated", half], parts["truncated", 0]]
        found["ft-truncate"] = contrast([group], lambda s: s[1] - (s[0] + s[2]) / 2)
    # Where a frozen encoder does as well as a tuned one, in some resample even, there is no gain to share.
    return {
        claim: value
        for claim, value in found.items()
        if np.isfinite([value.value, value.low, value.high]).all()
    }


def _spared(scores: Float64[np.ndarray, "three draws"]) -> Float64[np.ndarray, " draws"]:
    """Half of what freezing all costs, minus what freezing the lower half costs."""
    whole, half, none = scores
    return (whole - none) / 2 - (whole - half)


def _lost(scores: Float64[np.ndarray, "three draws"]) -> Float64[np.ndarray, " draws"]:
    """The share of the gain over the frozen encoder that is lost when the lower half is frozen."""
    whole, half, none = scores
    with np.errstate(divide="ignore", invalid="ignore"):
        return (whole - half) / (whole - none)


def _moved(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a model, text, seed, sample and layer, with what it ``moved``: 1 minus the similarity."""
    needs(frame, ("text", "sample", "layer", "similarity"), "a claim on similarity")
    rows = pieces(frame)
    seed = rows.get("seed", 0)
    return rows.assign(moved=1 - rows["similarity"], seed=seed)


def _of(table: pd.DataFrame, model: str, text: str) -> Float64[np.ndarray, "samples layers"]:
    rows = table.loc[table["model"].eq(model) & table["text"].eq(text)]
    if rows.empty:
        raise DataError(f"the model {model!r} was not held against another on {text!r}")
    return rows.pivot_table(index=["seed", "sample"], columns="layer", values="moved").to_numpy()


def _upper_minus_lower(moved: Float64[np.ndarray, "samples layers"]) -> Float64[np.ndarray, " samples"]:
    """Mean over the upper half of the layers minus that over the lower; the embeddings belong to neither, nor
    does the middle one of an odd number."""
    half = (moved.shape[1] - 1) // 2
    return moved[:, -half:].mean(axis=1) - moved[:, 1 : 1 + half].mean(axis=1)


def _f1_difference(
    probes: Mapping[str, EdgeProbes],
    first: tuple[str, str],
    second: tuple[str, str],
    tasks: Sequence[str],
    how: Mapping[str, Any],
) -> Estimate:
    """Mean over tasks (and seeds) of the first F1 minus the second; the same sentences are drawn for both."""
    groups = [
        [result.by_sentence() for result in pair]
        for task in tasks
        for pair in zip(*(probes[model].of(task, view) for model, view in (first, second)), strict=True)
    ]
    return contrast(groups, lambda scores: (scores[::2] - scores[1::2]).mean(axis=0), **how)


def _f1(probes: EdgeProbes, task: str, how: Mapping[str, Any]) -> Estimate:
    """Percent of F1 of the mix, mean over seeds."""
    group = [result.by_sentence() for result in probes.of(task, "mix")]
    return contrast([group], lambda scores: scores.mean(axis=0), **how)
