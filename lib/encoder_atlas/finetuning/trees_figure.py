"""Trees read from an encoder, drawn under the annotated ones."""

from collections.abc import Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Arc
from numpy import ndarray

from encoder_atlas.errors import DataError
from encoder_atlas.finetuning.structural_measures import kept_words, spanning_tree, tree_distances
from encoder_atlas.finetuning.structural_result import heads_of
from encoder_atlas.show import class_colours, plain, styled
from encoder_atlas.text.layers import Sentence

Edges = Sequence[tuple[int, int]]

GOLD, ROOM = "#57606A", 0.35
"""Colour of the annotated edges; and the height that is left free for the words."""


def plot_trees(sentence: Sentence, found: Mapping[str, Edges], punctuation: str = "upos") -> Figure:
    """Draw one panel a tree: annotated edges above the words, those that were found below.

    A found edge is a full line in blue where it is annotated, else a dashed one in orange.
    Punctuation, which takes no part, has no edge above either.

    Args:
        found: by the name of what found them, edges as `StructuralResult.tree` gives them.

    Raises:
        DataError: nothing to draw, an edge outside the sentence, a sentence without a tree or tags.
    """
    if not found:
        raise DataError("there is no recovered tree to draw")
    heads = heads_of(sentence)
    for name, edges in found.items():
        outside = next((edge for edge in edges if not 0 <= min(edge) < max(edge) < len(heads)), None)
        if outside is not None:
            raise DataError(f"{name}: edge {outside} is outside the {len(heads)} words of {sentence.id!r}")
    gold = [
        (a, b) for a, b in spanning_tree(tree_distances(heads), kept_words(sentence, punctuation)).tolist()
    ]
    with styled():
        places = _places(sentence.words)
        size = (max(4.0, 0.115 * float(places[-1]) + 1), 2.5 * len(found) + 0.5)
        figure, axes = plt.subplots(len(found), figsize=size, squeeze=False, layout="constrained")
        for ax, (name, edges) in zip(axes[:, 0], found.items(), strict=True):
            _draw(ax, sentence.words, places, gold, edges)
            right = len({*map(_sorted, edges)} & {*gold})
            ax.set_title(plain(f"{name}: {right} of {len(gold)} edges"))
        figure.legend(handles=_legend(), loc="outside lower left", ncols=3, fontsize=9)
    return figure


def _places(words: Sequence[str]) -> Float64[ndarray, " words"]:
    """The middle of each word on a line, in letters."""
    widths = np.array([len(word) + 1.5 for word in words])
    return np.cumsum(widths) - widths / 2


def _draw(ax: Axes, words: Sequence[str], places: ndarray, gold: Edges, found: Edges) -> None:
    right, wrong = class_colours(2)
    for place, word in zip(places, words, strict=True):
        ax.text(float(place), 0, plain(word), ha="center", va="center", fontsize=9)
    _arcs(ax, places, gold, above=True, color=GOLD)
    of_gold = {*gold}
    _arcs(ax, places, (edge for edge in found if _sorted(edge) in of_gold), above=False, color=right)
    wrongly = (edge for edge in found if _sorted(edge) not in of_gold)
    _arcs(ax, places, wrongly, above=False, color=wrong, dashed=True)
    widest = max((abs(a - b) for a, b in (*gold, *found)), default=1)
    height = ROOM + _height(widest) + 0.1
    ax.set(xlim=(0, places[-1] + len(words[-1]) / 2 + 1), ylim=(-height, height))
    ax.set_axis_off()


def _arcs(
    ax: Axes,
    places: ndarray,
    edges: Iterable[tuple[int, int]],
    *,
    above: bool,
    color: str,
    dashed: bool = False,
) -> None:
    """Half ellipses from word to word; the farther apart in words, the higher."""
    side = 1 if above else -1
    for a, b in edges:
        middle, width = float(places[a] + places[b]) / 2, float(abs(places[a] - places[b]))
        ends = (0, 180) if above else (180, 360)
        height = 2 * _height(abs(a - b))
        arc = Arc((middle, side * ROOM), width, height, theta1=ends[0], theta2=ends[1], lw=1.5, color=color)
        arc.set_linestyle("dashed" if dashed else "solid")
        ax.add_patch(arc)


def _height(words: int) -> float:
    return float(np.sqrt(words))


def _sorted(edge: tuple[int, int]) -> tuple[int, int]:
    return min(edge), max(edge)


def _legend() -> list[Line2D]:
    right, wrong = class_colours(2)
    return [
        Line2D([], [], color=GOLD, label="above: annotated"),
        Line2D([], [], color=right, label="below: found, and annotated"),
        Line2D([], [], color=wrong, ls="--", label="below: found, not annotated"),
    ]
