"""Edge probing: spans in a sentence and what holds of them, from annotated sentences, files or the grammar."""

from encoder_atlas.text.edges.task import NO_SPAN, EdgeSplit, EdgeTask

__all__ = ["NO_SPAN", "EdgeSplit", "EdgeTask"]
