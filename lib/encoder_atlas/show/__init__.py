"""How results are shown: figure style, figures and the live widgets."""

from encoder_atlas.show.attention_links import AttentionLinks
from encoder_atlas.show.decision_map import DecisionMap
from encoder_atlas.show.decision_maps import DecisionMaps
from encoder_atlas.show.figures import draw_side_by_side, plot_decision_map
from encoder_atlas.show.frames import MapFrame, check_frames, check_side_by_side
from encoder_atlas.show.head_figures import plot_head_grid
from encoder_atlas.show.head_grid import HeadGrid
from encoder_atlas.show.heads import HeadScores, HeadStep, HeadWords
from encoder_atlas.show.layer_figures import plot_layer_strip
from encoder_atlas.show.layer_strip import LayerStrip
from encoder_atlas.show.layers import LayerPanel, LayerStory, LayerTimeline, MovedWord
from encoder_atlas.show.link_models import LinkModel
from encoder_atlas.show.search_game import SearchGame, outline_regions
from encoder_atlas.show.style import class_colours, class_markers, plain, styled, use_style

__all__ = [
    "AttentionLinks",
    "DecisionMap",
    "DecisionMaps",
    "HeadGrid",
    "HeadScores",
    "HeadStep",
    "HeadWords",
    "LayerPanel",
    "LayerStory",
    "LayerStrip",
    "LayerTimeline",
    "LinkModel",
    "MapFrame",
    "MovedWord",
    "SearchGame",
    "check_frames",
    "check_side_by_side",
    "class_colours",
    "class_markers",
    "draw_side_by_side",
    "outline_regions",
    "plain",
    "plot_decision_map",
    "plot_head_grid",
    "plot_layer_strip",
    "styled",
    "use_style",
]
