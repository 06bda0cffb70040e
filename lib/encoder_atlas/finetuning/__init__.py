"""What fine-tuning changes inside an encoder: probes, similarity by layer, freezing and truncation."""

from encoder_atlas.finetuning.rsa_texts import rsa_by_text, token_sample
from encoder_atlas.finetuning.shift import Context, WordShift, word_shift
from encoder_atlas.finetuning.similarity import cka, rsa
from encoder_atlas.finetuning.states import LayerStates, layer_states
from encoder_atlas.finetuning.timeline import Timeline, TimelineHook, timeline_rsa

__all__ = [
    "Context",
    "LayerStates",
    "Timeline",
    "TimelineHook",
    "WordShift",
    "cka",
    "layer_states",
    "rsa",
    "rsa_by_text",
    "timeline_rsa",
    "token_sample",
    "word_shift",
]
