"""An encoder: a base model, its tokenizer, and what the rest of the atlas asks of the two."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import BatchEncoding, PreTrainedModel, PreTrainedTokenizerBase

from encoder_atlas.encoders.families import Family
from encoder_atlas.encoders.layout import Layout, layout_of
from encoder_atlas.encoders.pooling import Pooling, pool
from encoder_atlas.encoders.quiet import quiet_transformers
from encoder_atlas.errors import DataError, EncoderError, SettingsError

# Where a model was written, by which version and for which task says nothing about what it computes.
_INCIDENTAL = {"_name_or_path", "architectures", "dtype", "transformers_version"}


@dataclass(frozen=True, eq=False)
class Encoder:
    """A transformer without a task head, ready for text.

    ``fingerprint`` is the sha256 of weights, configuration and tokenizer as they were when the encoder was
    made: equal wherever the files lie, and unchanged by later training.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    fingerprint: str

    @classmethod
    def of(cls, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, name: str) -> "Encoder":
        """An encoder from a base model and its tokenizer, which are put in order for it.

        Evaluation mode, no cache of keys and values, padding on the right (GPT counts positions from the left
        and never looks to the right, so that padding there changes nothing), a padding token where the family
        has none.

        Raises:
            EncoderError: family not in the table, no token to pad with, or a tokenizer of another model.
        """
        layout_of(model)
        model.eval()
        model.config.use_cache = False
        tokenizer.padding_side = "right"
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
        if tokenizer.pad_token is None:
            raise EncoderError(
                f"{name}: the tokenizer has no padding, end or unknown token to fill batches with"
            )
        rows = cast(nn.Embedding, model.get_input_embeddings()).num_embeddings
        if not len(tokenizer.all_special_tokens) < len(tokenizer) <= rows:
            raise EncoderError(
                f"{name}: the tokenizer knows {len(tokenizer)} tokens and the model embeds {rows}: they do "
                "not belong together; copy all files of one model into the folder"
            )
        return cls(model, tokenizer, name, _fingerprint(model, tokenizer))

    @cached_property
    def layout(self) -> Layout:
        """The attention layers: projections, and each head's slices of the parameters."""
        return layout_of(self.model)

    @property
    def family(self) -> Family:
        return self.layout.family

    @property
    def n_layers(self) -> int:
        return self.layout.n_layers

    @property
    def n_heads(self) -> int:
        return self.layout.n_heads

    @property
    def d_head(self) -> int:
        return self.layout.d_head

    @property
    def hidden(self) -> int:
        return self.model.config.hidden_size

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def max_length(self) -> int:
        """Tokens that fit, special ones counted."""
        config = self.model.config
        unused = config.pad_token_id + 1 if self.family.positions_after_pad else 0
        return min(config.max_position_embeddings - unused, self.tokenizer.model_max_length)

    def to(self, device: torch.device | str) -> "Encoder":
        """Move the model, in place."""
        self.model.to(device)  # pyright: ignore[reportArgumentType]
        return self

    def tokenize(
        self, texts: Sequence[str] | Sequence[tuple[str, str]], max_length: int | None = None
    ) -> BatchEncoding:
        """One padded batch of tensors from sentences or from pairs of sentences.

        Args:
            texts: sentences, or pairs.
            max_length: tokens to keep, special ones counted; what the encoder takes when left out.

        Raises:
            DataError: no texts, or one without a single token (families without special tokens).
            SettingsError: a ``max_length`` that leaves no room for text or is more than the encoder takes.
        """
        if not len(texts):
            raise DataError("no texts to tokenize")
        first, second = (texts, None) if isinstance(texts[0], str) else zip(*texts, strict=True)
        longest = self.max_length if max_length is None else max_length
        special = self.tokenizer.num_special_tokens_to_add(pair=second is not None)
        if not special < longest <= self.max_length:
            raise SettingsError(
                f"max_length is {longest}; {self.name} takes {special + 1} to {self.max_length}"
            )
        batch = self.tokenizer(
            cast(list[str], list(first)),
            None if second is None else list(second),
            padding=True,
            truncation=True,
            max_length=longest,
            return_tensors="pt",
            return_attention_mask=True,
            return_token_type_ids=self.family.token_types,
        )
        lengths = batch["attention_mask"].sum(1)
        if not lengths.all():
            empty = texts[int(lengths.argmin())]
            raise DataError(f"{self.name} finds no token in the text {empty!r}")
        return batch

    def represent(
        self, batch: BatchEncoding | Mapping[str, Tensor], pooling: Pooling = "cls"
    ) -> Float[Tensor, "batch hidden"]:
        """One vector a sentence: the last hidden states of a tokenized batch, pooled as `pool` does.

        Gradients flow unless the caller turns them off; gates that are set on the model apply.

        Raises:
            EncoderError: "cls" for a family that reads from left to right (its first token has seen nothing
                else), "pooler" where the model has none.
        """
        if pooling == "cls" and self.family.causal:
            raise EncoderError(
                f"{self.name}: the first token of a {self.family.title} sees no other: use pooling 'last' "
                "or 'mean'"
            )
        inputs = {key: value.to(self.device) for key, value in batch.items()}
        output = self.model(**inputs)
        return pool(output.last_hidden_state, inputs["attention_mask"], pooling, output.get("pooler_output"))

    def save(self, folder: Path) -> None:
        """Write configuration, weights (safetensors) and tokenizer to a folder that `load_encoder` reads."""
        with quiet_transformers():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)


def _fingerprint(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> str:
    digest = hashlib.sha256()
    config = {key: value for key, value in model.config.to_dict().items() if key not in _INCIDENTAL}
    digest.update(json.dumps(config, sort_keys=True, default=str).encode())
    digest.update(json.dumps(_tokenizer_state(tokenizer), sort_keys=True).encode())
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def _tokenizer_state(tokenizer: PreTrainedTokenizerBase) -> dict[str, object]:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return dict(tokenizer.get_vocab())
    state = json.loads(backend.to_str())
    # Both are left over from the last batch that went through.
    return {key: value for key, value in state.items() if key not in {"truncation", "padding"}}
