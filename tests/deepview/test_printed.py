"""The paper's own arithmetic."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.deepview import better_than_random, printed_errors, printed_summary


@pytest.fixture(scope="module")
def errors() -> pd.DataFrame:
    return printed_errors()


def test_every_table_has_seven_datasets_and_six_lambdas(errors: pd.DataFrame) -> None:
    assert errors.groupby(["table", "setting", "measure"]).size().tolist() == [42] * 6
    assert sorted(errors["lambda_"].unique()) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert errors.query("table == 4 and dataset == 'SST2' and lambda_ == 1")["error"].item() == 0.368
    assert errors.query("table == 7 and dataset == 'MNLI' and lambda_ == 0.8")["error"].item() == 0.12


def test_q_knn_is_counted_on_250_points(errors: pd.DataFrame) -> None:
    assert off_by(errors.query("measure == 'q_knn'")["error"].to_numpy(), 1 / 250) < 1e-12


def test_q_data_is_counted_on_75_held_out_points(errors: pd.DataFrame) -> None:
    printed = errors.query("measure == 'q_data'")["error"].to_numpy()
    # Rounded to three digits, so within half a thousandth of a multiple of 1/75; not of one of 1/250.
    assert off_by(printed, 1 / 75) <= 0.0005 + 1e-9
    assert off_by(printed, 1 / 250) > 0.001


def off_by(values: np.ndarray, unit: float) -> float:
    return float(np.abs((values / unit).round() * unit - values).max())


def pre_trained(errors: pd.DataFrame, datasets: Sequence[str]) -> np.ndarray:
    """The frozen encoder's errors in percent: a row for each measure and λ, a column for each dataset."""
    chosen = errors[errors["setting"].eq("PT") & errors["dataset"].isin(datasets)]
    return 100 * chosen.pivot(index=["measure", "lambda_"], columns="dataset", values="error").to_numpy()


def printed_pre_trained(column: str) -> np.ndarray:
    table = printed_summary().query("setting == 'PT'")
    return table.pivot(index=["measure", "lambda_"], columns="setting", values=column).to_numpy()[:, 0]


def test_the_pre_trained_rows_of_table_2_are_means_over_four_datasets(errors: pd.DataFrame) -> None:
    four = pre_trained(errors, better_than_random())
    sd = printed_pre_trained("sd")
    # Printed as whole percents, small ones with a digit more.
    np.testing.assert_allclose(four.mean(axis=1), printed_pre_trained("mean"), atol=0.51)
    np.testing.assert_allclose(four.std(axis=1, ddof=1), sd, atol=0.51)
    assert np.abs(four.std(axis=1, ddof=0) - sd).max() > 1


def test_no_other_choice_of_datasets_gives_those_rows(errors: pd.DataFrame) -> None:
    mean = printed_pre_trained("mean")
    names = sorted(errors["dataset"].unique())
    choices = (chosen for size in range(1, 8) for chosen in combinations(names, size))
    fitting = [
        chosen for chosen in choices if np.abs(pre_trained(errors, chosen).mean(axis=1) - mean).max() <= 0.51
    ]
    assert fitting == [tuple(sorted(better_than_random()))]
