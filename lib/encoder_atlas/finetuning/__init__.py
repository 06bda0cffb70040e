"""What fine-tuning changes inside an encoder: probes, similarity by layer, freezing and truncation."""

from encoder_atlas.finetuning.states import LayerStates, layer_states

__all__ = ["LayerStates", "layer_states"]
