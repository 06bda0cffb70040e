"""What fine-tuning changes inside an encoder: probes, similarity by layer, freezing and truncation."""

from encoder_atlas.finetuning.bands import summary
from encoder_atlas.finetuning.claims import (
    ablation_claims,
    early_claim,
    printed_claims,
    probe_claims,
    similarity_claims,
    structural_claims,
)
from encoder_atlas.finetuning.edge_probe import edge_probe
from encoder_atlas.finetuning.edge_probes import EdgeProbes, edge_probes
from encoder_atlas.finetuning.edge_result import EdgeProbeResult
from encoder_atlas.finetuning.edge_settings import RELEASED, VIEWS, ProbeSettings, View
from encoder_atlas.finetuning.figures import plot_moved, plot_shift, plot_similarity, plot_timeline
from encoder_atlas.finetuning.figures_probes import plot_ablations, plot_mix, plot_probes, plot_structural
from encoder_atlas.finetuning.rsa_texts import rsa_by_text, token_sample
from encoder_atlas.finetuning.shift import Context, WordShift, word_shift
from encoder_atlas.finetuning.similarity import cka, rsa
from encoder_atlas.finetuning.states import LayerStates, layer_states
from encoder_atlas.finetuning.strip import layer_story
from encoder_atlas.finetuning.structural import probe_trees, structural_probes
from encoder_atlas.finetuning.structural_result import StructuralResult, linear_chain, measure_trees
from encoder_atlas.finetuning.structural_settings import RELEASED_STRUCTURAL, StructuralSettings
from encoder_atlas.finetuning.tables import (
    ablation_frame,
    ablation_table,
    best_layer,
    mix_frame,
    probe_frame,
    probe_table,
    score_table,
    similarity_table,
    structural_curves,
    structural_table,
)
from encoder_atlas.finetuning.timeline import Timeline, TimelineHook, timeline_rsa
from encoder_atlas.finetuning.trees_figure import plot_trees
from encoder_atlas.finetuning.tuning import (
    Ablation,
    Source,
    Tuned,
    ablate,
    counts,
    held_out,
    measure_of,
    tune,
)

__all__ = [
    "RELEASED",
    "RELEASED_STRUCTURAL",
    "VIEWS",
    "Ablation",
    "Context",
    "EdgeProbeResult",
    "EdgeProbes",
    "LayerStates",
    "ProbeSettings",
    "Source",
    "StructuralResult",
    "StructuralSettings",
    "Timeline",
    "TimelineHook",
    "Tuned",
    "View",
    "WordShift",
    "ablate",
    "ablation_claims",
    "ablation_frame",
    "ablation_table",
    "best_layer",
    "cka",
    "counts",
    "early_claim",
    "edge_probe",
    "edge_probes",
    "held_out",
    "layer_states",
    "layer_story",
    "linear_chain",
    "measure_of",
    "measure_trees",
    "mix_frame",
    "plot_ablations",
    "plot_mix",
    "plot_moved",
    "plot_probes",
    "plot_shift",
    "plot_similarity",
    "plot_structural",
    "plot_timeline",
    "plot_trees",
    "printed_claims",
    "probe_claims",
    "probe_frame",
    "probe_table",
    "probe_trees",
    "rsa",
    "rsa_by_text",
    "score_table",
    "similarity_claims",
    "similarity_table",
    "structural_claims",
    "structural_curves",
    "structural_probes",
    "structural_table",
    "summary",
    "timeline_rsa",
    "token_sample",
    "tune",
    "word_shift",
]
