"""The stem cell hypothesis: which heads tasks claim when an encoder is pruned for one of them, or for all."""

from encoder_atlas.stem_cells.claims import (
    best_pair,
    gain,
    joint_claims,
    kind_claims,
    mildest,
    pruning_claims,
)
from encoder_atlas.stem_cells.figures_gates import (
    GATE_WORDS,
    gate_grids,
    plot_agreement,
    plot_claimed,
    plot_closing,
    plot_layer_use,
    plot_pruning,
)
from encoder_atlas.stem_cells.gate_hook import GateHook, StaticGateHook, gated_heads
from encoder_atlas.stem_cells.gated import LAST, VIEWS, GatedAnnotator, fit_gated, prune_static
from encoder_atlas.stem_cells.gates import OPEN, WIDE_OPEN, GateSettings, HardConcrete
from encoder_atlas.stem_cells.head_claims import layer_claims, overlap_claims
from encoder_atlas.stem_cells.head_use import (
    Agreement,
    agreement,
    agreement_frame,
    claimed,
    layer_use,
    run_consistency,
    stem_cells,
)
from encoder_atlas.stem_cells.learnt import SETTLED, LearntGates
from encoder_atlas.stem_cells.scored import MEASURES, Scored, scored
from encoder_atlas.stem_cells.tables import (
    joint_gains,
    pruning_frame,
    pruning_table,
    score_frame,
    task_table,
)

__all__ = [
    "GATE_WORDS",
    "LAST",
    "MEASURES",
    "OPEN",
    "SETTLED",
    "VIEWS",
    "WIDE_OPEN",
    "Agreement",
    "GateHook",
    "GateSettings",
    "GatedAnnotator",
    "HardConcrete",
    "LearntGates",
    "Scored",
    "StaticGateHook",
    "agreement",
    "agreement_frame",
    "best_pair",
    "claimed",
    "fit_gated",
    "gain",
    "gate_grids",
    "gated_heads",
    "joint_claims",
    "joint_gains",
    "kind_claims",
    "layer_claims",
    "layer_use",
    "mildest",
    "overlap_claims",
    "plot_agreement",
    "plot_claimed",
    "plot_closing",
    "plot_layer_use",
    "plot_pruning",
    "prune_static",
    "pruning_claims",
    "pruning_frame",
    "pruning_table",
    "run_consistency",
    "score_frame",
    "scored",
    "stem_cells",
    "task_table",
]
