"""Tasks with scores, alone and beside classes; and what tasks with answers are told."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit, shuffled
from encoder_atlas.training.heads import head_loss, make_heads

WORDS = ("bad", "fair", "good")


def liking(train: int = 48, dev: int = 18) -> Task:
    """Pairs whose second text says how good the first is: 0.5, 2 or 4.25."""
    frames = {}
    for split, n in (("train", train), ("dev", dev)):
        rows = [
            (f"{split} film {row}", f"it is {WORDS[row % 3]}", (0.5, 2.0, 4.25)[row % 3]) for row in range(n)
        ]
        frames[split] = pd.DataFrame(rows, columns=["first", "second", "label"])
    pair = ("liking", "pair", ("first", "second"), (), "pearson", frames, "Generated for a test.")
    return Task(*pair, target="score")


def asking() -> Task:
    rows = {"question": ["Who?"], "context": ["Ann."], "answer_start": [0], "answer_text": ["Ann"]}
    train = pd.DataFrame(rows | {"answers": [("Ann",)]})
    frames = {"train": train, "dev": train.assign(question=["Who else?"])}
    pair = ("asking", "pair", ("question", "context"), (), "f1", frames, "Generated for a test.")
    return Task(*pair, target="answer")


@pytest.fixture(scope="module")
def scored() -> FittedModel:
    """A model of scores that has learnt them."""
    settings = FitSettings(
        epochs=15, batch_size=8, max_length=24, lr_encoder=3e-3, lr_head=3e-2, pooling="mean", keep="last"
    )
    return fit(load_encoder("tiny:bert"), [liking()], settings, mode="FT", device="cpu")


def test_loss_by_hand() -> None:
    outputs = torch.tensor([[1.0], [4.0]])
    assert head_loss(outputs, torch.tensor([2.0, 1.0])).item() == pytest.approx((1 + 9) / 2)
    assert head_loss(outputs, torch.tensor([2.0, 1.0]), "none").tolist() == [1, 9]
    logits = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    assert head_loss(logits, torch.tensor([1, 0])).item() == pytest.approx(np.log(2))
    assert head_loss(logits, torch.tensor([1, 0]), "sum").item() == pytest.approx(2 * np.log(2))


@pytest.mark.parametrize("mode", ["PT", "FT"])
def test_a_head_has_an_output_a_class_or_one_for_a_score(mode: str) -> None:
    heads = make_heads(mode, 12, {"tone": ("a", "b", "c"), "liking": ()}, FitSettings())
    assert [heads[name](torch.zeros(5, 12)).shape for name in heads] == [(5, 3), (5, 1)]


def test_scores_are_learnt(scored: FittedModel) -> None:
    task = liking()
    assert scored.score(task) >= 0.9
    predicted = scored.predict_scores("liking", task.texts("dev"))
    assert predicted.shape == (18,)
    assert scored.score(task) == pytest.approx(np.corrcoef(predicted, task.labels("dev"))[0, 1])
    assert scored.score(task, metric="spearman") <= 1
    assert np.mean((predicted - task.labels("dev")) ** 2) < np.var(task.labels("dev"))


def test_history_has_the_mean_squared_error(scored: FittedModel) -> None:
    last = scored.history.query("epoch == 15 and split == 'dev'")
    history = dict(zip(last["measure"], last["value"], strict=True))
    task = liking()
    predicted = scored.predict_scores("liking", task.texts("dev"))
    assert history["loss"] == pytest.approx(np.mean((predicted - task.labels("dev")) ** 2), rel=1e-4)
    assert history["pearson"] == pytest.approx(scored.score(task))


def literal_heads(rows: torch.Tensor, labels: torch.Tensor, settings: FitSettings, head: nn.Module) -> None:
    """Full-batch AdamW on the mean squared error, in plain PyTorch; no warm-up, straight down to 0."""
    weights = list(head.parameters())
    groups = [
        {"params": [weight], "weight_decay": settings.weight_decay if weight.ndim > 1 else 0.0}
        for weight in weights
    ]
    optimizer = torch.optim.AdamW(groups, lr=settings.lr_head)
    for epoch in range(settings.frozen_epochs):
        for group in optimizer.param_groups:
            group["lr"] = settings.lr_head * (1 - epoch / settings.frozen_epochs)
        loss = ((head(rows)[:, 0] - labels) ** 2).sum() / len(labels)
        for weight, gradient in zip(weights, torch.autograd.grad(loss, weights), strict=True):
            weight.grad = gradient
        optimizer.step()


def test_equals_plain_pytorch(encoder: Encoder) -> None:
    task = liking(train=12)
    settings = FitSettings(
        frozen_epochs=4, batch_size=12, max_length=24, warmup=0, clip=None, keep="last", mlp_widths=()
    )
    fitted = fit(encoder, [task], settings, mode="PT", seed=2, device="cpu")
    torch.manual_seed(2)
    head = nn.Linear(encoder.hidden, 1)
    rows = torch.from_numpy(fitted.represent(task.texts("train")))
    literal_heads(rows, torch.tensor(task.labels("train"), dtype=torch.float32), settings, head)
    torch.testing.assert_close(fitted.head("liking").state_dict(), head.state_dict(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("mode", ["PT", "FT"])
def test_scores_beside_classes_are_saved_and_come_back(
    tone: Task, encoder: Encoder, quick: FitSettings, tmp_path: Path, mode: str
) -> None:
    before = fit(encoder, [tone, liking()], quick, mode=mode, device="cpu")
    before.save(tmp_path / "model")
    after = FittedModel.load(tmp_path / "model")
    assert after.label_names == {"tone": ("first", "second"), "liking": ()}
    texts = liking().texts("dev")
    assert np.array_equal(after.predict_scores("liking", texts), before.predict_scores("liking", texts))
    dev = before.history.query("split == 'dev' and measure != 'loss'")
    assert set(zip(dev["task"], dev["measure"], strict=True)) == {("tone", "accuracy"), ("liking", "pearson")}


def test_twice_gives_the_same_bits(encoder: Encoder, quick: FitSettings) -> None:
    models = [fit(encoder, [liking()], quick, mode="FT", seed=5, device="cpu") for _ in range(2)]
    pd.testing.assert_frame_equal(models[0].history, models[1].history)


def test_scores_can_be_shuffled() -> None:
    control = shuffled(liking(), seed=1)
    assert sorted(control.labels("train")) == sorted(liking().labels("train"))
    assert not np.array_equal(control.labels("train"), liking().labels("train"))
    with pytest.raises(DataError, match="has answers and no labels"):
        shuffled(asking(), seed=1)


def test_what_a_head_cannot_give_is_named(scored: FittedModel, fitted: FittedModel, tone: Task) -> None:
    for ask in (scored.logits, scored.predict_proba):
        with pytest.raises(SettingsError, match="target 'score', not 'class': ask for predict_scores"):
            ask("liking", ["good"])
    with pytest.raises(SettingsError, match="target 'class', not 'score': ask for predict_proba"):
        fitted.predict_scores("tone", ["good"])
    with pytest.raises(SettingsError, match="no head for task 'likng'; did you mean 'liking'"):
        scored.predict_scores("likng", ["good"])
    named_alike = Task("liking", "single", ("text",), ("a", "b"), "accuracy", tone.splits, "Of a test.")
    with pytest.raises(SettingsError, match="target 'score', not 'class'"):
        scored.score(named_alike)


def test_answers_are_refused(tone: Task, encoder: Encoder, quick: FitSettings) -> None:
    with pytest.raises(SettingsError, match=r"'asking' has answers in a text: .* leave it out"):
        fit(encoder, [tone, asking()], quick, mode="FT", device="cpu")
