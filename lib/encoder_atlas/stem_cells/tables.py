"""Tables in the form of the paper's 1 to 3: tasks alone, in pairs and together, with gates and without."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import mean_sd
from encoder_atlas.stem_cells.gates import OPEN, WIDE_OPEN
from encoder_atlas.stem_cells.scored import MEASURES, Scored

TOGETHER = "all"
"""The row of the model of more than two tasks, the paper's MTL-5."""

BEST = "*"


def score_frame(models: Sequence[Scored]) -> pd.DataFrame:
    """One row a model, task and way of seeing its gates, tidy.

    Columns: trained ("pos+dep"), kind ("plain", "dynamic", "static"), coefficient (NaN of a plain model),
    seed, task, measure, gates ("soft", "hard"; a plain model has "soft" only), score (percent).
    """
    rows = []
    for model in models:
        coefficient = model.gates.settings.coefficient if model.gates else np.nan
        about = {"trained": "+".join(model.layers), "kind": model.kind}
        about |= {"coefficient": coefficient, "seed": model.seed}
        for layer in model.layers:
            for view in ("soft", "hard") if model.gates else ("soft",):
                score = model.score(layer, hard=view == "hard")
                rows.append(
                    about | {"task": layer, "measure": MEASURES[layer], "gates": view, "score": score}
                )
    return pd.DataFrame(rows)


def task_table(models: Sequence[Scored], digits: int = 2) -> pd.DataFrame:
    """Table 1's form: a column a task, in percent of its measure; mean ± sample sd over seeds.

    A row says what else the column's task was trained with: on the diagonal nothing (STL), elsewhere one
    other task (a pair), in the last row all tasks (MTL). Each column's best cell has a *; a dash is a model
    that was not fitted.

    Raises:
        DataError: no models, or models with gates of several kinds or coefficients among them.
    """
    cells, tasks = _cells(models)
    rows = {task: {other: _key(task, other) for other in tasks} for task in tasks}
    whole = max(cells, key=lambda key: len(key[0]))[0]
    if len(whole) > 2:
        rows[TOGETHER] = {task: (whole, task) for task in tasks if task in whole}
    table = pd.DataFrame("–", index=list(rows), columns=list(tasks))
    for task in tasks:
        found = {row: cells[keys[task]] for row, keys in rows.items() if keys.get(task) in cells}
        best = max(found, key=lambda row: np.mean(found[row]), default=None)
        for row, scores in found.items():
            table.loc[row, task] = mean_sd(scores, digits) + (BEST if row == best else "")
    table.columns = [f"{task} ({MEASURES[task]})" for task in tasks]
    return table.rename_axis("trained with")


def joint_gains(models: Sequence[Scored]) -> pd.DataFrame:
    """What each task gains by being trained with others, in points of its measure, mean over seeds.

    Columns: trained, task, alone, together, gain, and win_win: whether every task of that model gains.

    Raises:
        DataError: as `task_table`; or a task of a joint model was not trained alone.
    """
    cells, _ = _cells(models)
    rows = []
    for layers, task in cells:
        alone = (frozenset((task,)), task)
        if len(layers) == 1:
            continue
        if alone not in cells:
            raise DataError(f"there is no model of {task!r} alone to hold {'+'.join(sorted(layers))} against")
        before, after = np.mean(cells[alone]), np.mean(cells[layers, task])
        names = "+".join(layer for layer in MEASURES if layer in layers)
        rows.append(
            {"trained": names, "task": task, "alone": before, "together": after, "gain": after - before}
        )
    columns = ["trained", "task", "alone", "together", "gain"]
    table = pd.DataFrame(rows, columns=columns)
    losers = list(table.loc[table["gain"] <= 0, "trained"])
    return table.assign(win_win=~table["trained"].isin(losers))


def pruning_frame(models: Sequence[Scored]) -> pd.DataFrame:
    """One row a gated model and task: how well it does, and with how many heads.

    Columns: trained, kind, coefficient, seed, task, soft and hard (percent: through the gates as they are,
    and through 0/1 gates), kept (gates above 1e-3) and wide (above 0.05) in heads, kept_share and wide_share
    in percent, moved and settled (see `LearntGates`).
    """
    rows = []
    for model in models:
        if (gates := model.gates) is None:
            continue
        kept, wide = (int(gates.open_heads(threshold).sum()) for threshold in (OPEN, WIDE_OPEN))
        about = {"trained": "+".join(model.layers), "kind": model.kind}
        about |= {"coefficient": gates.settings.coefficient, "seed": model.seed}
        heads = {"kept": kept, "wide": wide}
        heads |= {f"{name}_share": 100 * n / gates.values.size for name, n in tuple(heads.items())}
        for layer in model.layers:
            scores = {"soft": model.score(layer), "hard": model.score(layer, hard=True)}
            state = {"moved": gates.moved, "settled": gates.settled}
            rows.append(about | {"task": layer} | scores | heads | state)
    return pd.DataFrame(rows)


def pruning_table(models: Sequence[Scored], digits: int = 1) -> pd.DataFrame:
    """The form of Tables 2 and 3: a row a model (kind, what it was trained on, coefficient), for each task
    the score and how many heads were kept; mean ± sd over seeds. Plain models keep all heads.

    Raises:
        DataError: no models.
    """
    if not models:
        raise DataError("there are no models to make a table of")
    groups: dict[tuple[str, str, str], list[Scored]] = {}
    for model in models:
        coefficient = f"{model.gates.settings.coefficient:g}" if model.gates else "–"
        groups.setdefault((model.kind, "+".join(model.layers), coefficient), []).append(model)
    rows = []
    for own in groups.values():
        scores = {task: [model.score(task) for model in own if task in model.soft] for task in MEASURES}
        row = {task: mean_sd(found, digits) if found else "–" for task, found in scores.items()}
        for threshold in (OPEN, WIDE_OPEN):
            heads = [float(model.gates.open_heads(threshold).sum()) for model in own if model.gates]
            row[f"gates > {threshold:g}"] = mean_sd(heads, 0) if heads else "all"
        rows.append(row)
    index = pd.MultiIndex.from_tuples(list(groups), names=["kind", "trained", "coefficient"])
    table = pd.DataFrame(rows, index=index)
    return table.loc[:, (table != "–").any()]


Key = tuple[frozenset[str], str]


def _key(row: str, task: str) -> Key:
    return frozenset((row, task)), task


def _cells(models: Sequence[Scored]) -> tuple[dict[Key, list[float]], tuple[str, ...]]:
    """Scores of every seed by what a model was trained on and by task; the tasks in the paper's order."""
    kinds = {(model.kind, model.gates.settings.coefficient if model.gates else None) for model in models}
    if len(kinds) != 1:
        raise DataError(
            f"a table of tasks needs models of one kind and coefficient, not of {len(kinds)}: "
            f"{sorted(map(str, kinds))}"
        )
    cells: dict[Key, list[float]] = {}
    for model in models:
        for layer in model.layers:
            cells.setdefault((frozenset(model.layers), layer), []).append(model.score(layer))
    seen = {layer for _, layer in cells}
    return cells, tuple(layer for layer in MEASURES if layer in seen)
