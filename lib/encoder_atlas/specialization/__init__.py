"""Functional specialization of attention heads: which heads a task needs, and which tasks share them."""

from encoder_atlas.specialization.affinity import TransferLosses, ahp, transfer_losses
from encoder_atlas.specialization.brain import CNMSettings, cnm
from encoder_atlas.specialization.claims import (
    Estimate,
    frozen_claims,
    iap_claims,
    paradigm_claims,
    reading_claims,
    similarity_claims,
)
from encoder_atlas.specialization.controls import (
    AssignmentControl,
    NullDistribution,
    assignment_control,
    floor_check,
    null_distribution,
)
from encoder_atlas.specialization.dissociation import (
    Case,
    Dissociation,
    dissociation,
    dissociation_scores,
    name_case,
    pair_scores,
)
from encoder_atlas.specialization.figures import (
    head_scores,
    plot_alpha,
    plot_layers,
    plot_overlaps,
    plot_pairs,
    plot_readings,
)
from encoder_atlas.specialization.figures_similarity import plot_similarity
from encoder_atlas.specialization.heads import (
    head_count,
    layer_frame,
    least_heads,
    overlap,
    overlaps,
    random_heads,
    top_heads,
)
from encoder_atlas.specialization.iap import (
    HeadPruning,
    dissociation_interval,
    find_importance,
    head_sets,
    run_iap,
)
from encoder_atlas.specialization.importance import GatedNet, gate_gradients, head_importance, task_gradients
from encoder_atlas.specialization.paradigm import pair_version
from encoder_atlas.specialization.printed import (
    printed_dissociation,
    printed_overlaps,
    printed_pair_scores,
    printed_pairs,
    printed_paradigms,
    printed_scores,
    printed_task_scores,
)
from encoder_atlas.specialization.pruning import Pruned, predict_pruned, prune, relative_performance
from encoder_atlas.specialization.readings import (
    GateGradients,
    HeadImportance,
    compare_readings,
    read_scores,
    score_heads,
)
from encoder_atlas.specialization.recordings import Recording, read_recordings, simulate_recordings
from encoder_atlas.specialization.resampling import Draws, resample
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.specialization.similarity import SimilarityFit, cra, dse, fit_frame, fit_similarity
from encoder_atlas.specialization.sweep import AlphaSweep, sweep_alpha
from encoder_atlas.specialization.tables import (
    case_table,
    dual_table,
    overlap_table,
    pair_score_table,
    pair_table,
    prune_table,
)

__all__ = [
    "AlphaSweep",
    "AssignmentControl",
    "CNMSettings",
    "Case",
    "Dissociation",
    "Draws",
    "Estimate",
    "GateGradients",
    "GatedNet",
    "HeadImportance",
    "HeadPruning",
    "NullDistribution",
    "Pruned",
    "Recording",
    "SimilarityFit",
    "SpecializationSettings",
    "TransferLosses",
    "ahp",
    "assignment_control",
    "case_table",
    "cnm",
    "compare_readings",
    "cra",
    "dissociation",
    "dissociation_interval",
    "dissociation_scores",
    "dse",
    "dual_table",
    "find_importance",
    "fit_frame",
    "fit_similarity",
    "floor_check",
    "frozen_claims",
    "gate_gradients",
    "head_count",
    "head_importance",
    "head_scores",
    "head_sets",
    "iap_claims",
    "layer_frame",
    "least_heads",
    "name_case",
    "null_distribution",
    "overlap",
    "overlap_table",
    "overlaps",
    "pair_score_table",
    "pair_scores",
    "pair_table",
    "pair_version",
    "paradigm_claims",
    "plot_alpha",
    "plot_layers",
    "plot_overlaps",
    "plot_pairs",
    "plot_readings",
    "plot_similarity",
    "predict_pruned",
    "printed_dissociation",
    "printed_overlaps",
    "printed_pair_scores",
    "printed_pairs",
    "printed_paradigms",
    "printed_scores",
    "printed_task_scores",
    "prune",
    "prune_table",
    "random_heads",
    "read_recordings",
    "read_scores",
    "reading_claims",
    "relative_performance",
    "resample",
    "run_iap",
    "score_heads",
    "similarity_claims",
    "simulate_recordings",
    "sweep_alpha",
    "task_gradients",
    "top_heads",
    "transfer_losses",
]
