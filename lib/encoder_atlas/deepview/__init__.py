"""DeepView: maps of a classifier's decisions around a set of points."""

from encoder_atlas.deepview.advisor import Advice, advise_every, advise_lambda
from encoder_atlas.deepview.attacks import add_clause, add_url, strongest
from encoder_atlas.deepview.case_maps import GROUP, CaseMap, map_cases, points_shown, side_by_side
from encoder_atlas.deepview.cases import Case, cases_of, shown_texts
from encoder_atlas.deepview.claims import (
    claim_samples,
    comparison_claims,
    glue_claims,
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
from encoder_atlas.deepview.hunt import (
    Hunt,
    HuntResult,
    Ordinary,
    advglue_hunt,
    hunt_note,
    ordinary_sentences,
    url_hunt,
)
from encoder_atlas.deepview.inverse import InverseMap
from encoder_atlas.deepview.models import (
    CONTROL,
    control_note,
    fit_models,
    models_of,
    opposite_ends,
    task_table,
)
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
from encoder_atlas.deepview.readings import OTHER_READINGS, compare_readings, readings_table
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
    task_spaces,
)
from encoder_atlas.deepview.transfer import (
    Transfer,
    baselines_of,
    head_transfer,
    learned_table,
    transfer_with_controls,
)
from encoder_atlas.deepview.view import DecisionFrame, DeepView, Quality

__all__ = [
    "CONTROL",
    "GROUP",
    "OTHER_READINGS",
    "AdversarialSearch",
    "Advice",
    "Agreement",
    "Case",
    "CaseMap",
    "Classifier",
    "DecisionFrame",
    "DeepView",
    "DeepViewSettings",
    "Hunt",
    "HuntResult",
    "InverseMap",
    "MapCost",
    "ModelComparison",
    "NearestSearch",
    "Neighbours",
    "Ordinary",
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
    "advglue_hunt",
    "advise_every",
    "advise_lambda",
    "agreement",
    "as_classifier",
    "background_error",
    "baselines_of",
    "better_than_majority",
    "better_than_random",
    "blend",
    "blends_shown",
    "cases_of",
    "certainty",
    "claim_samples",
    "compare_models",
    "compare_poolings",
    "compare_readings",
    "compare_views",
    "comparison_claims",
    "comparison_table",
    "confused_pairs",
    "confused_pairs_frame",
    "confusion_frame",
    "control_distance",
    "control_note",
    "cost_over_points",
    "dataset_of",
    "discriminative_distance",
    "draw_background",
    "draw_sample",
    "embed",
    "embed_neighbours",
    "errors_table",
    "find_regions",
    "fit_models",
    "glue_claims",
    "head_transfer",
    "hunt_note",
    "js_metric",
    "learned_table",
    "map_cases",
    "map_cost",
    "models_of",
    "neighbour_ranks",
    "opposite_ends",
    "ordinary_sentences",
    "plot_blends",
    "plot_confusions",
    "plot_cost",
    "plot_errors",
    "plot_neighbourhoods",
    "plot_search",
    "plot_transfer",
    "plot_walk",
    "points_shown",
    "printed_comparison",
    "printed_errors",
    "printed_scores",
    "printed_summary",
    "printed_sweep",
    "q_data",
    "q_knn",
    "quality_sweep",
    "rank_points",
    "readings_table",
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
    "shown_texts",
    "side_by_side",
    "space_claims",
    "strongest",
    "summary_table",
    "sweep_cases",
    "task_errors",
    "task_space",
    "task_spaces",
    "task_table",
    "transfer_claims",
    "transfer_with_controls",
    "url_hunt",
    "walk",
]
