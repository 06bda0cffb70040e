"""The grid of heads that reacts: layers × heads of every task, a slider over α, and what overlaps."""

import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
import traitlets
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError
from encoder_atlas.show.head_figures import draw_head_grid, grid_size
from encoder_atlas.show.heads import HeadScores, HeadWords, all_scores, check_runs, check_scale, step_index
from encoder_atlas.show.page import PageWidget, joined, packed
from encoder_atlas.show.style import class_colours, ramp, styled

_JS = (
    "page_js/page.js",
    *(f"head_grid_js/{name}.js" for name in ("data", "grids", "curve", "panel", "view")),
)


class HeadGrid(PageWidget):
    """Heads coloured by a score, one grid a task, with those singled out at each step of a slider.

    Beside the grids of the tasks stands one of their overlap, a table of how well each task did when heads
    were pruned for another, and the dissociation scores. A head that is clicked, or reached with the arrow
    keys, shows its rank in every task. Everything is computed beforehand: the page needs no kernel.

    Parameters
    ----------
    scores
        One run (``HeadScores``), or several of the same tasks, heads and steps, between which the page
        switches. Two or three runs can also be laid over each other as red, green and blue.
    title
        What stands above the widget.
    words
        What the quantities are called (``HeadWords``).
    scale
        What colours mean: "share" of the task's largest score, for importance, whose size differs between
        tasks; or the "value" itself, for gates, which lie in [0, 1].
    at
        The value of the step shown first, such as α = 0.3; by default that of the first step.

    Layers and heads are counted from 1 on the page, and layer 1 lies at the bottom. ``head`` holds the chosen
    (layer, head), counted from 0 as in the arrays, or nothing; ``step`` and ``run`` the indices of what is
    shown, where ``run`` equal to the number of runs means all as colours.

    Raises ``DataError`` for what cannot be drawn: see ``check_runs``.
    """

    _esm = joined(*_JS)
    _css = joined("page_js/page.css", "head_grid_js/heads.css")

    title = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int().tag(sync=True)
    run = traitlets.Int().tag(sync=True)
    head = traitlets.List(traitlets.Int()).tag(sync=True)

    # What follows is data: set once here, only read by the page.
    tasks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sharing = traitlets.Int().tag(sync=True)  # so many of them, from the first, count in the overlap
    measures = traitlets.List(traitlets.Unicode()).tag(sync=True)
    runs = traitlets.List(traitlets.Unicode()).tag(sync=True)
    words = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    scale = traitlets.Unicode().tag(sync=True)
    ramp = traitlets.List(traitlets.Unicode()).tag(sync=True)
    colours = traitlets.List(traitlets.Unicode()).tag(sync=True)
    grid = traitlets.List(traitlets.Int()).tag(sync=True)
    steps = traitlets.List(traitlets.Float()).tag(sync=True)
    notes = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)  # runs × steps
    scores = traitlets.Bytes().tag(sync=True)  # float32, runs × steps (or 1) × tasks × layers × heads
    selected = traitlets.Bytes().tag(sync=True)  # bits, runs × steps × tasks × layers × heads
    performance = traitlets.Bytes().tag(sync=True)  # float32, runs × steps × tasks × measures, or empty
    dissociation = traitlets.Bytes().tag(sync=True)  # float32, runs × steps × tasks, or empty

    def __init__(
        self,
        scores: HeadScores | Sequence[HeadScores],
        title: str = "",
        words: HeadWords | None = None,
        scale: Literal["share", "value"] = "share",
        at: float | None = None,
    ) -> None:
        runs = check_runs([scores] if isinstance(scores, HeadScores) else scores)
        check_scale(runs, scale)
        self._runs, self._words = runs, words or HeadWords()
        first = runs[0]
        super().__init__(
            title=title,
            step=step_index(at, first, self._words.step),
            tasks=list(first.tasks),
            sharing=first.sharing,
            measures=list(first.measures or first.tasks),
            runs=[run.run for run in runs],
            words=asdict(self._words),
            scale=scale,
            ramp=ramp(),
            colours=class_colours(len(first.tasks)),
            grid=list(first.values.shape[1:]),
            **_step_traits(runs),
        )

    @traitlets.validate("step")
    def _step_exists(self, proposal: dict[str, Any]) -> int:
        return _within("step", proposal["value"], max(1, len(self._runs[0].steps)))

    @traitlets.validate("run")
    def _run_exists(self, proposal: dict[str, Any]) -> int:
        overlaid = len(self._runs) in (2, 3)
        return _within("run", proposal["value"], len(self._runs) + overlaid)

    @traitlets.validate("head")
    def _head_exists(self, proposal: dict[str, Any]) -> list[int]:
        if len(proposal["value"]) not in (0, 2):
            raise DataError(f"head {proposal['value']} is not a layer and a head: give two numbers, or none")
        for name, value, count in zip(("layer", "head"), proposal["value"], self.grid, strict=False):
            _within(name, value, count)
        return proposal["value"]

    def picture(self) -> bytes:
        """Draw the step and run shown now as a PNG, for where nothing moves: print, LaTeX and GitHub."""
        shown = self._runs[self.run : self.run + 1] or self._runs
        names = [self.title, shown[0].run] if len(shown) < len(self._runs) else [self.title]
        title = ", ".join(name for name in names if name)
        with styled():
            figure = Figure(figsize=grid_size(shown[0]), layout="constrained")
            draw_head_grid(figure, shown, self.step, self._words, self.scale, title)
            png = io.BytesIO()
            figure.savefig(png, format="png", dpi=110)
        return png.getvalue()


def _within(name: str, value: int, count: int) -> int:
    if not 0 <= value < count:
        raise DataError(f"{name} {value} is not one of 0 … {count - 1}")
    return value


def _step_traits(runs: list[HeadScores]) -> dict[str, Any]:
    steps = [run.steps for run in runs]
    own_scores = any(step.scores is not None for run in steps for step in run)
    selected = np.array([step.selected for run in steps for step in run], dtype=bool)
    return {
        "steps": [float(step.value) for step in steps[0]],
        "notes": [[step.note for step in run] for run in steps],
        "scores": packed(
            [values for run in runs for values in (all_scores(run) if own_scores else [run.values])], "<f4"
        ),
        "selected": np.packbits(selected).tobytes(),
        "performance": _table("performance", runs),
        "dissociation": _table("dissociation", runs),
    }


def _table(name: Literal["performance", "dissociation"], runs: list[HeadScores]) -> bytes:
    """Pack a table of every step, NaN where a step has none; nothing where no step has one."""
    tables = [getattr(step, name) for run in runs for step in run.steps]
    given = [table for table in tables if table is not None]
    if not given:
        return b""
    missing = np.full_like(given[0], np.nan)
    return packed([missing if table is None else table for table in tables], "<f4")
