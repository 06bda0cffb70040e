"""How the files of known corpora are laid out: seven tasks of GLUE, and a reader's own tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from encoder_atlas.text.task import Metric

ENTAILMENT = ("entailment", "not_entailment")


def _own_files() -> Mapping[str, tuple[str, ...]]:
    return {"train": ("train",), "dev": ("dev",)}


def _glue_files(dev: str = "dev") -> Mapping[str, tuple[str, ...]]:
    """As GLUE names them; else samples of GLUE's train, where only these are at hand."""
    return {"train": ("train", "train_slice"), "dev": (dev, "dev_from_train_slice")}


@dataclass(frozen=True)
class Layout:
    """How the files of a corpus are laid out, and what the reader is told about them.

    Attributes:
        header: names of the columns where the files have no header line.
        files: for each split the names that its file may have, without ending; the first that exists is read.
        drop_damaged: whether rows with a wrong number of cells or an empty text are dropped and counted, as
            the distributed files of some corpora demand; else they are refused.
    """

    text_columns: tuple[str, ...] | None = None
    label_column: str | None = None
    label_names: tuple[str, ...] | None = None
    metric: Metric = "accuracy"
    note: str = "Text from your own files"
    header: tuple[str, ...] | None = None
    files: Mapping[str, tuple[str, ...]] = field(default_factory=_own_files)
    drop_damaged: bool = False


LAYOUTS = {
    "own": Layout(),
    "sst2": Layout(
        text_columns=("sentence",),
        label_column="label",
        label_names=("negative", "positive"),
        note="Phrases and sentences of real movie reviews (SST-2 of GLUE), not generated",
        files=_glue_files(),
    ),
    "cola": Layout(
        text_columns=("sentence",),
        label_column="label",
        label_names=("unacceptable", "acceptable"),
        metric="mcc",
        note="Real example sentences of linguists, acceptable or not (CoLA of GLUE)",
        header=("source", "label", "mark", "sentence"),
        files=_glue_files(),
    ),
    "mrpc": Layout(
        text_columns=("#1 String", "#2 String"),
        label_column="Quality",
        label_names=("not_equivalent", "equivalent"),
        metric="f1",
        note="Pairs of real sentences from news, paraphrases or not (MRPC of GLUE)",
        files=_glue_files(),
    ),
    "qqp": Layout(
        text_columns=("question1", "question2"),
        label_column="is_duplicate",
        label_names=("not_duplicate", "duplicate"),
        note="Pairs of real questions from Quora, asking the same or not (QQP of GLUE)",
        files=_glue_files(),
        drop_damaged=True,
    ),
    "qnli": Layout(
        text_columns=("question", "sentence"),
        label_column="label",
        label_names=ENTAILMENT,
        note="Real questions with a sentence of Wikipedia that holds the answer or not (QNLI of GLUE)",
        files=_glue_files(),
    ),
    "mnli": Layout(
        text_columns=("sentence1", "sentence2"),
        label_column="gold_label",
        label_names=("entailment", "neutral", "contradiction"),
        note="Real premises of several genres with hypotheses written for them (MNLI of GLUE)",
        files=_glue_files("dev_matched"),
    ),
    "rte": Layout(
        text_columns=("sentence1", "sentence2"),
        label_column="label",
        label_names=ENTAILMENT,
        note="Real premises from news and Wikipedia with hypotheses (RTE of GLUE)",
        files=_glue_files(),
    ),
}
