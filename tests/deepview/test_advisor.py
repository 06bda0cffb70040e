"""The rule by hand, on the paper's tables, and what it must do whatever the errors are."""

from math import sqrt
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from encoder_atlas.deepview.advisor import advise_every, advise_lambda
from encoder_atlas.deepview.printed import better_than_random, printed_sweep
from encoder_atlas.errors import DataError, SettingsError

LAMBDAS = (1.0, 0.8, 0.0)


def swept(errors: list[list[float]], lambdas: tuple[float, ...] = LAMBDAS) -> pd.DataFrame:
    """A sweep with one sample a row of ``errors`` and one λ a column."""
    rows = [
        ("PT", "mood", 0, sample, lambda_, error, 0.0)
        for sample, row in enumerate(errors)
        for lambda_, error in zip(lambdas, row, strict=True)
    ]
    columns = ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]
    return pd.DataFrame(rows, columns=columns)


def literal_advice(
    errors: list[list[float]], lambdas: tuple[float, ...], level: float, tolerance: float
) -> float:
    """The rule as its docstring says it, number by number; λ from large to small."""
    columns = {lambda_: [row[place] for row in errors] for place, lambda_ in enumerate(lambdas)}
    least = min(round(mean(column), 12) for column in columns.values())
    best = max(lambda_ for lambda_, column in columns.items() if round(mean(column), 12) == least)
    for lambda_ in sorted(lambdas, reverse=True):
        pairs = [own - other for own, other in zip(columns[lambda_], columns[best], strict=True)]
        quantile = stats.t.ppf(level, len(pairs) - 1)
        if round(mean(pairs) - float(quantile) * stdev(pairs) / sqrt(len(pairs)), 12) <= tolerance:
            return lambda_
    raise AssertionError("the best λ is never worse than itself")


def test_by_hand() -> None:
    # λ = 0 has means .01, 0.8 .02, 1 .33. Differences to λ = 0: at 0.8 (.03, -.01, .01), mean .01, sd .02,
    # limit .01 - 2.920 · .02 / √3 = -.0237; at 1 (.3, .34, .32), mean .32, sd .02, limit .2863.
    advice = advise_lambda(swept([[0.30, 0.03, 0.00], [0.36, 0.01, 0.02], [0.33, 0.02, 0.01]]))
    assert (advice.lambda_, advice.best, advice.n) == (0.8, 0.0, 3)
    assert advice.table["lambda_"].tolist() == [1.0, 0.8, 0.0]
    assert advice.table["difference"].tolist() == pytest.approx([0.32, 0.01, 0])
    assert advice.table["low"].tolist() == pytest.approx([0.2863, -0.0237, 0], abs=1e-4)
    assert advice.table["worse"].tolist() == [True, False, False]
    assert advice.to_frame()["advised"].tolist() == [False, True, False]


def test_the_other_error_and_another_level() -> None:
    sweep = swept([[0.02, 0.0, 0.0], [0.0, 0.0, 0.0], [0.01, 0.0, 0.0]])
    assert advise_lambda(sweep, level=0.95).lambda_ == 1.0
    assert advise_lambda(sweep, level=0.6).lambda_ == 0.8
    assert advise_lambda(sweep, "q_data", level=0.6).lambda_ == 1.0


def test_a_difference_that_does_not_matter() -> None:
    sweep = swept([[0.004, 0.0, 0.0], [0.004, 0.0, 0.0]])
    assert advise_lambda(sweep).lambda_ == 0.8
    assert advise_lambda(sweep, tolerance=0.004).lambda_ == 1.0


def test_of_equal_errors_the_largest_lambda() -> None:
    assert advise_lambda(swept([[0.1] * 3, [0.2] * 3])).lambda_ == 1.0
    tie = advise_lambda(swept([[0.5, 0.0, 0.1], [0.5, 0.1, 0.0]]))
    assert (tie.lambda_, tie.best) == (0.8, 0.8)


def test_the_papers_tables_give_the_papers_choices() -> None:
    sweep = printed_sweep()
    pre_trained = sweep.loc[sweep["setting"].eq("PT") & sweep["task"].isin(better_than_random())]
    tables = {"PT": pre_trained, **{name: sweep.loc[sweep["setting"].eq(name)] for name in ("FT", "MT")}}
    chosen = {name: advise_lambda(part, tolerance=0.01).lambda_ for name, part in tables.items()}
    assert chosen == {"PT": 0.8, "FT": 1.0, "MT": 1.0}
    strict = {name: advise_lambda(part).lambda_ for name, part in tables.items()}
    assert strict == {"PT": 0.8, "FT": 0.4, "MT": 0.6}


errors_strategy = st.lists(
    st.lists(st.integers(0, 20).map(lambda wrong: wrong / 250), min_size=3, max_size=3),
    min_size=2,
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(errors_strategy, st.sampled_from([0.0, 0.004, 0.02]))
def test_equals_the_rule_written_out(errors: list[list[float]], tolerance: float) -> None:
    advice = advise_lambda(swept(errors), tolerance=tolerance)
    assert advice.lambda_ == literal_advice(errors, LAMBDAS, 0.95, tolerance)


@settings(max_examples=80, deadline=None)
@given(errors_strategy, st.floats(1, 20))
def test_more_noise_never_lowers_the_advice(errors: list[list[float]], factor: float) -> None:
    values = np.array(errors)
    noisier = values.mean(axis=0) + factor * (values - values.mean(axis=0))
    assert advise_lambda(swept(noisier.tolist())).lambda_ >= advise_lambda(swept(errors)).lambda_


@settings(max_examples=50, deadline=None)
@given(errors_strategy, st.permutations(range(3)))
def test_the_order_of_rows_does_not_matter(errors: list[list[float]], order: list[int]) -> None:
    sweep = swept(errors)
    shuffled = sweep.sample(frac=1, random_state=order[0])
    pd.testing.assert_frame_equal(advise_lambda(shuffled).table, advise_lambda(sweep).table)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_what_is_equal_at_every_lambda_is_drawn_with_the_representation(errors: list[float]) -> None:
    assert advise_lambda(swept([[error] * 3 for error in errors])).lambda_ == 1.0


def test_every_setting_and_task() -> None:
    one = swept([[0.3, 0.0, 0.0], [0.31, 0.0, 0.0]])
    other = swept([[0.0] * 3, [0.0] * 3]).assign(setting="FT", task="topic")
    table = advise_every(pd.concat([one, other]))
    assert table.to_dict(orient="split")["data"] == [
        ["PT", "mood", 0.8, 0.8, 2],
        ["FT", "topic", 1.0, 1.0, 2],
    ]


def test_what_cannot_be_advised() -> None:
    sweep = swept([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
    with pytest.raises(DataError, match="one sample has no noise"):
        advise_lambda(sweep.query("sample == 0"))
    with pytest.raises(DataError, match="every sample needs an error at every λ"):
        advise_lambda(sweep.iloc[:-1])
    with pytest.raises(DataError, match=r"sample 1 has λ=0\.0 twice"):
        advise_lambda(pd.concat([sweep, sweep.tail(1)]))
    with pytest.raises(DataError, match="advice is for one setting"):
        advise_lambda(pd.concat([sweep, sweep.assign(setting="FT")]))
    with pytest.raises(SettingsError, match="did you mean 'q_knn'"):
        advise_lambda(sweep, "q_kn")
    with pytest.raises(SettingsError, match="one-sided confidence level"):
        advise_lambda(sweep, level=95.0)
    with pytest.raises(SettingsError, match="below 0"):
        advise_lambda(sweep, tolerance=-0.01)
