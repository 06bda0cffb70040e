"""Tables of IAT in the form of the paper: 5, 12, 13 (scores), 7 (ablation), 6 and 8 (few-shot transfer)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import mean_sd, plus_minus
from encoder_atlas.specialization.iat_arms import PLAIN, Arms, has_dissociation
from encoder_atlas.specialization.paired import FEWEST
from encoder_atlas.specialization.printed_iat import (
    printed_ablation,
    printed_few_shot,
    printed_glue,
)
from encoder_atlas.specialization.resampling import Draws
from encoder_atlas.specialization.transfer import PAPER_SEEDS

AVERAGE = "Avg"
SIGNIFICANT = 0.05
NOTHING = "–"


def score_table(arms: Arms, digits: int = 1) -> pd.DataFrame:
    """Tables 5, 12 and 13: a row an arm, a column a task, then their average; percent.

    Over several seeds a cell is mean ± sample standard deviation.
    """
    table = arms.to_frame().query("measure == 'score'")
    cells = {}
    for arm in arms.pruned:
        own = table.loc[table["arm"].eq(arm)].pivot(index="seed", columns="task", values="value")
        own = own[list(dict.fromkeys(table["task"]))]
        row = {task: mean_sd(own[task].to_numpy(), digits) for task in own}
        cells[arm] = row | {AVERAGE: mean_sd(own.mean(axis=1).to_numpy(), digits)}
    return pd.DataFrame.from_dict(cells, orient="index").rename_axis("arm")


def ablation_table(
    arms: Arms, over: str = PLAIN, level: float = 0.95, printed: bool = True, digits: int = 2
) -> pd.DataFrame:
    """Table 7 with what it leaves out: how sure each difference is.

    A row an arm: average of the tasks' scores (percent), how many tasks have a higher mean than ``over``,
    the gain over it in points with its interval over dev texts, the range of the gain over seeds, and the
    same gain of the dissociation score. ``printed`` adds the paper's averages.
    """
    paper = printed_ablation().set_index("arm")
    rows = {}
    for arm, models in arms.pruned.items():
        row = {AVERAGE: mean_sd(_averages(arms, arm), digits)}
        own = arm == over
        row["tasks improved"] = NOTHING if own else str(_improved(arms, arm, over))
        row["gain (points)"] = NOTHING if own else interval(arms.gain(arm, over), level, digits)
        row["gain by seed"] = NOTHING if own else extent(arms.seed_gains(arm, over), digits)
        both = has_dissociation(models[0]) and has_dissociation(arms.of(over)[0])
        gain = arms.gain(arm, over, "dissociation") if both and not own else None
        row["gain of D (points)"] = NOTHING if gain is None else interval(gain, level, digits)
        if printed:
            row["printed Avg"] = _printed_average(paper, arm)
        rows[arm] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("arm")


def few_shot_table(summary: pd.DataFrame, printed: bool = True, digits: int = 1) -> pd.DataFrame:
    """Tables 6 and 8: a row an arm, a column a target and size; accuracy in percent, mean ± sd over seeds.

    A star says that an arm is better than the one it was tested against at the 5 % level (paired bootstrap,
    one-sided); of fewer than `FEWEST` draws none is given. The last column says how many draws there were.
    ``printed`` puts the paper's rows beneath, under its own targets.

    Args:
        summary: what `few_shot_summary` gives.

    Raises:
        DataError: a summary without rows.
    """
    if summary.empty:
        raise DataError("the summary holds no few-shot run")
    cells: dict[str, dict[tuple[str, int], str]] = {}
    for row in summary.to_dict(orient="records"):
        star = "*" if row["p"] < SIGNIFICANT and row["seeds"] >= FEWEST else ""
        text = plus_minus(100 * row["mean"], 100 * row["sd"], digits) + star
        cells.setdefault(row["arm"], {})[row["target"], row["size"]] = text
    numbers = "/".join(str(n) for n in sorted(set(summary["seeds"])))
    draws = dict.fromkeys(cells, numbers)
    if printed:
        for row in printed_few_shot().to_dict(orient="records"):
            text = plus_minus(row["mean"], row["sd"], digits)
            arm = f"{row['arm']} (printed)"
            cells.setdefault(arm, {})[row["target"], row["size"]] = text
            draws[arm] = str(PAPER_SEEDS)
    table = pd.DataFrame.from_dict(cells, orient="index").fillna(NOTHING)
    table["draws", ""] = pd.Series(draws)
    columns = pd.MultiIndex.from_tuples(table.columns, names=["target", "texts"])
    return table.set_axis(columns, axis=1).rename_axis("arm")


def printed_glue_table(name: str, digits: int = 1) -> pd.DataFrame:
    """One of the paper's GLUE tables, with the gain of IAT over plain training beneath each model; percent.

    Args:
        name: one of `printed_iat.GLUE_TABLES`.
    """
    table = printed_glue(name).drop(columns="sd")
    numbers = [column for column in table if column not in ("model", "arm")]
    parts = []
    for model, rows in table.groupby("model", sort=False):
        own = rows.set_index("arm")[numbers]
        gain = own.loc["IAT"] - own.loc["plain"]
        shown = own.map(lambda value: f"{value:.{digits}f}")
        shown.loc["gain"] = [f"{value:+.{digits}f}" for value in gain]
        parts.append(pd.concat({model: shown}, names=["model", "arm"]))
    return pd.concat(parts)


def interval(draws: Draws, level: float, digits: int) -> str:
    """A value with the ends of its interval, signed."""
    low, high = draws.interval(level)
    return f"{float(draws.value):+.{digits}f} [{float(low):+.{digits}f}, {float(high):+.{digits}f}]"


def extent(values: np.ndarray, digits: int) -> str:
    """Every value where there are few, the smallest and the largest else; signed."""
    shown = values if len(values) <= 3 else (values.min(), values.max())
    return (" " if len(values) <= 3 else " … ").join(f"{value:+.{digits}f}" for value in shown)


def _averages(arms: Arms, arm: str) -> np.ndarray:
    table = arms.to_frame()
    own = table.loc[table["arm"].eq(arm) & table["measure"].eq("score")]
    return own.groupby("seed")["value"].mean().to_numpy()


def _improved(arms: Arms, arm: str, over: str) -> int:
    table = arms.to_frame().query("measure == 'score'")
    means: Mapping[str, pd.Series] = {
        name: table.loc[table["arm"].eq(name)].groupby("task")["value"].mean() for name in (arm, over)
    }
    return int((means[arm] > means[over]).sum())


def _printed_average(paper: pd.DataFrame, arm: str) -> str:
    if arm not in paper.index:
        return NOTHING
    return plus_minus(float(paper.loc[arm, "Avg"]), float(paper.loc[arm, "sd"]), 2)
