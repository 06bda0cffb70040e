"""Where the hub has the corpora that are known by name, and what its columns and labels are called there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


def _validated() -> Mapping[str, str]:
    return {"train": "train", "dev": "validation"}


@dataclass(frozen=True)
class HubCorpus:
    """A data set on the hub, in its own words.

    Attributes:
        repository: its id, owner/name.
        configuration: which of its parts, where it has several.
        text_columns: its columns of text, in the order of those of the layout for files.
        label_column: its column of labels or scores; "" where rows have answers.
        label_names: its names of the classes in the order of the layout's; () where labels are plain words,
            or numbers to be predicted.
        splits: for each split of ours its name there.
        renamed: text columns of ours that hold other text than those of the layout for files.
    """

    repository: str
    configuration: str | None
    text_columns: tuple[str, ...]
    label_column: str = "label"
    label_names: tuple[str, ...] = ()
    splits: Mapping[str, str] = field(default_factory=_validated)
    renamed: tuple[str, ...] | None = None

    @property
    def place(self) -> Path:
        """What stands in errors where files have a folder."""
        return Path(self.repository, self.configuration or "")

    def __str__(self) -> str:
        return self.repository + (f", configuration {self.configuration!r}" if self.configuration else "")


def _glue(configuration: str, texts: tuple[str, ...], *names: str, **splits: str) -> HubCorpus:
    return HubCorpus(
        "nyu-mll/glue", configuration, texts, label_names=names, splits={**_validated(), **splits}
    )


TWO_SENTENCES = ("sentence1", "sentence2")
ENTAILMENT = ("entailment", "not_entailment")

HUB = {
    "sst2": _glue("sst2", ("sentence",), "negative", "positive"),
    "cola": _glue("cola", ("sentence",), "unacceptable", "acceptable"),
    "mrpc": _glue("mrpc", TWO_SENTENCES, "not_equivalent", "equivalent"),
    "qqp": _glue("qqp", ("question1", "question2"), "not_duplicate", "duplicate"),
    "stsb": _glue("stsb", TWO_SENTENCES),
    "qnli": _glue("qnli", ("question", "sentence"), *ENTAILMENT),
    "mnli": _glue(
        "mnli",
        ("premise", "hypothesis"),
        *("entailment", "neutral", "contradiction"),
        dev="validation_matched",
        dev_mismatched="validation_mismatched",
    ),
    "rte": _glue("rte", TWO_SENTENCES, *ENTAILMENT),
    "wnli": _glue("wnli", TWO_SENTENCES, "not_entailment", "entailment"),
    "agnews": HubCorpus(
        "fancyzhx/ag_news",
        None,
        ("text",),
        label_names=("World", "Sports", "Business", "Sci/Tech"),
        splits={"train": "train", "dev": "test"},
        renamed=("text",),  # title and description in one, where the files have them apart
    ),
    "imdb": HubCorpus(
        "stanfordnlp/imdb",
        None,
        ("text",),
        label_names=("neg", "pos"),
        splits={"train": "train", "dev": "test"},
    ),
    "scitail": HubCorpus(
        "allenai/scitail",
        "tsv_format",
        ("premise", "hypothesis"),
        splits={**_validated(), "test": "test"},
    ),
    "squad": HubCorpus("rajpurkar/squad", None, ("question", "context"), label_column=""),
}
