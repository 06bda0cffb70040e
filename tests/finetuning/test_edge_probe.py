"""Edge probes end to end on a tiny encoder: what they learn, count, refuse and keep."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from pydantic import ValidationError
from sklearn.metrics import f1_score

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.estimates import contrast, percent
from encoder_atlas.finetuning import (
    EdgeProbeResult,
    EdgeProbes,
    LayerStates,
    ProbeSettings,
    edge_probe,
    edge_probes,
    layer_states,
    mix_frame,
    probe_frame,
)
from encoder_atlas.finetuning.edge_batches import EdgeBatches, unique_sentences
from encoder_atlas.finetuning.edge_probe import count, scaled
from encoder_atlas.text.edges import EdgeTask

QUICK = ProbeSettings(hidden=16, epochs=8, batch_size=4, lr=0.02)


@pytest.fixture(scope="module")
def states(kinds: EdgeTask, order: EdgeTask) -> LayerStates:
    sentences = unique_sentences([*kinds.splits.values(), *order.splits.values()])
    return layer_states(load_encoder("tiny:bert"), sentences)


def test_the_kinds_of_words_are_learnt_and_two_spans_too(
    states: LayerStates, kinds: EdgeTask, order: EdgeTask
) -> None:
    for task, view in ((kinds, "mix"), (kinds, "lexical"), (order, "top"), (order, 1)):
        found = edge_probe(states, task, QUICK.model_copy(update={"view": view}), device="cpu")
        assert found.f1 > 0.9 > found.majority_f1
    assert found.view == "layer 1" and np.isnan(found.centre) and not len(found.layer_weights())


def test_the_same_seed_gives_the_same_probe_and_leaves_the_generator(
    states: LayerStates, kinds: EdgeTask
) -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, again, other = (edge_probe(states, kinds, QUICK, seed=seed, device="cpu") for seed in (0, 0, 1))
    assert torch.rand(1) == expected
    np.testing.assert_array_equal(one.losses, again.losses)
    np.testing.assert_array_equal(one.weights, again.weights)
    assert not np.array_equal(one.losses, other.losses)


def test_weights_of_the_mix_add_up_and_have_a_centre(states: LayerStates, kinds: EdgeTask) -> None:
    found = edge_probe(states, kinds, QUICK, device="cpu")
    assert found.weights.sum() == pytest.approx(1)
    assert found.centre == pytest.approx(0 * found.weights[0] + found.weights[1] + 2 * found.weights[2])
    row = found.to_frame()
    assert row["centre"].item() == found.centre
    assert list(found.layer_weights()["layer"]) == [0, 1, 2]


def test_the_interval_of_f1_is_over_sentences(states: LayerStates, kinds: EdgeTask) -> None:
    found = edge_probe(states, kinds, QUICK, device="cpu")
    right = np.array([4, 4, 1, 2, 0, 3])
    counts = np.stack([right, np.full(6, 5), np.full(6, 4)], axis=-1)[:, None]
    row = replace(found, counts=counts, label_names=("a",)).to_frame().iloc[0]
    draws = np.random.default_rng(1).integers(6, size=(4000, 6))
    assert row["f1"] == pytest.approx(2 * 14 / 54)
    wanted = np.quantile(2 * right[draws].sum(axis=1) / 54, [0.025, 0.975])
    assert [row["low"], row["high"]] == pytest.approx(wanted, abs=0.04)
    alone = replace(found, counts=counts[:1], label_names=("a",)).to_frame().iloc[0]
    assert np.isnan(alone["low"]) and np.isnan(alone["high"])


def test_plateau_keeps_the_best_epoch_and_stops(states: LayerStates, kinds: EdgeTask) -> None:
    settings = QUICK.model_copy(update={"schedule": "plateau", "patience": 2, "epochs": 40})
    found = edge_probe(states, kinds, settings, device="cpu")
    assert found.f1 == 1 and len(found.losses) < 40


def test_pieces_of_a_target_are_those_of_its_words(states: LayerStates, order: EdgeTask) -> None:
    split = order.split("dev")
    batches = EdgeBatches(split, True, states, torch.device("cpu"))
    seen = []
    for batch in batches.shuffled(5, np.random.default_rng(0)):
        for side, columns in zip(batch.spans, ((1, 2), (3, 4)), strict=True):
            for row, target in enumerate(batch.target):
                own = batch.pieces[side.piece[side.target == row]]
                text = "".join(states.pieces[piece].removeprefix("##") for piece in own)
                sentence, *ends = split.targets[target, [0, *columns]]
                assert text == "".join(split.sentences[sentence][slice(*ends)])
        np.testing.assert_array_equal(batch.labels.numpy(), split.labels[batch.target])
        seen += batch.target.tolist()
    assert sorted(seen) == list(range(len(split.targets)))


def test_counts_are_those_of_scikit_learn(kinds: EdgeTask) -> None:
    split = kinds.split("dev")
    said = np.random.default_rng(0).random(split.labels.shape) < 0.5
    counts = count(said, split)
    found = result(counts)
    assert found.f1 == pytest.approx(f1_score(split.labels, said, average="micro"))
    of_each = [f1_score(*columns) for columns in zip(split.labels.T, said.T, strict=True)]
    np.testing.assert_allclose(found.per_label()["f1"], of_each)
    own = split.targets[:, 0] == 3
    np.testing.assert_array_equal(counts[3, :, 0], (said & split.labels)[own].sum(axis=0))


def test_a_worked_f1() -> None:
    # Three labels said, two of them rightly; four hold: 2·2 / (3 + 4).
    assert result(np.array([[[1, 2, 3]], [[1, 1, 1]]])).f1 == pytest.approx(4 / 7)
    assert result(np.array([[[0, 0, 1]], [[0, 0, 2]]])).f1 == 0


def test_sentences_are_units_that_can_be_resampled() -> None:
    counts = np.random.default_rng(0).integers(1, 3, (40, 2, 3)).cumsum(axis=2)
    found = result(counts)
    table = found.by_sentence()
    assert len(table) == 40 and percent(table) == pytest.approx(100 * found.f1)
    estimate = contrast([[table, table]], lambda scores: scores[0] - scores[1], resamples=20)
    assert (estimate.value, estimate.low, estimate.high) == (0, 0, 0)


def test_scaling_gives_each_layer_the_same_spread() -> None:
    states = torch.randn(3, 50, 8, generator=torch.Generator().manual_seed(0)) * 5 + 2
    states[2] = 1.5
    found = scaled(states, torch.arange(40), 0.1)
    torch.testing.assert_close(found[:, :40].mean(1), torch.zeros(3, 8), atol=1e-6, rtol=0)
    spread = found[:, :40].square().mean((1, 2)).sqrt()
    torch.testing.assert_close(spread, torch.tensor([0.1, 0.1, 0]), atol=1e-6, rtol=0)


def test_probes_of_an_encoder_are_kept_and_read_again(
    kinds: EdgeTask, order: EdgeTask, tmp_path: Path
) -> None:
    encoder = load_encoder("tiny:bert")
    found = edge_probes(encoder, [kinds, order], ["mix", "top"], QUICK, seeds=[0, 1], device="cpu")
    assert list(found.to_frame()["view"].unique()) == ["mix", "top"] and len(found.results) == 8
    assert len(found.of("order", "mix")) == 2 and len(found.layer_weights()) == 4 * 3
    assert list(found.per_label().columns[:4]) == ["task", "view", "seed", "label"]
    pair = {"one": found, "other": found}
    assert mix_frame(pair)["model"].value_counts().to_dict() == {"one": 4 * 3, "other": 4 * 3}
    joined = probe_frame(pair)
    pd.testing.assert_frame_equal(joined.query("model == 'other'").drop(columns="model"), found.to_frame())
    found.save(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    again = EdgeProbes.load(tmp_path)
    assert again.to_frame().equals(found.to_frame()) and again.per_label().equals(found.per_label())
    with pytest.raises(DataError, match="did you mean 'order, mix'"):
        found.of("ordr", "mix")
    with pytest.raises(DataError, match="holds no result of an edge probe"):
        EdgeProbeResult.load(tmp_path)


def test_layers_sentences_and_rates_that_cannot_be_used_are_refused(
    states: LayerStates, kinds: EdgeTask
) -> None:
    with pytest.raises(SettingsError, match=r"no layer 3: this encoder has 0 .* to 2"):
        edge_probe(states, kinds, ProbeSettings(view=3), device="cpu")
    with pytest.raises(SettingsError, match="no layer 9"):
        edge_probes(load_encoder("tiny:bert"), [kinds], [9])
    with pytest.raises(SettingsError, match="at least one task"):
        edge_probes(load_encoder("tiny:bert"), [])
    with pytest.raises(ValidationError):
        ProbeSettings(view=-1)
    with pytest.raises(DataError, match="no split 'test'"):
        edge_probe(states, kinds, split="test", device="cpu")
    few = layer_states(load_encoder("tiny:bert"), [["one"]])
    with pytest.raises(DataError, match="no states of the sentence"):
        edge_probe(few, kinds, device="cpu")
    broken = replace(states, states=np.full_like(states.states, np.nan))
    with pytest.raises(SettingsError, match="'kinds' has a loss of nan: lower lr"):
        edge_probe(broken, kinds, QUICK, device="cpu")


def result(counts: np.ndarray) -> EdgeProbeResult:
    names = tuple("abc"[: counts.shape[1]])
    nothing = np.zeros(0)
    return EdgeProbeResult("made", "top", names, 0, "dev", counts, 0.0, 0.0, nothing, nothing, 1.0)
