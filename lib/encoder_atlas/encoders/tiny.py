"""Encoders of two layers and two heads with random weights, built in code: for tests and the `tiny`
profile."""

import string

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AlbertConfig,
    AutoModel,
    BertConfig,
    DebertaConfig,
    DebertaV2Config,
    DistilBertConfig,
    ElectraConfig,
    GPT2Config,
    OpenAIGPTConfig,
    PreTrainedConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
)

from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.families import FAMILIES
from encoder_atlas.encoders.quiet import quiet_transformers
from encoder_atlas.errors import EncoderError, near

_SPECIAL = {f"{role}_token": f"[{role.upper()}]" for role in ("pad", "unk", "cls", "sep", "mask")}

_SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
# At width 32 the usual spread of 0.02 would leave every layer close to the identity; this one is about 1/√32.
_COMMON = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "initializer_range": 0.2}
_ROWS = {**_COMMON, **_SIZE, "max_position_embeddings": 128}
_GPT = {**_COMMON, "n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 128}
_RELATIVE = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}

TINY: dict[str, tuple[type[PreTrainedConfig], dict[str, object]]] = {
    "bert": (BertConfig, _ROWS),
    "tinybert": (BertConfig, {**_ROWS, "hidden_size": 24, "intermediate_size": 96}),
    "roberta": (RobertaConfig, _ROWS),
    "electra": (ElectraConfig, {**_ROWS, "embedding_size": 16}),
    "deberta": (DebertaConfig, {**_ROWS, **_RELATIVE}),
    "deberta-v2": (DebertaV2Config, {**_ROWS, **_RELATIVE}),
    "deberta-v3": (
        DebertaV2Config,
        {**_ROWS, **_RELATIVE, "share_att_key": True, "position_buckets": 16, "norm_rel_ebd": "layer_norm"},
    ),
    "distilbert": (
        DistilBertConfig,
        {**_COMMON, "dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64, "max_position_embeddings": 128},
    ),
    "albert": (AlbertConfig, {**_ROWS, "embedding_size": 16}),
    "openai-gpt": (OpenAIGPTConfig, _GPT),
    "gpt2": (GPT2Config, _GPT),
}


def tiny_encoder(kind: str, *, seed: int = 0, attn_implementation: str | None = None) -> Encoder:
    """A random encoder of one of the `TINY` kinds; the same seed gives the same weights.

    The tokenizer cuts words into pairs of letters, so that it needs no corpus and knows any lower-cased
    English word.

    Raises:
        EncoderError: no such kind.
        SettingsError: an attention implementation that the family does not have.
    """
    if kind not in TINY:
        raise EncoderError(f"no tiny encoder {kind!r}: {near(kind, TINY)}")
    config_class, values = TINY[kind]
    family = FAMILIES[config_class.model_type]
    family.check_attention(attn_implementation)
    tokenizer = _letter_pairs(family.causal)
    with torch.random.fork_rng(devices=[]), quiet_transformers():
        torch.manual_seed(seed)
        config = config_class(**{**values, "vocab_size": len(tokenizer)})
        model = AutoModel.from_config(config, attn_implementation=attn_implementation)
    return Encoder.of(model, tokenizer, f"tiny:{kind}")


def _letter_pairs(causal: bool) -> PreTrainedTokenizerFast:
    """WordPiece over single characters and pairs of letters; [CLS] and [SEP] unless the family is causal."""
    letters = string.ascii_lowercase
    pieces = [*letters, *string.digits, *(a + b for a in letters for b in letters)]
    tokens = [*_SPECIAL.values(), *string.punctuation, *pieces, *("##" + piece for piece in pieces)]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    if not causal:
        backend.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
        )
    return PreTrainedTokenizerFast(tokenizer_object=backend, **_SPECIAL)
