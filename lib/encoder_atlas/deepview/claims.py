"""The samples that decide the chapter's claims (``book/claims.yaml``), from what the chapter measured.

Every function gives claim → samples of the value that the claim's rule judges. A claim without at least two
samples has no interval and is left out.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float64

from encoder_atlas.deepview.cases import Case
from encoder_atlas.deepview.models import CONTROL
from encoder_atlas.deepview.printed import better_than_random, dataset_of, printed_scores
from encoder_atlas.deepview.task_space import TaskSpace
from encoder_atlas.deepview.transfer import WHOLE, Transfer

Samples = Mapping[str, np.ndarray]


def claim_samples(cases: Sequence[Case], task: str, sweep: pd.DataFrame) -> Samples:
    """Claims on accuracy and on the errors of maps, of the running example ``task``.

    Rows of one seed and sample of ``sweep`` stand for the same sentences, so that differences are paired.
    """
    right = {setting: _right(cases, setting, task) for setting in ("PT", "FT", "MT")}
    found = {
        "deepview-accuracy": right["FT"] - right["PT"],
        "deepview-mt-keeps-accuracy": right["MT"] - right["FT"],
    }
    errors = sweep.sort_values(["seed", "sample"]).query("task == @task")
    if {1.0, 0.8, 0.0} <= set(errors["lambda_"]):
        q_knn = {
            (setting, lambda_): _errors(errors, setting, lambda_, "q_knn")
            for setting in ("PT", "FT", "MT", CONTROL)
            for lambda_ in (1.0, 0.8, 0.0)
        }
        found |= {
            "deepview-pt-lambda1-high": q_knn["PT", 1.0],
            "deepview-pt-drop": q_knn["PT", 1.0] - q_knn["PT", 0.8],
            "deepview-pt-lambda0-low": q_knn["PT", 0.0],
            "deepview-shuffled-lambda0-low": q_knn[CONTROL, 0.0],
            "deepview-shuffled-drop": q_knn[CONTROL, 1.0] - q_knn[CONTROL, 0.8],
            "deepview-ft-lambda1-low": q_knn["FT", 1.0],
            "deepview-mt-lambda1-low": q_knn["MT", 1.0],
            "deepview-contrast-lambda1": q_knn["PT", 1.0] - q_knn["FT", 1.0],
            "deepview-qdata-drop": _errors(errors, "PT", 1.0, "q_data")
            - _errors(errors, "PT", 0.8, "q_data"),
        }
    return _with_interval(found)


def glue_claims(cases: Sequence[Case], sweep: pd.DataFrame) -> Samples:
    """Claims on several GLUE tasks, where these were learned: nothing is said where one is missing.

    The mean over the four tasks that Table 2 averages is taken within each seed and sample of points; the
    gain on RTE is one of texts, averaged over seeds.
    """
    named = {dataset_of(task): task for task in sweep["task"].unique()}
    found = {}
    if set(better_than_random()) <= set(named):
        four = [named[dataset] for dataset in better_than_random()]
        errors = sweep.loc[sweep["task"].isin(four) & sweep["setting"].eq("PT") & sweep["lambda_"].eq(1.0)]
        found["deepview-pt-glue-mean"] = errors.groupby(["seed", "sample"])["q_knn"].mean().to_numpy()
    if set(printed_scores()["dataset"]) <= set(named):
        found["deepview-rte-gain"] = _right(cases, "MT", named["RTE"]) - _right(cases, "FT", named["RTE"])
    return _with_interval(found)


def _right(cases: Sequence[Case], setting: str, task: str) -> Float64[np.ndarray, " texts"]:
    """How often, in [0, 1], the models of a setting are right about each text of a task."""
    own = [case for case in cases if (case.setting, case.task.name) == (setting, task)]
    return np.mean([case.predicted == case.labels for case in own], axis=0)


def search_claims(attacked: pd.DataFrame, unchanged: pd.DataFrame) -> Samples:
    """Claims on the search for a manipulated sentence, draw by draw; tables of `AdversarialSearch`."""
    reads, before = (
        table.pivot_table(index="draw", columns="order", values="read") for table in (attacked, unchanged)
    )
    by_map = reads["map"].to_numpy()
    return _with_interval(
        {
            "deepview-search-beats-random": reads["random"].to_numpy() - by_map,
            "deepview-search-within-five": (by_map <= 5).astype(float),
            "deepview-search-beats-entropy": reads["entropy"].to_numpy() - by_map,
            "deepview-search-attack-effect": before["map"].to_numpy() - by_map,
        }
    )


def space_claims(learned: TaskSpace, untouched: TaskSpace) -> Samples:
    """Claims on how far an encoder keeps its tasks apart, text by text."""
    chance = 1 / len(learned.tasks)
    return _with_interval(
        {
            "deepview-tasks-apart": learned.correct - chance,
            "deepview-tasks-apart-by-training": learned.correct.astype(float) - untouched.correct,
        }
    )


def comparison_claims(summary: pd.DataFrame) -> Samples:
    """Claims on which models see alike, sample by sample; the summary of a `ModelComparison`."""
    maps = summary.sort_values("sample").query("space == 'map' and reading == 'definition'")

    def of(pair: str, column: str) -> np.ndarray:
        return np.asarray(maps.loc[maps["pair"].eq(pair), column])

    return _with_interval(
        {
            "deepview-mt-ft-nearest": of("MT (1) vs FT (1)", "q_local") - of("MT (1) vs PT (0.8)", "q_local"),
            "deepview-lambda-nearer": of("FT (1) vs PT (0.8)", "q_local") - of("FT (1) vs PT (1)", "q_local"),
            "deepview-mt-ft-beyond-classes": of("MT (1) vs FT (1)", "auc")
            - of("MT (1) vs FT (1)", "auc_classes"),
        }
    )


def transfer_claims(transfer: Transfer) -> Samples:
    """Claims on the head trained on another task's encoder, example by example of the target."""
    return _with_interval(
        {
            "deepview-transfer-gain": transfer.gain(transfer.source, over=WHOLE),
            "deepview-transfer-control": transfer.gain(transfer.source, over=transfer.unrelated),
        }
    )


def _with_interval(found: Mapping[str, np.ndarray]) -> Samples:
    return {claim: np.asarray(values, dtype=float) for claim, values in found.items() if len(values) > 1}


def _errors(own: pd.DataFrame, setting: str, lambda_: float, measure: str) -> np.ndarray:
    return np.asarray(own.loc[own["setting"].eq(setting) & own["lambda_"].eq(lambda_), measure])
