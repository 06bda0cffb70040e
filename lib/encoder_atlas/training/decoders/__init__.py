"""Decoders: what turns the vectors of words into a layer, such as tags or a dependency tree."""

from encoder_atlas.text.layers import Layer
from encoder_atlas.training.decoders.base import Decoder, DecoderSettings
from encoder_atlas.training.decoders.biaffine import Biaffine
from encoder_atlas.training.decoders.brackets import BracketCounts, BracketRules, compare_brackets
from encoder_atlas.training.decoders.constituents import ConstituentDecoder
from encoder_atlas.training.decoders.counted import CountedDecoder, Counts
from encoder_atlas.training.decoders.dependencies import DependencyDecoder, attachment
from encoder_atlas.training.decoders.entities import EntityDecoder
from encoder_atlas.training.decoders.roles import RoleDecoder
from encoder_atlas.training.decoders.tags import TagDecoder
from encoder_atlas.training.decoders.tree_crf import TreeCRF
from encoder_atlas.training.decoders.trees import maximum_tree, projective_tree

DECODERS: dict[Layer, type[Decoder]] = {
    decoder.layer: decoder
    for decoder in (TagDecoder, DependencyDecoder, EntityDecoder, ConstituentDecoder, RoleDecoder)
}

__all__ = [
    "DECODERS",
    "Biaffine",
    "BracketCounts",
    "BracketRules",
    "ConstituentDecoder",
    "CountedDecoder",
    "Counts",
    "Decoder",
    "DecoderSettings",
    "DependencyDecoder",
    "EntityDecoder",
    "RoleDecoder",
    "TagDecoder",
    "TreeCRF",
    "attachment",
    "compare_brackets",
    "maximum_tree",
    "projective_tree",
]
