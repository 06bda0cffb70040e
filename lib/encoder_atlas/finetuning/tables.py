"""Tables of the chapter: scores of tuned models, of probes and of ablations, each with how sure it is."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from encoder_atlas.estimates import Counts, contrast, mean_sd, percent
from encoder_atlas.finetuning.edge_probes import EdgeProbes
from encoder_atlas.finetuning.structural_result import StructuralResult
from encoder_atlas.finetuning.tuning import Source, Tuned, counts, measure_of
from encoder_atlas.text import AnnotatedCorpus, Task
from encoder_atlas.training import Reader

Ablated = Mapping[tuple[str, int], Counts]


def score_table(sources: Mapping[str, Source], models: Mapping[str, Sequence[Tuned]]) -> pd.DataFrame:
    """One row a model: how much it was tuned on, by what it is measured, its score, and what the text is.

    The score is percent on dev: mean ± sample standard deviation over seeds, of one seed with its bootstrap
    interval over dev. Beside F1 of answers stands exact match; for classes, what always giving the commonest
    one scores.
    """
    rows = []
    for name, source in sources.items():
        found = [counts(model, source) for model in models[name]]
        row = {
            "tuned on": name,
            "train": _size(source),
            "measure": measure_of(source),
            "score": spread(found),
        }
        row |= {"exact match": "–", "commonest answer": "–", "text": source.source_note}
        if isinstance(source, Task) and source.target == "answer":
            readers = [model for model in models[name] if isinstance(model, Reader)]
            row["exact match"] = mean_sd([100 * reader.score(source)["em"] for reader in readers])
        elif isinstance(source, Task):
            common = np.bincount(source.labels("train")).argmax()
            row["commonest answer"] = f"{100 * (source.labels('dev') == common).mean():.1f}"
        rows.append(row)
    return pd.DataFrame(rows).set_index("tuned on")


def similarity_table(pairs: Mapping[str, pd.DataFrame], digits: int = 3) -> pd.DataFrame:
    """How alike pairs of encoders are in each layer: a row a pair, a column a layer, mean over all samples.

    Args:
        pairs: of each its rows of `rsa_by_text`.
    """
    rows = {name: part.groupby("layer")["similarity"].mean() for name, part in pairs.items()}
    return pd.DataFrame(rows).T.round(digits)


def probe_frame(probes: Mapping[str, EdgeProbes]) -> pd.DataFrame:
    """The frames of several encoders in one, with a column model: what `plot_probes` draws."""
    return pd.concat(found.to_frame().assign(model=name) for name, found in probes.items())


def mix_frame(probes: Mapping[str, EdgeProbes]) -> pd.DataFrame:
    """The weights of layers of several encoders in one frame, with a column model: what `plot_mix` draws."""
    return pd.concat(found.layer_weights().assign(model=name) for name, found in probes.items())


def probe_table(probes: Mapping[str, EdgeProbes], digits: int = 1) -> pd.DataFrame:
    """Micro F1 in percent, a row a probing task: of each model the mix of all layers and the top layer, of
    the first one the embeddings too, and the constant answer that scores best. Mean ± sd over seeds of the
    probe where there are several."""
    first = next(iter(probes))
    rows = {}
    for task in dict.fromkeys(result.task for result in probes[first].results):
        row = {("", "best constant"): f"{100 * probes[first].of(task, 'mix')[0].constant_f1:.{digits}f}"}
        for model, found in probes.items():
            for view in ("lexical", "mix", "top") if model == first else ("mix", "top"):
                row[model, view] = mean_sd([100 * one.f1 for one in found.of(task, view)], digits)
        rows[task] = row
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.set_axis(pd.MultiIndex.from_tuples(table.columns), axis=1)


def structural_table(results: Mapping[str, StructuralResult], digits: int = 1) -> pd.DataFrame:
    """One row a model: the layer whose trees share most edges with the gold ones, and there UUAS and Root in
    percent with 95 % intervals over sentences, DSpr and NSpr. The layer is chosen on the same sentences, so
    that it flatters every model."""
    rows = {}
    for model, result in results.items():
        layer = best_layer(result)
        best = result.to_frame().set_index("layer").loc[layer]
        row = {"best layer": str(layer)}
        row |= {"UUAS": spread([result.by_sentence("uuas", layer)], digits)}
        row |= {"Root": spread([result.by_sentence("root", layer)], digits)}
        rows[model] = row | {name: f"{best[name.lower()]:.2f}" for name in ("DSpr", "NSpr")}
    return pd.DataFrame.from_dict(rows, orient="index")


def structural_curves(results: Mapping[str, StructuralResult]) -> pd.DataFrame:
    """One row a model and layer, as the strip of layers shows it: model, task, layer and f1 (here UUAS)."""
    tables = [result.to_frame().assign(model=model) for model, result in results.items()]
    rows = pd.concat(tables, ignore_index=True).assign(task="trees (UUAS)")
    return rows.rename(columns={"uuas": "f1"}).filter(["model", "task", "layer", "f1"])


def best_layer(result: StructuralResult) -> int:
    """The layer with the most edges right; of several the lowest."""
    return int(result.edges_right.sum(axis=1).argmax())


def ablation_frame(
    whole: Mapping[str, Sequence[Counts]],
    ablated: Mapping[str, Sequence[Ablated]],
    layers: int,
    seeds: Sequence[int] = (0,),
) -> pd.DataFrame:
    """One row a task, kind, number of layers and seed: what `plot_ablations` draws; percent.

    Truncated to all ``layers`` an encoder is whole; frozen curves begin where only the embeddings are frozen.
    """
    rows = [
        {"kind": kind, "task": task, "layers": number, "seed": seed, "score": percent(found)}
        for task, runs in ablated.items()
        for seed, run in zip(seeds, runs, strict=True)
        for (kind, number), found in run.items()
    ]
    rows += [
        {"kind": "truncated", "task": task, "layers": layers, "seed": seed, "score": percent(found)}
        for task, runs in whole.items()
        for seed, found in zip(seeds, runs, strict=True)
    ]
    return pd.DataFrame(rows).sort_values(["kind", "task", "layers"], kind="stable", ignore_index=True)


def ablation_table(
    whole: Mapping[str, Sequence[Counts]], ablated: Mapping[str, Sequence[Ablated]]
) -> pd.DataFrame:
    """A row a kind and number of layers, a column a task: percent, as `score_table` has it; the whole model
    first."""
    columns = {}
    for task, runs in ablated.items():
        cells = {("whole", ""): spread(whole[task])}
        cells |= {
            (kind, number): spread([run[kind, number] for run in runs]) for kind, number in sorted(runs[0])
        }
        columns[task] = pd.Series(cells)
    table = pd.DataFrame(columns)
    return table.rename_axis(["layers", "how many"])


def spread(found: Sequence[Counts], digits: int = 1) -> str:
    """Percent: mean ± sd over several seeds, or of one seed with its 95 % interval over units."""
    if len(found) > 1:
        return mean_sd([percent(one) for one in found], digits)
    one = contrast([found], lambda scores: scores[0])
    return f"{one.value:.{digits}f} [{one.low:.{digits}f}, {one.high:.{digits}f}]"


def _size(source: Source) -> int:
    if isinstance(source, AnnotatedCorpus):
        return len(source.sentences("train", ["dep"]))
    return len(source.split("train"))
