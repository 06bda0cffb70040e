"""The chapters, and what each can be told beside the parameters that all have."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.runs.settings import ChapterSettings, TaskSettings, as_list
from encoder_atlas.text.layers import Layer

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
# As FitSettings has it; who plans runs need not wait for what fits.
Sampling = Literal["once", "proportional", "annealed"]
Lambda = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Layers = Annotated[tuple[Layer, ...], BeforeValidator(as_list)]
LEARNT = "the tasks, as layers of annotation: pos, ner, dep, con, srl"


class SeveralTasks(TaskSettings):
    """What chapters share in which an encoder learns several tasks at once."""

    companions: Annotated[tuple[str, ...], BeforeValidator(as_list), Field(min_length=1)] = Field(
        description="corpora that are learned beside `corpus`, and with it by the multi-task model"
    )

    @model_validator(mode="after")
    def _different_corpora(self) -> "SeveralTasks":
        names = (self.corpus, *self.companions)
        if len(set(names)) != len(names):
            raise ValueError(f"corpus and companions name one corpus twice: {', '.join(names)}")
        return self


class DeepViewChapter(SeveralTasks):
    """Parameters of chapter 1, DeepView on GLUE."""

    transfer: tuple[str, str] = Field(description="two corpora of inference: first the one, then the other")
    points: int = Field(ge=10, description="points on a map, and in each sample that is measured")
    samples: int = Field(ge=1, description="samples of points over which Q_kNN and Q_data are averaged")
    lambda_: Lambda = Field(description="the blend at which maps open: 1 only cosine, 0 only the classifier")
    lambdas: Annotated[tuple[Lambda, ...], BeforeValidator(as_list), Field(min_length=1)]
    segments: int = Field(ge=1, description="n of Eq. (1): pieces of the line between two points")
    n_neighbors: int = Field(ge=2, description="neighbours that UMAP looks at")
    search_points: int = Field(ge=20, description="sentences among which one manipulated is hidden")
    draws: int = Field(ge=2, description="how often another is hidden among others")
    adversarial: Path | None = Field(
        default=None, description="AdvGLUE's dev_ann.json, or its folder: search for its rows as well"
    )

    @model_validator(mode="after")
    def _enough_points(self) -> "DeepViewChapter":
        if self.points <= self.n_neighbors:
            raise ValueError(
                f"points={self.points} must be more than n_neighbors={self.n_neighbors}: "
                "raise points or lower n_neighbors"
            )
        if self.dev is not None and self.points > self.dev:
            raise ValueError(f"points={self.points} cannot be drawn from dev={self.dev} held-out examples")
        if self.adversarial is not None and not self.adversarial.exists():
            raise ValueError(f"adversarial={self.adversarial} does not exist")
        if len(set(self.lambdas)) != len(self.lambdas):
            raise ValueError(f"lambdas={list(self.lambdas)} names one value twice")
        return self


class SpecializationChapter(SeveralTasks):
    """Parameters of chapter 2, functional specialization of attention heads."""

    alpha: Share = Field(description="share of all heads that is taken out, or tuned, for a task")
    alphas: Annotated[tuple[Share, ...], BeforeValidator(as_list), Field(min_length=1)]
    importance_examples: int = Field(ge=1, description="training texts a task behind the importance of heads")
    tested: int = Field(ge=2, description="held-out texts a task that are scored without heads")
    random_sets: int = Field(ge=2, description="random sets of heads that are taken out for comparison")
    alone: int | None = Field(
        default=None, ge=4, description="training texts of models of one or two tasks; all where not given"
    )
    neutral: str = Field(min_length=1, description="corpus in whose sentences single tasks are compared")
    recordings: Path | None = Field(
        default=None, description="folder of the recordings of Pereira et al.; simulated where not given"
    )
    delta: Share = Field(description="last share of training in which each task tunes its own heads only")
    appended: Share | None = Field(
        default=None,
        description="instead, go on from the finished model for one more pass over this share of the texts",
    )
    sampling: Sampling = Field(
        default="once", description="once, proportional or annealed: how tasks are mixed"
    )
    thorough: bool = Field(
        default=False, description="also fit a model of every pair of tasks, and all other arms of training"
    )
    deltas: Annotated[tuple[Share, ...], BeforeValidator(as_list), Field(min_length=1)] = Field(
        default=(0.1, 0.2, 0.5, 1.0), description="values of delta over which thorough runs go"
    )
    target: str = Field(min_length=1, description="corpus of few-shot transfer")
    shots: Annotated[
        tuple[Annotated[int, Field(ge=2)], ...], BeforeValidator(as_list), Field(min_length=1)
    ] = Field(description="numbers of texts in few-shot transfer")
    shot_seeds: int = Field(ge=2, description="draws of few-shot texts")
    student: str | None = Field(default=None, description="encoder that is taught by the model (TinyBERT)")

    @model_validator(mode="after")
    def _fits_together(self) -> "SpecializationChapter":
        if self.alpha not in self.alphas:
            raise ValueError(f"alpha={self.alpha} is not among alphas={list(self.alphas)}: add it there")
        if self.dev is not None and self.tested > self.dev:
            raise ValueError(f"tested={self.tested} cannot be drawn from dev={self.dev} held-out examples")
        if self.recordings is not None and not self.recordings.is_dir():
            raise ValueError(f"recordings={self.recordings} is no folder")
        tasks = 1 + len(self.companions)
        if tasks < 3:
            raise ValueError("this chapter compares pairs of tasks: give at least two companions")
        if self.random_sets < tasks:
            raise ValueError(f"random_sets={self.random_sets} are fewer than {tasks} tasks: each needs one")
        return self


class FinetuningChapter(TaskSettings):
    """Parameters of chapter 3, what happens to embeddings during fine-tuning."""

    # Its parser's loss is a mean over words, and parts of a batch are weighed by their texts (see `share`).
    fits_together: ClassVar[bool] = False

    inference: str = Field(min_length=1, description="corpus of inference that an encoder is tuned on")
    answers: str = Field(min_length=1, description="corpus of questions with answers in a paragraph")
    annotated: str = Field(min_length=1, description="annotated corpus, for parsing and for probes")
    questions: int | None = Field(default=None, ge=4, description="training questions; all where not given")
    sentences: int | None = Field(
        default=None, ge=4, description="annotated training sentences; all where not given"
    )
    answer_epochs: int | None = Field(
        default=None, ge=1, description="passes over the questions; as over other text where not given"
    )
    answer_length: int = Field(ge=16, description="tokens of question and paragraph in one window")
    elsewhere: Annotated[tuple[str, ...], BeforeValidator(as_list), Field(min_length=1)] = Field(
        description="corpora of other text, on which tuned encoders are held against Base"
    )
    read: int = Field(ge=10, description="texts of each corpus that are read for this")
    tokens: int = Field(ge=10, description="tokens in a sample")
    samples: int = Field(ge=1, description="samples of tokens")
    shares: Annotated[tuple[Lambda, ...], BeforeValidator(as_list), Field(min_length=1)] = Field(
        description="shares of the steps at which training is looked at"
    )
    probed: Annotated[tuple[str, ...], BeforeValidator(as_list), Field(min_length=1)] = Field(
        description="what edge probes look for: kinds of spans of `annotated`, or corpora of edges"
    )
    targets: int = Field(ge=20, description="training targets of a probe; dev has half as many")
    frozen: Annotated[tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(as_list)] = Field(
        description="numbers of layers that are frozen, with the embeddings"
    )
    truncated: Annotated[tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(as_list)] = Field(
        description="numbers of layers that are left of the encoder"
    )


class AnnotatedChapter(ChapterSettings):
    """What notebooks share in which an encoder learns layers of annotation."""

    # As the parser of chapter 3.
    fits_together: ClassVar[bool] = False

    annotated: str = Field(min_length=1, description="annotated corpus of the tasks")
    learnt: Layers = Field(min_length=1, description=LEARNT)
    sentences: int | None = Field(
        default=None, ge=4, description="annotated training sentences; all where not given"
    )
    lr_decoder: float = Field(default=1e-3, gt=0, le=1, description="peak rate of the decoders")
    word_dropout: Annotated[float, Field(ge=0, lt=1)] = Field(
        description="share of word pieces that training replaces by [MASK]"
    )

    @model_validator(mode="after")
    def _each_once(self) -> "AnnotatedChapter":
        if len(set(self.learnt)) < len(self.learnt):
            raise ValueError(f"learnt={list(self.learnt)} names a task twice")
        return self


class StemCellsChapter(AnnotatedChapter):
    """Parameters of chapter 4, the stem cell hypothesis."""

    learnt: Layers = Field(min_length=2, description=LEARNT)
    coefficients: Annotated[tuple[Annotated[float, Field(gt=0)], ...], BeforeValidator(as_list)] = Field(
        min_length=1, description="weights of the penalty on open gates, the same for all tasks"
    )
    gate_rate: float = Field(gt=0, le=1, description="learning rate of the gates")
    gate_init: Literal["xavier", "open"] = Field(
        default="xavier", description="gates begin around one half, as the paper's, or all open"
    )
    gate_epochs: int | None = Field(
        default=None, ge=1, description="passes over the text with gates; as without them where not given"
    )
    gate_runs: int = Field(ge=1, description="runs with gates, each from another beginning")
    pairs: bool = Field(default=False, description="also learn every pair of tasks, and prune after learning")
    probed_sentences: int = Field(ge=20, description="held-out sentences that heads are probed with")


class DualTask(TaskSettings):
    """Parameters of a notebook that only sweeps run: two tasks learned at once, and how they dissociate."""

    companion: str = Field(min_length=1, description="the corpus that is learned beside `corpus`")
    alpha: Share = Field(description="share of all heads that is taken out for a task")
    importance_examples: int = Field(ge=1, description="training texts a task behind the importance of heads")
    tested: int = Field(ge=2, description="held-out texts a task that are scored without heads")
    mode: Literal["FT", "PT"] = Field(description="FT: the encoder learns; PT: it is frozen, its heads learn")

    @model_validator(mode="after")
    def _two_tasks(self) -> "DualTask":
        if self.companion == self.corpus:
            raise ValueError(f"companion={self.companion} is the corpus itself: name another")
        return self


class GlueIAT(SeveralTasks):
    """Parameters of a notebook that only sweeps run: many tasks at once, plainly and head-wise."""

    alpha: Share = Field(description="share of all heads that is tuned for a task")
    delta: Share = Field(description="last share of training in which each task tunes its own heads only")
    appended: Share | None = Field(
        default=None, description="instead, go on from the finished model for one more pass over this share"
    )
    sampling: Sampling = Field(
        default="once", description="once, proportional or annealed: how tasks are mixed"
    )
    arms: Literal["two", "all"] = Field(
        default="two", description="two: plain and IAT; all: random and least important heads as well"
    )
    importance_examples: int = Field(ge=1, description="training texts a task behind the importance of heads")
    submissions: Path | None = Field(
        default=None, description="folder for zips that GLUE's server takes, predicted from its test tables"
    )

    @model_validator(mode="after")
    def _test_tables(self) -> "GlueIAT":
        if self.submissions is not None and self.path is None:
            raise ValueError("submissions needs path=, the folder of GLUE with its test tables")
        return self


class StemTasks(AnnotatedChapter):
    """Parameters of a notebook that only sweeps run: one model of one task of chapter 4, or of several."""

    layers: Layers = Field(
        min_length=1,
        description="what every sentence has, so that models of other tasks learn from the same sentences",
    )

    @model_validator(mode="after")
    def _of_the_layers(self) -> "StemTasks":
        if others := [layer for layer in self.learnt if layer not in self.layers]:
            raise ValueError(f"learnt: {others[0]} is not in layers={list(self.layers)}: add it there")
        return self


CHAPTERS: dict[str, type[ChapterSettings]] = {
    "01_deepview": DeepViewChapter,
    "02_specialization": SpecializationChapter,
    "03_finetuning": FinetuningChapter,
    "04_stem_cells": StemCellsChapter,
}
# Notebooks that are no chapter of the book: sweeps run them.
SWEEP_NOTEBOOKS: dict[str, type[ChapterSettings]] = {
    "dual_task": DualTask,
    "glue_iat": GlueIAT,
    "stem_tasks": StemTasks,
}
NOTEBOOKS = CHAPTERS | SWEEP_NOTEBOOKS


def chapter_name(name: str) -> str:
    """The notebook meant by ``1``, ``01``, ``01_deepview`` or ``notebooks/01_deepview.ipynb``."""
    stem = Path(name).name.removesuffix(".ipynb")
    found = [chapter for chapter in NOTEBOOKS if stem == chapter or stem.zfill(2) == chapter.split("_")[0]]
    if not found:
        raise SettingsError(f"no notebook is called {name!r}; {near(stem, NOTEBOOKS)}")
    return found[0]
