"""The samples that decide the chapter's claims (``book/claims.yaml``), from what the chapter measured."""

import numpy as np
import pandas as pd
from jaxtyping import Float64


def claim_samples(
    table: pd.DataFrame, gains: Float64[np.ndarray, " points"]
) -> dict[str, Float64[np.ndarray, " samples"]]:
    """Claim → samples of the value that its rule judges; claims without at least two samples are left out.

    ``table`` has one row a measurement: model (PT, FT or "PT, labels shuffled"), seed, sample, lambda_,
    q_knn, q_data (errors in [0, 1]). ``gains`` is, sentence by sentence, what FT gets right above PT. Rows of
    one seed and sample stand for the same sentences, so that differences are paired.
    """
    found = {"deepview-accuracy": gains}
    if {1.0, 0.8, 0.0} <= set(table["lambda_"]):
        q_knn, q_data = (_errors(table, measure) for measure in ("q_knn", "q_data"))
        found |= {
            "deepview-pt-lambda1-high": q_knn["PT", 1.0],
            "deepview-pt-drop": q_knn["PT", 1.0] - q_knn["PT", 0.8],
            "deepview-pt-lambda0-low": q_knn["PT", 0.0],
            "deepview-shuffled-lambda0-low": q_knn["PT, labels shuffled", 0.0],
            "deepview-ft-lambda1-low": q_knn["FT", 1.0],
            "deepview-contrast-lambda1": q_knn["PT", 1.0] - q_knn["FT", 1.0],
            "deepview-qdata-drop": q_data["PT", 1.0] - q_data["PT", 0.8],
        }
    return {claim: np.asarray(values, dtype=float) for claim, values in found.items() if len(values) > 1}


def _errors(table: pd.DataFrame, measure: str) -> dict[tuple[str, float], np.ndarray]:
    """The errors of a model at a λ, in the order of seeds and samples."""
    ordered = table.sort_values(["seed", "sample"])
    found: dict[tuple[str, float], np.ndarray] = {}
    for model in ordered["model"].unique():
        for lambda_ in ordered["lambda_"].unique():
            rows = ordered[ordered["model"].eq(model) & ordered["lambda_"].eq(lambda_)]
            found[str(model), float(lambda_)] = np.asarray(rows[measure])
    return found
