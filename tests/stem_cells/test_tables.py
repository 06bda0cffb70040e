"""Tables of tasks alone, in pairs and together, and what a model is scored by."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from tests.stem_cells.made import gates, kept, model

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.show import HeadGrid
from encoder_atlas.stem_cells import (
    GATE_WORDS,
    GateSettings,
    Scored,
    agreement_frame,
    by_task,
    claimed,
    fit_gated,
    gate_grids,
    joint_gains,
    layer_use,
    plot_agreement,
    plot_claimed,
    plot_closing,
    plot_layer_use,
    plot_pruning,
    pruning_frame,
    pruning_table,
    score_frame,
    scored,
    task_table,
)
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.training import DecoderSettings, FitSettings
from encoder_atlas.training.decoders.counted import Counts


@pytest.fixture
def models() -> list[Scored]:
    return [
        model({"pos": 0.9}),
        model({"pos": 0.8}, 1),
        model({"dep": 0.7}),
        model({"ner": 0.5}),
        model({"pos": 0.9, "dep": 0.8}),
        model({"pos": 0.8, "dep": 0.6, "ner": 0.4}),
    ]


@pytest.fixture
def pruned() -> list[Scored]:
    def one(task: str, share: float, heads: list[tuple[int, int]], coefficient: float, seed: int) -> Scored:
        own = gates(kept(heads), (task,), seed=seed, coefficient=coefficient)  # pyright: ignore
        return model({task: share}, seed, own, hard=0.1)  # pyright: ignore

    some, few = [(0, 0), (1, 1), (5, 11)], [(0, 0)]
    return [
        one(task, share, heads, coefficient, seed)
        for task, share in (("pos", 0.9), ("dep", 0.7))
        for heads, coefficient in ((some, 0.01), (few, 0.03))
        for seed in (0, 1)
    ]


def test_the_table_of_tasks(models: list[Scored]) -> None:
    table = task_table(models, digits=1)
    assert table.columns.tolist() == ["pos (accuracy)", "ner (f1)", "dep (las)"]
    assert table.index.tolist() == ["pos", "ner", "dep", "all"]
    assert table.to_numpy().tolist() == [
        ["85.0 ± 7.1", "–", "80.0*"],
        ["–", "50.0*", "–"],
        ["90.0*", "–", "70.0"],
        ["80.0", "40.0", "60.0"],
    ]
    with pytest.raises(DataError, match="one kind and coefficient"):
        task_table([*models, model({"pos": 0.9}, own=gates(kept([(0, 0)])))])


def test_gains_of_joint_training(models: list[Scored]) -> None:
    table = joint_gains(models)
    assert table["gain"].tolist() == pytest.approx([5, 10, -5, -10, -10])
    assert table["win_win"].tolist() == [True, True, False, False, False]
    with pytest.raises(DataError, match="no model of 'ner' alone"):
        joint_gains([one for one in models if one.layers != ("ner",)])


def test_models_of_one_task_by_task(models: list[Scored]) -> None:
    found = by_task(models)
    assert {task: [one.layers for one in own] for task, own in found.items()} == {
        task: [(task,)] * len(own) for task, own in found.items()
    }
    assert sum(map(len, found.values())) == sum(len(one.layers) == 1 for one in models) < len(models)


def test_frames_of_scores_and_heads(models: list[Scored], pruned: list[Scored]) -> None:
    frame = score_frame([*models, *pruned])
    assert len(frame) == 9 + 2 * 8
    row = frame.loc[frame["kind"].eq("dynamic") & frame["gates"].eq("hard")].iloc[0]
    assert (row["trained"], row["coefficient"], row["score"]) == ("pos", 0.01, pytest.approx(80))
    heads = pruning_frame([*models, *pruned])
    assert heads["kept"].tolist() == [3, 3, 1, 1] * 2
    assert heads["kept_share"].iloc[0] == pytest.approx(100 * 3 / 72)
    table = pruning_table([models[0], *pruned])
    assert table.loc[("plain", "pos", "–"), "gates > 0.001"] == "all"
    assert table.loc[("dynamic", "dep", "0.03")].tolist() == ["–", "70.0 ± 0.0", "1 ± 0", "1 ± 0"]


def test_grids_of_gates(pruned: list[Scored]) -> None:
    runs = gate_grids(pruned)
    assert [run.run for run in runs] == ["seed 0", "seed 1"] and list(runs[0].tasks) == ["pos", "dep"]
    assert [step.value for step in runs[0].steps] == [0.01, 0.03]
    np.testing.assert_array_equal(runs[0].steps[1].selected[0], kept([(0, 0)]) > 0)
    performance = runs[0].steps[0].performance
    assert performance is not None
    np.testing.assert_allclose(performance, [[90, np.nan], [np.nan, 70]])
    widget = HeadGrid(runs, words=GATE_WORDS, scale="value", at=0.03)
    assert widget.step == 1
    with pytest.raises(DataError, match=r"no gates of dep with coefficient 0\.03 and seed 1"):
        gate_grids(pruned[:-1])


def test_figures_show_what_is_there(models: list[Scored], pruned: list[Scored]) -> None:
    figure = plot_pruning(pruning_frame(pruned), score_frame(models))
    first = figure.axes[0]
    assert first.get_title(loc="left") == "pos (accuracy)"
    np.testing.assert_allclose(np.asarray(first.lines[0].get_ydata()), 90)
    grids = {"pos": [kept([(0, 0)]), kept([(0, 0), (1, 2)])], "dep": [kept([(1, 2)])]}
    assert (
        plot_agreement(agreement_frame(grids, permutations=20)).axes[0].get_xticklabels()[1].get_text()
        == "dep"
    )
    assert len(plot_claimed(claimed([run for runs in grids.values() for run in runs])).axes[0].patches) == 4
    plot_closing(pruned)
    plot_layer_use(layer_use(grids))
    plt.close("all")
    for nothing in (
        lambda: plot_closing(models),
        lambda: plot_pruning(pruning_frame(models), score_frame(models)),
    ):
        with pytest.raises(DataError, match="no models with gates"):
            nothing()
    with pytest.raises(DataError, match="known: r, jaccard"):
        plot_agreement(agreement_frame(grids, permutations=5), "tau")


def test_marks_give_the_scores_of_the_annotator(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings, tmp_path: Path
) -> None:
    fitted = fit_gated(encoder, language, ["pos", "dep"], quick, GateSettings(), device="cpu", decoders=small)
    test = language.split("test")
    found = scored(fitted, test)
    for view in ("soft", "hard"):
        wanted = fitted.score(test, view).set_index(["layer", "measure"])["value"]
        for layer, measure in (("pos", "accuracy"), ("dep", "las")):
            assert found.score(layer, hard=view == "hard") == pytest.approx(100 * wanted[layer, measure])
    found.save(tmp_path / "scored")
    back = Scored.load(tmp_path / "scored")
    assert back.layers == found.layers and back.kind == "dynamic" and back.gates is not None
    pd.testing.assert_frame_equal(back.counts("dep", hard=True), found.counts("dep", hard=True))
    plain = scored(fitted.annotator, test)
    assert plain.kind == "plain" and plain.hard is None
    plain.save(tmp_path / "plain")
    assert Scored.load(tmp_path / "plain").score("pos") == plain.score("pos")
    with pytest.raises(SettingsError, match="no gates to make hard"):
        plain.counts("pos", hard=True)
    with pytest.raises(SettingsError, match="not trained on 'srl'"):
        plain.counts("srl")
    with pytest.raises(DataError, match="holds no scores"):
        Scored.load(tmp_path)


def test_an_f1_is_the_ratio_of_marks() -> None:
    """Two sentences: 1 of 2 found is right of 1; 2 of 2 of 3. F1 = 2·3/(4 + 4)."""
    counts = [Counts(1, 2, 1), Counts(2, 2, 3)]
    own = np.array([[2 * one.right, one.found + one.gold] for one in counts])
    assert Scored(("ner",), 0, {"ner": own}).score("ner") == pytest.approx(75)
    total = Counts(*(sum(part) for part in zip(*counts, strict=True)))
    assert total.scores()["f1"] == pytest.approx(0.75)
