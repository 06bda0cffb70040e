"""The same architecture with weights that have learnt nothing: the floor under every probe."""

import copy

import torch
from transformers import AutoModel

from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.quiet import quiet_transformers


def randomised(encoder: Encoder, seed: int = 0) -> Encoder:
    """An encoder with the configuration and tokenizer of ``encoder`` and all weights drawn anew.

    Weights are drawn as the model's own class draws them before pre-training, the embeddings too. What a
    probe reads from such an encoder comes from the words, their places and the probe itself. (What we have of
    Merchant et al. names a randomised baseline without saying how it is drawn: this is our reading.)
    """
    config = copy.deepcopy(encoder.model.config)
    attention = config._attn_implementation
    with torch.random.fork_rng(devices=[]), quiet_transformers():
        torch.default_generator.manual_seed(seed)
        model = AutoModel.from_config(config, attn_implementation=attention)
    made = Encoder.of(model, copy.deepcopy(encoder.tokenizer), f"{encoder.name} randomised ({seed})")
    return made.to(encoder.device)
