"""How the files of known corpora are laid out: GLUE's tasks, five others, and a reader's own tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from encoder_atlas.text.task import Metric, Target

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
        target, score_range, metric: as a Task has them.
        first_label: the number that stands for the first label name, where files have numbers.
        headers: for files of an ending (".tsv") that have no header line, the names of their columns.
        files: for each split the names that its file may have, without ending; the first that exists is read.
        more_files: the same for splits that are read only where their file is there.
        class_folders: the folders that hold a class each, and its label, where a split may be a folder.
        drop_damaged: whether rows with a wrong number of cells or an empty text are dropped and counted, as
            the distributed files of some corpora demand; else they are refused.
    """

    text_columns: tuple[str, ...] | None = None
    label_column: str | None = None
    label_names: tuple[str, ...] | None = None
    metric: Metric = "accuracy"
    note: str = "Text from your own files"
    target: Target = "class"
    score_range: tuple[float, float] = (0.0, 5.0)
    first_label: int = 0
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: Mapping[str, tuple[str, ...]] = field(default_factory=_own_files)
    more_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    class_folders: Mapping[str, str] = field(default_factory=dict)
    drop_damaged: bool = False


GLUE = {
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
        headers={".tsv": ("source", "label", "mark", "sentence")},
        files=_glue_files(),
    ),
    "mrpc": Layout(
        text_columns=("#1 String", "#2 String"),
        label_column="Quality",
        label_names=("not_equivalent", "equivalent"),
        metric="f1",
        note="Pairs of real sentences from news, paraphrases or not (MRPC of GLUE)",
        files=_glue_files(),
        more_files={"test": ("test_msr_labelled",)},
    ),
    "qqp": Layout(
        text_columns=("question1", "question2"),
        label_column="is_duplicate",
        label_names=("not_duplicate", "duplicate"),
        note="Pairs of real questions from Quora, asking the same or not (QQP of GLUE)",
        files=_glue_files(),
        drop_damaged=True,
    ),
    "stsb": Layout(
        text_columns=("sentence1", "sentence2"),
        label_column="score",
        metric="pearson",
        note="Pairs of real sentences from captions, news and forums, with how alike people find them "
        "(STS-B of GLUE)",
        target="score",
        files=_glue_files(),
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
        more_files={"dev_mismatched": ("dev_mismatched", "dev_mismatched_1k_tokenised")},
    ),
    "rte": Layout(
        text_columns=("sentence1", "sentence2"),
        label_column="label",
        label_names=ENTAILMENT,
        note="Real premises from news and Wikipedia with hypotheses (RTE of GLUE)",
        files=_glue_files(),
    ),
    "wnli": Layout(
        text_columns=("sentence1", "sentence2"),
        label_column="label",
        label_names=("not_entailment", "entailment"),
        note="Real sentences with a pronoun, and the same with a noun in its place (WNLI of GLUE)",
        files=_glue_files(),
    ),
}

OTHERS = {
    # Only the description, since the slice has no titles; text_columns=("title", "description") makes pairs.
    "agnews": Layout(
        text_columns=("description",),
        label_column="class",
        label_names=("World", "Sports", "Business", "Sci/Tech"),
        note="Opening sentences of real news articles by topic (AG News)",
        first_label=1,
        headers={".csv": ("class", "title", "description"), ".tsv": ("description", "class")},
        files={"train": ("train", "train_slice"), "dev": ("test",)},
    ),
    "imdb": Layout(
        text_columns=("text",),
        label_column="label",
        label_names=("negative", "positive"),
        note="Real film reviews of IMDb's users, negative or positive",
        files={"train": ("train", "train_sample"), "dev": ("test", "test_sample")},
        class_folders={"neg": "negative", "pos": "positive"},
    ),
    "scitail": Layout(
        text_columns=("premise", "hypothesis"),
        label_column="label",
        label_names=("entails", "neutral"),
        note="Real sentences from the web and statements made from science exams (SciTail)",
        headers={".tsv": ("premise", "hypothesis", "label")},
        files={"train": ("train", "scitail_1.0_train"), "dev": ("dev", "scitail_1.0_dev")},
        more_files={"test": ("test", "scitail_1.0_test")},
    ),
    "squad": Layout(
        text_columns=("question", "context"),
        metric="f1",
        note="Real questions on paragraphs of Wikipedia that hold their answers (SQuAD 1.1)",
        target="answer",
        files={"train": ("train-v1.1", "train"), "dev": ("dev-v1.1", "dev")},
    ),
}

LAYOUTS = {"own": Layout(), **GLUE, **OTHERS}
