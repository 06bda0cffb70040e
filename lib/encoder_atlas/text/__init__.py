"""What goes in: tasks, where their text comes from, and how it is cut into batches."""

from encoder_atlas.text.adversarial import load_adversarial
from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.batching import length_buckets
from encoder_atlas.text.cards import CorpusCard, corpus_cards
from encoder_atlas.text.corpora import load_corpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.edges import EdgeSpec, EdgeTask, load_edges, of_corpus
from encoder_atlas.text.hub_adversarial import load_adversarial_hub
from encoder_atlas.text.load import load_task, load_tasks
from encoder_atlas.text.overlap import disjoint
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import Task
from encoder_atlas.text.unlabelled import load_unlabelled

__all__ = [
    "AnnotatedCorpus",
    "CorpusCard",
    "CorpusSpec",
    "EdgeSpec",
    "EdgeTask",
    "Task",
    "TaskSpec",
    "corpus_cards",
    "disjoint",
    "length_buckets",
    "load_adversarial",
    "load_adversarial_hub",
    "load_corpus",
    "load_edges",
    "load_task",
    "load_tasks",
    "load_unlabelled",
    "of_corpus",
]
