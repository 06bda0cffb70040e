"""DeepView: maps of a classifier's decisions around a set of points."""

from encoder_atlas.deepview.claims import claim_samples
from encoder_atlas.deepview.classifier import Classifier, as_classifier
from encoder_atlas.deepview.distance import blend, control_distance, discriminative_distance, js_metric
from encoder_atlas.deepview.embed import embed
from encoder_atlas.deepview.figures import Walk, plot_blends, plot_walk, walk
from encoder_atlas.deepview.grid import certainty, draw_background
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.printed import better_than_random, printed_errors, printed_summary
from encoder_atlas.deepview.quality import background_error, q_data, q_knn
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.sweep import QualitySweep, draw_sample, quality_sweep
from encoder_atlas.deepview.view import DecisionFrame, DeepView, Quality

__all__ = [
    "Classifier",
    "DecisionFrame",
    "DeepView",
    "DeepViewSettings",
    "InverseMap",
    "Quality",
    "QualitySweep",
    "Walk",
    "as_classifier",
    "background_error",
    "better_than_random",
    "blend",
    "certainty",
    "claim_samples",
    "control_distance",
    "discriminative_distance",
    "draw_background",
    "draw_sample",
    "embed",
    "js_metric",
    "plot_blends",
    "plot_walk",
    "printed_errors",
    "printed_summary",
    "q_data",
    "q_knn",
    "quality_sweep",
    "walk",
]
