"""A smaller encoder learns from a fitted one: first its inner layers, then its predictions (TinyBERT)."""

import copy
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd
import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import SettingsError
from encoder_atlas.text import Task
from encoder_atlas.training.attention_scores import AttentionScores, attention_probabilities
from encoder_atlas.training.device import accelerator_on, choose_device, choose_precision, seeded
from encoder_atlas.training.distillation_losses import (
    attention_loss,
    hidden_loss,
    layer_map,
    prediction_loss,
)
from encoder_atlas.training.examples import Examples, TextBody, Texts
from encoder_atlas.training.fit import dev_records
from encoder_atlas.training.fitted import FittedModel
from encoder_atlas.training.heads import make_heads
from encoder_atlas.training.loop import Hook, Loop, Record, TaskNet, learning_copy, learnt
from encoder_atlas.training.settings import FitSettings

INNER, OUTER = "intermediate", "prediction"


class DistillationSettings(BaseModel):
    """How a student learns; rates, batches and the like are those of `FitSettings`.

    The paper on functional specialization (Appendix A.1) has 2 epochs for intermediate layers and 3 for
    predictions, without augmented data.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    intermediate_epochs: int = Field(default=2, ge=1)
    prediction_epochs: int = Field(default=3, ge=1)
    attention: Literal["scores", "probabilities", "none"] = Field(
        default="scores", description="attention before the softmax (TinyBERT), after it, or none"
    )
    heads: Literal["equal", "mean"] = Field(
        default="equal",
        description="attention head by head, of as many heads in both; or its mean over the heads of a layer",
    )
    layers: tuple[int, ...] | None = Field(
        default=None, description="the teacher's layer, from 1, for each of the student's; None: evenly"
    )
    temperature: float = Field(default=1.0, gt=0)


class StudentBody(TextBody):
    """A student with the linear map that takes its hidden states to the teacher's width.

    One map for all layers, with a bias, as in TinyBERT; it is learned along and not part of the encoder.
    """

    def __init__(self, encoder: Encoder, settings: FitSettings, teacher_hidden: int) -> None:
        super().__init__(encoder, settings.pooling, settings.max_length)
        self.projection = nn.Linear(encoder.hidden, teacher_hidden)


def distil(
    teacher: FittedModel,
    student: Encoder,
    tasks: Sequence[Task],
    settings: FitSettings | None = None,
    how: DistillationSettings | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
) -> FittedModel:
    """Teach a copy of ``student`` what ``teacher`` does with the train texts of ``tasks``; no label is used.

    Intermediate layers first: embeddings and the chosen layers' hidden states, through a learned linear map,
    and their attention. Then the teacher's predictions, with new heads. ``history`` holds the losses of both
    parts ("intermediate loss", "loss") and, of the second, loss and score on dev.

    Args:
        teacher: fitted to all of ``tasks``; its hidden size, layers and heads may be others than the
            student's, its tokenizer must be the same.
        settings: of the training; ``keep`` chooses among the epochs of the second part.

    Raises:
        SettingsError: no task, one that the teacher has no head for, a map of layers that does not fit, or
            different numbers of heads where attention is learned head by head.
        EncoderError: tokenizers differ, or a family whose attention scores cannot be read.
    """
    settings, how = settings or FitSettings(), how or DistillationSettings()
    names = [task.name for task in tasks]
    if not names or len(set(names)) < len(names):
        raise SettingsError(f"distillation needs at least one task, and no two of one name (got {names})")
    for name in names:
        teacher.head(name)
    check_pair(teacher.encoder, student, how)
    target = choose_device(device)
    student = learning_copy(student, settings, target)
    with seeded(seed, target):
        lesson = Lesson(teacher, student, tasks, settings, how, seed, target)
        records = lesson.intermediate() + lesson.prediction()
    return FittedModel(
        encoder=learnt(student),
        heads=lesson.heads.cpu(),
        settings=settings,
        mode="FT",
        seed=seed,
        label_names={task.name: task.label_names for task in tasks},
        history=pd.DataFrame(records),
    )


def check_pair(teacher: Encoder, student: Encoder, how: DistillationSettings) -> tuple[int, ...]:
    """The teacher's layer for each student's, when the two can learn from each other as ``how`` says.

    Raises:
        SettingsError, EncoderError: see `distil`.
    """
    if teacher.tokenizer.get_vocab() != student.tokenizer.get_vocab():
        raise SettingsError(
            f"{teacher.name} and {student.name} cut texts into different tokens: a student learns token by "
            "token and needs its teacher's tokenizer"
        )
    layers = how.layers or layer_map(student.n_layers, teacher.n_layers)
    if len(layers) != student.n_layers or not all(1 <= layer <= teacher.n_layers for layer in layers):
        raise SettingsError(
            f"layers={list(layers)}: the student has {student.n_layers} layers, and each learns from one of "
            f"the teacher's 1 to {teacher.n_layers}"
        )
    if how.attention != "none" and how.heads == "equal" and teacher.n_heads != student.n_heads:
        raise SettingsError(
            f"the student has {student.n_heads} heads a layer and the teacher {teacher.n_heads}: attention "
            "can be learned head by head between equals only; use heads='mean' or attention='none'"
        )
    return layers


class Lesson:
    """Both parts of one distillation."""

    def __init__(
        self,
        teacher: FittedModel,
        student: Encoder,
        tasks: Sequence[Task],
        settings: FitSettings,
        how: DistillationSettings,
        seed: int,
        device: torch.device,
    ) -> None:
        self.how, self.settings, self.tasks, self.seed = how, settings, tasks, seed
        self.teacher = teacher
        teacher.encoder.to(device)
        self.teacher_heads = copy.deepcopy(teacher.heads).to(device).eval()
        self.layers = check_pair(teacher.encoder, student, how)
        self.student, self.device = student, device
        self.train, self.dev = (
            {task.name: Examples.of_task(task, split, student, settings, "FT").to(device) for task in tasks}
            for split in ("train", "dev")
        )
        label_names = {task.name: task.label_names for task in tasks}
        self.heads = make_heads("FT", student.hidden, label_names, settings)
        body = StudentBody(student, settings, teacher.encoder.hidden)
        self.net = TaskNet(body, self.heads, settings.dropout).to(device)

    def intermediate(self) -> list[Record]:
        """Hidden states and attention; the last epoch's weights are kept, as nothing is scored."""
        settings = self.settings.model_copy(update={"keep": "last", "patience": None})
        records = self._run(INNER, self.how.intermediate_epochs, settings, self._inner_loss, list)
        names = {"loss": f"{INNER} loss"}
        return [record | {"measure": names.get(record["measure"], record["measure"])} for record in records]

    def prediction(self) -> list[Record]:
        """The teacher's probabilities."""

        def evaluate() -> list[Record]:
            return dev_records(self.tasks, self.dev, self.student, self.heads, self.settings, Hook())

        return self._run(OUTER, self.how.prediction_epochs, self.settings, self._outer_loss, evaluate)

    def _run(self, part: str, epochs: int, settings: FitSettings, loss: Any, evaluate: Any) -> list[Record]:
        precision = choose_precision(settings.precision, self.device)
        with accelerator_on(self.device, precision) as accelerator:
            return Loop(
                net=self.net,
                train=self.train,
                evaluate=evaluate,
                settings=settings,
                epochs=epochs,
                seed=self.seed,
                accelerator=accelerator,
                stage=f"Distil {part}: {', '.join(self.train)}",
                loss=loss,
            ).run()

    def _inner_loss(self, net: nn.Module, task: str, texts: Texts, labels: Tensor) -> Tensor:
        with torch.no_grad():
            taught, taught_attention, mask = self._states(self.teacher.encoder, texts)
        own, own_attention, _ = self._states(self.student, texts)
        chosen = [taught[layer] for layer in (0, *self.layers)]
        loss = hidden_loss(own, chosen, self.net.body.projection, mask)  # pyright: ignore[reportArgumentType]
        if self.how.attention == "none":
            return loss
        wanted = [taught_attention[layer - 1] for layer in self.layers]
        return loss + attention_loss(own_attention, wanted, mask)

    def _outer_loss(self, net: nn.Module, task: str, texts: Texts, labels: Tensor) -> Tensor:
        encoder, settings = self.teacher.encoder, self.teacher.settings
        with torch.no_grad():
            rows = encoder.represent(encoder.tokenize(texts, self.settings.max_length), settings.pooling)
            taught = self.teacher_heads[task](rows)
        return prediction_loss(net(task, texts), taught, self.how.temperature)

    def _states(self, encoder: Encoder, texts: Texts) -> tuple[list[Tensor], list[Tensor], Tensor]:
        """Embeddings and hidden states, attention matrices as ``how`` wants them, and the mask of tokens."""
        batch = encoder.tokenize(texts, self.settings.max_length)
        inputs = {key: value.to(encoder.device) for key, value in batch.items()}
        mask = inputs["attention_mask"].float()
        if self.how.attention == "none":
            return list(encoder.model(**inputs, output_hidden_states=True).hidden_states), [], mask
        with AttentionScores(encoder) as attention:
            states = encoder.model(**inputs, output_hidden_states=True).hidden_states
        matrices = attention.scores
        if self.how.attention == "probabilities":
            matrices = [attention_probabilities(scores, mask) for scores in matrices]
        if self.how.heads == "mean":
            matrices = [matrix.mean(dim=1, keepdim=True) for matrix in matrices]
        return list(states), matrices, mask
