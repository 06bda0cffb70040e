"""What is looked into: loading encoders, where each family keeps its heads, gates, pooling."""

from encoder_atlas.encoders.depth import check_depth, freeze, truncated
from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.families import FAMILIES, Family
from encoder_atlas.encoders.gates import HeadGates
from encoder_atlas.encoders.layout import AttentionLayer, HeadSlice, Layout, layout_of
from encoder_atlas.encoders.load import load_encoder
from encoder_atlas.encoders.packaged import PACKAGED
from encoder_atlas.encoders.pooling import Pooling, pool
from encoder_atlas.encoders.randomised import randomised
from encoder_atlas.encoders.removal import remove_heads
from encoder_atlas.encoders.tiny import TINY
from encoder_atlas.encoders.words import WordBatch, padded, split_words, word_means

__all__ = [
    "FAMILIES",
    "PACKAGED",
    "TINY",
    "AttentionLayer",
    "Encoder",
    "Family",
    "HeadGates",
    "HeadSlice",
    "Layout",
    "Pooling",
    "WordBatch",
    "check_depth",
    "freeze",
    "layout_of",
    "load_encoder",
    "padded",
    "pool",
    "randomised",
    "remove_heads",
    "split_words",
    "truncated",
    "word_means",
]
