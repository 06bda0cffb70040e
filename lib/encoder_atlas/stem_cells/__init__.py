"""The stem cell hypothesis: which heads tasks claim when an encoder is pruned for one of them, or for all."""

from encoder_atlas.stem_cells.attention import Looks, WordValues, head_batches, read_heads
from encoder_atlas.stem_cells.centroids import centroid_hits, majority_hits, span_items
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
from encoder_atlas.stem_cells.figures_probes import link_model, plot_best_layers, plot_labels, plot_roots
from encoder_atlas.stem_cells.gate_hook import GateHook, StaticGateHook, gated_heads
from encoder_atlas.stem_cells.gated import LAST, VIEWS, GatedAnnotator, fit_gated, prune_static
from encoder_atlas.stem_cells.gates import OPEN, WIDE_OPEN, GateSettings, HardConcrete
from encoder_atlas.stem_cells.head_claims import layer_claims, overlap_claims
from encoder_atlas.stem_cells.head_hits import HeadHits, best_heads
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
from encoder_atlas.stem_cells.links import (
    RootControl,
    gold_links,
    link_hits,
    offset_looks,
    offset_of,
    root_control,
)
from encoder_atlas.stem_cells.probe_claims import macro_gain, probe_claims, roles_deeper, root_lead
from encoder_atlas.stem_cells.probe_tables import (
    gains_and_losses,
    label_changes,
    label_table,
    mean_table,
    probe_frame,
    probe_frames,
)
from encoder_atlas.stem_cells.probes import (
    PROBED,
    HeadProbes,
    ProbeSettings,
    baseline_probes,
    check_items,
    probe_heads,
)
from encoder_atlas.stem_cells.scored import MEASURES, Scored, by_task, scored
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
    "PROBED",
    "SETTLED",
    "VIEWS",
    "WIDE_OPEN",
    "Agreement",
    "GateHook",
    "GateSettings",
    "GatedAnnotator",
    "HardConcrete",
    "HeadHits",
    "HeadProbes",
    "LearntGates",
    "Looks",
    "ProbeSettings",
    "RootControl",
    "Scored",
    "StaticGateHook",
    "WordValues",
    "agreement",
    "agreement_frame",
    "baseline_probes",
    "best_heads",
    "best_pair",
    "by_task",
    "centroid_hits",
    "check_items",
    "claimed",
    "fit_gated",
    "gain",
    "gains_and_losses",
    "gate_grids",
    "gated_heads",
    "gold_links",
    "head_batches",
    "joint_claims",
    "joint_gains",
    "kind_claims",
    "label_changes",
    "label_table",
    "layer_claims",
    "layer_use",
    "link_hits",
    "link_model",
    "macro_gain",
    "majority_hits",
    "mean_table",
    "mildest",
    "offset_looks",
    "offset_of",
    "overlap_claims",
    "plot_agreement",
    "plot_best_layers",
    "plot_claimed",
    "plot_closing",
    "plot_labels",
    "plot_layer_use",
    "plot_pruning",
    "plot_roots",
    "probe_claims",
    "probe_frame",
    "probe_frames",
    "probe_heads",
    "prune_static",
    "pruning_claims",
    "pruning_frame",
    "pruning_table",
    "read_heads",
    "roles_deeper",
    "root_control",
    "root_lead",
    "run_consistency",
    "score_frame",
    "scored",
    "span_items",
    "stem_cells",
    "task_table",
]
