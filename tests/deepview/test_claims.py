"""What is judged is what the claim says, sample by sample."""

import numpy as np
import pandas as pd

from encoder_atlas.deepview import claim_samples


def table(lambdas: tuple[float, ...], samples: int = 2) -> pd.DataFrame:
    rows = [
        (model, seed, sample, lambda_, level + lambda_ / 2 + sample / 100, level)
        for model, level in [("PT", 0.1), ("FT", 0.0), ("PT, labels shuffled", 0.2)]
        for seed in (1, 0)
        for sample in range(samples)
        for lambda_ in lambdas
    ]
    columns = ["model", "seed", "sample", "lambda_", "q_knn", "q_data"]
    return pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=0)


def test_samples_by_hand() -> None:
    found = claim_samples(table((1.0, 0.8, 0.0)), np.array([1.0, 0.0, -1.0]))
    assert found["deepview-accuracy"].tolist() == [1, 0, -1]
    assert np.allclose(found["deepview-pt-lambda1-high"], [0.6, 0.61, 0.6, 0.61])
    assert np.allclose(found["deepview-pt-drop"], 0.1)
    assert np.allclose(found["deepview-shuffled-lambda0-low"], [0.2, 0.21, 0.2, 0.21])
    assert np.allclose(found["deepview-contrast-lambda1"], 0.1)
    assert np.allclose(found["deepview-qdata-drop"], 0)
    assert len(found) == 8


def test_other_lambdas_leave_only_the_accuracies() -> None:
    assert set(claim_samples(table((0.5,)), np.zeros(9))) == {"deepview-accuracy"}


def test_a_single_sample_has_no_interval() -> None:
    one = table((1.0, 0.8, 0.0), samples=1).query("seed == 0")
    assert set(claim_samples(one, np.zeros(9))) == {"deepview-accuracy"}
