"""Distillation: its losses by loops and by hand, its steps against plain PyTorch, and what is refused."""

import copy
import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.training.test_loop import literal_rate
from torch import Tensor, nn
from transformers import AutoModel, BertConfig

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import EncoderError, SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training import DistillationSettings, FitSettings, FittedModel, distil, fit
from encoder_atlas.training.attention_scores import AttentionScores, attention_probabilities
from encoder_atlas.training.distillation import check_pair
from encoder_atlas.training.distillation_losses import (
    attention_loss,
    hidden_loss,
    layer_map,
    prediction_loss,
)
from encoder_atlas.training.examples import Examples, subset
from encoder_atlas.training.mixing import mixed_batches

SETTINGS = FitSettings(
    batch_size=16, max_length=24, lr_encoder=1e-3, dropout=0.0, clip=None, weight_decay=0.0, keep="last"
)
HOW = DistillationSettings(intermediate_epochs=1, prediction_epochs=1)


def small_bert(layers: int = 1, heads: int = 2, hidden: int = 16, attention: str = "eager") -> Encoder:
    """A BERT of another size, with the tokenizer of the tiny one and without dropout."""
    tiny = load_encoder("tiny:bert")
    config = BertConfig(
        vocab_size=len(tiny.tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=32,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=0,
    )
    torch.manual_seed(7)
    return Encoder.of(AutoModel.from_config(config, attn_implementation=attention), tiny.tokenizer, "small")


# Losses


def test_hidden_loss_by_hand_and_by_loops() -> None:
    mask = torch.tensor([[1.0, 1.0, 0.0]])
    own, other = torch.tensor([[[1.0], [2.0], [9.0]]]), torch.tensor([[[0.0], [4.0], [0.0]]])
    assert hidden_loss([own], [other], nn.Identity(), mask).item() == (1 + 4) / 2
    assert hidden_loss([own, own], [other, other], nn.Identity(), mask).item() == 5
    torch.manual_seed(0)
    projection = nn.Linear(3, 4)
    own, other, mask = (
        torch.randn(2, 5, 3),
        torch.randn(2, 5, 4),
        torch.tensor([[1.0] * 5, [1.0] * 2 + [0.0] * 3]),
    )
    total, tokens = 0.0, 0
    for text in range(2):
        for token in range(5):
            if mask[text, token]:
                differences = projection(own[text, token]) - other[text, token]
                total += sum(value.item() ** 2 for value in differences) / 4
                tokens += 1
    assert hidden_loss([own], [other], projection, mask).item() == pytest.approx(total / tokens)


def test_attention_loss_by_hand_and_by_loops() -> None:
    own = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    assert attention_loss([own], [torch.zeros(1, 1, 2, 2)], torch.ones(1, 2)).item() == (1 + 4 + 9 + 16) / 4
    assert attention_loss([own], [torch.zeros(1, 1, 2, 2)], torch.tensor([[1.0, 0.0]])).item() == 1
    torch.manual_seed(0)
    own, other = torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 4)
    lengths = (4, 2)
    mask = torch.tensor([[1.0] * n + [0.0] * (4 - n) for n in lengths])
    values = [
        sum(float(own[b, h, i, j] - other[b, h, i, j]) ** 2 for h in range(3)) / 3
        for b, n in enumerate(lengths)
        for i in range(n)
        for j in range(n)
    ]
    expected = sum(values) / len(values)
    assert attention_loss([own], [other], mask).item() == pytest.approx(expected)
    with pytest.raises(SettingsError, match="3 heads a layer and the teacher 2"):
        attention_loss([own], [other[:, :2]], mask)


def test_prediction_loss_by_hand() -> None:
    even = torch.zeros(1, 2)
    assert prediction_loss(even, even).item() == pytest.approx(math.log(2))
    taught = torch.tensor([[math.log(3), 0.0]])  # probabilities 3/4 and 1/4
    assert prediction_loss(even, taught).item() == pytest.approx(math.log(2))
    assert prediction_loss(taught, taught).item() == pytest.approx(
        -0.75 * math.log(0.75) - 0.25 * math.log(0.25)
    )
    hot = prediction_loss(taught, taught, temperature=1e6).item()
    assert hot == pytest.approx(math.log(2), abs=1e-5)


def test_layer_maps() -> None:
    assert layer_map(6, 12) == (2, 4, 6, 8, 10, 12)
    assert layer_map(3, 3) == (1, 2, 3)
    assert all(layer_map(student, 12)[-1] == 12 for student in range(1, 13))


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra", "distilbert", "tinybert"])
def test_scores_are_what_the_model_attends_with(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}", attn_implementation="eager")
    batch = encoder.tokenize(["a film", "a much longer film than that"], 24)
    with AttentionScores(encoder) as attention, torch.no_grad():
        found = encoder.model(**batch, output_attentions=True).attentions
    for scores, expected in zip(attention.scores, found, strict=True):
        probabilities = attention_probabilities(scores, batch["attention_mask"].float())
        torch.testing.assert_close(probabilities, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ["gpt2", "openai-gpt", "deberta", "deberta-v3", "albert"])
def test_scores_that_cannot_be_read(kind: str) -> None:
    with pytest.raises(EncoderError, match="attention='none'"):
        AttentionScores(load_encoder(f"tiny:{kind}"))


# Steps


def literal_distil(
    teacher: FittedModel, student: Encoder, task: Task, settings: FitSettings, seed: int
) -> tuple[nn.Module, nn.Linear]:
    """Both parts in plain PyTorch, with eager attention: TinyBERT with one layer that learns from layer 2."""
    model = copy.deepcopy(student.model)
    part = Examples.of_task(task, "train", student, settings, "FT")
    torch.manual_seed(seed)
    head = nn.Linear(student.hidden, len(task.label_names))
    projection = nn.Linear(student.hidden, teacher.encoder.hidden)
    model.train()
    for phase in ("inner", "outer"):
        own = [*model.parameters(), *projection.parameters()]
        groups = [
            {"params": own, "lr": settings.lr_encoder},
            {"params": head.parameters(), "lr": settings.lr_head},
        ]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.0, fused=False, foreach=False)
        batches = list(mixed_batches({task.name: part.lengths}, settings.batch_size, seed, 1))
        for step, (_, index) in enumerate(batches):
            for group, peak in zip(
                optimizer.param_groups, (settings.lr_encoder, settings.lr_head), strict=True
            ):
                group["lr"] = peak * literal_rate(step, len(batches), settings.warmup)
            batch = student.tokenize(subset(part.inputs, index), settings.max_length)  # pyright: ignore[reportArgumentType]
            with torch.no_grad():
                taught = teacher.encoder.model(**batch, output_hidden_states=True)
            found = model(**batch, output_hidden_states=True)
            if phase == "outer":
                target = teacher.heads[task.name](taught.last_hidden_state[:, 0]).softmax(dim=1)
                loss = -(target * head(found.last_hidden_state[:, 0]).log_softmax(dim=1)).sum(dim=1).mean()
            else:
                loss = literal_inner(student, model, teacher, batch, found, taught, projection)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model, head


def literal_inner(
    student: Encoder,
    model: Any,
    teacher: FittedModel,
    batch: Any,
    found: Any,
    taught: Any,
    projection: nn.Module,
) -> Tensor:
    """Embeddings, layer 1 against layer 2, and the scores of their heads, text by text without padding."""
    hidden, scores, tokens, pairs = torch.zeros(()), torch.zeros(()), 0, 0
    mine: Any
    theirs: Any
    mine, theirs = (
        model.encoder.layer[0].attention.self,
        teacher.encoder.layout.layers[1].attention,
    )
    for row, n in enumerate(batch["attention_mask"].sum(dim=1).tolist()):
        for own, other in ((0, 0), (1, 2)):
            difference = projection(found.hidden_states[own][row, :n]) - taught.hidden_states[other][row, :n]
            hidden = hidden + (difference**2).mean(dim=1).sum()
        for head in range(2):
            parts = []
            for attention, states in ((mine, found.hidden_states[0]), (theirs, taught.hidden_states[1])):
                size = attention.attention_head_size
                rows = slice(head * size, (head + 1) * size)
                query, key = (
                    states[row, :n] @ linear.weight[rows].T + linear.bias[rows]
                    for linear in (attention.query, attention.key)
                )
                parts.append(query @ key.T / math.sqrt(size))
            scores = scores + ((parts[0] - parts[1]) ** 2).sum() / 2
        tokens, pairs = tokens + n, pairs + n * n
    return hidden / tokens + scores / pairs


def test_equals_plain_pytorch(fitted: FittedModel, tone: Task) -> None:
    student = small_bert()
    found = distil(fitted, student, [tone], SETTINGS, HOW, seed=5, device="cpu")
    model, head = literal_distil(fitted, student, tone, SETTINGS, seed=5)
    for name, weight in found.encoder.model.state_dict().items():
        torch.testing.assert_close(weight, model.state_dict()[name], atol=2e-6, rtol=0)
    torch.testing.assert_close(found.head("tone").state_dict(), head.state_dict(), atol=2e-6, rtol=0)


def test_the_losses_fall_and_the_student_learns(fitted: FittedModel, tone: Task, tense: Task) -> None:
    how = DistillationSettings(intermediate_epochs=4, prediction_epochs=4)
    settings = FitSettings.model_validate({**SETTINGS.model_dump(), "lr_encoder": 3e-3, "lr_head": 1e-2})
    before = fitted.encoder.fingerprint
    student = load_encoder("tiny:bert", seed=3)
    found = distil(fitted, student, [tone, tense], settings, how, device="cpu")
    own = found.history.loc[found.history["split"].eq("train") & found.history["task"].eq("tone")]
    for measure in ("intermediate loss", "loss"):
        values = own.loc[own["measure"].eq(measure), "value"].tolist()
        assert len(values) == 4
        assert values[-1] < values[0]
    assert set(found.history["measure"]) == {"intermediate loss", "loss", "accuracy"}
    assert student.fingerprint == load_encoder("tiny:bert", seed=3).fingerprint
    assert Encoder.of(fitted.encoder.model, fitted.encoder.tokenizer, "").fingerprint == before
    again = distil(fitted, student, [tone, tense], settings, how, device="cpu")
    assert again.encoder.fingerprint == found.encoder.fingerprint


@pytest.mark.parametrize(
    "changes", [{"heads": "mean"}, {"attention": "none"}, {"heads": "mean", "attention": "probabilities"}]
)
def test_other_numbers_of_heads(fitted: FittedModel, tone: Task, changes: dict[str, str]) -> None:
    how = DistillationSettings.model_validate({**HOW.model_dump(), **changes})
    found = distil(fitted, small_bert(heads=4), [tone], SETTINGS, how, device="cpu")
    assert found.predict_proba("tone", tone.texts("dev")).shape == (24, 2)


def test_families_without_readable_scores_learn_without_attention(tone: Task) -> None:
    settings = SETTINGS.model_copy(update={"pooling": "last", "epochs": 1})
    teacher = fit(load_encoder("tiny:gpt2"), [tone], settings, mode="FT", device="cpu")
    how = HOW.model_copy(update={"attention": "none"})
    found = distil(teacher, load_encoder("tiny:openai-gpt"), [tone], settings, how, device="cpu")
    assert math.isfinite(found.score(tone))
    with pytest.raises(EncoderError, match="attention='none'"):
        distil(teacher, load_encoder("tiny:openai-gpt"), [tone], settings, HOW, device="cpu")


def test_pairs_that_do_not_fit(fitted: FittedModel, tone: Task) -> None:
    teacher = fitted.encoder
    with pytest.raises(SettingsError, match="4 heads a layer and the teacher 2"):
        distil(fitted, small_bert(heads=4), [tone], SETTINGS, HOW, device="cpu")
    for layers in ((1, 2), (3,), (0,)):
        with pytest.raises(SettingsError, match="the student has 1 layers, and each learns from one of"):
            check_pair(teacher, small_bert(), DistillationSettings(layers=layers))
    assert check_pair(teacher, small_bert(), DistillationSettings(layers=(1,))) == (1,)
    other = copy.deepcopy(teacher.tokenizer)
    other.add_tokens(["encoders"])
    with pytest.raises(SettingsError, match="different tokens"):
        check_pair(teacher, replace(small_bert(), tokenizer=other), HOW)
    with pytest.raises(SettingsError, match="at least one task"):
        distil(fitted, small_bert(), [], SETTINGS, HOW, device="cpu")
