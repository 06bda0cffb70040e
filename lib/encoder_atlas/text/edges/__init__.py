"""Edge probing: spans in a sentence and what holds of them.

Tasks are read off annotated sentences (``of_corpus``), loaded from files or written by the grammar
(``load_edges``), or put together by hand (``edge_task``).

>>> from encoder_atlas.text.edges import EdgeSpec, load_edges
>>> spec = EdgeSpec(name="roles", source="generated", corpus="proto-roles", train=40, dev=10)
>>> task = load_edges(spec)
>>> task.two_spans, task.split("dev").targets.shape
(True, (10, 5))
"""

from encoder_atlas.text.edges.baselines import best_constant_f1, majority_f1, micro_f1, span_words_f1
from encoder_atlas.text.edges.build import Edge, EdgeSentence, edge_task
from encoder_atlas.text.edges.from_layers import EDGE_KINDS, EdgeKind, of_corpus
from encoder_atlas.text.edges.load import load_edges
from encoder_atlas.text.edges.spec import EdgeSpec
from encoder_atlas.text.edges.task import NO_SPAN, EdgeSplit, EdgeTask

__all__ = [
    "EDGE_KINDS",
    "NO_SPAN",
    "Edge",
    "EdgeKind",
    "EdgeSentence",
    "EdgeSpec",
    "EdgeSplit",
    "EdgeTask",
    "best_constant_f1",
    "edge_task",
    "load_edges",
    "majority_f1",
    "micro_f1",
    "of_corpus",
    "span_words_f1",
]
