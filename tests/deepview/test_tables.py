"""Aggregates against loops, tables cell by cell, and the paper's Table 2 from its Tables 4-9."""

from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.deepview.printed import (
    better_than_random,
    dataset_of,
    printed_errors,
    printed_scores,
    printed_sweep,
)
from encoder_atlas.deepview.tables import (
    errors_table,
    recomputed_summary,
    score_table,
    setting_errors,
    summary_table,
    task_errors,
)
from encoder_atlas.errors import DataError


@pytest.fixture(scope="module")
def sweep() -> pd.DataFrame:
    """Random errors: two settings, two tasks (one of the paper's), two seeds, three samples, two λ."""
    random = np.random.default_rng(0)
    rows = [
        (setting, task, seed, sample, lambda_, *random.random(2))
        for setting in ("PT", "control")
        for task in ("SST-2", "reviews")
        for seed in (0, 1)
        for sample in (0, 1, 2)
        for lambda_ in (1.0, 0.0)
    ]
    columns = ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]
    return pd.DataFrame(rows, columns=columns)


def errors_of(sweep: pd.DataFrame, setting: str, task: str, measure: str, lambda_: float) -> list[float]:
    """Literally: all errors of one cell."""
    return [
        row[measure]
        for row in sweep.to_dict(orient="records")
        if (row["setting"], row["task"], row["lambda_"]) == (setting, task, lambda_)
    ]


def test_errors_of_a_task_are_over_samples_and_seeds(sweep: pd.DataFrame) -> None:
    table = task_errors(sweep)
    assert len(table) == 2 * 2 * 2 * 2
    for row in table.to_dict(orient="records"):
        errors = errors_of(sweep, row["setting"], row["task"], row["measure"], row["lambda_"])
        assert row["n"] == len(errors) == 6
        assert row["mean"] == pytest.approx(mean(errors))
        assert row["sd"] == pytest.approx(stdev(errors))


def test_errors_of_a_setting_are_over_tasks_in_percent(sweep: pd.DataFrame) -> None:
    table = setting_errors(sweep, {"control": ["reviews"]})
    for row in table.to_dict(orient="records"):
        tasks = ["reviews"] if row["setting"] == "control" else ["SST-2", "reviews"]
        means = [
            100 * mean(errors_of(sweep, row["setting"], task, row["measure"], row["lambda_"]))
            for task in tasks
        ]
        assert row["mean"] == pytest.approx(mean(means))
        assert row["n"] == len(tasks)
        assert np.isnan(row["sd"]) if len(tasks) == 1 else row["sd"] == pytest.approx(stdev(means))


def test_a_task_with_more_samples_weighs_no_more(sweep: pd.DataFrame) -> None:
    fewer = sweep.loc[sweep["task"].ne("reviews") | (sweep["seed"].eq(0) & sweep["sample"].eq(0))]
    row = setting_errors(fewer).query("setting == 'PT' and measure == 'q_knn' and lambda_ == 1").iloc[0]
    means = [100 * mean(errors_of(fewer, "PT", task, "q_knn", 1.0)) for task in ("SST-2", "reviews")]
    assert row["mean"] == pytest.approx(mean(means))


def test_the_errors_table_cell_by_cell(sweep: pd.DataFrame) -> None:
    table = errors_table(sweep, "q_data", digits=2)
    assert list(table.columns) == [0.0, 1.0]
    assert table.index.tolist() == [
        ("PT", "SST-2", "measured"),
        ("PT", "SST-2", "printed"),
        ("PT", "reviews", "measured"),
        ("control", "SST-2", "measured"),
        ("control", "reviews", "measured"),
    ]
    errors = errors_of(sweep, "PT", "SST-2", "q_data", 1.0)
    assert table.loc[("PT", "SST-2", "measured"), 1.0] == f"{mean(errors):.2f} ± {stdev(errors):.2f}"
    assert table.loc[("PT", "SST-2", "printed")].tolist() == ["0.00", "0.40"]
    bare = errors_table(sweep, printed=False)
    assert bare.index.names == ["setting", "task"]
    assert len(bare) == 4


def test_the_summary_table_cell_by_cell() -> None:
    table = summary_table(printed_sweep(), {"PT": better_than_random()})
    assert list(table.columns) == [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]
    assert table.index.tolist()[:3] == [
        ("Q_kNN", "PT", "measured"),
        ("Q_kNN", "PT", "printed"),
        ("Q_kNN", "FT", "measured"),
    ]
    assert table.loc[("Q_kNN", "PT", "measured"), 1.0] == "27.0 ± 11.6"
    assert table.loc[("Q_kNN", "PT", "printed"), 1.0] == "27 ± 12"
    assert table.loc[("Q_data", "PT", "printed"), 0.2] == "0.3 ± 0.6"
    assert len(summary_table(printed_sweep(), printed=False)) == 6


def test_a_setting_left_without_tasks_is_still_a_row(sweep: pd.DataFrame) -> None:
    table = summary_table(sweep, {"PT": []})
    assert table.loc[("Q_kNN", "PT", "measured")].tolist() == ["–", "–"]
    assert table.loc[("Q_kNN", "control", "measured")].tolist() != ["–", "–"]


def test_one_number_has_no_spread_to_print() -> None:
    assert errors_table(printed_sweep(), printed=False).loc[("PT", "SST2"), 1.0] == "0.368"


def test_table_2_from_tables_4_to_9() -> None:
    table = recomputed_summary()
    assert len(table) == 36
    off = (table["mean"] - table["printed_mean"]).abs()
    odd = table[off > 0.51].set_index(["setting", "measure", "lambda_"])
    # Two means are printed as the next whole percent where rounding gives the one below.
    assert odd["mean"].round(2).to_dict() == {("FT", "q_knn", 0.8): 1.37, ("MT", "q_knn", 0.2): 0.46}
    assert odd["printed_mean"].tolist() == [2, 1]
    # So are some standard deviations below one percent; no other is off by more than rounding.
    sd_off = (table["sd"] - table["printed_sd"]).abs()
    odd_sd = table.loc[sd_off > 0.51]
    assert set(zip(odd_sd["setting"], odd_sd["printed_sd"], strict=True)) == {("MT", 1)}
    assert odd_sd["sd"].max() < 0.5
    assert np.max([off, sd_off]) < 0.7


def test_table_2_by_a_loop_over_the_printed_numbers() -> None:
    printed = printed_errors().to_dict(orient="records")
    for row in recomputed_summary().to_dict(orient="records"):
        errors = [
            100 * entry["error"]
            for entry in printed
            if all(entry[key] == row[key] for key in ("setting", "measure", "lambda_"))
            and (row["setting"] != "PT" or entry["dataset"] in better_than_random())
        ]
        assert row["mean"] == pytest.approx(mean(errors))
        assert row["sd"] == pytest.approx(stdev(errors))


def test_table_1_is_there_and_names_find_its_columns() -> None:
    table = printed_scores()
    assert len(table) == 3 * 9
    assert table.query("setting == 'MT' and dataset == 'RTE'")["value"].item() == 0.76
    assert [dataset_of(name) for name in ("CoLA", "sst2", "MNLI", "toy-reviews")] == [
        "COLA", "SST2", "MNLI", None,
    ]  # fmt: skip


def score_rows(*rows: tuple[str, str, int | None, str, float]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["setting", "task", "seed", "measure", "value"])
    return table.assign(low=table["value"] - 0.1, high=table["value"] + 0.1, commonest=0.5, n=100)


def test_the_score_table_cell_by_cell() -> None:
    table = score_table(
        score_rows(
            ("PT", "CoLA", 0, "accuracy", 0.7),
            ("PT", "CoLA", 0, "mcc", 0.3),
            ("PT", "reviews", 0, "accuracy", 0.6),
            ("PT", "reviews", 1, "accuracy", 0.8),
            ("majority", "CoLA", None, "accuracy", 0.69),
        )
    )
    assert table.index.tolist() == [("PT", "measured"), ("PT", "printed"), ("majority", "measured")]
    assert table.loc[("PT", "measured")].tolist() == [
        "0.70 [0.60, 0.80] / 0.30 [0.20, 0.40]",
        "0.70 ± 0.14",
    ]
    assert table.loc[("PT", "printed")].tolist() == ["0.74 / 0.37", "–"]
    assert table.loc[("majority", "measured")].tolist() == ["0.69 [0.59, 0.79]", "–"]


def test_what_cannot_be_tabulated(sweep: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="no column 'q_knn'"):
        task_errors(sweep.drop(columns="q_knn"))
    with pytest.raises(DataError, match="holds no measurement"):
        task_errors(sweep.iloc[:0])
    with pytest.raises(DataError, match=r"no number: PT, SST-2, λ=1\.0"):
        task_errors(sweep.assign(q_data=[np.nan, *sweep["q_data"][1:]]))
    with pytest.raises(DataError, match="did you mean 'q_knn'"):
        errors_table(sweep, "qknn")
    with pytest.raises(DataError, match="for setting 'FT', which was not measured"):
        summary_table(sweep, {"FT": ["SST-2"]})
    with pytest.raises(DataError, match="PT was not measured on task 'review'; did you mean 'reviews'"):
        summary_table(sweep, {"PT": ["review"]})
