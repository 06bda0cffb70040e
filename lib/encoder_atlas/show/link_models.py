"""What the widget of attention links must hold to be drawn, and the check that it does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from jaxtyping import Float, UInt8
from numpy import ndarray

from encoder_atlas.errors import DataError
from encoder_atlas.text.layers import Sentence

TOP = 3  # words kept for each look: the strongest, and enough to show what comes next when [CLS] is left out
MOST_WORDS = 40


@dataclass(frozen=True, eq=False)
class LinkModel:
    """What the heads of one encoder attend to in the sentences shown.

    Attributes
    ----------
    name
        What the model is called.
    attention
        Of each sentence, by layer and head, attention from and to positions: [CLS] (0) and then the words.
    best
        Of "dep" and "srl", where probed, the best head of each label: columns label, layer and head (both
        from 1) and accuracy (percent), as ``stem_cells.best_heads`` gives them.
    """

    name: str
    attention: Sequence[Float[ndarray, "_ _ _ _"]]
    best: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def check_links(sentences: Sequence[Sentence], models: Sequence[LinkModel]) -> None:
    """Say what keeps sentences and models from being drawn.

    Raises
    ------
    DataError
        No sentence or model; a sentence that is too long or has neither dependencies nor roles; a name given
        twice; attention of other sentences or heads, or outside [0, 1].
    """
    if not sentences or not models:
        raise DataError("links need at least one sentence and one model")
    for sentence in sentences:
        if len(sentence.words) > MOST_WORDS:
            raise DataError(
                f"sentence {sentence.id!r} has {len(sentence.words)} words: at most {MOST_WORDS} can be shown"
            )
        if not next(gold(sentence), None):
            raise DataError(
                f"sentence {sentence.id!r} has neither dependencies nor roles to hold looks against"
            )
    names = [model.name for model in models]
    for name in names:
        if not name.strip() or names.count(name) > 1:
            raise DataError(f"models {names}: each needs a name of its own")
    for model in models:
        _check_attention(model, sentences, models[0].attention[0].shape[:2] if models[0].attention else ())


def gold(sentence: Sentence) -> Iterator[tuple[str, str, int, int, int]]:
    """The links that annotators see: "dep" or "srl", label, first and last word (from 1), and the head (0 is
    the root). Relations without their subtype."""
    for word, (head, label) in enumerate(zip(sentence.heads or (), sentence.deprels or (), strict=True), 1):
        yield "dep", label.partition(":")[0], word, word, head
    for frame in sentence.frames or ():
        for role in frame.arguments:
            yield "srl", role.label, role.start + 1, role.end, frame.predicate + 1


def strongest(
    attention: Float[ndarray, "layers heads positions positions"], positions: int
) -> UInt8[ndarray, "2 layers heads all_positions top"]:
    """The ``TOP`` positions to which each attends most, and their weights in 255ths; zeros where there are
    none, beyond the sentence."""
    layers, heads, own = attention.shape[:3]
    found = np.zeros((2, layers, heads, positions, TOP), dtype=np.uint8)
    order = np.argsort(-attention, axis=-1, kind="stable")[..., :TOP]
    found[0, :, :, :own, : order.shape[-1]] = order
    weights = np.take_along_axis(attention, order, axis=-1)
    found[1, :, :, :own, : order.shape[-1]] = np.rint(255 * np.clip(weights, 0, 1))
    return found


def _check_attention(model: LinkModel, sentences: Sequence[Sentence], grid: tuple[int, ...]) -> None:
    if len(model.attention) != len(sentences):
        raise DataError(
            f"model {model.name!r} has attention in {len(model.attention)} sentences, not {len(sentences)}"
        )
    for sentence, attention in zip(sentences, model.attention, strict=True):
        positions = len(sentence.words) + 1
        where = f"model {model.name!r}, sentence {sentence.id!r}"
        if attention.shape != (*grid, positions, positions) or 0 in attention.shape:
            raise DataError(
                f"{where}: attention has shape {attention.shape}; wanted {(*grid, positions, positions)}: "
                "layers, heads, and twice [CLS] and the words"
            )
        if not ((attention >= 0) & (attention <= 1 + 1e-4)).all():
            raise DataError(f"{where}: attention lies between 0 and 1, after the softmax")
