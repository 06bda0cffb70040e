"""DeepView: maps of a classifier's decisions around a set of points."""

from encoder_atlas.deepview.advisor import Advice, advise_every, advise_lambda
from encoder_atlas.deepview.cases import Case, cases_of
from encoder_atlas.deepview.classifier import Classifier, as_classifier
from encoder_atlas.deepview.distance import blend, control_distance, discriminative_distance, js_metric
from encoder_atlas.deepview.embed import embed
from encoder_atlas.deepview.figures import Walk, plot_walk, walk
from encoder_atlas.deepview.figures_quality import plot_errors
from encoder_atlas.deepview.grid import certainty, draw_background
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.poolings import PoolingComparison, compare_poolings
from encoder_atlas.deepview.printed import (
    better_than_random,
    dataset_of,
    printed_errors,
    printed_scores,
    printed_summary,
    printed_sweep,
)
from encoder_atlas.deepview.quality import background_error, q_data, q_knn
from encoder_atlas.deepview.scores import better_than_majority, score_cases
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.sweep import QualitySweep, draw_sample, quality_sweep, sweep_cases
from encoder_atlas.deepview.tables import (
    errors_table,
    recomputed_summary,
    score_table,
    setting_errors,
    summary_table,
    task_errors,
)
from encoder_atlas.deepview.view import DecisionFrame, DeepView, Quality

__all__ = [
    "Advice",
    "Case",
    "Classifier",
    "DecisionFrame",
    "DeepView",
    "DeepViewSettings",
    "InverseMap",
    "PoolingComparison",
    "Quality",
    "QualitySweep",
    "Walk",
    "advise_every",
    "advise_lambda",
    "as_classifier",
    "background_error",
    "better_than_majority",
    "better_than_random",
    "blend",
    "cases_of",
    "certainty",
    "compare_poolings",
    "control_distance",
    "dataset_of",
    "discriminative_distance",
    "draw_background",
    "draw_sample",
    "embed",
    "errors_table",
    "js_metric",
    "plot_errors",
    "plot_walk",
    "printed_errors",
    "printed_scores",
    "printed_summary",
    "printed_sweep",
    "q_data",
    "q_knn",
    "quality_sweep",
    "recomputed_summary",
    "score_cases",
    "score_table",
    "setting_errors",
    "summary_table",
    "sweep_cases",
    "task_errors",
    "walk",
]
