"""What fine-tuning changes inside an encoder: probes, similarity by layer, freezing and truncation."""

from encoder_atlas.finetuning.rsa_texts import rsa_by_text, token_sample
from encoder_atlas.finetuning.similarity import cka, rsa
from encoder_atlas.finetuning.states import LayerStates, layer_states

__all__ = [
    "LayerStates",
    "cka",
    "layer_states",
    "rsa",
    "rsa_by_text",
    "token_sample",
]
