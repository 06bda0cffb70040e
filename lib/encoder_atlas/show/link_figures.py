"""A head's looks against gold links as a figure: in the widget's place where a page cannot hold one."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Arc
from numpy import ndarray

from encoder_atlas.show.style import CLASS_COLOURS, INK, SELECTED, plain

_SOFT = "#8B949E"


def draw_links(
    ax: Axes,
    words: Sequence[str],
    links: Sequence[tuple[str, str, int, int, int]],
    attention: Float[ndarray, "positions positions"],
    label: str,
    cls: bool,
    title: str,
) -> None:
    """Draw words in a row, gold links as arcs above them, and below the strongest look from each word.

    Looks along a gold link, of the label where one is given, are drawn strong. The form is that of the
    widget.

    Args:
        links: kind, label, first and last word (from 1), head (0 is [CLS], for the root).
        cls: whether looks may lead to [CLS].
    """
    names = ["[CLS]", *words]
    shown = [link for link in links if label in ("", link[1])]
    ends = {(word, head) for _, _, start, end, head in shown for word in range(start, end + 1)}
    for _, name, start, end, head in links:
        strong = label in ("", name)
        middle = (start + end) / 2
        _arc(ax, middle, head, 1, CLASS_COLOURS[0] if strong else "#D0D7DE", 1.4)
        if strong:
            x, y = (middle + head) / 2, 0.35 + _height(middle, head) / 2
            ax.text(x, y, plain(name), ha="center", va="bottom", fontsize=7, color=CLASS_COLOURS[0])
    for word in range(1, len(names)):
        row = attention[word].copy()
        if not cls:
            row[0] = -1
        to = int(np.argmax(row))
        hit = (word, to) in ends or (to, word) in ends
        _arc(ax, word, to, -1, SELECTED if hit else _SOFT, 0.8 + 2.5 * float(row[to]))
    for at, word in enumerate(names):
        colour = _SOFT if at == 0 else INK
        ax.text(at, 0, plain(word), ha="center", va="center", fontsize=8, rotation=20, color=colour)
    reach = 0.8 + len(names) * 0.22
    ax.set(xlim=(-0.7, len(names) - 0.3), ylim=(-reach, reach))
    ax.set_title(plain(title), fontsize=10)
    ax.axis("off")


def _height(start: float | int, end: float | int) -> float:
    return 0.5 + 0.4 * abs(end - start)


def _arc(ax: Axes, start: float | int, end: float | int, side: int, colour: str, width: float) -> None:
    middle, span = (start + end) / 2, max(abs(end - start), 0.5)
    angles = (0, 180) if side > 0 else (180, 360)
    ax.add_patch(
        Arc(
            (middle, 0.35 * side),
            span,
            _height(start, end),
            theta1=angles[0],
            theta2=angles[1],
            color=colour,
            lw=width,
        )
    )
