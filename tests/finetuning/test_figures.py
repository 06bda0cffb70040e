"""Figures draw the numbers they are given; the strip's story holds them too."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.finetuning import (
    WordShift,
    layer_story,
    plot_ablations,
    plot_mix,
    plot_moved,
    plot_probes,
    plot_shift,
    plot_similarity,
    plot_timeline,
    similarity_table,
    summary,
)
from encoder_atlas.show import LayerStrip

MODELS, TEXTS = ("MNLI", "$parsing$"), ("in domain", "Wiki$pedia$")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture
def similarity() -> pd.DataFrame:
    rows = [
        (model, text, tokens, sample, layer, 1 - 0.1 * layer - 0.02 * sample - 0.01 * at, 0.9 - 0.1 * layer)
        for at, model in enumerate(MODELS)
        for text in TEXTS
        for tokens in ("pieces", "[CLS]")
        for sample in range(3)
        for layer in range(4)
    ]
    return pd.DataFrame(rows, columns=["model", "text", "tokens", "sample", "layer", "similarity", "cka"])


@pytest.fixture
def timeline() -> pd.DataFrame:
    rows = [
        (step, step / 10, text, "pieces", sample, layer, 1 - 0.03 * layer * step / 10)
        for step in (0, 1, 10)
        for text in TEXTS
        for sample in range(2)
        for layer in range(4)
    ]
    return pd.DataFrame(rows, columns=["step", "share", "text", "tokens", "sample", "layer", "similarity"])


@pytest.fixture
def ablations() -> pd.DataFrame:
    rows = [
        (kind, task, k, seed, 80 - 3 * k + seed)
        for kind in ("frozen", "truncated")
        for task in ("MNLI", "parsing")
        for k in range(4)
        for seed in range(3)
    ]
    return pd.DataFrame(rows, columns=["kind", "task", "layers", "seed", "score"])


@pytest.fixture
def mix() -> pd.DataFrame:
    shares = {"POS": (0.1, 0.6, 0.2, 0.1), "roles": (0.0, 0.0, 0.5, 0.5)}
    rows = [
        (model, task, layer, share)
        for model in MODELS
        for task, own in shares.items()
        for layer, share in enumerate(own)
    ]
    return pd.DataFrame(rows, columns=["model", "task", "layer", "weight"])


@pytest.fixture
def shift() -> WordShift:
    texts = tuple(f"the cat saw it {i}" for i in range(5))
    spans = [(i, start, stop) for i in range(5) for start, stop in ((0, 3), (4, 7), (8, 11))]
    moved = np.random.default_rng(0).uniform(0, 1, size=(4, 15)).astype(np.float32)
    return WordShift(moved, texts, np.array(spans))


def test_summary_is_mean_and_deviation() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y"], "v": [1.0, 2.0, 5.0]})
    found = summary(frame, "v", ["a"])
    assert found["value"].tolist() == [1.5, 5.0]
    assert found["low"].tolist() == pytest.approx([1.5 - 0.5**0.5, 5.0]), "one row has no width"
    assert found["n"].tolist() == [2, 1]
    with pytest.raises(DataError, match="needs a column 'w'"):
        summary(frame, "w", ["a"])
    with pytest.raises(DataError, match="there is no v to show"):
        summary(frame.assign(v=np.nan), "v", ["a"])


def test_similarity_has_a_panel_a_model_and_a_row_a_measure(similarity: pd.DataFrame) -> None:
    axes = plot_similarity(similarity).axes
    assert len(axes) == 4
    line = {line.get_label(): line for line in axes[0].get_lines()}["in domain"]
    assert np.asarray(line.get_ydata()) == pytest.approx([0.98, 0.88, 0.78, 0.68])
    band = axes[0].collections[0].get_paths()[0].vertices
    assert isinstance(band, np.ndarray)
    assert np.ptp(band[band[:, 0] == 0][:, 1]) == pytest.approx(0.04), "two deviations of 0.02"
    with pytest.raises(DataError, match=r"no rows are of tokens '\[SEP\]'"):
        plot_similarity(similarity, tokens="[SEP]")


def test_pairs_of_encoders_side_by_side(similarity: pd.DataFrame) -> None:
    table = similarity_table({"first": similarity.query("model == @MODELS[0] and tokens == 'pieces'")})
    # By hand: 1 − .1 a layer − .02 a sample, of three samples 0, 1 and 2.
    assert table.loc["first"].tolist() == pytest.approx([0.98, 0.88, 0.78, 0.68])


def test_timeline_has_a_map_a_text(timeline: pd.DataFrame) -> None:
    figure = plot_timeline(timeline)
    assert len(figure.axes) == 3, "two maps and a scale"
    values = np.asarray(figure.axes[0].collections[0].get_array()).ravel()
    wide = timeline.query("text == 'in domain' and sample == 0").pivot(
        index="layer", columns="share", values="similarity"
    )
    assert values == pytest.approx(wide.to_numpy().ravel())
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["0%", "10%", "100%"]


def test_ablations_have_a_panel_a_kind(ablations: pd.DataFrame) -> None:
    axes = plot_ablations(ablations).axes
    assert np.asarray(axes[1].get_lines()[0].get_ydata()) == pytest.approx([81, 78, 75, 72])
    tasks = list(dict.fromkeys(ablations["task"]))
    axes = plot_ablations(ablations, {tasks[-1]: 82.5}).axes
    dotted = [[line for line in ax.get_lines() if line.get_linestyle() == ":"] for ax in axes]
    assert [np.asarray(line.get_ydata()).tolist() for (line,) in dotted] == [[82.5, 82.5]] * 2
    with pytest.raises(DataError, match="kind 'cut' is neither 'frozen' nor 'truncated'"):
        plot_ablations(ablations.assign(kind="cut"))


def test_mix_marks_the_centres(mix: pd.DataFrame) -> None:
    axes = plot_mix(mix).axes
    dots = np.asarray(axes[0].get_lines()[0].get_xdata())
    assert dots - 0.5 == pytest.approx([0.6 + 0.4 + 0.3, 2.5])


def test_probes_have_bars_by_view_and_model() -> None:
    rows = [
        (task, model, view, 0.9 - 0.1 * at + 0.02 * seed, 0.5)
        for task in ("POS", "roles")
        for model in ("base", "tuned", "random")
        for at, view in enumerate(("mix", "top", "lexical"))
        for seed in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["task", "model", "view", "f1", "constant_f1"])
    axes = plot_probes(frame).axes
    assert len(axes) == 2
    heights = [bar.get_height() for bar in axes[0].patches]  # pyright: ignore[reportAttributeAccessIssue]
    assert heights == pytest.approx([0.92] * 3 + [0.82] * 3 + [0.72] * 3)
    with pytest.raises(DataError, match="there is no f1 to show"):
        plot_probes(frame, ("all",))


def test_whiskers_of_a_single_seed_are_those_of_the_bootstrap() -> None:
    rows = [("POS", "mix", "base", 0.9, 0.85, 0.92), ("POS", "top", "base", 0.8, 0.7, 0.85)]
    frame = pd.DataFrame(rows, columns=["task", "view", "model", "f1", "low", "high"])
    (ax,) = plot_probes(frame, ("top", "mix")).axes
    ends = [whisker.get_segments()[0][:, 1] for whisker in ax.collections]  # pyright: ignore[reportAttributeAccessIssue]
    assert np.stack(ends) == pytest.approx(np.array([[0.7, 0.85], [0.85, 0.92]]))


def test_shift_of_words(shift: WordShift) -> None:
    line = plot_shift({"MNLI": shift}).axes[0].get_lines()[0]
    assert np.asarray(line.get_ydata()) == pytest.approx(np.median(shift.shift, axis=1))
    table = shift.most_moved(2)
    ax = plot_moved(shift, 2).axes[0]
    assert np.asarray(ax.get_lines()[0].get_xdata()) == pytest.approx(table["shift"].to_numpy())
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"{word} (5×)" for word in table["word"]]
    with pytest.raises(DataError, match="there is no shift"):
        plot_shift({})


def test_story_joins_all_that_was_measured(
    similarity: pd.DataFrame,
    timeline: pd.DataFrame,
    ablations: pd.DataFrame,
    mix: pd.DataFrame,
    shift: WordShift,
) -> None:
    probes = mix.rename(columns={"weight": "f1"})
    story = layer_story(
        similarity,
        probes=probes,
        mix=mix,
        ablations=ablations,
        timelines=dict.fromkeys(MODELS, timeline),
        shifts={model: dict.fromkeys(TEXTS, shift) for model in MODELS},
        words=2,
    )
    titles = [
        "Similarity: RSA",
        "Similarity: CKA",
        "Probes of one layer",
        "Where probes read",
        "Freezing",
        "Truncation",
    ]
    assert [panel.title for panel in story.panels] == titles
    rsa = story.panels[0].curves.query("model == 'MNLI' and series == 'in domain' and layer == 3").iloc[0]
    assert rsa[["value", "low", "high"]].tolist() == pytest.approx([0.68, 0.66, 0.70])
    assert "low" not in story.panels[3].curves, "single measurements have no band"
    assert len(story.words) == 2 * 2 * 4 * 2
    first = story.words[0]
    assert (first.word, first.shift) == (
        shift.most_moved(0).loc[0, "word"],
        shift.most_moved(0).loc[0, "shift"],
    )
    strip = LayerStrip(story)
    assert strip.models == list(MODELS) and strip.texts == list(TEXTS)
    assert strip.timeline["shares"] == [0.0, 0.1, 1.0]
    with pytest.raises(DataError, match="model 'MNLI', text 'in domain': no word occurs 9 times"):
        layer_story(similarity, shifts={"MNLI": {"in domain": shift}}, least=9)
    assert layer_story(similarity).timeline is None


def test_a_training_watched_on_one_text_is_shown_with_every_text(
    similarity: pd.DataFrame, timeline: pd.DataFrame
) -> None:
    own = {model: timeline.loc[timeline["text"] == text] for model, text in zip(MODELS, TEXTS, strict=True)}
    story = layer_story(similarity, timelines=own)
    assert story.timeline is not None and "text" not in story.timeline.curves
    lines = LayerStrip(story).timeline["lines"]
    assert {(line["model"], line["share"]) for line in lines} == {
        (model, share) for model in MODELS for share in (0.0, 0.1, 1.0)
    }
