"""One look for every figure and widget: theme, class colours and class markers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import seaborn as sns
from jaxtyping import Float, Int
from matplotlib.colors import to_hex, to_rgb
from matplotlib.typing import RcKeyType
from numpy import ndarray

# Chosen so that any two stay at least 25 apart in CIELAB, for normal sight and for deuteranopia (tests/show
# measure it); the first three also differ in lightness, so that they keep apart on a grey printer.
CLASS_COLOURS = ("#0072B2", "#E69F00", "#882255", "#8C510A", "#66C2A5", "#DDCC77", "#33BBEE", "#332288")

# A second, colourless sign of the class. Matplotlib's names; the widget draws the same shapes.
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")

INK = "#1F2328"
# Frames what is singled out on the sequential scale of ``ramp``, light or dark.
SELECTED = "#D55E00"
# How much of the class colour a wholly certain background holds; the rest is white, so that points stand out.
BACKGROUND_STRENGTH = 0.62

_STYLE = "ticks"
_CONTEXT = "notebook"
_RC: dict[RcKeyType, Any] = {
    "axes.edgecolor": "#8B949E",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "font.size": 10,
    "legend.frameon": False,
    "savefig.bbox": "tight",
    "savefig.dpi": 150,
    "text.color": INK,
}


def use_style() -> None:
    """Set the theme for every figure that follows: called once at the top of a notebook."""
    sns.set_theme(context=_CONTEXT, style=_STYLE, palette=list(CLASS_COLOURS))
    mpl.rcParams.update(_RC)


@contextmanager
def styled() -> Iterator[None]:
    """Hold the theme inside a ``with`` block only, as the figures of this package do."""
    look = {**sns.plotting_context(_CONTEXT), **sns.axes_style(_STYLE), **_RC}
    parameters = cast(dict[str, Any], mpl.rcParams)  # its stubs want literal names
    before = {key: parameters[key] for key in look}
    parameters.update(look)
    try:
        yield
    finally:
        # Not mpl.rc_context: it restores all parameters, and with them switches off the notebook's display of
        # figures, which the first figure drawn inside the block has just switched on.
        parameters.update(before)


def class_colours(n_classes: int) -> list[str]:
    """Give ``n_classes`` colours as ``#rrggbb``: our palette, or evenly spaced hues beyond its eight."""
    if n_classes <= len(CLASS_COLOURS):
        return list(CLASS_COLOURS[:n_classes])
    return [to_hex(colour) for colour in sns.husl_palette(n_classes, l=0.55)]


def class_markers(n_classes: int) -> list[str]:
    """Give ``n_classes`` matplotlib marker names; they repeat after eight."""
    return [CLASS_MARKERS[index % len(CLASS_MARKERS)] for index in range(n_classes)]


def plain(text: str) -> str:
    """A text from data as matplotlib shall write it: a dollar sign is no formula."""
    return text.replace("$", r"\$")


def background(
    colours: list[str], grid_class: Int[ndarray, "rows cols"], grid_certainty: Float[ndarray, "rows cols"]
) -> Float[ndarray, "rows cols 3"]:
    """Colour a decision map: each cell its class colour, fading to white as certainty goes from 1 to 0.

    Returns RGB in [0, 1].
    """
    tints = 1 - np.array([to_rgb(colour) for colour in colours])
    return 1 - BACKGROUND_STRENGTH * grid_certainty[..., None] * tints[grid_class]


def ramp(steps: int = 9) -> list[str]:
    """Give a sequential scale from near white to dark blue as ``#rrggbb``; it is read by lightness alone."""
    return [to_hex(colour) for colour in mpl.colormaps["Blues"](np.linspace(0, 1, steps))]
