"""DeepView: maps of a classifier's decisions around a set of points."""

from encoder_atlas.deepview.advisor import Advice, advise_every, advise_lambda
from encoder_atlas.deepview.attacks import add_clause, add_url, strongest
from encoder_atlas.deepview.cases import Case, cases_of
from encoder_atlas.deepview.classifier import Classifier, as_classifier
from encoder_atlas.deepview.distance import blend, control_distance, discriminative_distance, js_metric
from encoder_atlas.deepview.embed import embed
from encoder_atlas.deepview.figures import Walk, plot_walk, walk
from encoder_atlas.deepview.figures_quality import plot_errors
from encoder_atlas.deepview.game import search_game
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
from encoder_atlas.deepview.regions import Ranking, find_regions, rank_points
from encoder_atlas.deepview.scores import better_than_majority, score_cases
from encoder_atlas.deepview.search import AdversarialSearch, adversarial_search
from encoder_atlas.deepview.search_report import (
    plot_search,
    search_curve,
    search_effect,
    search_savings,
    search_summary,
)
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
    "AdversarialSearch",
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
    "Ranking",
    "Walk",
    "add_clause",
    "add_url",
    "adversarial_search",
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
    "find_regions",
    "js_metric",
    "plot_errors",
    "plot_search",
    "plot_walk",
    "printed_errors",
    "printed_scores",
    "printed_summary",
    "printed_sweep",
    "q_data",
    "q_knn",
    "quality_sweep",
    "rank_points",
    "recomputed_summary",
    "score_cases",
    "score_table",
    "search_curve",
    "search_effect",
    "search_game",
    "search_savings",
    "search_summary",
    "setting_errors",
    "strongest",
    "summary_table",
    "sweep_cases",
    "task_errors",
    "walk",
]
