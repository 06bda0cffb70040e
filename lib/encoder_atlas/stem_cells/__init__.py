"""The stem cell hypothesis: which heads tasks claim when an encoder is pruned for one of them, or for all."""

from encoder_atlas.stem_cells.gate_hook import GateHook, StaticGateHook, gated_heads
from encoder_atlas.stem_cells.gated import LAST, VIEWS, GatedAnnotator, fit_gated, prune_static
from encoder_atlas.stem_cells.gates import OPEN, WIDE_OPEN, GateSettings, HardConcrete

__all__ = [
    "LAST",
    "OPEN",
    "VIEWS",
    "WIDE_OPEN",
    "GateHook",
    "GateSettings",
    "GatedAnnotator",
    "HardConcrete",
    "StaticGateHook",
    "fit_gated",
    "gated_heads",
    "prune_static",
]
