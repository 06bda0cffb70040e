"""Head-wise training against plain PyTorch, row by row; which rows move in which reading; what is refused."""

import copy
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
import torch
from pydantic import ValidationError
from tests.training.conftest import word_task
from tests.training.test_loop import literal_rate
from torch import Tensor, nn

from encoder_atlas.encoders import TINY, Encoder, HeadGates, layout_of, load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.head_rows import gradient_factors, head_rows, mask_gradients, split_rows
from encoder_atlas.specialization.heads import top_heads
from encoder_atlas.specialization.iap import find_importance
from encoder_atlas.specialization.iat import IATModel, chosen_heads, iat_fit
from encoder_atlas.specialization.iat_hook import HeadTraining
from encoder_atlas.specialization.iat_settings import IATSettings, rate_share
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, fit
from encoder_atlas.training.examples import Examples, subset
from encoder_atlas.training.mixing import mixed_batches

SETTINGS = FitSettings(
    epochs=2, batch_size=16, max_length=24, lr_encoder=1e-3, warmup=0.2, weight_decay=0.05, keep="last"
)
IAT = IATSettings(alpha=0.5, delta=0.5)
MEASURING = SpecializationSettings(importance_examples=20)
PARTS = ("query", "key", "value")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return [word_task("tone"), word_task("tense", train=40, seed=1)]


@pytest.fixture
def encoder() -> Encoder:
    return load_encoder("tiny:bert")


def trained(encoder: Encoder, tasks: list[Task], iat: IATSettings, **changes: Any) -> IATModel:
    settings = FitSettings.model_validate({**SETTINGS.model_dump(), **changes})
    return iat_fit(encoder, tasks, settings, iat, seed=3, device="cpu", measuring=MEASURING)


# The literal twin: AdamW by its formula, with numbers of its own for every row of query, key and value.


def rows_of(name: str, heads: int, weight: Tensor) -> list[tuple[tuple[int, int] | None, slice]]:
    """The pieces of a parameter of BERT that have a head (layer, head) of their own, or the whole of it."""
    words = name.split(".")
    if len(words) < 2 or words[-2] not in PARTS:
        return [(None, slice(None))]
    size = len(weight) // heads
    return [((int(words[2]), head), slice(head * size, (head + 1) * size)) for head in range(heads)]


def literal_importance(
    encoder: Encoder, model: nn.Module, head: nn.Linear, task: Task, settings: FitSettings
) -> np.ndarray:
    """Eq. (4), one text after the other, on the examples that are drawn from the train split."""
    gates = torch.ones(encoder.n_layers, encoder.n_heads, requires_grad=True)
    handles = []
    for layer in range(encoder.n_layers):
        dense = model.get_submodule(f"encoder.layer.{layer}.attention.output.dense")
        handles.append(
            dense.register_forward_pre_hook(
                lambda _, args, layer=layer: (args[0] * gates[layer].repeat_interleave(encoder.d_head),)
            )
        )
    drawn = task.sampled({"train": MEASURING.importance_examples}, MEASURING.seed)
    total = torch.zeros_like(gates)
    model.eval()
    for text, label in zip(drawn.texts("train"), drawn.labels("train"), strict=True):
        tokens = encoder.tokenize([cast(str, text)], settings.max_length)
        logits = head(model(**tokens).last_hidden_state[:, 0])
        total += torch.autograd.grad(-logits.log_softmax(dim=1)[0, int(label)], gates)[0].abs()
    model.train()
    for handle in handles:
        handle.remove()
    return (total / MEASURING.importance_examples).numpy().astype(np.float64)


def literal_iat(
    encoder: Encoder, tasks: list[Task], settings: FitSettings, iat: IATSettings, seed: int
) -> tuple[nn.Module, Mapping[str, nn.Linear], dict[str, np.ndarray]]:
    """What `iat_fit` does, written out: gradients, zeros, clipping, and one AdamW a row."""
    model = copy.deepcopy(encoder.model)
    parts = {task.name: Examples.of_task(task, "train", encoder, settings, "FT") for task in tasks}
    torch.manual_seed(seed)
    heads = {task.name: nn.Linear(encoder.hidden, len(task.label_names)) for task in tasks}
    named = dict(model.named_parameters()) | {
        f"{task}.{name}": weight for task, head in heads.items() for name, weight in head.named_parameters()
    }
    in_encoder = set(dict(model.named_parameters()))
    lengths = {name: part.lengths for name, part in parts.items()}
    epochs = range(1, settings.epochs + 1)
    batches = [b for e in epochs for b in mixed_batches(lengths, settings.batch_size, seed, e)]
    states: dict[tuple[str, Any], list[Any]] = {}
    masks: dict[str, np.ndarray] = {}
    model.train()
    for step, (name, index) in enumerate(batches):
        if step == int((1 - iat.delta) * len(batches)):
            for task in tasks:
                scores = literal_importance(encoder, model, heads[task.name], task, settings)
                masks[task.name] = top_heads(scores, iat.alpha)
        tokens = encoder.tokenize(subset(parts[name].inputs, index), settings.max_length)  # pyright: ignore[reportArgumentType]
        rows = nn.functional.dropout(model(**tokens).last_hidden_state[:, 0], settings.dropout)
        loss = -heads[name](rows).log_softmax(dim=1)[range(len(index)), parts[name].labels[index]].mean()
        found = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
        gradients = dict(zip(named, found, strict=True))
        if masks:
            for key, gradient in gradients.items():
                for head, rows_ in rows_of(key, encoder.n_heads, named[key]):
                    if head is not None and gradient is not None and not masks[name][head]:
                        gradient[rows_] = 0
        norm = math.sqrt(sum(float((g**2).sum()) for g in gradients.values() if g is not None))
        scale = min(1.0, (settings.clip or math.inf) / (norm + 1e-6))
        rate = literal_rate(step, len(batches), settings.warmup)
        for key, gradient in gradients.items():
            if gradient is None:
                continue
            peak = settings.lr_encoder if key in in_encoder else settings.lr_head
            decay = settings.weight_decay if named[key].ndim > 1 else 0.0
            for head, rows_ in rows_of(key, encoder.n_heads, named[key]):
                held = bool(masks) and head is not None and not masks[name][head]
                if held and iat.reading == "held":
                    continue
                state = states.setdefault((key, head), [0, 0.0, 0.0])
                literal_adamw(named[key].data[rows_], gradient[rows_] * scale, state, peak * rate, decay)
    return model, heads, masks


def literal_adamw(weight: Tensor, gradient: Tensor, state: list[Any], rate: float, decay: float) -> None:
    state[0] += 1
    state[1] = 0.9 * state[1] + 0.1 * gradient
    state[2] = 0.999 * state[2] + 0.001 * gradient**2
    weight *= 1 - rate * decay
    ahead, spread = state[1] / (1 - 0.9 ** state[0]), state[2] / (1 - 0.999 ** state[0])
    weight -= rate * ahead / (spread.sqrt() + 1e-8)


@pytest.mark.parametrize("reading", ["held", "gradient"])
@pytest.mark.parametrize("clip", [None, 0.5])
def test_equals_a_literal_loop_with_an_optimizer_for_every_row(
    encoder: Encoder, tasks: list[Task], reading: Any, clip: float | None
) -> None:
    iat = IAT.model_copy(update={"reading": reading})
    found = trained(encoder, tasks, iat, clip=clip)
    settings = FitSettings.model_validate({**SETTINGS.model_dump(), "clip": clip})
    model, heads, masks = literal_iat(encoder, tasks, settings, iat, seed=3)
    for task in tasks:
        np.testing.assert_array_equal(found.heads[task.name], masks[task.name])
    for name, weight in found.model.encoder.model.state_dict().items():
        if not name.endswith("key.bias"):  # softmax cancels it: its gradient is rounding noise
            torch.testing.assert_close(weight, model.state_dict()[name], atol=1e-6, rtol=0)
    for name, head in heads.items():
        torch.testing.assert_close(found.model.head(name).state_dict(), head.state_dict(), atol=1e-6, rtol=0)


class Watch(HeadTraining):
    """The same training, with the query, key and value rows of all heads noted before every step."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.notes: list[dict[tuple[str, int, int], Tensor]] = []
        self.tasks: list[str] = []

    def before_step(self) -> None:
        super().before_step()
        self.note()

    def after_backward(self, task: str) -> None:
        super().after_backward(task)
        self.tasks.append(task)

    def note(self) -> None:
        rows: dict[tuple[str, int, int], Tensor] = {}
        for layer in self._encoder.layout.layers:
            for head in range(layer.n_heads):
                for role in PARTS:
                    pieces = [piece for piece in layer.head_slices(head) if piece.role == role]
                    values = [piece.of(piece.parameter).detach().flatten() for piece in pieces]
                    rows[role, layer.index, head] = torch.cat(values)
        self.notes.append(rows)


def watched(encoder: Encoder, tasks: list[Task], iat: IATSettings, settings: FitSettings) -> Watch:
    """Train with heads laid down: the first of each layer for one task, the rest for the other."""
    first = np.zeros((encoder.n_layers, encoder.n_heads), dtype=bool)
    first[:, 0] = True
    heads = {tasks[0].name: first, tasks[1].name: ~first}
    watch = Watch(iat, lambda loop: ({}, heads))
    fit(encoder, tasks, settings, mode="FT", seed=3, device="cpu", hook=watch)
    watch.note()
    return watch


def moves(watch: Watch, steps: int) -> list[tuple[bool, bool]]:
    """For each of the last ``steps`` steps and each head: (is it the task's own, did its rows move)."""
    found = []
    for step in range(len(watch.tasks) - steps, len(watch.tasks)):
        own = watch.heads[watch.tasks[step]]
        before, after = watch.notes[step], watch.notes[step + 1]
        found += [(bool(own[key[1:]]), not torch.equal(before[key], after[key])) for key in before]
    return found


@pytest.mark.parametrize("kind", [kind for kind in TINY if kind != "albert"])
def test_held_heads_do_not_move_bit_for_bit_and_the_others_do(kind: str, tasks: list[Task]) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    pooling = "last" if encoder.family.causal else "cls"
    watch = watched(encoder, tasks, IAT, SETTINGS.model_copy(update={"pooling": pooling, "epochs": 1}))
    assert set(moves(watch, 3)) == {(True, True), (False, False)}
    assert set(watch.tasks[-3:]) == {"tone", "tense"}


def test_momentum_moves_masked_heads_in_the_released_reading(encoder: Encoder, tasks: list[Task]) -> None:
    settings = SETTINGS.model_copy(update={"weight_decay": 0.0})
    watch = watched(encoder, tasks, IAT.model_copy(update={"reading": "gradient"}), settings)
    assert set(moves(watch, 5)) == {(True, True), (False, True)}


def test_layers_that_share_a_module_tune_what_any_of_them_chose(tasks: list[Task]) -> None:
    encoder = load_encoder("tiny:albert")
    rows = head_rows(encoder.layout)
    assert {part.heads for part in rows} == {((0, head), (1, head)) for head in range(2)}
    mask = torch.tensor([[True, False], [False, False]])
    assert {part.heads[0][1] for part in rows if part.chosen(mask)} == {0}


@pytest.mark.parametrize("kind", [kind for kind in TINY if kind != "albert"])
def test_rows_cover_every_projection_and_an_optimizer_of_rows_steps_as_the_whole_does(kind: str) -> None:
    """Three steps whole, two in rows (in columns, where GPT keeps them), against five steps whole."""
    models = [load_encoder(f"tiny:{kind}").model for _ in range(2)]
    optimizers = [torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True) for model in models]
    rows, own = head_rows(layout_of(models[1])), []
    for step in range(5):
        if step == 3:
            own = split_rows(optimizers[1], rows)
        torch.manual_seed(step)
        for whole, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
            whole.grad = torch.randn_like(whole)
            other.grad = whole.grad.clone()
        for part, parameter in own:
            parameter.grad = part.slice.of(cast(Tensor, part.whole.grad))
        for optimizer in optimizers:
            optimizer.step()
    for whole, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(whole, other, atol=1e-6, rtol=0)
    taken = sum(parameter.numel() for _, parameter in own)
    assert taken == sum(part.numel() for part in {part.whole for part, _ in own})


def test_gradient_factors_by_hand(encoder: Encoder) -> None:
    rows = head_rows(encoder.layout)
    factors = gradient_factors(rows, torch.tensor([[True, False], [False, False]]))
    query = encoder.layout.layers[0].projection("query")
    assert factors[cast(nn.Parameter, query.weight)].flatten().tolist() == [1.0] * 16 + [0.0] * 16
    assert factors[cast(nn.Parameter, query.bias)].tolist() == [1.0] * 16 + [0.0] * 16
    assert len(factors) == 2 * 3 * 2, "weights and biases of query, key and value in two layers"
    query.weight.grad = torch.full_like(query.weight, 2.0)
    mask_gradients(factors)
    assert query.weight.grad.sum(dim=1).tolist() == [64.0] * 16 + [0.0] * 16


@pytest.mark.parametrize("iat", [IATSettings(alpha=1.0, delta=0.5), IATSettings(alpha=0.5, delta=0.0)])
def test_all_heads_or_no_steps_are_plain_training_bit_for_bit(
    encoder: Encoder, tasks: list[Task], iat: IATSettings
) -> None:
    found = trained(encoder, tasks, iat)
    plain = fit(encoder, tasks, SETTINGS, mode="FT", seed=3, device="cpu")
    assert found.model.encoder.fingerprint == plain.encoder.fingerprint
    assert found.heads == {}
    assert found.to_frame().empty


def test_until_heads_are_chosen_training_is_the_plain_one_bit_for_bit(
    encoder: Encoder, tasks: list[Task]
) -> None:
    found = trained(encoder, tasks, IAT).model.history
    plain = fit(encoder, tasks, SETTINGS, mode="FT", seed=3, device="cpu").history
    assert found.query("epoch == 1").equals(plain.query("epoch == 1"))
    assert not found.query("epoch == 2").equals(plain.query("epoch == 2"))


def test_readings_and_choices_give_different_models(encoder: Encoder, tasks: list[Task]) -> None:
    changes = [{}, {"reading": "gradient"}, {"reading": "forward"}, {"heads": "least"}, {"heads": "random"}]
    models = [trained(encoder, tasks, IAT.model_copy(update=change)) for change in changes]
    assert len({found.model.encoder.fingerprint for found in models}) == len(changes)
    most, least = models[0], models[3]
    for task in ("tone", "tense"):
        assert (most.heads[task] ^ least.heads[task]).all(), "half the heads each: the rest of the other"
        np.testing.assert_array_equal(most.importance[task], least.importance[task])
    assert models[4].importance == {}


def test_shut_heads_are_shut_in_training_on_dev_and_after(encoder: Encoder, tasks: list[Task]) -> None:
    found = trained(encoder, tasks, IAT.model_copy(update={"reading": "forward", "delta": 1.0}))
    task = tasks[0]
    with HeadGates(found.model.encoder) as gates:
        gates.set(torch.from_numpy(found.heads[task.name]).float())
        by_hand = found.model.logits(task.name, task.texts("dev"))
    np.testing.assert_array_equal(found.logits(task.name, task.texts("dev")), by_hand)
    assert not np.array_equal(found.model.logits(task.name, task.texts("dev")), by_hand)
    last = found.model.history.query("split == 'dev' and measure == 'accuracy' and epoch == 2")
    assert found.score(task) == last.loc[last["task"] == task.name, "value"].item()


def test_random_heads_differ_by_task_and_follow_the_seed() -> None:
    iat = IATSettings(alpha=0.3, heads="random")
    drawn = chosen_heads({}, ["a", "b"], (6, 12), iat, seed=0)
    assert [int(mask.sum()) for mask in drawn.values()] == [21, 21]
    assert not np.array_equal(drawn["a"], drawn["b"])
    np.testing.assert_array_equal(drawn["a"], chosen_heads({}, ["a", "b"], (6, 12), iat, seed=0)["a"])
    assert not np.array_equal(drawn["a"], chosen_heads({}, ["a", "b"], (6, 12), iat, seed=1)["a"])


def test_a_model_goes_on_at_a_constant_rate(encoder: Encoder, tasks: list[Task]) -> None:
    start = fit(encoder, tasks, SETTINGS, mode="FT", seed=3, device="cpu")
    more = FitSettings.model_validate(
        {**SETTINGS.model_dump(), "schedule": "constant", "warmup": 0, "epochs": 1}
    )
    found = iat_fit(
        start.encoder,
        tasks,
        more,
        IATSettings(alpha=0.5, delta=1.0),
        heads=start.heads,
        device="cpu",
        measuring=MEASURING,
    )
    expected = find_importance(start, tasks, MEASURING)
    for task in ("tone", "tense"):
        np.testing.assert_allclose(found.importance[task], expected[task].scores, rtol=1e-6)


def test_saved_and_loaded_it_is_the_same(encoder: Encoder, tasks: list[Task], tmp_path: Path) -> None:
    found = trained(encoder, tasks, IAT.model_copy(update={"reading": "forward"}))
    found.save(tmp_path / "iat")
    loaded = IATModel.load(tmp_path / "iat")
    assert loaded.settings == found.settings
    pd.testing.assert_frame_equal(loaded.to_frame(), found.to_frame())
    np.testing.assert_array_equal(
        loaded.logits("tone", tasks[0].texts("dev")), found.logits("tone", tasks[0].texts("dev"))
    )
    (tmp_path / "iat" / "heads.safetensors").write_bytes(b"no tensors")
    with pytest.raises(DataError, match="delete it and fit again"):
        IATModel.load(tmp_path / "iat")


def test_the_frame_has_a_row_a_head(encoder: Encoder, tasks: list[Task]) -> None:
    table = trained(encoder, tasks, IAT).to_frame()
    assert len(table) == 2 * 4
    for task in ("tone", "tense"):
        own = table.loc[table["task"].eq(task)].sort_values("importance", ascending=False)
        assert own["tuned"].tolist() == [True, True, False, False]


def test_when_the_choice_is_due() -> None:
    by_hand = ((0.1, 10, 9), (0.1, 1000, 900), (0.15, 30, 25), (1.0, 7, 0), (0.0, 7, 7), (0.3, 10, 7))
    for delta, steps, first in by_hand:
        assert IATSettings(delta=delta).first_step(steps) == first


def test_share_of_the_learning_rate_by_hand_and_by_its_sum() -> None:
    assert rate_share(0.1) == pytest.approx(0.01 / 0.9)
    assert rate_share(0.2) == pytest.approx(0.04 / 0.9)
    assert rate_share(1.0) == pytest.approx(1)
    assert rate_share(0.1, warmup=0.0, schedule="constant") == pytest.approx(0.1)
    for delta in (0.05, 0.5, 0.85, 0.95):
        rates = np.array([literal_rate(step, 100_000, 0.1) for step in range(100_000)])
        last = rates[round((1 - delta) * 100_000) :].sum()
        assert rate_share(delta) == pytest.approx(last / rates.sum(), abs=1e-4)
        constant = np.minimum(1, np.arange(100_000) / 10_000)
        last = constant[round((1 - delta) * 100_000) :].sum()
        assert rate_share(delta, schedule="constant") == pytest.approx(last / constant.sum(), abs=1e-4)
    with pytest.raises(SettingsError, match="δ lies in"):
        rate_share(1.5)


@pytest.mark.parametrize(
    "given", [{"alpha": 1.2}, {"delta": -0.1}, {"heads": "best"}, {"reading": "x"}, {"alfa": 1}]
)
def test_settings_that_cannot_be(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(given))):
        IATSettings.model_validate(given)


def test_requests_that_cannot_be_met(encoder: Encoder, tasks: list[Task]) -> None:
    with pytest.raises(SettingsError, match="at least two"):
        trained(encoder, tasks[:1], IAT)
    with pytest.raises(SettingsError, match="no two of one name"):
        trained(encoder, [tasks[0], tasks[0]], IAT)
    with pytest.raises(SettingsError, match="selects no head of 4"):
        trained(encoder, tasks, IATSettings(alpha=0.1))
    with pytest.raises(SettingsError, match="use keep='last'"):
        trained(encoder, tasks, IAT, keep="best")
    with pytest.raises(SettingsError, match="frozen encoder tunes no heads"):
        hook = HeadTraining(IAT, lambda loop: ({}, {}))
        fit(encoder, tasks, SETTINGS, mode="PT", device="cpu", hook=hook)
    with pytest.raises(SettingsError, match="head is given for 'mood'"):
        fit(
            encoder, tasks, SETTINGS, mode="FT", device="cpu", heads=nn.ModuleDict({"mood": nn.Linear(32, 2)})
        )
    with pytest.raises(SettingsError, match="has another shape"):
        fit(
            encoder, tasks, SETTINGS, mode="FT", device="cpu", heads=nn.ModuleDict({"tone": nn.Linear(32, 3)})
        )
    with pytest.raises(DataError, match="no importance was read for task 'tens'"):
        chosen_heads({"tense": np.ones((2, 2))}, ["tens"], (2, 2), IAT, 0)
