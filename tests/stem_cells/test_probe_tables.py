"""Tables, figures and claims of probes: worked examples, and the paper's published scores."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError
from encoder_atlas.show import AttentionLinks
from encoder_atlas.stem_cells.attention import read_heads
from encoder_atlas.stem_cells.figures_probes import link_model, plot_best_layers, plot_labels, plot_roots
from encoder_atlas.stem_cells.head_hits import HeadHits, make_hits
from encoder_atlas.stem_cells.links import RootControl
from encoder_atlas.stem_cells.probe_claims import macro_gain, probe_claims, root_lead
from encoder_atlas.stem_cells.probe_tables import (
    MACRO,
    gains_and_losses,
    label_changes,
    label_table,
    mean_table,
    probe_frame,
    probe_frames,
)
from encoder_atlas.stem_cells.probes import LEXICAL, OFFSETS, RANDOM, SLICES, HeadProbes
from encoder_atlas.text import AnnotatedCorpus

FRAME = pd.DataFrame(
    [
        ("dep", "$det$", "BERT", 50.0, 10, 2),
        ("dep", "nsubj", "BERT", 40.0, 30, 3),
        ("dep", "$det$", "DEP", 60.0, 10, 2),
        ("dep", "nsubj", "DEP", 30.0, 30, 1),
        ("dep", "nsubj", "DEP", 50.0, 30, 4),
    ],
    columns=["task", "label", "model", "accuracy", "n", "layer"],
)


def hits_of(rate: float, seed: int) -> HeadHits:
    rng = np.random.default_rng(seed)
    labels = (["a"] * 60 + ["b"] * 40 + ["root"] * 20) * 2
    sentence = np.tile(np.arange(40), 6).tolist()
    return make_hits(rng.random((2, 2, 240)) < rate, labels, sentence, 40)


def root_of(rate: float) -> RootControl:
    root = np.ones((2, 2, 40), dtype=np.bool_)
    root[1] = False
    others = np.full((2, 2, 40), round(10 * rate), dtype=np.int64)
    return RootControl(root, others, np.full(40, 11, dtype=np.int64))


def probes_of(rate: float, seed: int = 0, cls_rate: float = 1.0) -> HeadProbes:
    dev = {task: hits_of(rate, seed + 10) for task in ("dep", "pos", "srl")}
    test = {task: hits_of(rate, seed) for task in ("dep", "pos", "srl")}
    return HeadProbes(dev, test, root=root_of(cls_rate))


def test_table_of_labels() -> None:
    table = label_table(FRAME, "dep")
    assert table.index.tolist() == ["nsubj", "$det$", MACRO]
    assert table["BERT"].tolist() == [40, 50, 45] and table["DEP"].tolist() == [40, 60, 50]
    changes = label_changes(FRAME, "dep", "BERT", "DEP")
    assert changes.to_dict("records")[0] == {"label": "$det$", "before": 50, "after": 60, "gain": 10}
    counted = gains_and_losses(FRAME, "BERT", "DEP").to_dict("records")
    assert counted == [{"task": "dep", "labels": 2, "gain": 1, "lose": 0, "mean": 5.0}]
    with pytest.raises(DataError, match="the task 'pos' was not probed"):
        label_table(FRAME, "pos")
    with pytest.raises(DataError, match="no model 'DEPP' was probed; did you mean 'DEP'"):
        label_changes(FRAME, "dep", "BERT", "DEPP")
    with pytest.raises(DataError, match="needs a column 'accuracy'"):
        label_table(FRAME.drop(columns="accuracy"), "dep")


@pytest.mark.real
def test_published_scores_give_the_published_means_and_counts(real_data: Path) -> None:
    """The means over labels and the numbers of labels that gain or lose, as counted by others."""
    table = pd.read_csv(real_data / "oracles" / "stem_cell_probes.tsv", sep="\t", keep_default_na=False)
    bert = table.loc[table["encoder"] == "bert-base-cased"]
    frame = bert.rename(columns={"setting": "model"}).assign(accuracy=pd.to_numeric(bert["mean"]))
    means = {
        "pos": [73.2, 90.5, 75.5],
        "ner": [80.7, 86.7, 82.7],
        "dep": [79.4, 79.3, 75.2],
        "con": [82.4, 86.6, 83.5],
        "srl": [78.6, 84.7, 83.7],
    }
    for task, wanted in means.items():
        found = label_table(frame, task).loc[MACRO, ["pretrained", "STL", "MTL-5"]]
        assert found.tolist() == pytest.approx(wanted, abs=0.06)
    joint = gains_and_losses(frame, "STL", "MTL-5").set_index("task")
    wanted = {"ner": (18, 2, 15), "dep": (44, 10, 33), "con": (23, 1, 15), "srl": (55, 10, 25)}
    for task, counts in wanted.items():
        assert tuple(joint.loc[task, ["labels", "gain", "lose"]]) == counts
    tuned = gains_and_losses(frame, "pretrained", "STL").set_index("task")["gain"]
    assert tuned[["ner", "dep", "con", "srl"]].tolist() == [17, 20, 13, 33]


def test_frame_of_models_and_runs() -> None:
    frame = probe_frame({"before": [probes_of(0.3)], "after": [probes_of(0.5), probes_of(0.5, 1)]}, "dep")
    assert frame.groupby(["model", "run"]).size().to_dict() == {
        ("after", 0): 3,
        ("after", 1): 3,
        ("before", 0): 3,
    }
    with pytest.raises(DataError, match="no probed models"):
        probe_frame({}, "dep")


def test_frames_of_tasks_give_their_means_side_by_side() -> None:
    before, after = probes_of(0.3), probes_of(0.5)
    frame = probe_frames({"dep": {"before": [before], "after": [after]}, "pos": {"before": [before]}})
    assert set(zip(frame["task"], frame["model"], strict=True)) == {
        ("dep", "before"),
        ("dep", "after"),
        ("pos", "before"),
    }
    means = mean_table(frame)
    for task, models in (("dep", ["before", "after"]), ("pos", ["before"])):
        for model in models:
            own = frame.query("task == @task and model == @model")["accuracy"]
            assert means.loc[task, model] == pytest.approx(own.mean())
    assert np.isnan(means.loc["pos", "after"])


def test_gain_is_the_mean_over_labels_runs_and_tasks() -> None:
    before, after = [probes_of(0.3)], [probes_of(0.6, 3), probes_of(0.6, 5)]
    wanted = []
    for task in ("dep", "pos"):
        for label in ("a", "b"):
            scores = [
                [p.best(task).set_index("label").loc[label, "accuracy"] for p in runs]
                for runs in (before, after)
            ]
            wanted.append(np.mean(scores[1]) - np.mean(scores[0]))
    found = macro_gain(before, after, ["dep", "pos"], skip=["root"])
    assert found.value == pytest.approx(np.mean(wanted)) and found.low < found.value < found.high
    assert found.n == 40
    with pytest.raises(DataError, match="no two groups of probes of 'dep'"):
        macro_gain([], after, ["dep"])
    with pytest.raises(DataError, match="no label in common"):
        macro_gain(before, after, ["dep"], skip=["a", "b", "root"])


def test_roots_that_cls_explains() -> None:
    """The head is chosen on dev, where two find all roots; on test, where a third does, they are averaged."""
    probes = probes_of(0.5)
    dev = probes.dev["dep"]
    of_roots = dev.label == dev.labels.index("root")
    dev.hits[:, :, of_roots] = np.array([[True, False], [True, False]])[:, :, None]
    assert probes.root is not None
    probes.root.root[:] = np.array([[1, 1], [0.5, 1]])[:, :, None] > np.arange(40) / 40
    probes.root.others[:] = np.array([[9, 2], [4, 2]])[:, :, None]
    rate, lead = root_lead(probes)
    assert (rate.value, lead.value) == (pytest.approx(65), pytest.approx(75 - 65))
    with pytest.raises(DataError, match="no control of roots"):
        root_lead(HeadProbes({}, {}))


def test_claims_on_probes() -> None:
    single = {task: ([probes_of(0.3)], [probes_of(0.5, 3)]) for task in ("dep", "pos", "srl")}
    baselines = {name: probes_of(0.1, 7) for name in (OFFSETS, RANDOM)}
    lexical = HeadProbes({"pos": hits_of(0.1, 8)}, {"pos": hits_of(0.1, 9)})
    found = probe_claims(single, [probes_of(0.4, 5)], baselines | {LEXICAL: lexical, SLICES: lexical})
    tasks = ("dep", "pos", "srl")
    assert set(found) == {
        *(f"stem-probe-{kind}-{task}" for kind in ("tuned", "joint") for task in tasks),
        *("stem-probe-tuned", "stem-probe-joint", "stem-links-offset", "stem-roles-offset"),
        *("stem-links-random", "stem-values-lexical", "stem-root-cls", "stem-root-lead"),
        *("stem-values-slices", "stem-roles-deeper"),
    }
    means = [found[f"stem-probe-tuned-{task}"].value for task in tasks]
    assert found["stem-probe-tuned"].value == pytest.approx(np.mean(means))
    assert found["stem-probe-joint"].high < 0 < found["stem-links-offset"].low
    bests = [single["dep"][0][0].best(task).query("label != 'root'") for task in ("dep", "srl")]
    dep, srl = (best["layer"].to_numpy().mean() for best in bests)
    assert found["stem-roles-deeper"].value == pytest.approx(srl - dep)
    with pytest.raises(DataError, match="no tasks"):
        probe_claims({})


def test_links_for_the_widget(language: AnnotatedCorpus, encoder: Encoder) -> None:
    sentences = [s for s in language.split("test") if s.frames][:3]
    model = link_model(encoder, sentences, "tiny", probes_of(0.5))
    looks, _ = read_heads(encoder, [s.words for s in sentences])
    for number, attention in enumerate(model.attention):
        own = looks.with_cls[:, :, looks.first[number] : looks.first[number + 1]]
        assert np.array_equal(attention.argmax(-1), own)
    assert set(model.best) == {"dep", "srl"}
    assert AttentionLinks(sentences, [model]).picture().startswith(b"\x89PNG")


def test_figures() -> None:
    figure = plot_best_layers(FRAME, ["dep"], "DEP")
    assert len(figure.axes[0].texts) == 3
    bars = plot_labels(FRAME, "dep").axes[0].patches
    assert [bar.get_height() for bar in bars] == [40, 50, 45, 40, 60, 50]  # pyright: ignore[reportAttributeAccessIssue]
    gains = plot_labels(FRAME, "dep", reference="BERT").axes[0].patches
    assert [bar.get_height() for bar in gains] == [0, 10, 5]  # pyright: ignore[reportAttributeAccessIssue]
    roots = plot_roots({"a": root_of(0.5), "$b$": root_of(1.0)})
    for each in (figure, roots):
        each.canvas.draw()
    with pytest.raises(DataError, match="no model 'BART' to hold others against"):
        plot_labels(FRAME, "dep", reference="BART")
    with pytest.raises(DataError, match="was not probed in a model 'X'"):
        plot_best_layers(FRAME, ["dep"], "X")
    with pytest.raises(DataError, match="needs a column 'layer'"):
        plot_best_layers(FRAME.drop(columns="layer"), ["dep"], "DEP")
    with pytest.raises(DataError, match="no models"):
        plot_roots({})
