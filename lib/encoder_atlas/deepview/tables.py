"""Tables in the form of the paper: 1 (scores), 4-9 (errors of a task) and 2 (errors of a setting)."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from encoder_atlas.deepview.printed import (
    better_than_random,
    dataset_of,
    printed_scores,
    printed_summary,
    printed_sweep,
)
from encoder_atlas.errors import DataError, near
from encoder_atlas.estimates import mean_sd, plus_minus

ERRORS = {"q_knn": "Q_kNN", "q_data": "Q_data"}
MEASURED, PRINTED, NOTHING = "measured", "printed", "–"


def score_table(scores: pd.DataFrame, printed: bool = True, digits: int = 2) -> pd.DataFrame:
    """Table 1: a row a setting, a column a task; accuracy, then after a slash the task's own measure.

    Over several seeds a cell is mean ± sample standard deviation (n - 1); with one seed it is the value with
    its bootstrap interval over texts. ``printed`` puts the paper's rows beneath where it has the task.

    Args:
        scores: what `score_cases` gives.
    """
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for key, rows in scores.groupby(["setting", "task"], sort=False):
        setting, task = cast(tuple[str, str], key)
        texts = [_score(part, digits) for _, part in rows.groupby("measure", sort=False)]
        cells.setdefault((setting, MEASURED), {})[task] = " / ".join(texts)
    tasks = list(dict.fromkeys(map(str, scores["task"])))
    if printed:
        known = printed_scores().groupby(["setting", "dataset"], sort=False)["value"]
        values = {key: " / ".join(f"{value:.{digits}f}" for value in part) for key, part in known}
        for setting in dict.fromkeys(setting for setting, _ in cells):
            row = {task: values.get((setting, dataset_of(task)), NOTHING) for task in tasks}
            if set(row.values()) != {NOTHING}:
                cells[setting, PRINTED] = row
    return _framed(cells, ["setting", "source"], tasks, "task", printed)


def _score(rows: pd.DataFrame, digits: int) -> str:
    if len(rows) > 1:
        return mean_sd(rows["value"].tolist(), digits)
    value, low, high = (f"{rows[column].item():.{digits}f}" for column in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def task_errors(sweep: pd.DataFrame) -> pd.DataFrame:
    """Errors in [0, 1] over samples and seeds: setting, task, measure, lambda_, mean, sd (n - 1), n.

    Raises:
        DataError: a sweep without rows or without one of its columns.
    """
    keys = ["setting", "task", "measure", "lambda_"]
    long = checked_sweep(sweep).melt(
        id_vars=["setting", "task", "lambda_"],
        value_vars=list(ERRORS),
        var_name="measure",
        value_name="error",
    )
    return long.groupby(keys, sort=False)["error"].agg(mean="mean", sd="std", n="size").reset_index()


def setting_errors(sweep: pd.DataFrame, tasks: Mapping[str, Sequence[str]] | None = None) -> pd.DataFrame:
    """Errors in percent over tasks, as in Table 2: setting, measure, lambda_, mean, sd (n - 1), n tasks.

    A task counts once, with its mean over samples and seeds; ``sd`` is the spread between tasks.

    Args:
        tasks: for a setting the tasks that its row averages, all where a setting is not named. The paper's PT
            row averages tasks with a classifier "better than random" (`better_than_majority` is one rule).
            A setting that is left without tasks has no rows.

    Raises:
        DataError: ``tasks`` names a setting or a task that the sweep does not hold.
    """
    table = task_errors(sweep)
    for setting, names in (tasks or {}).items():
        _check_tasks(table, setting, names)
        table = table.loc[table["setting"].ne(setting) | table["task"].isin(names)]
    table = table.assign(error=100 * table["mean"])
    grouped = table.groupby(["setting", "measure", "lambda_"], sort=False)["error"]
    return grouped.agg(mean="mean", sd="std", n="size").reset_index()


def errors_table(
    sweep: pd.DataFrame, measure: str = "q_knn", printed: bool = True, digits: int = 3
) -> pd.DataFrame:
    """Tables 4-9: a row a setting and task, a column a λ from 0 to 1; mean ± sd over samples and seeds.

    ``printed`` puts the paper's number beneath where it has the setting and the task.
    """
    check_measure(measure)
    cells: dict[tuple[str, str, str], dict[float, str]] = {}
    for row in _rows(task_errors(sweep), measure):
        key = (row["setting"], row["task"], MEASURED)
        cells.setdefault(key, {})[row["lambda_"]] = plus_minus(row["mean"], row["sd"], digits)
    if printed:
        paper = {(row["setting"], row["task"], row["lambda_"]): row["mean"] for row in _printed(measure)}
        for setting, task, _ in list(cells):
            own = {key[2]: error for key, error in paper.items() if key[:2] == (setting, dataset_of(task))}
            if own:
                row = {lambda_: f"{error:.{digits}f}" for lambda_, error in own.items()}
                cells[setting, task, PRINTED] = row
    lambdas = sorted(set(sweep["lambda_"]))
    return _framed(cells, ["setting", "task", "source"], lambdas, "λ", printed)


def summary_table(
    sweep: pd.DataFrame,
    tasks: Mapping[str, Sequence[str]] | None = None,
    printed: bool = True,
    digits: int = 1,
) -> pd.DataFrame:
    """Table 2: a row an error and setting, a column a λ from 1 to 0; percent, mean ± sd over tasks.

    A setting that ``tasks`` leaves without any has dashes.

    ``tasks`` is that of `setting_errors`. ``printed`` puts the paper's row beneath where it has the setting.
    """
    cells: dict[tuple[str, str, str], dict[float, str]] = {}
    table, settings = setting_errors(sweep, tasks), list(sweep["setting"].unique())
    for measure, name in ERRORS.items():
        cells |= {(name, setting, MEASURED): {} for setting in settings}
        for row in _rows(table, measure):
            text = plus_minus(row["mean"], row["sd"], digits)
            cells[name, row["setting"], MEASURED][row["lambda_"]] = text
    if printed:
        for row in printed_summary().to_dict(orient="records"):
            name, setting = ERRORS[row["measure"]], row["setting"]
            if (name, setting, MEASURED) in cells:
                text = f"{row['mean']:g} ± {row['sd']:g}"
                cells.setdefault((name, setting, PRINTED), {})[row["lambda_"]] = text
    lambdas = sorted(set(sweep["lambda_"]), reverse=True)
    return _framed(cells, ["error (%)", "setting", "source"], lambdas, "λ", printed)


def recomputed_summary() -> pd.DataFrame:
    """Table 2 as Tables 4-9 give it: setting, measure, lambda_, mean, sd, and what the paper prints.

    Columns ``printed_mean`` and ``printed_sd`` stand beside. All in percent.
    """
    own = setting_errors(printed_sweep(), {"PT": better_than_random()}).drop(columns="n")
    paper = printed_summary().rename(columns={"mean": "printed_mean", "sd": "printed_sd"})
    return own.merge(paper, on=["setting", "measure", "lambda_"], validate="1:1")


def checked_sweep(sweep: pd.DataFrame) -> pd.DataFrame:
    """The sweep, when it can be aggregated.

    Raises:
        DataError: no rows, a column missing, or an error that is no number.
    """
    for column in ("setting", "task", "seed", "sample", "lambda_", *ERRORS):
        if column not in sweep:
            raise DataError(f"the sweep has no column {column!r}; {near(column, map(str, sweep.columns))}")
    if sweep.empty:
        raise DataError("the sweep holds no measurement")
    broken = np.isnan(sweep[["q_knn", "q_data"]].to_numpy(dtype=np.float64)).any(axis=1)
    if broken.any():
        row = sweep.iloc[int(broken.argmax())]
        raise DataError(
            f"the sweep has an error that is no number: {row['setting']}, {row['task']}, λ={row['lambda_']}"
        )
    return sweep


def _check_tasks(table: pd.DataFrame, setting: str, names: Sequence[str]) -> None:
    settings = list(table["setting"].unique())
    if setting not in settings:
        raise DataError(f"tasks are chosen for setting {setting!r}, which was not measured; {settings} were")
    known = list(table.loc[table["setting"].eq(setting), "task"].unique())
    for name in names:
        if name not in known:
            raise DataError(f"{setting} was not measured on task {name!r}; {near(name, known)}")


def check_measure(measure: str) -> None:
    if measure not in ERRORS:
        raise DataError(f"no error is called {measure!r}; {near(measure, ERRORS)}")


def _printed(measure: str) -> list[dict[str, Any]]:
    return _rows(task_errors(printed_sweep()), measure)


def _rows(table: pd.DataFrame, measure: str) -> list[dict[str, Any]]:
    return table.loc[table["measure"].eq(measure)].to_dict(orient="records")


def _framed(
    cells: Mapping[Any, Mapping[Any, str]], levels: list[str], columns: list[Any], of: str, printed: bool
) -> pd.DataFrame:
    """Rows of cells as a table; printed rows follow their measured ones, and a λ not measured is left out."""
    order = list(dict.fromkeys(key[:-1] for key in cells))
    keys = sorted(cells, key=lambda key: (order.index(key[:-1]), key[-1]))
    index = pd.MultiIndex.from_tuples(keys, names=levels)
    table = pd.DataFrame([cells[key] for key in keys], index=index).reindex(columns=columns)
    table = table.fillna(NOTHING).rename_axis(columns=of)
    return table if printed else table.droplevel(levels[-1])
