"""The figure of errors against λ: a panel a task, a line a setting, the paper's numbers as hollow marks."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from encoder_atlas.deepview.printed import dataset_of, printed_sweep
from encoder_atlas.deepview.tables import check_measure, task_errors
from encoder_atlas.errors import DataError, near
from encoder_atlas.show import class_colours, class_markers, styled

NAMES = {"q_knn": "$Q_{kNN}$", "q_data": "$Q_{data}$"}


def plot_errors(
    sweep: pd.DataFrame, measure: str = "q_knn", controls: Sequence[str] = (), printed: bool = True
) -> Figure:
    """Draw one error against λ: mean over samples and seeds, the band one sd to either side, cut off at 0.

    Settings named in ``controls`` have a row of panels of their own beneath. Hollow marks are what the paper
    prints, where it has the task and the setting.

    Args:
        sweep: what `sweep_cases` gives.

    Raises:
        DataError: a sweep without rows or columns, an unknown error, a control that was not measured, or
            nothing but controls.
    """
    check_measure(measure)
    table = task_errors(sweep).query("measure == @measure")
    settings, tasks = list(table["setting"].unique()), list(table["task"].unique())
    rows = _panel_rows(settings, controls)
    colours, markers = class_colours(len(settings)), class_markers(len(settings))
    looks = dict(zip(settings, zip(colours, markers, strict=True), strict=True))
    paper = printed_sweep() if printed else printed_sweep().iloc[:0]
    with styled():
        size = (max(2.6 * len(tasks), 5.2), 1.3 + 2.3 * len(rows))
        figure, axes = plt.subplots(
            len(rows), len(tasks), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
        )
        for shown, panels in zip(rows, axes, strict=True):
            for task, ax in zip(tasks, panels, strict=True):
                part = table.loc[table["setting"].isin(shown) & table["task"].eq(task)]
                if part.empty:
                    ax.remove()
                else:
                    _draw_panel(ax, part, paper.loc[paper["task"].eq(dataset_of(task) or "")], measure, looks)
            panels[0].set_ylabel(f"{NAMES[measure]} error (%)")
        _finish(figure, axes, tasks, sorted(table["lambda_"].unique()))
        has_marks = not paper.empty and any(dataset_of(task) for task in tasks)
        handles = _legend(looks, has_marks)
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 3), fontsize=9)
    return figure


def _panel_rows(settings: list[str], controls: Sequence[str]) -> list[list[str]]:
    for control in controls:
        if control not in settings:
            raise DataError(f"control {control!r} was not measured; {near(control, settings)}")
    own = [setting for setting in settings if setting not in controls]
    if not own:
        raise DataError("the sweep holds nothing but controls: there is nothing to hold them against")
    return [own, list(controls)] if len(controls) else [own]


def _draw_panel(
    ax: Axes, table: pd.DataFrame, paper: pd.DataFrame, measure: str, looks: dict[str, tuple[str, str]]
) -> None:
    for setting, part in table.groupby("setting", sort=False):
        colour, marker = looks[str(setting)]
        _draw_line(ax, part, colour, marker)
        own = paper.loc[paper["setting"].eq(setting)]
        ax.scatter(own["lambda_"], 100 * own[measure], s=55, fc="none", ec=colour, clip_on=False)


def _draw_line(ax: Axes, table: pd.DataFrame, colour: str, marker: str) -> None:
    table = table.sort_values("lambda_")
    lambdas, mean = table["lambda_"].to_numpy(), 100 * table["mean"].to_numpy()
    sd = 100 * table["sd"].fillna(0).to_numpy()
    ax.fill_between(lambdas, np.maximum(mean - sd, 0), mean + sd, color=colour, alpha=0.18, lw=0)
    ax.plot(lambdas, mean, color=colour, marker=marker, ms=5, mec="white", mew=0.6, clip_on=False)


def _finish(figure: Figure, axes: np.ndarray, tasks: Sequence[str], lambdas: Sequence[float]) -> None:
    for task, ax in zip(tasks, axes[0], strict=True):
        ax.set_title(task)
        ax.tick_params(labelbottom=True)  # there may be no panel beneath
    axes[0, 0].set_ylim(bottom=0)
    axes[0, 0].set_xticks(lambdas)
    figure.supxlabel("λ  (0: classifier, 1: representation)", fontsize=10)


def _legend(looks: dict[str, tuple[str, str]], has_marks: bool) -> list[Line2D]:
    handles = [
        Line2D([], [], color=colour, marker=marker, mec="white", label=setting)
        for setting, (colour, marker) in looks.items()
    ]
    if has_marks:
        hollow = Line2D(
            [], [], ls="", marker="o", ms=8, mfc="none", mec="#57606A", label="printed in the paper"
        )
        handles.append(hollow)
    return handles
