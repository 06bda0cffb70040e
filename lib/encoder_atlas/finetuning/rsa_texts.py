"""RSA of a base with its tuned models on several texts, from several samples of tokens.

The paper draws 5,000 tokens of in-domain and of out-of-domain text. Whether [CLS] and [SEP] are among them is
not printed; we draw word pieces one by one, without either, and several samples (our reading).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Int64

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError
from encoder_atlas.finetuning.similarity import cka, rsa
from encoder_atlas.finetuning.tokens import CLS, PIECE, SEP, TokenRows, same_tokens, states_at, token_rows
from encoder_atlas.progress import bar

KINDS = {"pieces": PIECE, "[CLS]": CLS, "[SEP]": SEP}


def token_sample(
    rows: TokenRows, n: int, seed: int, kind: int = PIECE, name: str = "the text"
) -> Int64[np.ndarray, " points"]:
    """Draw ``n`` tokens of one kind without replacement: by default pieces of words, no special token.

    Tokens are drawn one by one over all texts, so that a long text gives more. A smaller sample with the same
    seed is the beginning of a larger one.

    Raises:
        DataError: if there are fewer, or ``n`` is below 1.
    """
    there = np.flatnonzero(rows.kind == kind)
    if not 1 <= n <= len(there):
        raise DataError(
            f"{n} tokens cannot be drawn from {name}, which has {len(there)}: draw fewer, or give more text"
        )
    return there[np.random.default_rng(seed).permutation(len(there))[:n]]


def rsa_by_text(
    base: Encoder,
    tuned: Mapping[str, Encoder],
    texts: Mapping[str, Sequence[Any]],
    *,
    tokens: int = 5000,
    samples: int = 3,
    seed: int = 0,
    max_length: int | None = None,
    special: bool = False,
    batch_size: int = 64,
) -> pd.DataFrame:
    """RSA of the base with each tuned model, on each text, by layer and sample of tokens.

    Every model sees the same tokens, and encodes a text once for all samples. Another fine-tuning, or a
    random encoder as a control, is only one model more. Memory: the states of the base and of one model, of
    all samples of one text (3 × 5,000 tokens, 7 layers of 384: 160 MB each, fp32).

    Args:
        base: the encoder before fine-tuning.
        tuned: models of the same tokens and layers, by name.
        texts: by name, such as "in domain" and "Wikipedia"; each a sequence of sentences (strings), pairs
            (tuples of two strings) or lists of words.
        tokens: tokens in a sample; the paper has 5,000.
        samples: how many samples; sample ``i`` is drawn with ``seed + i``.
        max_length: tokens to which a text is cut, as in training. When left out, nothing is cut and a text
            that is longer than the encoder takes is refused.
        special: whether [CLS] and [SEP] are compared too, each on its own (at most ``tokens`` of them), from
            layer 1 on: as embeddings they are alike in every text.

    Returns:
        Columns model, text, tokens ("pieces", "[CLS]" or "[SEP]"), sample, layer (0: embeddings), points (how
        many were compared), similarity (RSA) and cka (debiased): the second opinion, from the same tokens.

    Raises:
        DataError: a text that is too short for the sample or too long for the encoder, no text, no model.
        EncoderError: a model whose tokens or layers are not the base's.
    """
    models = [({"model": name}, lambda encoder=encoder: encoder) for name, encoder in tuned.items()]
    return rsa_frame(
        base,
        models,
        texts,
        tokens=tokens,
        samples=samples,
        seed=seed,
        max_length=max_length,
        special=special,
        batch_size=batch_size,
    )


def rsa_frame(
    base: Encoder,
    models: Iterable[tuple[Mapping[str, Any], Callable[[], Encoder]]],
    texts: Mapping[str, Sequence[Any]],
    *,
    tokens: int,
    samples: int,
    seed: int,
    max_length: int | None,
    special: bool = False,
    batch_size: int = 64,
) -> pd.DataFrame:
    """As ``rsa_by_text``, of models that are made when their turn comes, one at a time.

    ``models`` holds for each the columns that name it and the function that gives it.
    """
    models = list(models)
    if not models or not texts or samples < 1:
        raise DataError(
            f"RSA needs models, texts and samples (got {len(models)}, {len(texts)} and {samples})"
        )
    found: list[pd.DataFrame] = []
    with bar("RSA by text", len(texts) * (1 + len(models)), "encoding") as shown:
        for text, given in texts.items():
            rows = token_rows(base, given, max_length, f"text {text!r}")
            drawn = _drawn(rows, tokens, samples, seed, special, f"text {text!r}")
            union = np.unique(np.concatenate([points for _, _, points in drawn]))
            before = states_at(base, rows, union, batch_size)
            shown.update(1)
            for names, make in models:
                called = ", ".join(str(value) for value in names.values())
                encoder = make()
                same_tokens(base, encoder, called)
                after = states_at(encoder, rows, union, batch_size)
                for kind, sample, points in drawn:
                    at = np.searchsorted(union, points)
                    first = int(kind != "pieces")
                    pair = before[first:, at], after[first:, at], ("the base", called)
                    values = pd.DataFrame({"similarity": rsa(*pair), "cka": cka(*pair)})
                    values.insert(0, "layer", range(first, first + len(values)))
                    common = {**names, "text": text, "tokens": kind, "sample": sample, "points": len(points)}
                    found.append(pd.DataFrame([common] * len(values)).join(values))
                shown.update(1)
    return pd.concat(found, ignore_index=True)


def _drawn(
    rows: TokenRows, tokens: int, samples: int, seed: int, special: bool, name: str
) -> list[tuple[str, int, Int64[np.ndarray, " points"]]]:
    """The tokens of each kind and sample. Where all tokens of a kind fit into a sample there is only one."""
    drawn = [("pieces", i, token_sample(rows, tokens, seed + i, PIECE, name)) for i in range(samples)]
    for kind in ("[CLS]", "[SEP]") if special else ():
        there = int((rows.kind == KINDS[kind]).sum())
        if there >= 4:  # a family without the token has none to report
            n = min(tokens, there)
            drawn += [
                (kind, i, token_sample(rows, n, seed + i, KINDS[kind], name))
                for i in range(samples if n < there else 1)
            ]
    return drawn
