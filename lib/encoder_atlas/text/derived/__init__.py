"""Sentence tasks made of the grammar's events: what follows from what is known, because the events are.

Each task is a corpus of the source "generated": acceptability, inference, entailment, paraphrase, similarity,
question-answering, question-inference, topics and topics-paired, in the domains "business" and "science".

>>> from encoder_atlas.text import TaskSpec, load_task
>>> spec = TaskSpec(name="nli", source="generated", corpus="inference", domain="science", train=30, dev=9)
>>> load_task(spec).label_names
('entailment', 'neutral', 'contradiction')
"""

from encoder_atlas.text.derived.corpora import DERIVED, load_derived

__all__ = ["DERIVED", "load_derived"]
