"""Where each family of encoders keeps its heads: one table, read by everything that looks into a layer.

Paths were read in transformers 5.24. TinyBERT, MiniLM and the like are `BertModel`s with another size;
DeBERTa v3 is `DebertaV2Model` with another configuration.
"""

from dataclasses import dataclass, field
from typing import Literal

from encoder_atlas.errors import EncoderError, SettingsError, near

Role = Literal["query", "key", "value", "position", "output"]
Packing = Literal["separate", "fused", "interleaved"]


@dataclass(frozen=True)
class Family:
    """How the models of one architecture name and pack the parts of a layer.

    ``layers`` starts at the base model; ``attention``, ``output`` and ``feed_forward`` at a layer; the others
    at the attention module. ``packing`` tells how query, key and value lie along the output axis of their
    projections: in modules of their own, one after the other in one module (Q of all heads, then K, then V),
    or interleaved (Q, K, V of head 0, then of head 1, …).
    """

    model_type: str
    title: str
    layers: str
    attention: str
    output: str
    query: str
    key: str
    value: str
    feed_forward: tuple[str, str]
    packing: Packing = "separate"
    biases: dict[Role, str] = field(default_factory=dict, hash=False)
    """Biases that are parameters of the attention module instead of a projection's own."""
    position: tuple[str, ...] = ()
    """Projections of relative positions with rows per head; which of them exist depends on the
    configuration."""
    head_counters: tuple[str, ...] = ("num_attention_heads",)
    width_counters: tuple[str, ...] = ("all_head_size",)
    causal: bool = False
    eager_only: bool = False
    token_types: bool = True
    positions_after_pad: bool = False
    """Position ids start at pad id + 1, so that many positions of the table are never used."""
    final_norm: str | None = None
    """A LayerNorm behind the last layer, which the hidden states of earlier layers have not seen."""
    shared: bool = False
    """One layer module is run several times (ALBERT): layers share their parameters."""

    def check_attention(self, implementation: str | None) -> None:
        """Refuse an attention implementation that this family does not have; None takes its default.

        Raises:
            SettingsError: neither "eager" nor "sdpa", or "sdpa" where only "eager" exists.
        """
        offered = ["eager"] if self.eager_only else ["eager", "sdpa"]
        if implementation is not None and implementation not in offered:
            raise SettingsError(
                f"{self.title} has no attn_implementation {implementation!r}: {near(implementation, offered)}"
            )


def _bert_like(
    model_type: str, title: str, token_types: bool = True, positions_after_pad: bool = False
) -> Family:
    return Family(
        model_type=model_type,
        title=title,
        layers="encoder.layer",
        attention="attention.self",
        output="attention.output.dense",
        query="query",
        key="key",
        value="value",
        feed_forward=("intermediate.dense", "output.dense"),
        token_types=token_types,
        positions_after_pad=positions_after_pad,
    )


def _gpt_like(
    model_type: str, title: str, head_counter: str, eager_only: bool, final_norm: str | None = None
) -> Family:
    return Family(
        model_type=model_type,
        title=title,
        layers="h",
        attention="attn",
        output="attn.c_proj",
        query="c_attn",
        key="c_attn",
        value="c_attn",
        feed_forward=("mlp.c_fc", "mlp.c_proj"),
        packing="fused",
        head_counters=(head_counter,),
        width_counters=("split_size",),
        causal=True,
        eager_only=eager_only,
        token_types=False,
        final_norm=final_norm,
    )


FAMILIES: dict[str, Family] = {
    family.model_type: family
    for family in (
        _bert_like("bert", "BERT"),
        _bert_like("roberta", "RoBERTa", token_types=False, positions_after_pad=True),
        _bert_like("electra", "ELECTRA"),
        Family(
            model_type="deberta",
            title="DeBERTa v1",
            layers="encoder.layer",
            attention="attention.self",
            output="attention.output.dense",
            query="in_proj",
            key="in_proj",
            value="in_proj",
            feed_forward=("intermediate.dense", "output.dense"),
            packing="interleaved",
            biases={"query": "q_bias", "value": "v_bias"},
            position=("pos_proj", "pos_q_proj"),
            eager_only=True,
        ),
        Family(
            model_type="deberta-v2",
            title="DeBERTa v2 and v3",
            layers="encoder.layer",
            attention="attention.self",
            output="attention.output.dense",
            query="query_proj",
            key="key_proj",
            value="value_proj",
            feed_forward=("intermediate.dense", "output.dense"),
            position=("pos_key_proj", "pos_query_proj"),
            eager_only=True,
        ),
        Family(
            model_type="distilbert",
            title="DistilBERT",
            layers="transformer.layer",
            attention="attention",
            output="attention.out_lin",
            query="q_lin",
            key="k_lin",
            value="v_lin",
            feed_forward=("ffn.lin1", "ffn.lin2"),
            head_counters=("n_heads",),
            width_counters=(),
            token_types=False,
        ),
        Family(
            model_type="albert",
            title="ALBERT",
            layers="encoder.albert_layer_groups",
            attention="attention",
            output="attention.dense",
            query="query",
            key="key",
            value="value",
            feed_forward=("ffn", "ffn_output"),
            shared=True,
        ),
        _gpt_like("openai-gpt", "GPT", head_counter="n_head", eager_only=True),
        _gpt_like("gpt2", "GPT-2", head_counter="num_heads", eager_only=False, final_norm="ln_f"),
    )
}


def family_of(model_type: str) -> Family:
    """The family of a configuration's ``model_type``.

    Raises:
        EncoderError: no such family in the table; names the near match or all of them.
    """
    if model_type not in FAMILIES:
        raise EncoderError(
            f"no encoder family {model_type!r} in the table of families: {near(model_type, FAMILIES)}; "
            "encoder-decoders and architectures that are not listed cannot be looked into"
        )
    return FAMILIES[model_type]
