"""Tables of probes by label: how models compare, and which labels gain and lose.

A tidy frame of probes has a row a label and model: "task", "label", "model" and "accuracy" (percent), and
where they are known "run", "n", "layer" and "head" (both from 1).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.stem_cells.probes import HeadProbes

MACRO = "macro mean"

Runs = Sequence[HeadProbes]
"""The probes of one model, one a run (training seed)."""


def probe_frame(models: Mapping[str, Runs], task: str) -> pd.DataFrame:
    """What `HeadProbes.best` found in each model and run, in one tidy frame.

    Raises:
        DataError: a model without this layer, or no models.
    """
    if not models:
        raise DataError("there are no probed models")
    frames = [
        probes.best(task).assign(task=task, model=model, run=run)
        for model, runs in models.items()
        for run, probes in enumerate(runs)
    ]
    return pd.concat(frames, ignore_index=True)


def probe_frames(models: Mapping[str, Mapping[str, Runs]]) -> pd.DataFrame:
    """Of each task the models that it was probed in, in one tidy frame of all tasks.

    Raises:
        DataError: as `probe_frame`.
    """
    frames = [probe_frame(probed, task) for task, probed in models.items()]
    return pd.concat(frames, ignore_index=True)


def label_table(frame: pd.DataFrame, task: str) -> pd.DataFrame:
    """The form of the paper's Tables 7 to 11: a row a label, a column a model, percent, mean over runs.

    Labels in order of how many items they have, where that is known, else as they come. The last row is the
    mean over the labels that all models have.

    Raises:
        DataError: a column is missing, or the task is.
    """
    own = _of_task(frame, task)
    models = list(dict.fromkeys(own["model"]))
    wide = own.pivot_table(index="label", columns="model", values="accuracy", sort=False)[models]
    if "n" in own:
        sizes = own.pivot_table(index="label", values="n", aggfunc="max")["n"].loc[wide.index].to_numpy()
        wide = wide.iloc[np.argsort(-sizes, kind="stable")]
    wide.loc[MACRO] = wide.dropna().mean()
    return pd.DataFrame(wide.to_numpy(), index=wide.index, columns=pd.Index(models))


def mean_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Means over labels, the last rows of `label_table`: a row a task, a column a model (NaN where a task was
    not probed in it)."""
    means = {str(task): label_table(frame, str(task)).loc[MACRO] for task in dict.fromkeys(frame["task"])}
    return pd.DataFrame(means).T


def label_changes(frame: pd.DataFrame, task: str, before: str, after: str) -> pd.DataFrame:
    """What each label gains from one model to another, in points, the largest gain first.

    Returns:
        Columns label, before, after, gain.

    Raises:
        DataError: as `label_table`, or a model that is not there.
    """
    table = label_table(frame, task).drop(index=MACRO)
    for model in (before, after):
        if model not in table:
            raise DataError(f"no model {model!r} was probed; {near(model, map(str, table.columns))}")
    found = pd.DataFrame({"before": table[before], "after": table[after]}).dropna()
    found["gain"] = found["after"] - found["before"]
    return found.sort_values("gain", ascending=False, kind="stable").reset_index()


def gains_and_losses(frame: pd.DataFrame, before: str, after: str) -> pd.DataFrame:
    """How many labels of each task gain and lose: task, labels, gain, lose and the mean over labels."""
    rows = []
    for task in dict.fromkeys(frame["task"]):
        gain = label_changes(frame, str(task), before, after)["gain"].to_numpy()
        counts = {"labels": len(gain), "gain": int((gain > 0).sum()), "lose": int((gain < 0).sum())}
        rows.append({"task": task} | counts | {"mean": float(gain.mean())})
    return pd.DataFrame(rows)


def _of_task(frame: pd.DataFrame, task: str) -> pd.DataFrame:
    for column in ("task", "label", "model", "accuracy"):
        if column not in frame:
            raise DataError(f"a frame of probes needs a column {column!r}; {near(column, map(str, frame))}")
    own = frame.loc[frame["task"] == task]
    if own.empty:
        raise DataError(f"the task {task!r} was not probed; {near(task, set(map(str, frame['task'])))}")
    return own
