"""Functional specialization of attention heads: which heads a task needs, and which tasks share them."""

from encoder_atlas.specialization.affinity import TransferLosses, ahp, transfer_losses
from encoder_atlas.specialization.brain import CNMSettings, cnm
from encoder_atlas.specialization.chance import chance_score
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
from encoder_atlas.specialization.glue_predictions import glue_predictions, submit
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
from encoder_atlas.specialization.iat import IATModel, iat_fit
from encoder_atlas.specialization.iat_arms import (
    IAT,
    PLAIN,
    RANDOM,
    Arms,
    ablation_arms,
    measure_arms,
    reading_arms,
    swept_arms,
    train_arms,
)
from encoder_atlas.specialization.iat_claims import (
    iat_claims,
    iat_seed_claims,
    transfer_claims,
)
from encoder_atlas.specialization.iat_figures import plot_arms, plot_few_shot, plot_rate, plot_swept
from encoder_atlas.specialization.iat_settings import IATSettings, rate_share
from encoder_atlas.specialization.iat_tables import (
    ablation_table,
    few_shot_table,
    printed_glue_table,
    score_table,
)
from encoder_atlas.specialization.importance import GatedNet, gate_gradients, head_importance, task_gradients
from encoder_atlas.specialization.overview import (
    control_table,
    learned_table,
    sampling_table,
    with_dev,
    with_train,
)
from encoder_atlas.specialization.paired import bootstrap_p, paired_differences
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
from encoder_atlas.specialization.printed_iat import (
    printed_ablation,
    printed_few_shot,
    printed_gains,
    printed_glue,
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
from encoder_atlas.specialization.similarities import (
    Reading,
    fit_similarities,
    mean_pairs,
    read_or_simulate,
    similarities,
)
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
from encoder_atlas.specialization.transfer import SHOTS, FewShot, few_shot, few_shot_summary, shots_of

__all__ = [
    "IAT",
    "PLAIN",
    "RANDOM",
    "SHOTS",
    "AlphaSweep",
    "Arms",
    "AssignmentControl",
    "CNMSettings",
    "Case",
    "Dissociation",
    "Draws",
    "Estimate",
    "FewShot",
    "GateGradients",
    "GatedNet",
    "HeadImportance",
    "HeadPruning",
    "IATModel",
    "IATSettings",
    "NullDistribution",
    "Pruned",
    "Reading",
    "Recording",
    "SimilarityFit",
    "SpecializationSettings",
    "TransferLosses",
    "ablation_arms",
    "ablation_table",
    "ahp",
    "assignment_control",
    "bootstrap_p",
    "case_table",
    "chance_score",
    "cnm",
    "compare_readings",
    "control_table",
    "cra",
    "dissociation",
    "dissociation_interval",
    "dissociation_scores",
    "dse",
    "dual_table",
    "few_shot",
    "few_shot_summary",
    "few_shot_table",
    "find_importance",
    "fit_frame",
    "fit_similarities",
    "fit_similarity",
    "floor_check",
    "frozen_claims",
    "gate_gradients",
    "glue_predictions",
    "head_count",
    "head_importance",
    "head_scores",
    "head_sets",
    "iap_claims",
    "iat_claims",
    "iat_fit",
    "iat_seed_claims",
    "layer_frame",
    "learned_table",
    "least_heads",
    "mean_pairs",
    "measure_arms",
    "name_case",
    "null_distribution",
    "overlap",
    "overlap_table",
    "overlaps",
    "pair_score_table",
    "pair_scores",
    "pair_table",
    "pair_version",
    "paired_differences",
    "paradigm_claims",
    "plot_alpha",
    "plot_arms",
    "plot_few_shot",
    "plot_layers",
    "plot_overlaps",
    "plot_pairs",
    "plot_rate",
    "plot_readings",
    "plot_similarity",
    "plot_swept",
    "predict_pruned",
    "printed_ablation",
    "printed_dissociation",
    "printed_few_shot",
    "printed_gains",
    "printed_glue",
    "printed_glue_table",
    "printed_overlaps",
    "printed_pair_scores",
    "printed_pairs",
    "printed_paradigms",
    "printed_scores",
    "printed_task_scores",
    "prune",
    "prune_table",
    "random_heads",
    "rate_share",
    "read_or_simulate",
    "read_recordings",
    "read_scores",
    "reading_arms",
    "reading_claims",
    "relative_performance",
    "resample",
    "run_iap",
    "sampling_table",
    "score_heads",
    "score_table",
    "shots_of",
    "similarities",
    "similarity_claims",
    "simulate_recordings",
    "submit",
    "sweep_alpha",
    "swept_arms",
    "task_gradients",
    "top_heads",
    "train_arms",
    "transfer_claims",
    "transfer_losses",
    "with_dev",
    "with_train",
]
