"""Decoders: what turns the vectors of words into a layer, such as tags or a dependency tree."""

from encoder_atlas.training.decoders.trees import maximum_tree, projective_tree

__all__ = ["maximum_tree", "projective_tree"]
