"""What the chapter measured, as the strip of layers shows it."""

from collections.abc import Mapping

import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.finetuning.bands import needs, pieces, summary
from encoder_atlas.finetuning.figures_probes import ABLATIONS
from encoder_atlas.finetuning.shift import WordShift
from encoder_atlas.show import LayerPanel, LayerStory, LayerTimeline, MovedWord


def layer_story(
    similarity: pd.DataFrame,
    *,
    probes: pd.DataFrame | None = None,
    mix: pd.DataFrame | None = None,
    ablations: pd.DataFrame | None = None,
    timelines: Mapping[str, pd.DataFrame] | None = None,
    shifts: Mapping[str, Mapping[str, WordShift]] | None = None,
    words: int = 8,
    least: int = 3,
) -> LayerStory:
    """Join measurements into one story over layers; bands are ± 1 standard deviation over samples and seeds.

    Args:
        similarity: as `rsa_by_text` gives it: charts of RSA and CKA, a line a text.
        probes: scores of probes that read one layer: task, layer, f1, and model where there are several.
        mix: shares of layers in scalar mixes: task, layer, weight, and model where there are several.
        ablations: as `plot_ablations` takes it; kinds become charts, k stands at layer k.
        timelines: of each model what `timeline_rsa` gave.
        shifts: of each model, on each text, how far words moved.
        words: how many words a layer lists, of those that occur at least ``least`` times.

    Raises:
        DataError: a column is missing, or what `LayerStory` refuses.
    """
    rows = pieces(similarity)
    panels = [
        _panel("Similarity: RSA", rows, "similarity", "text", "base against tuned; 1: nothing moved"),
        _panel("Similarity: CKA", rows, "cka", "text", "base against tuned; 1: nothing moved"),
    ]
    if probes is not None:
        panels.append(_panel("Probes of one layer", probes, "f1", "task", "score (share)"))
    if mix is not None:
        panels.append(_panel("Where probes read", mix, "weight", "task", "share of the layer in the mix"))
    if ablations is not None:
        needs(ablations, ("kind", "task", "layers", "score"), "a chart of ablations")
        for kind, (title, axis) in ABLATIONS.items():
            own = ablations.loc[ablations["kind"] == kind].rename(columns={"layers": "layer"})
            if len(own):
                name, _, note = title.partition(": ")
                panels.append(_panel(name, own, "score", "task", f"score (%), {axis}", note))
    return LayerStory(panels, _timeline(timelines or {}), _words(shifts or {}, words, least))


def _panel(title: str, rows: pd.DataFrame, value: str, line: str, axis: str, note: str = "") -> LayerPanel:
    model = ["model"] if "model" in rows else []
    table = summary(rows, value, (*model, line, "layer")).rename(columns={line: "series"})
    # Of single measurements there is no band to show.
    alone = ["low", "high"] if set(table["n"]) == {1} else []
    return LayerPanel(title, table.drop(columns=["n", *alone]), axis, note)


def _timeline(timelines: Mapping[str, pd.DataFrame]) -> LayerTimeline | None:
    if not timelines:
        return None
    tables = [
        summary(pieces(frame), "similarity", ("text", "share", "layer")).assign(model=model)
        for model, frame in timelines.items()
    ]
    curves = pd.concat(tables).drop(columns=["low", "high", "n"])
    if any(frame["text"].nunique() > 1 for frame in timelines.values()):
        return LayerTimeline("During training", curves, "RSA with the base")
    # Watched on its own text alone, a model's training is shown whatever text is chosen for the other charts.
    return LayerTimeline("During training", curves.drop(columns="text"), "RSA with the base, own text")


def _words(shifts: Mapping[str, Mapping[str, WordShift]], n: int, least: int) -> list[MovedWord]:
    found = []
    for model, texts in shifts.items():
        for text, shift in texts.items():
            for layer in range(len(shift.shift)):
                try:
                    table = shift.most_moved(layer, n, least=least)
                except DataError as error:
                    raise DataError(f"model {model!r}, text {text!r}: {error}") from None
                columns = (table[name].tolist() for name in ("word", "shift", "low", "high", "count"))
                for word, moved, low, high, count in zip(*columns, strict=True):
                    contexts = [(one.before, one.word, one.after) for one in shift.contexts(layer, word)]
                    found.append(MovedWord(word, layer, moved, low, high, count, contexts, model, text))
    return found
