"""Gates in a fit: what is learnt, what is held still, and what a gated annotator says and keeps."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from encoder_atlas.encoders import Encoder, HeadGates
from encoder_atlas.errors import EncoderError, SettingsError, StoreError
from encoder_atlas.stem_cells import (
    GatedAnnotator,
    GateHook,
    GateSettings,
    HardConcrete,
    fit_gated,
    gated_heads,
    prune_static,
)
from encoder_atlas.text import AnnotatedCorpus, Task
from encoder_atlas.training import Annotator, DecoderSettings, FitSettings, fit, fit_annotator

MILD = GateSettings(coefficient=0.01, rate=0.05)


@pytest.fixture(scope="module")
def plain(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings
) -> Annotator:
    return fit_annotator(encoder, language, ["pos", "dep"], quick, device="cpu", decoders=small)


@pytest.fixture(scope="module")
def dynamic(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings
) -> GatedAnnotator:
    return fit_gated(encoder, language, ["pos", "dep"], quick, MILD, device="cpu", decoders=small)


def same(first: torch.nn.Module, second: torch.nn.Module) -> bool:
    weights = first.state_dict()
    return all(torch.equal(weights[name], value) for name, value in second.state_dict().items())


def test_gates_are_drawn_in_training_and_fixed_in_evaluation(encoder: Encoder) -> None:
    gates, batch = HardConcrete(2, 2, seed=1), encoder.tokenize(["a red cat", "the dog"])

    def hidden() -> torch.Tensor:
        return encoder.model(**batch).last_hidden_state

    with torch.no_grad(), gated_heads(encoder, gates):
        fixed = hidden()
        assert torch.equal(hidden(), fixed)
        encoder.model.train()
        for module in encoder.model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.eval()  # so that gates are all that is random
        try:
            drawn = [hidden() for _ in range(3)]
        finally:
            encoder.model.eval()
    assert not torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[1], drawn[2])
    with torch.no_grad(), HeadGates(encoder) as on_heads:
        on_heads.set(gates.values())
        assert torch.equal(hidden(), fixed)
    with torch.no_grad():
        assert not torch.equal(hidden(), fixed)


def test_a_fit_can_be_repeated_and_starts_from_its_gate_seed(
    dynamic: GatedAnnotator,
    encoder: Encoder,
    language: AnnotatedCorpus,
    quick: FitSettings,
    small: DecoderSettings,
) -> None:
    fits = [
        fit_gated(
            encoder,
            language,
            ["pos", "dep"],
            quick,
            MILD,
            gate_seed=seed,
            device="cpu",
            decoders=small,
        )
        for seed in (0, 1)
    ]
    np.testing.assert_array_equal(fits[0].gates.values, dynamic.gates.values)
    assert same(fits[0].annotator.encoder.model, dynamic.annotator.encoder.model)
    np.testing.assert_array_equal(dynamic.gates.path[0], HardConcrete(2, 2).values().detach().numpy())
    np.testing.assert_array_equal(dynamic.gates.path[-1], dynamic.gates.values)
    assert not np.array_equal(fits[1].gates.path[0], fits[0].gates.path[0])
    assert dynamic.gates.steps.tolist() == list(range(9))  # two layers, two batches each, two epochs
    assert all(weight.requires_grad for weight in dynamic.annotator.decoders.parameters())


def test_the_penalty_alone_moves_gates_as_adam_does(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings
) -> None:
    """A coefficient so large that the task counts for nothing: every log a falls by the rate at each step."""
    settings = GateSettings(coefficient=1e6, rate=0.3)
    found = fit_gated(encoder, language, ["pos"], quick, settings, device="cpu", decoders=small)
    twin = HardConcrete(2, 2)
    optimizer = torch.optim.Adam(twin.parameters(), lr=0.3)
    for values in found.gates.path[1:]:
        optimizer.zero_grad()
        (1e6 * twin.penalty()).backward()
        optimizer.step()
        np.testing.assert_allclose(values, twin.values().detach().numpy(), atol=1e-5)
    assert found.gates.path[-1].max() < found.gates.path[0].max()


def test_without_a_penalty_the_task_moves_gates(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings
) -> None:
    settings = GateSettings(coefficient=0, rate=0.1)
    found = fit_gated(encoder, language, ["pos"], quick, settings, device="cpu", decoders=small)
    assert np.abs(found.gates.values - found.gates.path[0]).min() > 0


def test_gates_of_the_best_epoch_are_kept_with_its_weights(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings
) -> None:
    best = quick.model_copy(update={"keep": "best", "evaluate": "epochs", "epochs": 3})
    found = fit_gated(encoder, language, ["pos"], best, MILD, device="cpu", decoders=small)
    history = found.annotator.history
    dev = history.loc[history["split"].eq("dev")]
    step = dev["step"].to_numpy()[dev["value"].to_numpy().argmax()]
    np.testing.assert_array_equal(found.gates.values, found.gates.path[list(found.gates.steps).index(step)])
    # Dev is measured through deterministic gates: what is kept scores what was written down.
    again = found.score(language.split("dev"))["value"].item()
    assert again == pytest.approx(dev["value"].max())


@pytest.mark.parametrize("tune_encoder", [True, False])
def test_static_pruning_holds_the_decoders_still(
    plain: Annotator, language: AnnotatedCorpus, quick: FitSettings, tune_encoder: bool
) -> None:
    before = {name: value.clone() for name, value in plain.encoder.model.state_dict().items()}
    found = prune_static(plain, language, quick, MILD, tune_encoder=tune_encoder, device="cpu")
    assert same(found.annotator.decoders, plain.decoders)
    assert same(found.annotator.encoder.model, plain.encoder.model) == (not tune_encoder)
    assert all(torch.equal(value, before[name]) for name, value in plain.encoder.model.state_dict().items())
    assert np.abs(found.gates.values - found.gates.path[0]).min() > 0
    assert found.gates.pruning == "static" and found.layers == ("pos", "dep")


def test_static_pruning_needs_the_labels_of_the_fit(
    plain: Annotator, language: AnnotatedCorpus, quick: FitSettings
) -> None:
    fewer = replace(language, splits={**language.splits, "train": language.split("train")[:2]})
    with pytest.raises(SettingsError, match="other labels of 'pos'"):
        prune_static(plain, fewer, quick, MILD)


def test_scores_through_soft_hard_and_no_gates(
    plain: Annotator, dynamic: GatedAnnotator, language: AnnotatedCorpus
) -> None:
    test = language.split("test")
    one_shut = np.array([[1.0, 0.5], [0.0, 1.0]], dtype=np.float32)
    model = GatedAnnotator(plain, replace(dynamic.gates, values=one_shut))
    for view, gates in (("soft", one_shut), ("hard", one_shut > 0), ("none", np.ones((2, 2)))):
        with HeadGates(plain.encoder) as on_heads:
            on_heads.set(torch.tensor(gates, dtype=torch.float32))
            wanted = plain.score(test)
        pd.testing.assert_frame_equal(model.score(test, view), wanted)
    pd.testing.assert_frame_equal(model.score(test, "none"), plain.score(test))
    harder = GatedAnnotator(plain, replace(model.gates, values=np.float32(one_shut > 0.5)))
    pd.testing.assert_frame_equal(model.score(test, "hard", threshold=0.5), harder.score(test))
    assert model.gates.open_heads().sum() == 3 and model.gates.open_heads(0.6).sum() == 2
    with pytest.raises(SettingsError, match="did you mean 'soft'"), model.through("sof"):
        pass


def test_how_far_gates_moved_at_the_end(dynamic: GatedAnnotator) -> None:
    """Twenty steps: the last tenth begins after step 18."""
    path = np.zeros((21, 2, 2), dtype=np.float32)
    path[19:, 0, 0], path[20, 1, 1] = 0.04, 0.2
    gates = replace(dynamic.gates, steps=np.arange(21), path=path)
    assert gates.moved == pytest.approx((0.04 + 0.2) / 4) and not gates.settled
    assert replace(gates, path=np.zeros_like(path)).settled


def test_saved_and_read_back(dynamic: GatedAnnotator, language: AnnotatedCorpus, tmp_path: Path) -> None:
    folder = tmp_path / "gated"
    dynamic.save(folder)
    back = GatedAnnotator.load(folder)
    np.testing.assert_array_equal(back.gates.values, dynamic.gates.values)
    np.testing.assert_array_equal(back.gates.path, dynamic.gates.path)
    assert (back.gates.settings, back.gates.pruning, back.gates.seed) == (MILD, "dynamic", 0)
    test = language.split("test")
    pd.testing.assert_frame_equal(back.score(test), dynamic.score(test))
    with pytest.raises(StoreError, match="no empty folder"):
        dynamic.save(folder)


def test_what_is_damaged_is_refused(dynamic: GatedAnnotator, tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="no fitted model"):
        GatedAnnotator.load(tmp_path)
    dynamic.save(tmp_path / "a")
    (tmp_path / "a" / "gates" / "gates.safetensors").write_bytes(b"nothing")
    with pytest.raises(EncoderError, match="holds no learnt gates"):
        GatedAnnotator.load(tmp_path / "a")


def test_a_hook_serves_one_fit_that_runs_the_encoder(
    encoder: Encoder, language: AnnotatedCorpus, quick: FitSettings, small: DecoderSettings
) -> None:
    hook = GateHook(MILD)
    with pytest.raises(SettingsError, match="no fit yet"):
        _ = hook.path
    fit_annotator(encoder, language, ["pos"], quick, device="cpu", decoders=small, hook=hook)
    with pytest.raises(SettingsError, match="gates of another fit"):
        fit_annotator(encoder, language, ["pos"], quick, device="cpu", decoders=small, hook=hook)


def test_a_frozen_encoder_learns_no_gates(encoder: Encoder) -> None:
    frame = pd.DataFrame(
        {"text": [f"{a} {i}" for i in range(8) for a in ("good", "bad")], "label": [0, 1] * 8}
    )
    splits = {"train": frame.iloc[:12], "dev": frame.iloc[12:]}
    task = Task("tone", "single", ("text",), ("good", "bad"), "accuracy", splits, "Made for a test.")
    with pytest.raises(SettingsError, match="does not run it: use FT"):
        fit(encoder, [task], mode="PT", device="cpu", hook=GateHook(MILD))
