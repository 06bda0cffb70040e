"""What goes in: tasks, where their text comes from, and how it is cut into batches."""

from encoder_atlas.text.batching import length_buckets

__all__ = ["length_buckets"]
