"""Tables in the form of the paper: 3 and 4 (scores), 9 and 10 (dissociation), 11 (overlaps)."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.controls import random_names
from encoder_atlas.specialization.dissociation import dissociation, name_case, pair_scores
from encoder_atlas.specialization.heads import overlaps
from encoder_atlas.specialization.iap import HeadPruning
from encoder_atlas.specialization.pruning import BASE, Pruned

RANDOM_ROW, BASE_ROW, D_ROW = "random†", "base", "D_i(α)"


def prune_table(pruned: Sequence[Pruned], digits: int = 1) -> pd.DataFrame:
    """Table 3: a row for whose heads are taken out (†), a column a task; percent, D_i in points.

    Over several models (seeds) a cell is mean ± sample standard deviation. The row of random sets is the mean
    over the sets of each model, and missing where none were taken out.

    Raises:
        DataError: no model, or models of different tasks.
    """
    tasks = _tasks(pruned)
    rows = {f"{task}†": [100 * part.scores[part.rows([task])[0]] for part in pruned] for task in tasks}
    if all(random_names(part) for part in pruned):
        rows[RANDOM_ROW] = [100 * part.scores[part.rows(random_names(part))].mean(axis=0) for part in pruned]
    rows[BASE_ROW] = [100 * part.scores[part.rows([BASE])[0]] for part in pruned]
    rows[D_ROW] = [dissociation(part).scores for part in pruned]
    return _square(rows, tasks, digits).rename_axis("pruned for", axis=0)


def dual_table(pruned: Sequence[Pruned], digits: int = 2) -> pd.DataFrame:
    """Table 4: a row a model of two tasks: scores on A and on B (base, without A's, without B's heads;
    percent), then D_A, D_B and D in points, and what the paper calls it.

    Raises:
        DataError: a model of another number of tasks.
    """
    rows = []
    for part in pruned:
        if len(part.tasks) != 2:
            raise DataError(f"a dual-task row has two tasks, not {list(part.tasks)}")
        scores = 100 * part.scores[part.rows([BASE, *part.tasks])]
        d_a, d_b = dissociation(part).scores.tolist()
        numbers = [*scores[:, 0], *scores[:, 1], d_a, d_b, (d_a + d_b) / 2]
        rows.append([*part.tasks, *(f"{number:.{digits}f}" for number in numbers), str(name_case(d_a, d_b))])
    of = [(f"on {task}", row) for task in "AB" for row in ("base", "A†", "B†")]
    columns = [
        ("task", "A"),
        ("task", "B"),
        *of,
        *(("points", name) for name in ("D_A", "D_B", "D")),
        ("", "case"),
    ]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))


def pair_table(models: Mapping[str, Sequence[Pruned]], digits: int = 2) -> pd.DataFrame:
    """Table 9: a row a model (an encoder, or a control), a column a pair with its D_A and D_B in points.

    Each model stands for one fitted model a pair, or for one of several tasks, whose pairs are those of
    Table 10. A pair that a model lacks has a dash.
    """
    cells: dict[str, dict[tuple[str, str], str]] = {}
    for name, parts in models.items():
        row = cells.setdefault(name, {})
        for pair in pd.concat([dissociation(part).pairs() for part in parts]).to_dict(orient="records"):
            label = f"{pair['a']} – {pair['b']}"
            for side in ("d_a", "d_b"):
                row[label, side.upper().replace("D_", "D ")] = f"{pair[side]:.{digits}f}"
    table = pd.DataFrame.from_dict(cells, orient="index").fillna("–")
    return table.set_axis(pd.MultiIndex.from_tuples(table.columns), axis=1)


def pair_score_table(pruned: Sequence[Pruned], digits: int = 1) -> pd.DataFrame:
    """Table 10: D_A of the column's task against the row's alone, in points; mean ± sd over models.

    Raises:
        DataError: no model, or models of different tasks.
    """
    tasks = _tasks(pruned)
    found = [pair_scores(part.relative()) for part in pruned]
    rows = {task: [table[row] for table in found] for row, task in enumerate(tasks)}
    return _without_diagonal(_square(rows, tasks, digits)).rename_axis("B", axis=0).rename_axis("A", axis=1)


def overlap_table(runs: Sequence[HeadPruning], digits: int = 1) -> pd.DataFrame:
    """Table 11: heads that two tasks share, in percent of a set; mean over models, and the share that chance
    would give in the last row (α, for two sets drawn at random)."""
    tasks = _tasks([run.pruned for run in runs])
    found = [overlaps(run.sets).to_numpy() for run in runs]
    rows = {task: [table[row] for table in found] for row, task in enumerate(tasks)}
    table = _without_diagonal(_square(rows, tasks, digits))
    sizes = [next(iter(run.sets.values())) for run in runs]
    chance = float(np.mean([100 * heads.mean() for heads in sizes]))
    table.loc["by chance"] = f"{chance:.{digits}f}"
    return table


def case_table(pruned: Sequence[Pruned], digits: int = 1) -> pd.DataFrame:
    """Every pair with its scores and the paper's name for it, mean over models: A, B, D_A, D_B, D, case."""
    tasks = _tasks(pruned)
    mean = np.mean([pair_scores(part.relative()) for part in pruned], axis=0)
    rows = []
    for a, b in combinations(range(len(tasks)), 2):
        d_a, d_b = float(mean[b, a]), float(mean[a, b])
        numbers = (f"{value:.{digits}f}" for value in (d_a, d_b, (d_a + d_b) / 2))
        rows.append((tasks[a], tasks[b], *numbers, str(name_case(d_a, d_b))))
    return pd.DataFrame(rows, columns=["A", "B", "D_A", "D_B", "D", "case"])


def _tasks(pruned: Sequence[Pruned]) -> tuple[str, ...]:
    if not pruned:
        raise DataError("there is no pruned model to make a table of")
    for part in pruned[1:]:
        if part.tasks != pruned[0].tasks:
            raise DataError(f"models of tasks {list(pruned[0].tasks)} and {list(part.tasks)} share no table")
    return pruned[0].tasks


def _square(rows: Mapping[str, list[np.ndarray]], tasks: Sequence[str], digits: int) -> pd.DataFrame:
    """Mean, and ± sd where there are several models."""
    cells = {
        name: [
            f"{column.mean():.{digits}f}" + (f" ± {column.std(ddof=1):.{digits}f}" if len(column) > 1 else "")
            for column in np.stack(values).T
        ]
        for name, values in rows.items()
    }
    return pd.DataFrame.from_dict(cells, orient="index", columns=list(tasks))


def _without_diagonal(table: pd.DataFrame) -> pd.DataFrame:
    for task in table.columns:
        table.loc[task, task] = "–"
    return table
