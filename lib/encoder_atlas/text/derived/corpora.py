"""The generated sentence tasks by name, and how they are loaded."""

from dataclasses import dataclass, field, replace

from encoder_atlas.text.derived.acceptability import LABEL_NAMES as ACCEPTABILITY
from encoder_atlas.text.derived.acceptability import write_acceptability
from encoder_atlas.text.derived.answering import write_question_answering
from encoder_atlas.text.derived.facts import RELATIONS
from encoder_atlas.text.derived.inference import write_entailment, write_inference
from encoder_atlas.text.derived.paraphrase import LABEL_NAMES as PARAPHRASE
from encoder_atlas.text.derived.paraphrase import write_paraphrase
from encoder_atlas.text.derived.question_inference import LABEL_NAMES as QUESTION_INFERENCE
from encoder_atlas.text.derived.question_inference import write_question_inference
from encoder_atlas.text.derived.rows import Maker, write_rows
from encoder_atlas.text.derived.similarity import write_similarity
from encoder_atlas.text.derived.topics import write_topics
from encoder_atlas.text.derived.vocabulary import Vocabulary, vocabulary_of
from encoder_atlas.text.paired import pair_version
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import KIND_OF_TEXTS, Metric, Target, Task

DEFAULT_DOMAIN = "business"
SCORES = 11  # 0 to 5 in halves


@dataclass(frozen=True)
class DerivedCorpus:
    """A task that is written on the spot.

    Attributes:
        make: writes a row, given its turn: the number of its label, or of its score in halves.
        text_columns: names of its texts.
        note: what a reader is told of it.
        label_names: the classes; () for scores and answers.
        topics: the classes are the topics of the domain.
        paired: the texts are written singly and then paired.
        sizes: rows of each split where the spec names none.
    """

    make: Maker
    text_columns: tuple[str, ...]
    note: str
    label_names: tuple[str, ...] = ()
    topics: bool = False
    paired: bool = False
    target: Target = "class"
    metric: Metric = "accuracy"
    sizes: dict[str, int] = field(default_factory=lambda: {"train": 4000, "dev": 1000})

    def classes(self, words: Vocabulary) -> tuple[str, ...]:
        """The classes in a domain."""
        return tuple(words.file.topics) if self.topics else self.label_names


DERIVED = {
    "acceptability": DerivedCorpus(
        write_acceptability,
        ("sentence",),
        "Generated text: sentences that a grammar of this project wrote, half of them with one fault.",
        ACCEPTABILITY,
    ),
    "inference": DerivedCorpus(
        write_inference,
        ("premise", "hypothesis"),
        "Generated text: premises and hypotheses about events that a grammar of this project wrote.",
        RELATIONS,
    ),
    "entailment": DerivedCorpus(
        write_entailment,
        ("premise", "hypothesis"),
        "Generated text: premises and hypotheses about events that a grammar of this project wrote.",
        ("entailment", "not_entailment"),
    ),
    "paraphrase": DerivedCorpus(
        write_paraphrase,
        ("first", "second"),
        "Generated text: pairs of sentences about events that a grammar of this project wrote.",
        PARAPHRASE,
    ),
    "similarity": DerivedCorpus(
        write_similarity,
        ("first", "second"),
        "Generated text: pairs of sentences about events that a grammar of this project wrote, scored by how "
        "many of five parts they share.",
        target="score",
        metric="pearson",
    ),
    "question-answering": DerivedCorpus(
        write_question_answering,
        ("question", "context"),
        "Generated text: questions and paragraphs about events that a grammar of this project wrote.",
        target="answer",
        metric="f1",
    ),
    "question-inference": DerivedCorpus(
        write_question_inference,
        ("question", "sentence"),
        "Generated text: questions and sentences about events that a grammar of this project wrote.",
        QUESTION_INFERENCE,
    ),
    "topics": DerivedCorpus(
        write_topics,
        ("sentence",),
        "Generated text: sentences about events that a grammar of this project wrote, by what is acted on.",
        topics=True,
    ),
    "topics-paired": DerivedCorpus(
        write_topics,
        ("sentence",),
        "Generated text: sentences about events that a grammar of this project wrote, by what is acted on.",
        topics=True,
        paired=True,
    ),
}


def load_derived(spec: TaskSpec) -> Task:
    """Write the corpus that the spec names; the same seed, domain and sizes give the same rows everywhere.

    Raises:
        DataError: if the grammar has too few rows for the sizes, or its words are missing or damaged.
    """
    corpus = DERIVED[spec.corpus]
    domain = spec.domain or DEFAULT_DOMAIN
    classes = corpus.classes(vocabulary_of(domain))
    # The texts of the paired topics are those of the topics.
    name = spec.corpus.removesuffix("-paired")
    step = 2 * len(classes) if corpus.paired else 1
    turns = len(classes) or SCORES

    def rows(split: str, asked: int | None):
        size = -(-(asked or corpus.sizes[split]) // step) * step
        return write_rows(
            name,
            corpus.make,
            [row % turns for row in range(size)],
            corpus.text_columns,
            split,
            domain,
            spec.seed,
        )

    task = Task(
        name=spec.name,
        kind=KIND_OF_TEXTS[len(corpus.text_columns)],
        text_columns=corpus.text_columns,
        label_names=classes,
        metric=corpus.metric,
        splits={"train": rows("train", spec.train), "dev": rows("dev", spec.dev)},
        source_note=f"{corpus.note} Domain: {domain}.",
        target=corpus.target,
    )
    return replace(pair_version(task, spec.seed), name=spec.name) if corpus.paired else task
