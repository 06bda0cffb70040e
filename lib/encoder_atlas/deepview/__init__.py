"""DeepView: maps of a classifier's decisions around a set of points."""

from encoder_atlas.deepview.advisor import Advice, advise_every, advise_lambda
from encoder_atlas.deepview.attacks import add_clause, add_url, strongest
from encoder_atlas.deepview.cases import Case, cases_of
from encoder_atlas.deepview.claims import (
    claim_samples,
    comparison_claims,
    search_claims,
    space_claims,
    transfer_claims,
)
from encoder_atlas.deepview.classifier import Classifier, as_classifier
from encoder_atlas.deepview.comparison import ModelComparison, compare_models, compare_views
from encoder_atlas.deepview.comparison_table import comparison_table, printed_comparison
from encoder_atlas.deepview.cost import MapCost, cost_over_points, map_cost
from encoder_atlas.deepview.distance import blend, control_distance, discriminative_distance, js_metric
from encoder_atlas.deepview.embed import embed, embed_neighbours
from encoder_atlas.deepview.figures import Walk, blends_shown, plot_blends, plot_walk, walk
from encoder_atlas.deepview.figures_compare import plot_confusions, plot_neighbourhoods, plot_transfer
from encoder_atlas.deepview.figures_quality import plot_errors
from encoder_atlas.deepview.figures_scale import plot_cost
from encoder_atlas.deepview.game import search_game
from encoder_atlas.deepview.grid import certainty, draw_background
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.nearest import NearestSearch, Neighbours
from encoder_atlas.deepview.neighbourhoods import Agreement, agreement, neighbour_ranks
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
from encoder_atlas.deepview.task_space import (
    TaskSpace,
    confused_pairs,
    confused_pairs_frame,
    confusion_frame,
    task_space,
)
from encoder_atlas.deepview.transfer import Transfer, head_transfer
from encoder_atlas.deepview.view import DecisionFrame, DeepView, Quality

__all__ = [
    "AdversarialSearch",
    "Advice",
    "Agreement",
    "Case",
    "Classifier",
    "DecisionFrame",
    "DeepView",
    "DeepViewSettings",
    "InverseMap",
    "MapCost",
    "ModelComparison",
    "NearestSearch",
    "Neighbours",
    "PoolingComparison",
    "Quality",
    "QualitySweep",
    "Ranking",
    "TaskSpace",
    "Transfer",
    "Walk",
    "add_clause",
    "add_url",
    "adversarial_search",
    "advise_every",
    "advise_lambda",
    "agreement",
    "as_classifier",
    "background_error",
    "better_than_majority",
    "better_than_random",
    "blend",
    "blends_shown",
    "cases_of",
    "certainty",
    "claim_samples",
    "compare_models",
    "compare_poolings",
    "compare_views",
    "comparison_claims",
    "comparison_table",
    "confused_pairs",
    "confused_pairs_frame",
    "confusion_frame",
    "control_distance",
    "cost_over_points",
    "dataset_of",
    "discriminative_distance",
    "draw_background",
    "draw_sample",
    "embed",
    "embed_neighbours",
    "errors_table",
    "find_regions",
    "head_transfer",
    "js_metric",
    "map_cost",
    "neighbour_ranks",
    "plot_blends",
    "plot_confusions",
    "plot_cost",
    "plot_errors",
    "plot_neighbourhoods",
    "plot_search",
    "plot_transfer",
    "plot_walk",
    "printed_comparison",
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
    "search_claims",
    "search_curve",
    "search_effect",
    "search_game",
    "search_savings",
    "search_summary",
    "setting_errors",
    "space_claims",
    "strongest",
    "summary_table",
    "sweep_cases",
    "task_errors",
    "task_space",
    "transfer_claims",
    "walk",
]
